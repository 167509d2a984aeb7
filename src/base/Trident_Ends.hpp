// SPDX-License-Identifier: BSD-3-Clause
// Runs work at the end of Kokkos and at the end of MPI. Programs reach these ends in either order,
// in main(), in exit handlers, in destructors of static objects, or never.
#ifndef TRIDENT_ENDS_HPP
#define TRIDENT_ENDS_HPP

#include <list>
#include <memory>

namespace Trident::Impl {

/// Calls `work` when Kokkos ends, while Views can still be freed. Calls the latest one first. Does
/// not call it if the device has gone. `work` must not communicate: Kokkos may end on one rank
/// alone. Ignores a `work` that it has. For the first end alone: Kokkos runs once in a process.
void atKokkosEnd(void (*work)());

/// Calls `work` when MPI_Finalize begins, while MPI still works. Calls the latest one first. `work`
/// may be collective. Is never called if the process does not reach MPI_Finalize (exit(),
/// MPI_Abort()). Ignores a `work` that it has. Requires MPI; local.
void atMpiEnd(void (*work)());

/// Asks CUDA whether it still works, and remembers a no for deviceIsGone(). Call it before device
/// memory may be freed behind main(), where CUDA's exit handler has run.
void lookAtDevice() noexcept;
/// Returns true if lookAtDevice() has found that the device is gone. Then free nothing on it.
bool deviceIsGone() noexcept;
/// Returns true if Views may be freed: Kokkos runs, and the device is not gone.
bool viewsCanGo() noexcept;

/// Names a View that is kept until letViewGo() or until Kokkos ends.
using HeldView = std::list<std::shared_ptr<void>>::iterator;
HeldView holdView(std::shared_ptr<void> view);
/// Frees the View, unless Kokkos' end freed it. Keeps it for good if nothing can be freed any more.
void letViewGo(HeldView view) noexcept;

}  // namespace Trident::Impl

#endif
