// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_IPCDEVICE_HPP
#define TRIDENT_IPCDEVICE_HPP

#include <array>
#include <cstddef>

namespace Trident::Impl {

/// What names an allocation of a device to other processes of its host. It names the whole of it:
/// an array that is not all of an allocation has none.
using IpcHandle = std::array<unsigned char, 64>;

/// Memory of this rank's device that other processes of its host can open, and theirs. An
/// interface, so that what is built on it can be tested without GPUs. All functions are local.
/// Those that throw throw Trident::Error, and leave CUDA no error that others could find.
class IpcDevice {
 public:
  virtual ~IpcDevice() = default;

  /// Allocates device memory that shares its allocation with no other array.
  virtual char* allocate(std::size_t bytes) = 0;
  virtual IpcHandle handleOf(char* own) = 0;
  /// Maps what another process of the host has allocated. Where the handle is of another host or
  /// container, it may be mistaken for another allocation's.
  virtual char* open(const IpcHandle& handle) = 0;
  /// Copies bytes of own or opened allocations, or of the host; returns when they are there.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  /// Closes an opened allocation. If close() or free() fails nothing is left to do.
  virtual void close(char* opened) noexcept = 0;
  /// Frees an own allocation, after all others have closed it: what they would read is undefined.
  virtual void free(char* own) noexcept = 0;
};

/// Returns CUDA's, for the device of the calling thread. In a build without CUDA its functions
/// throw, and say so.
IpcDevice& cudaIpc();

}  // namespace Trident::Impl

#endif
