// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>
// mpi-ext.h needs mpi.h before it.
#include <mpi-ext.h>

#include "transport/Trident_GpuAware.hpp"

namespace Trident::Impl {

// Asks Open MPI by a function, because the macro MPIX_CUDA_AWARE_SUPPORT describes the MPI of the
// headers, not the running MPI.
std::optional<bool> mpiSaysItTakesDeviceMemory() { return MPIX_Query_cuda_support() == 1; }

}  // namespace Trident::Impl
