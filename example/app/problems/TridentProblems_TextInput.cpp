// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_TextInput.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "TridentProblems_File.hpp"

namespace Trident {
namespace Problems {

namespace {

/// Returns true for standard input. Under its second name it may be a socket, which cannot be
/// opened.
bool isStandardInput(const std::string& path) { return path == "-" || path == "/dev/stdin"; }

bool lookAt(const std::string& path, struct stat& info) {
  return (isStandardInput(path) ? fstat(STDIN_FILENO, &info) : stat(path.c_str(), &info)) == 0;
}

/// Waits for a writer of a pipe: opened without waiting, one that has no writer yet looks as if it
/// were at its end.
void awaitWriter(const std::string& path, int descriptor) {
  constexpr int minute = 60000;
  pollfd wanted{descriptor, POLLIN, 0};
  const int ready = uninterrupted([&] { return poll(&wanted, 1, minute); });
  char byte;
  if (ready != 0 || ::read(descriptor, &byte, 1) < 0) return;  // the error is: not yet
  static_cast<void>(close(descriptor));
  throw MatrixError(path + ": nobody writes to this pipe; start its writer first");
}

int openInput(const std::string& path) {
  if (isStandardInput(path)) return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat info;
  if (descriptor < 0 || fstat(descriptor, &info) != 0) return descriptor;
  if (S_ISFIFO(info.st_mode)) awaitWriter(path, descriptor);
  static_cast<void>(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK));
  return descriptor;
}

}  // namespace

bool isStream(const std::string& path) {
  struct stat info;
  return isStandardInput(path) ||
         (lookAt(path, info) && (S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)));
}

std::string inputName(const std::string& path) {
  return isStandardInput(path) ? "standard input" : path;
}

TextInput::TextInput(const std::string& path, const Comm& comm, bool mayBeEmpty)
    : path_(path), name_(inputName(path)) {
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    gzipped_ = !isStream(path) && isGzipped(path);
    dealt_ = gzipped_ || isStream(path);
    if (dealt_) {
      const int descriptor = openInput(path);
      if (descriptor < 0) throw MatrixError(name_ + ": opening to read failed: " + reasonOf(errno));
      stream_ = std::make_unique<GzipStream>(name_, descriptor, mayBeEmpty);
    }
    const std::string text = beginning(4096);
    if (!mayBeEmpty || !text.empty()) requireText(name_, text);
  });
  comm.broadcast(&dealt_, static_cast<int>(sizeof dealt_), 0);
  comm.broadcast(&gzipped_, static_cast<int>(sizeof gzipped_), 0);
}

std::string TextInput::beginning(std::size_t bytes) {
  if (!dealt_) return File(path_, File::Mode::read).beginning(bytes);
  std::string text(bytes, '\0');
  std::size_t used = ahead_.copy(&text[0], bytes);
  for (std::size_t got = 1; got > 0 && used < bytes; used += got)
    got = stream_->read(&text[used], bytes - used);
  text.resize(used);
  if (used > ahead_.size()) ahead_ = text;
  return text;
}

std::size_t TextInput::read(char* to, std::size_t size) {
  const std::size_t again = ahead_.copy(to, size, taken_);
  taken_ += again;
  return again > 0 ? again : stream_->read(to, size);
}

void requireInputsApart(const std::vector<std::string>& paths, const Comm& comm) {
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    std::map<std::pair<dev_t, ino_t>, std::string> streams;
    for (const std::string& path : paths) {
      struct stat info;
      if (!isStream(path) || !lookAt(path, info)) continue;
      const auto [first, fresh] = streams.emplace(std::make_pair(info.st_dev, info.st_ino), path);
      if (!fresh && !(S_ISCHR(info.st_mode) && !isStandardInput(path)))
        throw MatrixError(inputName(path) + " can be read once, and it was asked for twice (" +
                          first->second + " and " + path + "): where both are one matrix, say B=A");
    }
  });
}

}  // namespace Problems
}  // namespace Trident
