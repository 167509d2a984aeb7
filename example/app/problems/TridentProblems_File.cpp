// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_File.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/vfs.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

namespace {

static_assert(sizeof(off_t) == sizeof(std::int64_t), "files may be larger than 2 GB");

constexpr std::int64_t maxChunkBytes = std::int64_t{1} << 30;  // a call of Linux moves 2 GB at most

mode_t typeOf(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? info.st_mode & S_IFMT : 0;
}

/// Returns true if hosts write whole pages of this file, and so overwrite what others wrote in
/// them, unless they lock what they write.
bool isOfNetwork(int descriptor) {
#if defined(__linux__)
  constexpr long nfs = 0x6969;
  struct statfs info;
  return fstatfs(descriptor, &info) == 0 && static_cast<long>(info.f_type) == nfs;
#else
  return descriptor < 0;  // not known
#endif
}

}  // namespace

bool endsIn(const std::string& path, const std::string& ending) {
  return path.size() >= ending.size() &&
         path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
}

bool isRegularFile(const std::string& path) { return typeOf(path) == S_IFREG; }

std::string reasonOf(int error) {
  const std::string text = std::strerror(error);
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return text + ": is the disk full?";
    case EFBIG:
      return text + ": is the disk full, or may files not be so large (ulimit -f)?";
    case ENAMETOOLONG:
      return text +
             ": a path may have 4095 bytes, and a name 255; go into the folder and name the "
             "file from there";
    default:
      return text;
  }
}

void File::fail(const std::string& doing, int error) const {
  throw MatrixError(path_ + ": " + doing + " failed: " + reasonOf(error));
}

File::File(std::string path, Mode mode) : path_(std::move(path)) {
  const mode_t type = typeOf(path_);
  if (type == S_IFDIR) throw MatrixError(path_ + ": is a directory, not a file");
  // Opening a pipe may wait for ever, and nothing can be read of it at a place of one's own.
  if (type == S_IFIFO || type == S_IFSOCK)
    throw MatrixError(path_ +
                      ": is a pipe, and this format is read at many places; make it a file first");
  const bool reads = mode == Mode::read;
  const int flags = (reads ? O_RDONLY : O_WRONLY) | O_NOCTTY | O_CLOEXEC;
  descriptor_ = uninterrupted([&] { return open(path_.c_str(), flags); });
  if (descriptor_ < 0) fail(reads ? "opening to read" : "opening to write", errno);
  locks_ = !reads && isOfNetwork(descriptor_);
}

File::~File() {
  // A destructor cannot throw; a file that was read has nothing to lose.
  if (descriptor_ >= 0) static_cast<void>(close(descriptor_));
}

std::int64_t File::size() const {
  const off_t bytes = lseek(descriptor_, 0, SEEK_END);  // also of a device
  if (bytes < 0) fail("asking for the size", errno);
  return bytes;
}

std::string File::beginning(std::size_t most) const {
  std::string bytes(std::min(most, static_cast<std::size_t>(size())), '\0');
  readAt(0, &bytes[0], static_cast<std::int64_t>(bytes.size()));
  return bytes;
}

void File::readAt(std::int64_t offset, void* to, std::int64_t bytes) const {
  for (std::int64_t done = 0; done < bytes;) {
    const auto chunk = static_cast<std::size_t>(std::min(maxChunkBytes, bytes - done));
    const ssize_t got = uninterrupted(
        [&] { return pread(descriptor_, static_cast<char*>(to) + done, chunk, offset + done); });
    if (got < 0) fail("reading", errno);
    if (got == 0)
      throw MatrixError(path_ + ": the file ends at byte " + std::to_string(offset + done) +
                        ", before what it should hold: is it truncated?");
    done += got;
  }
}

void File::writeNext(std::int64_t offset, const char* from, std::int64_t bytes) const {
  if (next_ >= 0 && offset != next_)
    throw MatrixError(path_ + " cannot be written: it takes bytes in their order alone, and this " +
                      "format is not written so; name a file");
  next_ = offset + bytes;
  for (std::int64_t at = 0; at < bytes; at += mostOfBlock)
    stream_(from + at, std::min(mostOfBlock, bytes - at));
}

/// Locks bytes, or lets them go. Nobody waits for long: ranks write different bytes, but for
/// numbers that several write alike. Does nothing where the file system has no locks.
void File::lock(std::int64_t offset, std::int64_t bytes, bool on) const {
  if (!locks_) return;
  struct flock range = {};
  range.l_type = on ? F_WRLCK : F_UNLCK;
  range.l_whence = SEEK_SET;
  range.l_start = offset;
  range.l_len = bytes;
  static_cast<void>(uninterrupted([&] { return fcntl(descriptor_, F_SETLKW, &range); }));
}

void File::writeAt(std::int64_t offset, const void* from, std::int64_t bytes) const {
  if (stream_) return writeNext(offset, static_cast<const char*>(from), bytes);
  if (bytes == 0) return;
  lock(offset, bytes, true);
  int error = 0;
  for (std::int64_t done = 0; done < bytes && error == 0;) {
    const auto chunk = static_cast<std::size_t>(std::min(maxChunkBytes, bytes - done));
    const ssize_t put = uninterrupted([&] {
      return pwrite(descriptor_, static_cast<const char*>(from) + done, chunk, offset + done);
    });
    if (put <= 0) error = put < 0 ? errno : ENOSPC;
    done += std::max<ssize_t>(put, 0);
  }
  lock(offset, bytes, false);
  if (error != 0) fail("writing", error);
}

void File::finishWriting() {
  if (stream_) return;
  const bool syncs = isRegularFile(path_);
  // Some file systems have nothing to write out, and say so.
  if (syncs && uninterrupted([&] { return fsync(descriptor_); }) != 0 && errno != EINVAL)
    fail("writing to the device", errno);
  const int descriptor = std::exchange(descriptor_, -1);
  // Linux has closed it, though a signal came.
  if (close(descriptor) != 0 && errno != EINTR) fail("closing", errno);
}

}  // namespace Problems
}  // namespace Trident
