// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include <vector>

#include "base/Trident_CudaRuntime.hpp"
#include "transport/Trident_CopyStream.hpp"

namespace Trident::Impl {

struct CopyStream::State {
  cudaStream_t stream = nullptr;
  std::vector<cudaEvent_t> events;  // by slot

  // Freed here and not by CopyStream, so that a constructor that throws frees what it made. Nothing
  // is left to do where freeing fails.
  ~State() {
    if (stream) static_cast<void>(cudaStreamSynchronize(stream));
    for (cudaEvent_t event : events) static_cast<void>(cudaEventDestroy(event));
    if (stream) static_cast<void>(cudaStreamDestroy(stream));
  }
};

CopyStream::CopyStream(int slots) : state_(std::make_unique<State>()) {
  // Not ordered behind the default stream: kernels of others do not hold copies up.
  TRIDENT_CUDA_CHECK(cudaStreamCreateWithFlags(&state_->stream, cudaStreamNonBlocking));
  for (int s = 0; s < slots; ++s) {
    cudaEvent_t event = nullptr;
    TRIDENT_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    state_->events.push_back(event);
  }
}

CopyStream::~CopyStream() = default;

void CopyStream::copy(int slot, void* to, MemoryKind, const void* from, MemoryKind,
                      std::size_t bytes) {
  TRIDENT_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, state_->stream));
  TRIDENT_CUDA_CHECK(cudaEventRecord(state_->events[slot], state_->stream));
}

bool CopyStream::done(int slot) {
  const cudaError_t code = cudaEventQuery(state_->events[slot]);
  if (code == cudaErrorNotReady) {
    static_cast<void>(cudaGetLastError());  // where it would stay, for others to find
    return false;
  }
  checkCuda(code, "cudaEventQuery", __FILE__, __LINE__);
  return true;
}

}  // namespace Trident::Impl
