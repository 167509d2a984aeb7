// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_RunLauncher.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace Trident {
namespace Clustering {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr double toBegin = 60, toEnd = 5;  // seconds
constexpr std::size_t mostSaid = 4096;

volatile std::sig_atomic_t caught = 0;   // the signal that is to end all
volatile std::sig_atomic_t toPause = 0;  // 1 where all are to stop, by Ctrl-Z
void catchSignal(int signal) {
  if (signal == SIGTSTP)
    toPause = 1;
  else if (signal != SIGCHLD)
    caught = signal;
}

[[noreturn]] void launcherFails(const std::string& doing) {
  throw std::runtime_error(doing + " failed: " + std::strerror(errno));
}

/// Holds back the signals that would end or stop this process, but while it waits by mask(), and
/// SIGCHLD.
class HeldSignals {
 public:
  HeldSignals() {
    caught = toPause = 0;
    sigset_t held;
    sigemptyset(&held);
    for (std::size_t i = 0; i < count; ++i) {
      sigaction(signals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN && signals[i] != SIGCHLD) continue;  // nohup
      struct sigaction now {};
      now.sa_handler = catchSignal;
      sigaction(signals[i], &now, nullptr);
      sigaddset(&held, signals[i]);
    }
    sigprocmask(SIG_BLOCK, &held, &mask_);
  }
  ~HeldSignals() {
    for (std::size_t i = 0; i < count; ++i) sigaction(signals[i], &before_[i], nullptr);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  const sigset_t& mask() const { return mask_; }

  /// Stops this process, as the terminal does, until it is continued.
  void stopHere() const {
    struct sigaction before, stops = {};
    stops.sa_handler = SIG_DFL;
    sigset_t held;
    sigaction(SIGTSTP, &stops, &before);
    static_cast<void>(raise(SIGTSTP));
    sigprocmask(SIG_SETMASK, &mask_, &held);  // here
    sigprocmask(SIG_SETMASK, &held, nullptr);
    sigaction(SIGTSTP, &before, nullptr);
  }

 private:
  static constexpr std::size_t count = 6;
  static constexpr int signals[count] = {SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
  struct sigaction before_[count];
  sigset_t mask_;
};

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(&text[0]);
  result.push_back(nullptr);
  return result;
}

/// Becomes the launcher, in the process that was forked. Only what is allowed there is called.
[[noreturn]] void become(char* const* command, char* const* environment, int nowhere, int words,
                         const sigset_t& mask, pid_t parent) {
  constexpr int cannotRun = 127;
  // A process group of its own: the terminal's signals come to this process' parent alone.
  const bool ready = setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 &&
                     getppid() == parent && dup2(nowhere, STDIN_FILENO) >= 0 &&
                     dup2(words, STDOUT_FILENO) >= 0 && dup2(words, STDERR_FILENO) >= 0 &&
                     sigprocmask(SIG_SETMASK, &mask, nullptr) == 0;
  if (ready) execve(command[0], command, environment);
  _exit(cannotRun);
}

/// Stops a process and those that it has started, and so on, in this order: what is stopped starts
/// no others. Launchers give each rank a process group of its own, so that no signal meets them
/// all. \param stopped gets them
void stopAll(pid_t process, std::vector<pid_t>& stopped) {
  static_cast<void>(kill(process, SIGSTOP));
  stopped.push_back(process);
  std::error_code noMore;
  const std::string threads = "/proc/" + std::to_string(process) + "/task";
  for (const auto& thread : std::filesystem::directory_iterator(threads, noMore)) {
    std::ifstream children(thread.path() / "children");
    for (pid_t child = 0; children >> child;) stopAll(child, stopped);
  }
}

/// A launcher that runs.
class Launcher {
 public:
  Launcher(std::vector<std::string>& command, std::vector<std::string>& environment,
           const HeldSignals& signals) {
    const auto arguments = pointersTo(command), variables = pointersTo(environment);
    int words[2];
    if (pipe2(words, O_CLOEXEC) != 0) launcherFails("making a pipe");
    const int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const pid_t self = getpid();
    process_ = nowhere < 0 ? -1 : fork();
    if (process_ == 0)
      become(arguments.data(), variables.data(), nowhere, words[1], signals.mask(), self);
    const int error = errno;
    if (nowhere >= 0) static_cast<void>(close(nowhere));
    static_cast<void>(close(words[1]));
    words_ = words[0];
    static_cast<void>(fcntl(words_, F_SETFL, O_NONBLOCK));
    errno = error;
    if (process_ < 0) {
      static_cast<void>(close(words_));
      launcherFails("starting " + command[0]);
    }
  }
  ~Launcher() { static_cast<void>(close(words_)); }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  int words() const { return words_; }

  /// Reads the launcher's words; returns true if it may say more.
  bool listen(std::string& said) {
    char block[4096];
    ssize_t got = 0;
    while ((got = read(words_, block, sizeof block)) > 0)
      if (said.size() < mostSaid) said.append(block, static_cast<std::size_t>(got));
    return got < 0 && (errno == EAGAIN || errno == EINTR);
  }

  /// Returns true if the launcher has ended; then `status` is its status.
  bool ended(int& status) {
    int how = 0;
    const pid_t found = waitpid(process_, &how, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR)) return false;
    if (found < 0) launcherFails("waiting for the ranks");
    status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    return true;
  }

  /// Asks the launcher to end its ranks; the second time, and later on, it is killed.
  void end() {
    if (asked_ && Seconds(Clock::now() - since_).count() < toEnd) return;
    static_cast<void>(kill(process_, asked_ ? SIGKILL : SIGTERM));
    asked_ = true;
    since_ = Clock::now();
  }

  /// Stops the launcher, its ranks and this process, until this one is continued.
  void pause(const HeldSignals& signals) {
    const Clock::time_point before = Clock::now();
    std::vector<pid_t> stopped;
    stopAll(process_, stopped);
    signals.stopHere();
    for (const pid_t process : stopped) static_cast<void>(kill(process, SIGCONT));
    toPause = 0;
    begin_ += Clock::now() - before;
  }

  double seconds() const { return Seconds(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  pid_t process_ = -1;
  int words_ = -1;
  bool asked_ = false;
  Clock::time_point begin_ = Clock::now(), since_;
};

/// Waits until it ends, and answers its ranks.
LauncherEnd follow(Launcher& launcher, StreamOffer& offer, const HeldSignals& signals) {
  LauncherEnd result;
  pollfd events[2] = {{offer.descriptor(), POLLIN, 0}, {launcher.words(), POLLIN, 0}};
  while (!launcher.ended(result.status)) {
    if (toPause != 0) launcher.pause(signals);
    if (caught != 0 || (!result.began && launcher.seconds() > toBegin)) launcher.end();
    const timespec second{1, 0};
    if (ppoll(events, 2, &second, &signals.mask()) <= 0) continue;
    if (events[0].revents != 0 && offer.answer()) result.began = true;
    if (events[1].revents != 0 && !launcher.listen(result.said)) events[1].fd = -1;
  }
  launcher.listen(result.said);
  return result;
}

}  // namespace

LauncherEnd runLauncher(std::vector<std::string> command, std::vector<std::string> environment,
                        StreamOffer& offer) {
  LauncherEnd result;
  {
    const HeldSignals signals;
    Launcher launcher(command, environment, signals);
    result = follow(launcher, offer, signals);
  }
  result.signal = caught;
  return result;
}

}  // namespace Clustering
}  // namespace Trident
