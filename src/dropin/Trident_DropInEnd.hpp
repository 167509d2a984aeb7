// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINEND_HPP
#define TRIDENT_DROPINEND_HPP

namespace Trident::Impl {

/// Has the drop-in end when MPI_Finalize begins, while MPI still works: the summary is
/// written, and plans, communicators and windows go. A program that never comes to MPI_Finalize has
/// no summary, and its report's lines are there. Nothing is left to static destructors. Local.
void endWithMpi();

}  // namespace Trident::Impl

#endif
