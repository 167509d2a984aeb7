// SPDX-License-Identifier: BSD-3-Clause
// The two ends that what a process keeps must not outlive. Programs come to them in either order,
// in main(), in exit handlers and in destructors behind it, or never.
#ifndef TRIDENT_ENDS_HPP
#define TRIDENT_ENDS_HPP

#include <list>
#include <memory>

namespace Trident::Impl {

/// Has `work` done when Kokkos ends, while it still runs; what was asked for last comes first. The
/// work is local: Kokkos may end on one rank alone, as behind an exit() there. Not done where the
/// device has gone before. Asking for the same again changes nothing.
void atKokkosEnd(void (*work)());

/// Has `work` done when MPI_Finalize begins, while MPI still runs; what was asked for last comes
/// first. All ranks come to MPI_Finalize, so the work may be collective. A process that never comes
/// there, as by exit() or MPI_Abort(), leaves all to the system. Needs MPI; local.
void atMpiEnd(void (*work)());

/// Looks whether the device still runs: behind main(), CUDA's own exit handler ends it. To be
/// called where what lies there may be freed behind main().
void lookAtDevice() noexcept;
/// Whether it had gone when somebody looked: then nothing that lies there may be touched.
bool deviceIsGone() noexcept;
/// Whether Views may be freed: Kokkos runs, and so does the device.
bool viewsCanGo() noexcept;

/// A View that is held until Kokkos ends, which its holder may outlive.
using HeldView = std::list<std::shared_ptr<void>>::iterator;
HeldView holdView(std::shared_ptr<void> view);
/// Frees it, where Kokkos' end has not, and where it can be freed at all.
void letViewGo(HeldView view) noexcept;

}  // namespace Trident::Impl

#endif
