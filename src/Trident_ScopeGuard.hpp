// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SCOPEGUARD_HPP
#define TRIDENT_SCOPEGUARD_HPP

#include <mpi.h>

namespace Trident {

/// A guard like Tpetra::ScopeGuard, for programs that want Trident's threads. The guard starts MPI
/// with MPI_THREAD_MULTIPLE, and then Tpetra, unless these run already. The destructor ends only
/// what this guard started. So a guard inside another guard, or inside a Tpetra::ScopeGuard, ends
/// neither MPI nor Tpetra. A program must call Trident from one thread at a time, even on different
/// communicators, because Teuchos and Tpetra are not thread-safe.
///
/// Rank r of a host gets GPU r mod n of the host's n GPUs, unless Kokkos' command-line options or
/// its variables (KOKKOS_DEVICE_ID, KOKKOS_NUM_DEVICES, ...) choose GPUs.
///
/// Make a guard at the beginning of main(), before anything of Tpetra or Kokkos.
class ScopeGuard {
 public:
  /// Starts MPI and Tpetra, unless they run. Throws Trident::Error if MPI fails, or has ended.
  /// @param threadLevel thread level to request from MPI. MPI may provide a lower level;
  ///   MPI_Query_thread returns it. Below MPI_THREAD_MULTIPLE the exchange is "prefetch"
  ScopeGuard(int* argc, char*** argv, int threadLevel = MPI_THREAD_MULTIPLE);
  ~ScopeGuard();
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  bool ownsMpi_ = false, ownsTpetra_ = false;
};

}  // namespace Trident

#endif
