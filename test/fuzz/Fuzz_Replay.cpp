// SPDX-License-Identifier: BSD-3-Clause
// Hands every file of the folders that are its arguments to a target once: what libFuzzer does
// with a corpus, for any compiler and any number of ranks.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "Fuzz_Tools.hpp"

namespace {

std::vector<std::string> filesUnder(int folders, char* const* names) {
  std::vector<std::string> files;
  for (int f = 0; f < folders; ++f)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(names[f]))
      if (entry.is_regular_file()) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());  // the same order on every rank
  return files;
}

}  // namespace

/// Changes nothing, and is never called: without libFuzzer nothing is mutated.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) {
  return size;
}

int main(int argc, char* argv[]) {
  LLVMFuzzerInitialize(&argc, &argv);
  const std::vector<std::string> files = filesUnder(argc - 1, argv + 1);
  for (const std::string& name : files) {
    if (Fuzz::world()->getRank() == 0) {
      std::printf("%s\n", name.c_str());  // the last one printed is the one that failed
      std::fflush(stdout);
    }
    std::ifstream file(name, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  if (files.empty()) Fuzz::complain("no file to replay");
}
