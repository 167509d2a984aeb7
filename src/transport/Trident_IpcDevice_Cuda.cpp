// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include <cstring>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Scratch.hpp"
#include "transport/Trident_IpcDevice.hpp"

namespace Trident::Impl {
namespace {

/// Clears CUDA's last error, so that no later check of other code reports it.
void forgetCudaError() { static_cast<void>(cudaGetLastError()); }

void requireIpc(cudaError_t code, const std::string& call) {
  if (code == cudaSuccess) return;
  forgetCudaError();
  throw Error(call + ": " + cudaGetErrorString(code));
}

/// Frees the memory that CUDA's default pool keeps. Kokkos frees its arrays into this pool, and
/// cudaMalloc takes nothing from it.
void trimPool() {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  if (cudaDeviceSynchronize() != cudaSuccess || cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetDefaultMemPool(&pool, device) != cudaSuccess ||
      cudaMemPoolTrimTo(pool, 0) != cudaSuccess)
    forgetCudaError();
}

class CudaIpc : public IpcDevice {
 public:
  /// Allocates by cudaMalloc, because arrays of cudaMallocAsync have no handle. Takes whole pages
  /// of the device, because CUDA puts several small arrays in one page and shares all of it.
  char* allocate(std::size_t bytes) override {
    constexpr std::size_t page = std::size_t(1) << 21;
    const std::size_t whole = (bytes + page - 1) / page * page;
    void* data = nullptr;
    cudaError_t code = cudaMalloc(&data, whole);
    if (code == cudaErrorMemoryAllocation) {
      forgetCudaError();
      trimScratch(0);
      trimPool();  // frees what trimScratch() gave to the pool, too
      code = cudaMalloc(&data, whole);
    }
    requireIpc(code, "cudaMalloc of " + std::to_string(whole) + " bytes");
    return static_cast<char*>(data);
  }

  IpcHandle handleOf(char* own) override {
    cudaIpcMemHandle_t cuda{};
    requireIpc(cudaIpcGetMemHandle(&cuda, own), "cudaIpcGetMemHandle");
    IpcHandle handle{};
    static_assert(sizeof cuda == sizeof handle, "CUDA's handles have 64 bytes");
    std::memcpy(handle.data(), &cuda, sizeof cuda);
    return handle;
  }

  char* open(const IpcHandle& handle) override {
    cudaIpcMemHandle_t cuda{};
    std::memcpy(&cuda, handle.data(), sizeof cuda);
    void* data = nullptr;
    requireIpc(cudaIpcOpenMemHandle(&data, cuda, cudaIpcMemLazyEnablePeerAccess),
               "cudaIpcOpenMemHandle");
    return static_cast<char*>(data);
  }

  /// Copies, and waits for the device, because some copies return before they are done.
  void copy(void* to, const void* from, std::size_t bytes) override {
    requireIpc(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
    requireIpc(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }

  void close(char* opened) noexcept override {
    if (!deviceIsGone() && cudaIpcCloseMemHandle(opened) != cudaSuccess) forgetCudaError();
  }
  void free(char* own) noexcept override {
    if (!deviceIsGone() && cudaFree(own) != cudaSuccess) forgetCudaError();
  }
};

}  // namespace

IpcDevice& cudaIpc() {
  static Lasting<CudaIpc> cuda;
  return *cuda;
}

}  // namespace Trident::Impl
