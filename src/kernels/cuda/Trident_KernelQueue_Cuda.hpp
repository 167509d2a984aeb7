// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_KERNELQUEUE_CUDA_HPP
#define TRIDENT_KERNELQUEUE_CUDA_HPP

#include <Kokkos_Core.hpp>

#include "base/Trident_CudaRuntime.hpp"
#include "kernels/cuda/Trident_DeviceWorkspace_Cuda.hpp"

namespace Trident::Impl {

inline int blocksFor(long long count, int perBlock) {
  return static_cast<int>((count + perBlock - 1) / perBlock);
}

/// Kokkos' stream, and the kernels and copies that a product puts there.
class KernelQueue {
 public:
  KernelQueue() : stream_(Kokkos::Cuda().cuda_stream()) {}

  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), long long blocks, int threads, std::size_t shared,
              const Arguments&... arguments) const {
    if (blocks == 0) return;
    constexpr std::size_t always = 16 * 1024;  // with what kernels have beside it
    if (shared > always)
      TRIDENT_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              static_cast<int>(shared)));
    kernel<<<static_cast<unsigned>(blocks), threads, shared, stream_>>>(arguments...);
    TRIDENT_CUDA_CHECK(cudaGetLastError());
  }

  /// Waits for it.
  template <class T>
  T toHost(const T* from) const {
    T value;
    TRIDENT_CUDA_CHECK(cudaMemcpyAsync(&value, from, sizeof(T), cudaMemcpyDeviceToHost, stream_));
    wait();
    return value;
  }
  /// The host's array may change when this returns.
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
