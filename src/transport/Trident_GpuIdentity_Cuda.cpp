// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_Collective.hpp"
#include "Trident_CudaCheck.hpp"
#include "Trident_Error.hpp"
#include "Trident_GpuIdentity.hpp"
#include "Trident_MpiCheck.hpp"

namespace Trident::Impl {
namespace {

struct Gpu {
  unsigned char uuid[16];
  char name[sizeof cudaDeviceProp::name];
};

Gpu gpuOfThisThread() {
  int device = 0;
  TRIDENT_CUDA_CHECK(cudaGetDevice(&device));
  cudaDeviceProp properties{};
  TRIDENT_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  Gpu gpu{};
  static_assert(sizeof properties.uuid == sizeof gpu.uuid, "a UUID has 16 bytes");
  std::memcpy(gpu.uuid, &properties.uuid, sizeof gpu.uuid);
  std::memcpy(gpu.name, properties.name, sizeof gpu.name);
  return gpu;
}

/// As nvidia-smi -L writes it.
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

}  // namespace

std::string whyGpusAreNotTheirOwn(MPI_Comm comm) {
  Gpu mine{};
  std::string why;
  try {
    mine = gpuOfThisThread();
  } catch (const Error& e) {
    why = e.what();
  }
  why = firstText(comm, why);
  if (!why.empty()) return why;
  int size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  std::vector<Gpu> gpus(size);
  allGather(&mine, sizeof mine, MPI_BYTE, gpus.data(), comm, "the GPUs of all ranks");
  for (auto gpu = gpus.begin(); gpu != gpus.end(); ++gpu) {
    const auto same = [&](const Gpu& g) { return !std::memcmp(g.uuid, gpu->uuid, sizeof g.uuid); };
    const auto other = std::find_if(gpus.begin(), gpu, same);
    if (other != gpu)
      return "ranks " + std::to_string(std::distance(gpus.begin(), other)) + " and " +
             std::to_string(std::distance(gpus.begin(), gpu)) + " of " + std::to_string(size) +
             " share a GPU (" + nameOf(*gpu) + ")";
  }
  return {};
}

std::function<void()> deviceOfThisThread() {
  int device = 0;
  TRIDENT_CUDA_CHECK(cudaGetDevice(&device));
  return [device] { TRIDENT_CUDA_CHECK(cudaSetDevice(device)); };
}

}  // namespace Trident::Impl
