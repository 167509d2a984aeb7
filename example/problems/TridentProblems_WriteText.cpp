// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_WriteText.hpp"

#include <algorithm>
#include <map>

#include "TridentProblems_FreshFile.hpp"
#include "TridentProblems_GzipMember.hpp"
#include "TridentProblems_OutputFile.hpp"

namespace Trident {
namespace Problems {

void requireWritable(const std::vector<std::string>& paths, const Comm& comm) {
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    std::map<std::string, std::string> replaced;
    for (const std::string& path : paths) {
      if (path.empty()) continue;
      const FreshFile file(path);  // and is gone at once
      if ((file.replaces() || file.streams()) && !replaced.emplace(file.target(), path).second)
        throw MatrixError(path + " cannot be written: it is the same file as " +
                          replaced[file.target()] + "; give each output a name of its own");
    }
  });
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
  return std::find(paths.begin(), paths.end(), "-") != paths.end();
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
