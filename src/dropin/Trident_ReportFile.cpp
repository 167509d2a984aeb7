// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_ReportFile.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "Trident_Error.hpp"

namespace Trident::Impl {
namespace {

/// A guard for one signal of write(): SIGPIPE (nobody reads the pipe any more) or SIGXFSZ (the file
/// is at its size limit). While it lives, write() on this thread returns an error instead.
class Withheld {
 public:
  explicit Withheld(int signal) : signal_(signal) {
    sigemptyset(&set_);
    sigaddset(&set_, signal);
    pendingBefore_ = isPending();
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~Withheld() {
    int taken = 0;
    if (!pendingBefore_ && isPending()) sigwait(&set_, &taken);  // no wait, as a signal is pending
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Withheld(const Withheld&) = delete;
  Withheld& operator=(const Withheld&) = delete;

 private:
  bool isPending() const {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, signal_) == 1;
  }
  int signal_;
  sigset_t set_, before_;
  bool pendingBefore_ = false;
};

/// Calls a system function until no signal interrupts the call, and returns the last result.
template <class Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

[[noreturn]] void fail(const std::string& name, const std::string& why) {
  throw Error("TRIDENT_REPORT: " + name + " cannot be written (" + why +
              "); name a file that the first rank can write, or leave the variable out");
}

}  // namespace

ReportFile::ReportFile(const std::string& name) : name_(name) {
  // Nonblocking, because opening a pipe that nobody reads would wait forever.
  file_ = uninterrupted([&] {
    return open(name.c_str(),
                O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  });
  if (file_ < 0) fail(name, errno == ENXIO ? "a pipe that nobody reads" : std::strerror(errno));
}

ReportFile::~ReportFile() { close(file_); }

void ReportFile::add(const std::string& line) {
  if (!failed_.empty()) fail(name_, failed_);
  if (!wanted_) return;
  struct stat before;
  const bool cuts = fstat(file_, &before) == 0 && S_ISREG(before.st_mode);
  try {
    write(line);
  } catch (const Error& error) {
    failed_ = error.problem();
    // Half a line would be no JSON, so it is cut off from a regular file.
    if (cuts && ftruncate(file_, before.st_size) != 0) failed_ += ", its last line is not whole";
    fail(name_, failed_);
  }
}

void ReportFile::write(const std::string& line) {
  const Withheld noPipe(SIGPIPE), noLimit(SIGXFSZ);
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t count =
        uninterrupted([&] { return ::write(file_, line.data() + at, line.size() - at); });
    if (count >= 0) {
      at += static_cast<std::size_t>(count);
    } else if (errno == EPIPE) {
      wanted_ = false;
      return;
    } else if (errno == EAGAIN) {
      awaitReader();
    } else {
      throw Error(std::strerror(errno));
    }
  }
}

/// Waits until a pipe has room. Throws Error after 10 seconds.
void ReportFile::awaitReader() const {
  constexpr int mostMilliseconds = 10000;
  pollfd wanted{file_, POLLOUT, 0};
  const int ready = uninterrupted([&] { return poll(&wanted, 1, mostMilliseconds); });
  if (ready <= 0) throw Error("its reader takes nothing for 10 s");
}

}  // namespace Trident::Impl
