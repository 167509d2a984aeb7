// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "Trident_CopyStream.hpp"
#include "Trident_Error.hpp"

namespace Trident {
namespace {

void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess)
    throw Error("Trident::CopyStream", std::string(call) + " failed: " + cudaGetErrorString(code));
}

}  // namespace

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
  check(cudaStreamCreateWithFlags(&state_->stream, cudaStreamNonBlocking),
        "cudaStreamCreateWithFlags");
  for (int s = 0; s < slots; ++s) {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    state_->events.push_back(event);
  }
}

CopyStream::~CopyStream() = default;

void CopyStream::copy(int slot, void* to, MemoryKind, const void* from, MemoryKind,
                      std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, state_->stream), "cudaMemcpyAsync");
  check(cudaEventRecord(state_->events[slot], state_->stream), "cudaEventRecord");
}

bool CopyStream::done(int slot) {
  const cudaError_t code = cudaEventQuery(state_->events[slot]);
  if (code == cudaErrorNotReady) {
    static_cast<void>(cudaGetLastError());  // where it would stay, for others to find
    return false;
  }
  check(code, "cudaEventQuery");
  return true;
}

}  // namespace Trident
