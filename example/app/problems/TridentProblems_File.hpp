// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_FILE_HPP
#define TRIDENTPROBLEMS_FILE_HPP

#include <cerrno>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace Trident {
namespace Problems {

/// A file that one rank reads or writes at offsets by pread and pwrite: any number of bytes, and
/// paths as long as the system takes. (MPI-IO of Open MPI 4.1 ends a program by a buffer overflow
/// where a path has more than about 245 bytes.)
///
/// Each rank opens its own: a file that some rank cannot open, or that breaks half way, is then an
/// ordinary exception of that rank, to be agreed on with the others. No member communicates.
class File {
 public:
  enum class Mode {
    read,
    write  ///< writing into an existing file
  };

  /// Gets bytes that follow those before.
  using Stream = std::function<void(const char* bytes, std::int64_t count)>;

  /// Throws MatrixError naming the path.
  File(std::string path, Mode mode);
  /// Makes a part of what can only be written from its beginning to its end, such as a pipe.
  /// `stream` gets blocks of at most mostOfBlock bytes, and other places than the next one are
  /// errors.
  File(std::string path, Stream stream) : path_(std::move(path)), stream_(std::move(stream)) {}
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& path() const { return path_; }
  std::int64_t size() const;

  /// Reads the first bytes, `most` of them or all there are.
  std::string beginning(std::size_t most) const;
  /// Throws MatrixError where the file cannot be read or ends before.
  void readAt(std::int64_t offset, void* to, std::int64_t bytes) const;
  /// Throws MatrixError where the file cannot be written in full.
  void writeAt(std::int64_t offset, const void* from, std::int64_t bytes) const;
  /// Writes to the device and closes; throws MatrixError where that fails, as the destructor
  /// cannot.
  void finishWriting();

 private:
  void writeNext(std::int64_t offset, const char* from, std::int64_t bytes) const;
  [[noreturn]] void fail(const std::string& doing, int error) const;
  void lock(std::int64_t offset, std::int64_t bytes, bool on) const;

  std::string path_;
  Stream stream_;
  mutable std::int64_t next_ = -1;  // place that a stream is at; -1: not begun
  int descriptor_ = -1;
  bool locks_ = false;
};

/// Calls a function of the system again while a signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Returns the system's words for an error of a file, and a remedy where one is known.
std::string reasonOf(int error);

/// Bytes of a block of a stream, at most.
constexpr std::int64_t mostOfBlock = std::int64_t{1} << 22;

/// Returns true if a file's name ends in `ending`, such as ".bin".
bool endsIn(const std::string& path, const std::string& ending);

/// Returns true if `path` names a file of a disk (no device, no pipe, no directory) that exists.
bool isRegularFile(const std::string& path);

}  // namespace Problems
}  // namespace Trident

#endif
