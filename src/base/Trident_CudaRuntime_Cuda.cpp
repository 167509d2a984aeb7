// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_CudaRuntime.hpp"

namespace Trident::Impl {

void checkCuda(int code, const char* call, const char* file, int line) {
  if (code == cudaSuccess) return;
  throw Error(std::string(file) + ":" + std::to_string(line) + ": " + call +
              " failed: " + cudaGetErrorString(static_cast<cudaError_t>(code)));
}

int deviceCount() {
  int count = 0;
  // The call fails without a driver or a GPU. Kokkos will report that better.
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

bool deviceRuns() noexcept {
  // cudaFree(nullptr) frees nothing, but fails if memory can no longer be freed.
  const cudaError_t code = cudaFree(nullptr);
  return code != cudaErrorCudartUnloading && code != cudaErrorContextIsDestroyed;
}

bool readsPageableLate() {
  static const bool late = [] {
    int device = 0, hosts = 0;
    TRIDENT_CUDA_CHECK(cudaGetDevice(&device));
    TRIDENT_CUDA_CHECK(
        cudaDeviceGetAttribute(&hosts, cudaDevAttrPageableMemoryAccessUsesHostPageTables, device));
    return hosts != 0;
  }();
  return late;
}

double freeDeviceBytes() {
  std::size_t free = 0, all = 0;
  TRIDENT_CUDA_CHECK(cudaMemGetInfo(&free, &all));
  return static_cast<double>(free);
}

double totalDeviceBytes() {
  std::size_t free = 0, all = 0;
  TRIDENT_CUDA_CHECK(cudaMemGetInfo(&free, &all));
  return static_cast<double>(all);
}

}  // namespace Trident::Impl
