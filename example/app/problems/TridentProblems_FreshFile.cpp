// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_FreshFile.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>

#include "TridentProblems_File.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident::Problems {

namespace fs = std::filesystem;

[[noreturn]] static void failWriting(const std::string& path, const std::string& why) {
  throw MatrixError(path + " cannot be written: " + why);
}

FreshFile::FreshFile(const std::string& path) : target_(path), streams_(path == "-") {
  const bool there = (streams_ ? fstat(STDOUT_FILENO, &older_) : stat(path.c_str(), &older_)) == 0;
  if (!there && errno == ELOOP) failWriting(path, "its links lead in a circle");
  if (!there && (streams_ || errno != ENOENT)) failWriting(path, reasonOf(errno));
  if (streams_) return;
  if (S_ISDIR(older_.st_mode)) failWriting(path, "it is a directory, not a file");
  if (there && access(path.c_str(), W_OK) != 0) failWriting(path, reasonOf(errno));
  fs::path target = path;
  int flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  if (!there || S_ISREG(older_.st_mode)) {
    while (fs::is_symlink(fs::symlink_status(target)))
      target = target.parent_path() / fs::read_symlink(target);
    target_ = target.string();
    const std::string name = target.filename().string().substr(0, 64);  // so that the next one fits
    target.replace_filename(name + ".new-" + std::to_string(std::random_device()()));
    flags |= O_CREAT | O_EXCL;
  } else if (S_ISFIFO(older_.st_mode)) {  // its reader would notice that it is opened
    streams_ = true;
    return;
  }
  const int descriptor = open(target.c_str(), flags, there ? 0600 : 0666);  // private meanwhile
  if (descriptor < 0) failWriting(path, reasonOf(errno));
  if (flags & O_CREAT)
    fresh_ = target.string();
  else
    streams_ = lseek(descriptor, 0, SEEK_CUR) < 0;
  static_cast<void>(close(descriptor));
}

FreshFile::~FreshFile() {
  if (isFile()) static_cast<void>(unlink(fresh_.c_str()));
}

bool FreshFile::meets(const FreshFile& other) const {
  const fs::path mine = target_, others = other.target_;
  std::error_code none;
  if (isFile() && other.isFile())  // which hard links are not
    return mine.filename() == others.filename() &&
           fs::equivalent(mine.parent_path() / ".", others.parent_path() / ".", none);
  // Of devices nothing is read again.
  return (isFile() || streams_) && (other.isFile() || other.streams_) &&
         older_.st_dev == other.older_.st_dev && older_.st_ino == other.older_.st_ino;
}

void FreshFile::place() {
  if (!isFile()) return;
  if (older_.st_mode != 0) {
    // Only root gives a file away. What was another group's is then nobody's.
    const bool foreign = chown(fresh_.c_str(), older_.st_uid, older_.st_gid) != 0 &&
                         chown(fresh_.c_str(), static_cast<uid_t>(-1), older_.st_gid) != 0;
    if (chmod(fresh_.c_str(), older_.st_mode & (foreign ? 0707 : 0777)) != 0)
      failWriting(target_, reasonOf(errno));
  }
  std::string whole;  // which stays, whatever comes
  whole.swap(fresh_);
  if (rename(whole.c_str(), target_.c_str()) != 0)
    failWriting(target_,
                "it cannot be put there: " + reasonOf(errno) + "; the whole file is " + whole);
}

}  // namespace Trident::Problems
