// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_FRESHFILE_HPP
#define TRIDENTPROBLEMS_FRESHFILE_HPP

#include <sys/types.h>

#include <string>

namespace Trident {
namespace Problems {

/// The file that is written in the place of another, until it takes that one's name.
///
/// It lies beside the file that `path` leads to, links followed, under a name that no other run has
/// and no link leads away from. What cannot be replaced is written where it is: devices, files in
/// folders where nothing can be created, those of other users in folders with the sticky bit, and
/// those that are mounted. What takes bytes in their order alone, a pipe, a
/// terminal or "-", standard output, is a stream. One rank has it. Nothing here communicates.
class FreshFile {
 public:
  /// Makes the file, empty. Throws MatrixError where `path` cannot be written; it is not touched.
  explicit FreshFile(const std::string& path);
  /// Removes what was not placed. A file that was written where it is becomes empty: no part of one
  /// is taken for all of it.
  ~FreshFile();
  FreshFile(const FreshFile&) = delete;
  FreshFile& operator=(const FreshFile&) = delete;

  /// Returns true if both are written to one place, and one of them would be lost or cut.
  bool meets(const FreshFile& other) const;
  /// Returns true if what `path` leads to is replaced, by another file than itself.
  bool replaces() const { return !fresh_.empty(); }
  /// Returns true if it is written from its beginning to its end, by openStream().
  bool streams() const { return streams_; }
  /// Opens a descriptor to write to, which the caller closes. Waits a minute at most for a reader
  /// of a pipe; throws MatrixError if none comes.
  int openStream() const;
  /// Returns the name under which to write. What it names holds what it held before begin().
  const std::string& name() const { return replaces() ? fresh_ : target_; }
  /// Returns whether that is a file: there, and no device.
  bool isFile() const { return regular_ && !streams_; }
  /// Empties what is written where it is. \return name()
  const std::string& begin();
  /// Gives the file, which all have written, its name; it reached the device before. The mode of an
  /// older file stays. Throws MatrixError where that fails; an older file is then untouched.
  void place();

 private:
  void lookAtFolder();
  bool isPlaceOf(const FreshFile& other) const;
  void create();
  void takeOwnerAndMode();

  std::string path_;
  std::string target_;  // what path_ leads to, from the root unless that is too long
  std::string fresh_;
  bool exists_ = false, regular_ = false, begun_ = false, placed_ = false;
  bool streams_ = false;
  dev_t device_ = 0, folderDevice_ = 0;  // of what is there, and of its folder
  ino_t inode_ = 0, folderInode_ = 0;
  mode_t mode_ = 0;
  uid_t user_ = 0;
  gid_t group_ = 0;
};

}  // namespace Problems
}  // namespace Trident

#endif
