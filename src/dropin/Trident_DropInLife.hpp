// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINLIFE_HPP
#define TRIDENT_DROPINLIFE_HPP

namespace Trident::Impl {

/// Has the drop-in library end when MPI_Finalize begins, while MPI still works: the summary is
/// written, and communicators, windows and device memory go that Kokkos' end has not taken before.
/// A program that never comes to MPI_Finalize has no summary, and its report's lines are there.
/// Nothing is left to static destructors. The first call counts. Local.
void endWithMpi();

}  // namespace Trident::Impl

#endif
