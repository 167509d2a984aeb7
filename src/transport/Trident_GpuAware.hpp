// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GPUAWARE_HPP
#define TRIDENT_GPUAWARE_HPP

#include <optional>

namespace Trident::Impl {

/// Returns true if the running MPI says that it takes CUDA's device memory; nullopt if MPI has no
/// function for this question, or if the function fails. Each kind of MPI has a source file of its
/// own, which cmake/TridentDeviceQuery.cmake chooses. Local.
std::optional<bool> mpiSaysItTakesDeviceMemory();

/// The signs that tell whether an MPI takes device memory directly. Empty signs are unknown.
struct GpuAwareSigns {
  std::optional<bool> query;         ///< MPI's own answer
  bool mpich = false;                ///< true if MPI is MPICH or a kind of it, such as Cray's
  std::optional<bool> mpichEnabled;  ///< MPICH_GPU_SUPPORT_ENABLED, which only MPICH reads
  std::optional<bool> assumed;       ///< TPETRA_ASSUME_GPU_AWARE_MPI, the user's promise
};

/// Returns true if an MPI with these signs takes device memory. The first known sign decides: MPI's
/// own answer, MPICH's variable (for MPICH), or the user's promise. False if none is known. Local.
bool takesDeviceMemory(const GpuAwareSigns& signs);

/// Reads a variable of the environment as true (1, yes, true, on) or false (0, no, false, off), in
/// small letters or capitals. Returns nullopt for another text, or null. Local.
std::optional<bool> yesOrNo(const char* text);

/// Returns the signs of the running MPI. They are found at run time, because a program may run with
/// another MPI than the one it was built with. Local. Call it between MPI_Init and MPI_Finalize.
GpuAwareSigns gpuAwareSigns();

/// Returns true if the running MPI takes device memory directly, by gpuAwareSigns(). Local.
bool mpiTakesDeviceMemory();

}  // namespace Trident::Impl

#endif
