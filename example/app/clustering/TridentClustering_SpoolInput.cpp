// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_SpoolInput.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "TridentProblems_File.hpp"

namespace Trident {
namespace Clustering {

namespace {

[[noreturn]] void spoolFails(const std::string& doing) {
  throw std::runtime_error("-te copies standard input to a file first, and " + doing +
                           " failed: " + std::strerror(errno) +
                           "; name another folder by TMPDIR, or leave -te out");
}

std::string temporaryFolder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

/// Returns a file that is open, and gone with the last process that has it open; below 0 where
/// there can be none.
int openNameless(const std::string& folder) {
  const std::string pattern = folder + "/trident-mcl.XXXXXX";
  std::vector<char> path(pattern.c_str(), pattern.c_str() + pattern.size() + 1);
  const int descriptor = mkstemp(path.data());  // of mode 0600
  if (descriptor >= 0 && unlink(path.data()) != 0) spoolFails("removing its name in " + folder);
  return descriptor;
}

void spoolBlock(int descriptor, const char* from, std::size_t bytes, const std::string& folder) {
  while (bytes > 0) {
    const ssize_t done = Problems::uninterrupted([&] { return write(descriptor, from, bytes); });
    if (done < 0) spoolFails("writing to " + folder);
    from += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

/// Copies all of standard input; returns the number of bytes.
std::int64_t copyStandardInput(int to, const std::string& folder) {
  std::vector<char> block(1 << 18);
  std::int64_t all = 0;
  for (;;) {
    const ssize_t got =
        Problems::uninterrupted([&] { return read(STDIN_FILENO, block.data(), block.size()); });
    if (got < 0) spoolFails("reading");
    if (got == 0) return all;
    spoolBlock(to, block.data(), static_cast<std::size_t>(got), folder);
    all += got;
  }
}

}  // namespace

std::int64_t spoolStandardInput() {
  struct stat info;
  if (fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)) {
    const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return at < 0 || at > info.st_size ? 0 : info.st_size - at;
  }
  const std::string folder = temporaryFolder();
  const int file = openNameless(folder);
  if (file < 0) return -1;
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));  // a file that is too long is an error
  const std::int64_t bytes = copyStandardInput(file, folder);
  if (lseek(file, 0, SEEK_SET) != 0 || dup2(file, STDIN_FILENO) < 0) spoolFails("going back in it");
  static_cast<void>(close(file));
  return bytes;
}

}  // namespace Clustering
}  // namespace Trident
