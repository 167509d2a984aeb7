// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_GZIP_HPP
#define TRIDENTPROBLEMS_GZIP_HPP

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace Trident {
namespace Problems {

/// The text of a file, gzipped or not, as a stream. Local.
class GzipStream {
 public:
  /// \param name for messages
  /// \param descriptor of the file, at its beginning; closed with the object
  /// \param mayBeEmpty whether a file without a byte is a text without one
  /// Throws MatrixError where memory is short.
  GzipStream(std::string name, int descriptor, bool mayBeEmpty = false);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  /// Writes up to `size` bytes to `to`, returns how many; 0 is the end. Throws MatrixError where
  /// the file is empty, damaged or cut short.
  std::size_t read(char* to, std::size_t size);

 private:
  struct Handle;
  std::string name_;
  std::unique_ptr<Handle> handle_;  // zlib's, whose header is not for those who include this one
  bool any_ = false;
};

/// Packs a text chunk by chunk into a member of a gzipped file: members one after the other are the
/// file of their texts one after the other, so each rank makes one. The same text gives the same
/// bytes. Local.
class GzipMember {
 public:
  using Sink = std::function<void(const char* bytes, std::size_t size)>;

  /// \param sink gets the packed bytes. Throws MatrixError where memory is short.
  explicit GzipMember(Sink sink);
  ~GzipMember();
  GzipMember(const GzipMember&) = delete;
  GzipMember& operator=(const GzipMember&) = delete;

  void add(const char* text, std::size_t size);
  /// Hands out what is left.
  void finish();

 private:
  struct Stream;
  void pack(const char* text, std::size_t size, int flush);

  Sink sink_;
  std::unique_ptr<Stream> stream_;  // zlib's, whose header is not for those who include this one
};

/// Packs a text as one member.
std::string gzipMember(const std::string& text);

}  // namespace Problems
}  // namespace Trident

#endif
