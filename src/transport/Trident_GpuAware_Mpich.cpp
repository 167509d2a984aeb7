// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "transport/Trident_GpuAware.hpp"

namespace Trident::Impl {

std::optional<bool> mpiSaysItTakesDeviceMemory() {
  int takes = 0;
  if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes) != MPI_SUCCESS) return std::nullopt;
  return takes != 0;
}

}  // namespace Trident::Impl
