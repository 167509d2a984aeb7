// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_KERNELQUEUE_CUDA_HPP
#define TRIDENT_KERNELQUEUE_CUDA_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Memory.hpp"

// Device memory and a queue of kernels for a product while it runs.

namespace Trident::Impl {

/// Device memory that a product needs beside its operands and C. The process keeps one block of the
/// memory until Kokkos ends, because an allocation takes longer than a small product. The block is
/// as large as the last product needed. Only one thread at a time may have a workspace. The next
/// product may take the block while kernels read it, because all work is in Kokkos' stream.
class DeviceWorkspace {
 public:
  /// @param most bytes that a product should not exceed; no larger block is kept
  explicit DeviceWorkspace(std::size_t most);
  ~DeviceWorkspace();
  DeviceWorkspace(const DeviceWorkspace&) = delete;
  DeviceWorkspace& operator=(const DeviceWorkspace&) = delete;

  /// Returns an array that is not initialized. Throws if there is no memory.
  template <class T>
  T* take(std::size_t count) {
    return reinterpret_cast<T*>(bytes(count * sizeof(T)));
  }
  std::size_t most() const { return most_; }
  /// Returns the bytes of `most` that are not taken yet.
  std::size_t left() const { return taken_ < most_ ? most_ - taken_ : 0; }

  /// A state of the workspace. returnTo() frees all memory that was taken after mark().
  struct Mark {
    std::size_t blocks, used, taken;
  };
  Mark mark() const { return {blocks_.size(), used_, taken_}; }
  void returnTo(const Mark& mark);

 private:
  char* bytes(std::size_t count);

  std::vector<MemoryBlock> blocks_;
  std::size_t most_, used_ = 0;          // most_: bound; used_: bytes taken of the last block
  std::size_t taken_ = 0, largest_ = 0;  // bytes taken of all blocks, now and at most
};

/// Default bound of the workspace's bytes. multiplyRows() adds a tenth of the bytes of A and B.
constexpr std::size_t workspaceDefault = std::size_t(256) << 20;

inline int blocksFor(long long count, int perBlock) {
  return static_cast<int>((count + perBlock - 1) / perBlock);
}

/// A queue of a product's kernels and copies: Kokkos' stream.
class KernelQueue {
 public:
  KernelQueue() : stream_(Kokkos::Cuda().cuda_stream()) {}

  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), long long blocks, int threads, std::size_t shared,
              const Arguments&... arguments) const {
    if (blocks == 0) return;
    // With at most this many bytes of dynamic shared memory, a kernel needs no attribute.
    constexpr std::size_t always = 16 * 1024;
    if (shared > always)
      TRIDENT_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              static_cast<int>(shared)));
    kernel<<<static_cast<unsigned>(blocks), threads, shared, stream_>>>(arguments...);
    TRIDENT_CUDA_CHECK(cudaGetLastError());
  }

  /// Copies a number to the host, and waits until the copy is complete.
  template <class T>
  T toHost(const T* from) const {
    T value;
    TRIDENT_CUDA_CHECK(cudaMemcpyAsync(&value, from, sizeof(T), cudaMemcpyDeviceToHost, stream_));
    wait();
    return value;
  }
  /// Copies an array to the workspace. The caller may change `from` after the return.
  template <class T>
  T* toDevice(const T* from, std::size_t count, DeviceWorkspace& workspace) const {
    T* const to = workspace.take<T>(count);
    TRIDENT_CUDA_CHECK(
        cudaMemcpyAsync(to, from, sizeof(T) * count, cudaMemcpyHostToDevice, stream_));
    return to;
  }
  template <class T>
  void zero(T* array, std::size_t count) const {
    TRIDENT_CUDA_CHECK(cudaMemsetAsync(array, 0, sizeof(T) * count, stream_));
  }
  template <class T>
  T* zeros(std::size_t count, DeviceWorkspace& workspace) const {
    T* const array = workspace.take<T>(count);
    zero(array, count);
    return array;
  }
  void wait() const { TRIDENT_CUDA_CHECK(cudaStreamSynchronize(stream_)); }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_;
};

}  // namespace Trident::Impl

#endif
