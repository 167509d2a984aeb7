// SPDX-License-Identifier: BSD-3-Clause
// Work for the end of Kokkos and for the end of MPI. Either may come first, and each may come in
// main(), in an exit handler, in a destructor of a static object, or never.
#ifndef TRIDENT_ENDS_HPP
#define TRIDENT_ENDS_HPP

#include <list>
#include <memory>

namespace Trident::Impl {

/// Registers `work` for the end of Kokkos, while Views can still be freed. The latest work runs
/// first; none runs if the device is gone. `work` must not communicate, because Kokkos may end on
/// one rank alone. Registering it again has no effect. It runs once, as Kokkos cannot begin again.
void atKokkosEnd(void (*work)());

/// Registers `work` for the start of MPI_Finalize, while MPI still works. The latest work runs
/// first. `work` may be collective. It never runs if the process does not reach MPI_Finalize
/// (exit(), MPI_Abort()). Registering it again has no effect. Requires MPI; local.
void atMpiEnd(void (*work)());

/// Asks CUDA if it still works. If not, deviceIsGone() is true from now on. Call this function
/// before you free device memory after main(), because CUDA's exit handler may have run by then.
void checkDevice() noexcept;
/// Returns true if checkDevice() has found that the device is gone. Free nothing on it then.
bool deviceIsGone() noexcept;
/// Returns true if Views may be freed: Kokkos runs, and the device is not gone.
bool viewsCanGo() noexcept;

/// The handle of a View that is kept until letViewGo(), or until Kokkos ends.
using HeldView = std::list<std::shared_ptr<void>>::iterator;
HeldView holdView(std::shared_ptr<void> view);
/// Frees the View, unless Kokkos' end has freed it. Keeps it for good if viewsCanGo() is false.
void letViewGo(HeldView view) noexcept;

}  // namespace Trident::Impl

#endif
