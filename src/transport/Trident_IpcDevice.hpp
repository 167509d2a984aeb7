// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_IPCDEVICE_HPP
#define TRIDENT_IPCDEVICE_HPP

#include <array>
#include <cstddef>

namespace Trident::Impl {

/// The name of an allocation of a device, for other processes of its host. An array inside a larger
/// allocation has none.
using IpcHandle = std::array<unsigned char, 64>;

/// Memory of this rank's device that other processes of its host can open, and theirs. An
/// interface, so that its users can be tested without GPUs. All functions are local. Those that
/// throw throw Trident::Error, and leave CUDA no error that others could find.
class IpcDevice {
 public:
  virtual ~IpcDevice() = default;

  /// Allocates device memory that shares its allocation with no other array.
  virtual char* allocate(std::size_t bytes) = 0;
  virtual IpcHandle handleOf(char* own) = 0;
  /// Maps an allocation of another process of this host. A handle of another host or container may
  /// be mistaken for another allocation's.
  virtual char* open(const IpcHandle& handle) = 0;
  /// Copies bytes of own or opened allocations, or of the host; returns when they are there.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  /// Closes an opened allocation. If close() or free() fails nothing is left to do.
  virtual void close(char* opened) noexcept = 0;
  /// Frees an own allocation, after all others have closed it, as they must read it no more.
  virtual void free(char* own) noexcept = 0;
};

/// Returns CUDA's memory of the calling thread's device. Without CUDA its functions throw.
IpcDevice& cudaIpc();

}  // namespace Trident::Impl

#endif
