// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_GZIPSTREAM_HPP
#define TRIDENTPROBLEMS_GZIPSTREAM_HPP

#include <cstddef>
#include <memory>
#include <string>

namespace Trident {
namespace Problems {

/// A gzipped file, or one that may be, as a stream of its text. Local.
class GzipStream {
 public:
  /// \param name for messages
  /// \param descriptor of the file, at its beginning; closed with the object
  /// \param plainToo whether a text that is not gzipped is read as it is
  /// Throws MatrixError where memory is short.
  GzipStream(std::string name, int descriptor, bool plainToo);
  ~GzipStream();
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  /// Writes up to `size` bytes to `to`, returns how many; 0 is the end. Throws MatrixError where
  /// the file is empty, damaged, cut short, or not gzipped and should be.
  std::size_t read(char* to, std::size_t size);

 private:
  struct Handle;
  std::string name_;
  bool plainToo_;
  std::unique_ptr<Handle> handle_;  // zlib's, whose header is not for those who include this one
  bool any_ = false;
};

}  // namespace Problems
}  // namespace Trident

#endif
