// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_IPCDEVICE_HPP
#define TRIDENT_IPCDEVICE_HPP

#include <array>
#include <cstddef>

namespace Trident::Impl {

/// The name of an allocation of a device, by which other processes of its host open it. An array
/// inside a larger allocation has no name.
using IpcHandle = std::array<unsigned char, 64>;

/// An interface to device memory that processes of a host share. A process can open the allocations
/// of the others. Tests implement it without GPUs. All functions are local. Functions that throw
/// throw Trident::Error, and clear CUDA's last error.
class IpcDevice {
 public:
  virtual ~IpcDevice() = default;

  /// Allocates device memory that shares its allocation with no other array.
  virtual char* allocate(std::size_t bytes) = 0;
  virtual IpcHandle handleOf(char* own) = 0;
  /// Maps an allocation of another process of this host. The caller must check its content, because
  /// a handle of another host or container may name another allocation here.
  virtual char* open(const IpcHandle& handle) = 0;
  /// Copies bytes between allocations (own or opened) and the host. Returns when the copy is done.
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;
  /// Closes an opened allocation. close() and free() ignore failures, because nobody can mend them.
  virtual void close(char* opened) noexcept = 0;
  /// Frees an own allocation. All other processes must have closed it before.
  virtual void free(char* own) noexcept = 0;
};

/// Returns CUDA's interface to the device of the calling thread. Without CUDA its functions throw.
IpcDevice& cudaIpc();

}  // namespace Trident::Impl

#endif
