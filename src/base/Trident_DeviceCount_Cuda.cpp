// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include "base/Trident_DeviceCount.hpp"

namespace Trident::Impl {

int deviceCount() {
  int count = 0;
  // Without a driver or a GPU the call fails; Kokkos will say so better.
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

}  // namespace Trident::Impl
