// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GPUAWARE_HPP
#define TRIDENT_GPUAWARE_HPP

#include <optional>

namespace Trident::Impl {

/// Asks the MPI that runs whether it takes CUDA's device memory. Returns none if MPI has no
/// function for that, or the function fails. There is a file for each function that MPIs have;
/// cmake/TridentDeviceQuery.cmake finds out which one to take. Local.
std::optional<bool> mpiSaysItTakesDeviceMemory();

/// The signs that tell whether an MPI takes device memory as it lies. None: nobody said.
struct GpuAwareSigns {
  std::optional<bool> query;         ///< MPI's own answer
  bool mpich = false;                ///< true if it is MPICH, Cray's among them
  std::optional<bool> mpichEnabled;  ///< MPICH_GPU_SUPPORT_ENABLED, which other MPIs do not read
  std::optional<bool> assumed;       ///< TPETRA_ASSUME_GPU_AWARE_MPI, a promise of the user's
};

/// Returns true if an MPI with these signs takes device memory. MPI's own answer counts; without it
/// MPICH's variable; without that the user's promise; and if nothing is known, it does not. Local.
bool takesDeviceMemory(const GpuAwareSigns& signs);

/// Reads a variable of the environment as yes (1, yes, true, on) or no (0, no, false, off), in
/// small letters or capitals. Returns none if the text is another, or null. Local.
std::optional<bool> yesOrNo(const char* text);

/// Returns the signs of the MPI that runs. They are asked at run time: a program built with an MPI
/// that is not GPU-aware may run with one of the same ABI that is, and the other way round. Local;
/// between MPI_Init and MPI_Finalize.
GpuAwareSigns gpuAwareSigns();

/// Returns true if the MPI that runs takes device memory as it lies, by gpuAwareSigns(). Local.
bool mpiTakesDeviceMemory();

}  // namespace Trident::Impl

#endif
