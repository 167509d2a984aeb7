// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <Kokkos_Core.hpp>
#include <map>
#include <mutex>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Memory.hpp"
#include "kernels/cusparse/Trident_CusparseHandle.hpp"

namespace Trident::Impl {
namespace {

struct DeviceHandle {
  cusparseHandle_t handle = nullptr;
  MemoryBlock workspace;
};

std::mutex mutex;
std::map<int, DeviceHandle> handles;  // by device; guarded by the mutex
bool hooked = false;

void destroyHandles() {
  const std::lock_guard<std::mutex> lock(mutex);
  for (auto& entry : handles) TRIDENT_CUSPARSE_CHECK_NOTHROW(cusparseDestroy(entry.second.handle));
  handles.clear();
  hooked = false;
}

/// With the mutex held. An entry of a map stays where it is.
DeviceHandle& handleOfDevice() {
  int device = 0;
  TRIDENT_CUDA_CHECK(cudaGetDevice(&device));
  DeviceHandle& entry = handles[device];
  if (!entry.handle) {
    TRIDENT_CUSPARSE_CHECK(cusparseCreate(&entry.handle));
    if (!hooked) Kokkos::push_finalize_hook(destroyHandles);
    hooked = true;
  }
  return entry;
}

}  // namespace

void checkCusparse(int status, const char* call, const char* file, int line) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw Error(std::string(file) + ":" + std::to_string(line) + ": " + call +
              " failed: " + cusparseGetErrorString(static_cast<cusparseStatus_t>(status)) +
              "; \"kernel\" = \"kokkos-kernels\" does without cuSPARSE");
}

cusparseContext* cusparseHandle() {
  const std::lock_guard<std::mutex> lock(mutex);
  const cusparseHandle_t handle = handleOfDevice().handle;
  TRIDENT_CUSPARSE_CHECK(cusparseSetStream(handle, Kokkos::Cuda().cuda_stream()));
  return handle;
}

void* cusparseWorkspace(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  MemoryBlock& workspace = handleOfDevice().workspace;
  if (workspace.size() < bytes || !workspace.data()) {
    workspace = MemoryBlock();  // before the larger one, which may not fit beside it
    workspace =
        MemoryBlock(MemoryKind::Device, "Trident::cusparseWorkspace", bytes + bytes / 4 + 1);
  }
  return workspace.data();
}

}  // namespace Trident::Impl
