// SPDX-License-Identifier: BSD-3-Clause
#include "TridentProblems_FreshFile.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "TridentProblems_File.hpp"
#include "TridentProblems_Hash.hpp"
#include "TridentProblems_Types.hpp"

namespace Trident {
namespace Problems {

namespace {

[[noreturn]] void failWriting(const std::string& path, const std::string& why) {
  throw MatrixError(path + " cannot be written: " + why);
}

std::string folderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string baseOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Returns where the links lead that `path` is, also if nothing is there yet.
std::string followed(const std::string& path) {
  constexpr int mostLinks = 40;  // as of Linux
  std::string target = path;
  for (int links = 0; links < mostLinks; ++links) {
    char text[PATH_MAX];
    const ssize_t size = readlink(target.c_str(), text, sizeof text);
    if (size < 0) return target;
    const std::string next(text, static_cast<std::size_t>(size));
    target = next[0] == '/' ? next : folderOf(target) + "/" + next;
  }
  failWriting(path, "its links lead in a circle");
}

/// Bytes that freshName() needs behind a folder, at least.
constexpr std::size_t leastOfName = 1 + 5 + 16;

/// Returns `target` from the root, for ranks that may be elsewhere. In a folder so deep that this
/// would be longer than a path may be, it stays as it is.
std::string absolute(const std::string& target) {
  char* const folder = realpath(folderOf(target).c_str(), nullptr);
  if (folder == nullptr && errno == ENAMETOOLONG) return target;
  if (folder == nullptr) failWriting(target, reasonOf(errno));
  const std::string result = std::string(folder) + "/" + baseOf(target);
  std::free(folder);
  const bool fits = result.size() < PATH_MAX && folderOf(result).size() + leastOfName < PATH_MAX;
  return fits || target[0] == '/' ? result : target;
}

/// Returns a name beside `target` that no other run has: of this host, process and call. It is not
/// long, so that it fits where the target's does.
std::string freshName(const std::string& target) {
  static std::atomic<std::uint64_t> calls{0};
  constexpr std::size_t mostOfName = 64;
  char host[33] = "";
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  char random[17];
  std::snprintf(random, sizeof random, "%016llx",
                static_cast<unsigned long long>(hash(static_cast<std::uint64_t>(now), ++calls)));
  const std::string ending =
      std::string(".new-") + host + "-" + std::to_string(getpid()) + "-" + random;
  const std::string name = folderOf(target) + "/" + baseOf(target).substr(0, mostOfName) + ending;
  return name.size() < PATH_MAX ? name : folderOf(target) + "/.new-" + random;
}

/// Returns true if what is no file takes bytes in their order alone.
bool isStream(const std::string& path, mode_t mode) {
  if (S_ISFIFO(mode)) return true;  // which must not be opened to see: its reader would notice
  const int descriptor = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) failWriting(path, reasonOf(errno));
  const bool stays = lseek(descriptor, 0, SEEK_CUR) < 0;
  static_cast<void>(close(descriptor));
  return stays;
}

/// Returns true if an error says that a folder lets nothing be created, though files in it may be
/// written.
bool isOfFolder(int error) { return error == EACCES || error == EPERM || error == EROFS; }

/// Returns true if something is mounted on a file, as containers do: then it cannot be renamed
/// over.
bool isMounted(const std::string& target) {
  std::ifstream mounts("/proc/self/mountinfo");  // of Linux
  std::string escaped, line, skipped, place;
  for (const char c : target) {
    char octal[5];
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(c));
    escaped += c == ' ' || c == '\t' || c == '\n' || c == '\\' ? octal : std::string(1, c);
  }
  while (std::getline(mounts, line)) {
    std::istringstream words(line);
    if (words >> skipped >> skipped >> skipped >> skipped >> place && place == escaped) return true;
  }
  return false;
}

/// Returns true if the file may go from its folder, and so be replaced. Another user's in a folder
/// with the sticky bit may not. To remove a file as if it were a folder fails, and says whether it
/// is for that reason.
bool mayGo(const std::string& target) {
  return !(rmdir(target.c_str()) != 0 && isOfFolder(errno)) && !isMounted(target);
}

/// Writes what a folder says of its files to the device, too. Some file systems cannot; the file
/// itself is there already.
void syncFolder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  static_cast<void>(fsync(descriptor));
  static_cast<void>(close(descriptor));
}

}  // namespace

