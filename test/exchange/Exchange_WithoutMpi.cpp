// SPDX-License-Identifier: BSD-3-Clause
// A message comes instead of a crash inside MPI, before MPI has begun and after it has ended.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "Trident_Error.hpp"
#include "exchange/Trident_Context.hpp"

namespace {

bool isRefused(const char* when) {
  try {
    Trident::Impl::Context::of(MPI_COMM_WORLD);
  } catch (const Trident::Error& e) {
    const std::string words = when == std::string("before") ? "has not begun" : "has ended";
    if (std::string(e.what()).find(words) != std::string::npos) return true;
    std::printf("%s MPI: %s\n", when, e.what());
    return false;
  }
  std::printf("%s MPI: no error\n", when);
  return false;
}

}  // namespace

int main(int argc, char* argv[]) {
  const bool before = isRefused("before");
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return before && isRefused("after") ? EXIT_SUCCESS : EXIT_FAILURE;
}
