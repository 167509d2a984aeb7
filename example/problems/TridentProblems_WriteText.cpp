// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_WriteText.hpp"

#include <cstdio>
#include <fstream>

namespace Trident {
namespace Problems {

namespace {

/// Collective.
void removePartlyWritten(const std::string& path, const Comm& comm) {
  // Never a device: as root this would remove /dev/full itself. If removing fails too, the first
  // error is the one to report.
  if (comm.rank() == 0 && isRegularFile(path)) static_cast<void>(std::remove(path.c_str()));
  static_cast<void>(comm.sum(0));  // no rank goes on before it is gone
}

}  // namespace

void requireWritable(const std::vector<std::string>& paths, const Comm& comm) {
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    for (const std::string& path : paths) {
      if (path.empty()) continue;
      const bool there = std::ifstream(path).good();
      if (!std::ofstream(path, std::ios::app)) throw MatrixError(path + " cannot be written");
      if (!there) static_cast<void>(std::remove(path.c_str()));
    }
  });
}

void writeFile(const std::string& path, const Comm& comm,
               const std::function<void(const File&)>& writePart) {
  collectively(comm, [&] {
    if (comm.rank() == 0) File(path, File::Mode::create).finishWriting();
  });
  try {
    collectively(comm, [&] {
      File file(path, File::Mode::write);
      writePart(file);
      file.finishWriting();
    });
  } catch (const MatrixError&) {
    removePartlyWritten(path, comm);
    throw;
  }
}

void writeText(const std::string& path, const std::string& text, const Comm& comm) {
  const auto bytes = static_cast<std::int64_t>(text.size());
  const std::int64_t offset = comm.sumBefore(bytes);
  writeFile(path, comm, [&](const File& file) { file.writeAt(offset, text.data(), bytes); });
}

}  // namespace Problems
}  // namespace Trident