FreshFile::FreshFile(const std::string& path) : path_(path) {
  struct stat info;
  if (path == "-") {
    target_ = path;
    streams_ = true;
    exists_ = fstat(STDOUT_FILENO, &info) == 0;
    if (!exists_) failWriting("standard output", reasonOf(errno));
    device_ = info.st_dev;
    inode_ = info.st_ino;
    return;
  }
  exists_ = stat(path.c_str(), &info) == 0;
  if (!exists_ && errno == ELOOP) failWriting(path, "its links lead in a circle");
  if (!exists_ && errno != ENOENT) failWriting(path, reasonOf(errno));
  if (exists_ && S_ISDIR(info.st_mode)) failWriting(path, "it is a directory, not a file");
  regular_ = !exists_ || S_ISREG(info.st_mode);
  if (exists_) {
    device_ = info.st_dev;
    inode_ = info.st_ino;
  }
  // Links of /dev and /proc lead to what has no name, such as a terminal.
  target_ = absolute(regular_ ? followed(path) : path);
  if (baseOf(target_).empty()) failWriting(path, "it names no file");
  lookAtFolder();
  if (exists_ && access(target_.c_str(), W_OK) != 0) failWriting(path, reasonOf(errno));
  if (!regular_) {
    streams_ = isStream(path, info.st_mode);
    return;
  }
  if (exists_) {
    mode_ = info.st_mode & 07777;
    user_ = info.st_uid;
    group_ = info.st_gid;
  }
  create();
}

void FreshFile::lookAtFolder() {
  struct stat info;
  if (stat(folderOf(target_).c_str(), &info) != 0) failWriting(path_, reasonOf(errno));
  folderDevice_ = info.st_dev;
  folderInode_ = info.st_ino;
}

void FreshFile::create() {
  if (exists_ && !mayGo(target_)) return;     // it is written where it is
  const mode_t mode = exists_ ? 0600 : 0666;  // what was private must not be seen meanwhile
  for (int tries = 0; tries < 100; ++tries) {
    const std::string name = freshName(target_);
    const int descriptor =
        open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor >= 0) {
      static_cast<void>(close(descriptor));
      fresh_ = name;
      return;
    }
    if (errno == EEXIST) continue;
    if (isOfFolder(errno) && exists_) return;
    failWriting(path_, reasonOf(errno));
  }
  failWriting(path_, "no name beside it is free");
}

FreshFile::~FreshFile() {
  // A destructor cannot throw, and what went wrong before is what is to be said.
  if (placed_) return;
  if (replaces())
    static_cast<void>(unlink(fresh_.c_str()));
  else if (begun_ && regular_ && truncate(target_.c_str(), 0) != 0)
    static_cast<void>(errno);
}

/// Returns whether both have one name in one folder.
bool FreshFile::isPlaceOf(const FreshFile& other) const {
  if (path_ == "-" || other.path_ == "-") return path_ == other.path_;
  return folderDevice_ == other.folderDevice_ && folderInode_ == other.folderInode_ &&
         baseOf(target_) == baseOf(other.target_);
}

bool FreshFile::meets(const FreshFile& other) const {
  const auto isDevice = [](const FreshFile& file) { return !file.regular_ && !file.streams_; };
  if (isDevice(*this) || isDevice(other)) return false;  // of which nothing is read again
  if (isPlaceOf(other)) return true;
  // What is replaced may have several names: each gets a file of its own.
  return exists_ && other.exists_ && device_ == other.device_ && inode_ == other.inode_ &&
         !(replaces() && other.replaces());
}

int FreshFile::openStream() const {
  if (path_ == "-") return dup(STDOUT_FILENO);
  int descriptor = -1;
  for (int tries = 0; tries < 600; ++tries) {
    descriptor = open(target_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor >= 0 || errno != ENXIO) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  if (descriptor < 0)
    failWriting(
        path_, errno == ENXIO ? "nobody reads this pipe; start its reader first" : reasonOf(errno));
  static_cast<void>(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK));
  return descriptor;
}

const std::string& FreshFile::begin() {
  if (replaces()) return fresh_;
  if (regular_ && truncate(target_.c_str(), 0) != 0) failWriting(path_, reasonOf(errno));
  begun_ = true;
  return target_;
}

/// Takes owner and mode of the older file, as far as this user may. Only root gives a file away;
/// for others it becomes their own. If it cannot have the older one's group either, the group of
/// this user gets what all others get: so nobody reads it who could not before.
void FreshFile::takeOwnerAndMode() {
  if (chown(fresh_.c_str(), user_, group_) != 0) {
    mode_ &= 01777;
    if (chown(fresh_.c_str(), static_cast<uid_t>(-1), group_) != 0)
      mode_ = (mode_ & ~mode_t(070)) | ((mode_ & 07) << 3);
  }
  if (chmod(fresh_.c_str(), mode_) != 0) failWriting(path_, reasonOf(errno));
}

void FreshFile::place() {
  if (replaces()) {
    if (exists_) takeOwnerAndMode();
    if (std::rename(fresh_.c_str(), target_.c_str()) != 0) {
      placed_ = true;  // what is whole stays, under the name that it has
      failWriting(path_, std::string("it cannot be put there: ") + reasonOf(errno) +
                             "; the whole file is " + fresh_);
    }
    syncFolder(folderOf(target_));
  }
  placed_ = true;
}

}  // namespace Problems
}  // namespace Trident
