// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_SharedFile.hpp"

#include <unistd.h>

#include "TridentProblems_TextInput.hpp"

namespace Trident {
namespace Problems {

namespace {

/// Returns "rank 1 of 4, on the host node7".
std::string thisRank(const Comm& comm) {
  char host[65] = "";
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  return "rank " + std::to_string(comm.rank()) + " of " + std::to_string(comm.size()) +
         ", on the host " + host;
}

/// Adds to a rank's message that other ranks may see the file, and which rank and host does not.
/// Leaves rank 0's message as it is; it is the one that is shown if rank 0 fails too.
std::string alone(const std::string& message, const std::string& doing, const Comm& comm) {
  if (comm.rank() == 0) return message;
  return message + " (" + thisRank(comm) + "; all ranks " + doing +
         ": name a file in a folder that all their hosts share)";
}

}  // namespace

std::unique_ptr<File> openToRead(const std::string& path, const Comm& comm) {
  std::unique_ptr<File> file;
  std::int64_t bytes = 0;
  collectively(comm, [&] {
    try {
      file = std::make_unique<File>(path, File::Mode::read);
      bytes = file->size();
    } catch (const MatrixError& e) {
      throw MatrixError(alone(e.what(), "read it", comm));
    }
  });
  std::int64_t first = bytes;
  comm.broadcast(&first, static_cast<int>(sizeof first), 0);
  collectively(comm, [&] {
    if (bytes != first)
      throw MatrixError(path + ": ranks see several files of this name, of " +
                        std::to_string(first) + " bytes and of " + std::to_string(bytes) + " (" +
                        thisRank(comm) +
                        "): do all hosts share the folder, or is it being replaced?");
  });
  return file;
}

std::unique_ptr<File> openToWrite(const std::string& name, const std::string& path,
                                  const Comm& comm) {
  std::unique_ptr<File> file;
  collectively(comm, [&] {
    try {
      file = std::make_unique<File>(name, File::Mode::write);
    } catch (const MatrixError& e) {
      throw MatrixError(path + " cannot be written: " + alone(e.what(), "write it", comm));
    }
  });
  return file;
}

void requireReadable(const std::vector<std::string>& paths, const Comm& comm) {
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    bool byAll = false;
    collectively(comm, [&] {
      if (comm.rank() == 0) byAll = !isStream(path) && !isGzipped(path);
    });
    comm.broadcast(&byAll, static_cast<int>(sizeof byAll), 0);
    if (byAll) static_cast<void>(openToRead(path, comm));
  }
}

}  // namespace Problems
}  // namespace Trident
