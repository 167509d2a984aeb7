// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Ends.hpp"
#include "base/Trident_Mpi.hpp"
#include "transport/Trident_Gpu.hpp"

namespace Trident::Impl {
namespace {

using Uuid = std::array<unsigned char, 16>;

struct Gpu {
  Uuid uuid;
  char name[sizeof cudaDeviceProp::name];
};

Gpu gpuOfThisThread() {
  int device = 0;
  TRIDENT_CUDA_CHECK(cudaGetDevice(&device));
  cudaDeviceProp properties{};
  TRIDENT_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  Gpu gpu{};
  static_assert(sizeof properties.uuid == sizeof gpu.uuid, "a UUID has 16 bytes");
  std::memcpy(gpu.uuid.data(), &properties.uuid, sizeof gpu.uuid);
  std::memcpy(gpu.name, properties.name, sizeof gpu.name);
  return gpu;
}

/// Returns the name of a GPU as nvidia-smi -L writes it.
std::string nameOf(const Gpu& gpu) {
  std::string text = std::string(gpu.name) + ", GPU";
  for (int byte = 0; byte < 16; ++byte) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(gpu.uuid[byte]));
    if (byte == 0 || byte == 4 || byte == 6 || byte == 8 || byte == 10) text += "-";
    text += digits;
  }
  return text;
}

struct Owned {
  Uuid uuid;
  int rank;
};

/// Returns the GPUs of all ranks, sorted by GPU and then by rank. Collective.
std::vector<Owned> gpusInOrder(MPI_Comm comm, const Gpu& mine) {
  int size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  std::vector<Uuid> uuids(size);
  allGather(mine.uuid.data(), sizeof mine.uuid, MPI_BYTE, uuids.data(), comm,
            "the GPUs of all ranks");
  std::vector<Owned> gpus;
  for (int rank = 0; rank < size; ++rank) gpus.push_back({uuids[rank], rank});
  std::sort(gpus.begin(), gpus.end(), [](const Owned& a, const Owned& b) {
    return std::tie(a.uuid, a.rank) < std::tie(b.uuid, b.rank);
  });
  return gpus;
}

}  // namespace

std::string whyGpusAreShared(MPI_Comm comm) {
  Gpu mine{};
  std::string why;
  try {
    mine = gpuOfThisThread();
  } catch (const Error& e) {
    why = e.what();
  }
  why = firstText(comm, why);
  if (!why.empty()) return why;
  const std::vector<Owned> gpus = gpusInOrder(comm, mine);
  const auto same = [](const Owned& a, const Owned& b) { return a.uuid == b.uuid; };
  const auto shared = std::adjacent_find(gpus.begin(), gpus.end(), same);
  if (shared == gpus.end()) return {};  // either all ranks return here, or none
  const auto other = std::next(shared);
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  return firstText(comm, rank != other->rank
                             ? std::string()
                             : "ranks " + std::to_string(shared->rank) + " and " +
                                   std::to_string(rank) + " of " + std::to_string(gpus.size()) +
                                   " share a GPU (" + nameOf(mine) + ")");
}

std::function<void()> deviceOfThisThread() {
  int device = 0;
  TRIDENT_CUDA_CHECK(cudaGetDevice(&device));
  return [device] { TRIDENT_CUDA_CHECK(cudaSetDevice(device)); };
}

struct CopyStream::State {
  cudaStream_t stream = nullptr;
  std::vector<cudaEvent_t> events;  // one event for each slot

  // ~State() frees the stream and the events, because ~CopyStream() does not run if the constructor
  // throws. Failures are ignored, because nothing is left to do.
  ~State() {
    if (deviceIsGone()) return;
    if (stream) static_cast<void>(cudaStreamSynchronize(stream));
    for (cudaEvent_t event : events) static_cast<void>(cudaEventDestroy(event));
    if (stream) static_cast<void>(cudaStreamDestroy(stream));
  }
};

CopyStream::CopyStream(int slots) : state_(std::make_unique<State>()) {
  // This stream does not wait for the default stream, so kernels there do not delay copies.
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
    static_cast<void>(cudaGetLastError());  // clears cudaErrorNotReady, which is no failure
    return false;
  }
  checkCuda(code, "cudaEventQuery", __FILE__, __LINE__);
  return true;
}

}  // namespace Trident::Impl
