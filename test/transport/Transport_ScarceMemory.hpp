// SPDX-License-Identifier: BSD-3-Clause
// A host whose memory for shared tiles ends when a test says so. Defines a function of the C
// library: to be included by one source of a program.
#ifndef TRIDENT_TRANSPORT_SCARCEMEMORY_HPP
#define TRIDENT_TRANSPORT_SCARCEMEMORY_HPP

#include <fcntl.h>

#include <cerrno>
#include <limits>

namespace Trident::Impl {
namespace TestTools {

/// While one stands, this process can reserve `bytes` more in files and no others.
class ScarceMemory {
 public:
  explicit ScarceMemory(long long bytes) {
    left() = bytes;
    calls() = 0;
  }
  ~ScarceMemory() { left() = unlimited; }
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;

  static constexpr long long unlimited = std::numeric_limits<long long>::max();
  static long long& left() {
    static long long bytes = unlimited;
    return bytes;
  }
  /// Returns the number of requests for memory since the last object was made.
  static int& calls() {
    static int count = 0;
    return count;
  }
  /// Returns the number of further calls that a signal ends.
  static int& interruptions() {
    static int count = 0;
    return count;
  }
};

}  // namespace TestTools

}  // namespace Trident::Impl

extern "C" int posix_fallocate(int file, off_t begin, off_t length) {
  using Trident::Impl::TestTools::ScarceMemory;
  ++ScarceMemory::calls();
  if (ScarceMemory::interruptions() > 0) {
    --ScarceMemory::interruptions();
    return EINTR;
  }
  if (length > ScarceMemory::left()) return ENOSPC;
  if (ScarceMemory::left() != ScarceMemory::unlimited) ScarceMemory::left() -= length;
  return fallocate(file, 0, begin, length) == 0 ? 0 : errno;
}

#endif
