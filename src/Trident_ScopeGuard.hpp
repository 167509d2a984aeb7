// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SCOPEGUARD_HPP
#define TRIDENT_SCOPEGUARD_HPP

#include <mpi.h>

namespace Trident {

/// Tpetra::ScopeGuard for programs that want Trident's threads: asks MPI for MPI_THREAD_MULTIPLE,
/// where MPI does not run yet, and then initializes Tpetra. Ends its own work alone, in reverse
/// order: inside another such guard, or one of Tpetra's, it ends neither Tpetra nor MPI. The
/// threads are Trident's own: a program calls Trident from one thread at a time, whatever the
/// communicators (Teuchos and Tpetra are not thread-safe).
///
/// The ranks of a host take its GPUs in turn, by their rank there, unless Kokkos is told otherwise
/// (its command-line options, or its variables KOKKOS_DEVICE_ID, KOKKOS_NUM_DEVICES, ...).
///
/// Make one at the beginning of main(), before anything of Tpetra or Kokkos.
class ScopeGuard {
 public:
  /// @param threadLevel asked for; MPI_Query_thread tells the level that MPI gives. With less than
  ///                    MPI_THREAD_MULTIPLE the exchange is "prefetch".
  /// Throws Trident::Error where MPI does not start, or has ended.
  ScopeGuard(int* argc, char*** argv, int threadLevel = MPI_THREAD_MULTIPLE);
  ~ScopeGuard();
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  bool ownsMpi_ = false, ownsTpetra_ = false;
};

}  // namespace Trident

#endif
