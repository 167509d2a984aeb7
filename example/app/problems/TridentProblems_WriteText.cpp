// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_WriteText.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "TridentProblems_FreshFile.hpp"
#include "TridentProblems_Gzip.hpp"
#include "TridentProblems_OutputFile.hpp"
#include "TridentProblems_SharedFile.hpp"

namespace Trident {
namespace Problems {

namespace {

using FreshFiles = std::vector<std::pair<std::string, std::unique_ptr<FreshFile>>>;

/// Checks the outputs of rank 0. Throws MatrixError where two are one.
void addFile(FreshFiles& files, const std::string& path) {
  auto file = std::make_unique<FreshFile>(path);
  for (const auto& [name, other] : files)
    if (file->meets(*other))
      throw MatrixError(path + " cannot be written: it is the same file as " + name +
                        "; give each output a name of its own");
  files.emplace_back(path, std::move(file));
}

void requireAllWritable(FreshFiles& files, const std::vector<std::string>& paths,
                        const Comm& comm) {
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    std::string name;
    collectively(comm, [&] {
      if (comm.rank() != 0) return;
      addFile(files, path);
      const FreshFile& file = *files.back().second;
      if (file.isFile()) name = file.name();
    });
    name = comm.broadcast(name, 0);
    if (!name.empty()) static_cast<void>(openToWrite(name, path, comm));
  }
}

}  // namespace

void requireWritable(const std::vector<std::string>& paths, const Comm& comm) {
  FreshFiles files;
  // They are gone on every rank's return, and where all throw.
  const auto remove = [&] { collectively(comm, [&] { files.clear(); }); };
  try {
    requireAllWritable(files, paths, comm);
  } catch (const MatrixError&) {
    remove();
    throw;
  }
  remove();
}

void requireWritableAnywhere(const std::vector<std::string>& paths, const Comm& comm) {
  requireWritable(paths, comm);
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    for (const std::string& path : paths)
      if (!path.empty() && FreshFile(path).streams())
        throw MatrixError(path +
                          " cannot be written: it takes bytes in their order alone, and this "
                          "format is not written so; name a file");
  });
}

bool writesToStandardOutput(const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
    return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
  });
}

void writeFile(const std::string& path, const Comm& comm,
               const std::function<void(const File&)>& writePart) {
  OutputFile file(path, comm);
  file.write(writePart);
  file.finish();
}

void writeText(const std::string& path, const std::string& text, const Comm& comm) {
  const bool gzipped = endsIn(path, ".gz");
  std::string member;
  collectively(comm, [&] {
    if (gzipped) member = gzipMember(text);
  });
  const std::string& written = gzipped ? member : text;
  const auto bytes = static_cast<std::int64_t>(written.size());
  const std::int64_t offset = comm.sumBefore(bytes);
  writeFile(path, comm, [&](const File& file) { file.writeAt(offset, written.data(), bytes); });
}

}  // namespace Problems
}  // namespace Trident
