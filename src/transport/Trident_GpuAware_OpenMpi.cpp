// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
// After mpi.h, which it needs.
#include <mpi-ext.h>

#include "transport/Trident_GpuAware.hpp"

namespace Trident::Impl {

// Not the macro MPIX_CUDA_AWARE_SUPPORT: that is of the MPI of the headers, not of the one that
// runs.
std::optional<bool> mpiSaysItTakesDeviceMemory() { return MPIX_Query_cuda_support() == 1; }

}  // namespace Trident::Impl
