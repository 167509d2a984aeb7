// SPDX-License-Identifier: BSD-3-Clause
// Memory of hosts in the place of devices', which other processes open through /proc.
#ifndef TRIDENT_TRANSPORT_HOSTIPC_HPP
#define TRIDENT_TRANSPORT_HOSTIPC_HPP

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <map>
#include <string>

#include "Trident_Error.hpp"
#include "transport/Trident_IpcDevice.hpp"

namespace Trident::Impl {
namespace TestTools {

/// A device on hosts. It tells of calls that IpcDevice does not allow, and fails where it is told.
class HostIpc : public IpcDevice {
 public:
  enum class Fails { Nowhere, Allocate, Handle, Open, Mistaken };
  Fails fails = Fails::Nowhere;
  int wrong = 0;  ///< allocations that were freed while others had them open
  /// Counts the arrays that this process has not given back.
  std::size_t left() const { return own_.size() + opened_.size(); }

  char* allocate(std::size_t bytes) override {
    if (fails == Fails::Allocate) throw Error("the test's device has no memory");
    const int file = memfd_create("the test's device", MFD_CLOEXEC);
    const std::size_t whole = header + bytes;
    if (file < 0 || ftruncate(file, static_cast<off_t>(whole)) != 0) throw Error("memfd_create");
    char* const data = map(file, whole) + header;
    own_[data] = {file, whole};
    return data;
  }
  IpcHandle handleOf(char* own) override {
    if (fails == Fails::Handle) throw Error("the test's array has no handle");
    IpcHandle handle{};
    const int numbers[] = {static_cast<int>(getpid()), own_.at(own).file};
    std::memcpy(handle.data(), numbers, sizeof numbers);
    return handle;
  }
  char* open(const IpcHandle& handle) override {
    if (fails == Fails::Open) throw Error("the test's device is out of reach");
    int numbers[2];
    std::memcpy(numbers, handle.data(), sizeof numbers);
    const std::string path =
        "/proc/" + std::to_string(numbers[0]) + "/fd/" + std::to_string(numbers[1]);
    const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || fstat(file, &status) != 0) throw Error("open of " + path);
    const std::size_t whole = static_cast<std::size_t>(status.st_size);
    char* data = map(file, whole) + header;
    ::close(file);
    ++users(data);
    if (fails == Fails::Mistaken) ++data;  // the mark is not found
    opened_[data] = whole;
    return data;
  }
  void copy(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void close(char* opened) noexcept override {
    const std::size_t whole = opened_.at(opened);
    opened_.erase(opened);
    char* const data = align(opened);
    --users(data);
    munmap(data - header, whole);
  }
  void free(char* own) noexcept override {
    wrong += users(own) != 0;
    munmap(own - header, own_.at(own).bytes);
    ::close(own_.at(own).file);
    own_.erase(own);
  }

 private:
  static constexpr std::size_t header = 4096;  // bytes before the data; they count its users
  struct Own {
    int file;
    std::size_t bytes;
  };
  static char* map(int file, std::size_t bytes) {
    void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (data == MAP_FAILED) throw Error("mmap");
    return static_cast<char*>(data);
  }
  static std::atomic<int>& users(char* data) {
    return *reinterpret_cast<std::atomic<int>*>(data - header);
  }
  static char* align(char* data) { return data - reinterpret_cast<std::uintptr_t>(data) % header; }

  std::map<char*, Own> own_;
  std::map<char*, std::size_t> opened_;
};

}  // namespace TestTools

}  // namespace Trident::Impl

#endif
