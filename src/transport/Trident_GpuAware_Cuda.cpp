// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include "Trident_GpuAware.hpp"

#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace Trident::Impl {

// The macro says only that the function is declared; its value is the headers' MPI, not the one
// that runs.
#if defined(MPIX_CUDA_AWARE_SUPPORT)
bool mpiTakesDeviceMemory() { return MPIX_Query_cuda_support() == 1; }
#else
bool mpiTakesDeviceMemory() { return false; }
#endif

}  // namespace Trident::Impl
