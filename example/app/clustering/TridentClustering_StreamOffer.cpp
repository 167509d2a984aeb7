// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_StreamOffer.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "TridentProblems_File.hpp"

namespace Trident {
namespace Clustering {

namespace {

constexpr int streams = 3;

[[noreturn]] void streamFails(const std::string& doing) {
  throw std::runtime_error(doing + " failed: " + std::strerror(errno));
}

int makeSocket() {
  const int result = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (result < 0) streamFails("making a socket");
  return result;
}

/// A message of one byte that carries three descriptors.
class Message {
 public:
  Message() {
    header_.msg_iov = &part_;
    header_.msg_iovlen = 1;
    header_.msg_control = room_;
    header_.msg_controllen = sizeof room_;
  }

  ssize_t send(int socket) {
    cmsghdr* const control = CMSG_FIRSTHDR(&header_);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int) * streams);
    const int own[streams] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
    std::memcpy(CMSG_DATA(control), own, sizeof own);
    return sendmsg(socket, &header_, MSG_NOSIGNAL);
  }

  /// Returns true if the descriptors came.
  bool receive(int socket, int (&got)[streams]) {
    const ssize_t bytes =
        Problems::uninterrupted([&] { return recvmsg(socket, &header_, MSG_CMSG_CLOEXEC); });
    const cmsghdr* const control = bytes == 1 ? CMSG_FIRSTHDR(&header_) : nullptr;
    if (control == nullptr || control->cmsg_level != SOL_SOCKET ||
        control->cmsg_type != SCM_RIGHTS || control->cmsg_len != CMSG_LEN(sizeof got))
      return false;
    std::memcpy(got, CMSG_DATA(control), sizeof got);
    return true;
  }

 private:
  char byte_ = 0;
  iovec part_{&byte_, 1};
  alignas(cmsghdr) char room_[CMSG_SPACE(sizeof(int) * streams)] = {};
  msghdr header_{};
};

/// Returns true if who is at the other end is this process' user.
bool isSameUser(int connection) {
  ucred other{};
  socklen_t size = sizeof other;
  return hasOwnNumber() && getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 &&
         other.uid == geteuid();
}

}  // namespace

bool hasOwnNumber() {
  long long unknown = 65534;  // Linux' default
  std::ifstream("/proc/sys/kernel/overflowuid") >> unknown;
  return geteuid() != unknown;
}

StreamOffer::StreamOffer() : descriptor_(makeSocket()) {
  // The system finds a name that is in no folder: nothing is left behind where a process is killed.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t size = sizeof address.sun_family;
  if (bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      listen(descriptor_, SOMAXCONN) != 0 || (size = sizeof address) == 0 ||
      getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const int error = errno;
    static_cast<void>(close(descriptor_));
    errno = error;
    streamFails("offering the standard streams to ranks");
  }
  name_.assign(address.sun_path + 1, size - offsetof(sockaddr_un, sun_path) - 1);
}

StreamOffer::~StreamOffer() { static_cast<void>(close(descriptor_)); }

bool StreamOffer::answer() {
  const int connection = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return false;
  const bool given = isSameUser(connection) && Message().send(connection) == 1;
  static_cast<void>(close(connection));
  return given;
}

void takeStreams(const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), length);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  const int connection = makeSocket();
  int got[streams];
  const int connected = Problems::uninterrupted(
      [&] { return connect(connection, reinterpret_cast<const sockaddr*>(&address), size); });
  const bool taken = connected == 0 && isSameUser(connection) && Message().receive(connection, got);
  static_cast<void>(close(connection));
  if (!taken) throw std::runtime_error("the process that started this rank gives it no streams");
  for (int stream = 0; stream < streams; ++stream) {
    if (dup2(got[stream], stream) < 0) streamFails("taking a standard stream");
    static_cast<void>(close(got[stream]));
  }
  // A rank is no process of the terminal's foreground, but what it says is said there.
  static_cast<void>(std::signal(SIGTTOU, SIG_IGN));
}

}  // namespace Clustering
}  // namespace Trident
