// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_FRESHFILE_HPP
#define TRIDENTPROBLEMS_FRESHFILE_HPP

#include <sys/stat.h>

#include <string>

namespace Trident::Problems {

/// A file beside the one that `path` leads to, until place() gives it that one's name. What is no
/// regular file is written as it is; as a stream, where it takes bytes in their order alone: a
/// pipe, a terminal, or "-", standard output. One rank has it. Nothing here communicates.
class FreshFile {
 public:
  /// Makes the file, empty. Throws MatrixError where `path` cannot be written; it is not touched.
  explicit FreshFile(const std::string& path);
  ~FreshFile();  // removes what was not placed
  FreshFile& operator=(FreshFile&&) = delete;

  /// Returns true if both are written to one place, and one of them would be lost or cut.
  bool meets(const FreshFile& other) const;
  bool isFile() const { return !fresh_.empty(); }
  bool streams() const { return streams_; }
  /// Returns the name under which to write.
  const std::string& name() const { return isFile() ? fresh_ : target_; }
  /// Gives a file, which reached the device, its name, and the mode of the older one.
  void place();

 private:
  std::string target_, fresh_;
  bool streams_ = false;
  struct stat older_ = {};
};

}  // namespace Trident::Problems

#endif
