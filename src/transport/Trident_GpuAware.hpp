// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GPUAWARE_HPP
#define TRIDENT_GPUAWARE_HPP

namespace Trident::Impl {

/// Whether the MPI that runs takes device memory as it lies. Asked of the library at run time: a
/// program built with an MPI that is not GPU-aware may run with one of the same ABI that is, and
/// the other way round. False where MPI cannot be asked. Local.
bool mpiTakesDeviceMemory();

}  // namespace Trident::Impl

#endif
