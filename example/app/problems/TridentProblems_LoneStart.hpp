// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_LONESTART_HPP
#define TRIDENTPROBLEMS_LONESTART_HPP

#include <cstdlib>
#include <initializer_list>

/// \file TridentProblems_LoneStart.hpp
/// The start of programs of this repository that no launcher of MPI has started. Variables of the
/// environment: those that are set already stay, and MPIs other than Open MPI pass over those that
/// are not theirs. No library sets them, since a program of others may start processes by
/// MPI_Comm_spawn(), which needs the folders. All functions are local; call them before MPI_Init().

namespace Trident {
namespace Problems {

/// Returns true if a launcher of MPI has started this process: mpirun, srun or another.
inline bool isLaunched() {
  for (const char* of :
       {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMIX_NAMESPACE", "PMI_RANK", "PMI_SIZE", "PMI_FD"})
    if (std::getenv(of) != nullptr) return true;
  return false;
}

/// Lets a process that no launcher has started run beside others of the kind: Open MPI 4 makes no
/// session folder. Such processes make and remove folders of the same names, in which one fails
/// now and then because another has just removed its folder. Nor does a TMPDIR matter then that is
/// full, absent or somebody else's.
inline void startApart() {
  if (!isLaunched()) setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
}

/// Makes MPI start faster in a process that no launcher has started, and stays alone: no daemon, no
/// network, and only the collectives of one rank. hwloc, which MPIs ask for cores, looks for no
/// displays and cards, and opens no libraries for that.
inline void hastenLoneStart() {
  if (isLaunched()) return;
  startApart();
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
  setenv("OMPI_MCA_coll", "self,basic,libnbc", 0);
  if (std::getenv("HWLOC_COMPONENTS") != nullptr) return;
  setenv("HWLOC_COMPONENTS", "-gl,-opencl,-pci,-linuxio", 0);
  setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0);
}

}  // namespace Problems
}  // namespace Trident

#endif
