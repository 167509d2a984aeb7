// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DROPINPLANS_HPP
#define TRIDENT_DROPINPLANS_HPP

#include <optional>

#include "dropin/Trident_PlanStoreShelves.hpp"

namespace Trident::Impl {

/// Makes the plans of the process possible, within a limit, the same at each call; a limit of
/// nothing makes none. They end with Kokkos, or by endPlans(). Local.
void beginPlans(const PlanLimit& limit);

/// Returns how many bytes plans may take on this rank where nobody says so: a sixteenth of what it
/// may use of its host's memory, or of its GPU's. 0, no bound, where that is not known. Local; for a
/// communicator whose ranks have formed a product.
std::size_t bytesForPlans(MPI_Comm comm) noexcept;

/// The plans of the process; null where none were begun.
PlanShelves* plansOfProcess();

/// What they did on this rank; nothing where there are none.
std::optional<PlanCounts> countsOfPlans();

/// Releases them, while MPI and Kokkos run. Collective over every communicator that has some.
/// Throws nothing, as MPI or Kokkos calls it.
void endPlans() noexcept;

}  // namespace Trident::Impl

#endif
