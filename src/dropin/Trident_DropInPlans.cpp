// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_DropInPlans.hpp"

#include <Kokkos_Core.hpp>
#include <exception>

namespace Trident::Impl {
namespace {

/// Never destroyed, as plans must not be when the process ends. Kokkos' end takes them.
PlanShelves* shelves = nullptr;

PlanShelves* makeShelves(const PlanLimit& limit) {
  shelves = new PlanShelves(limit);
  Kokkos::push_finalize_hook(endPlans);
  return shelves;
}

}  // namespace

void beginPlans(const PlanLimit& limit) {
  if (limit.plans == 0 && limit.bytes == 0) return;
  static PlanShelves* const only = makeShelves(limit);
  static_cast<void>(only);
}

PlanShelves* plansOfProcess() { return shelves; }

std::optional<PlanCounts> countsOfPlans() {
  return shelves ? std::make_optional(shelves->counts()) : std::nullopt;
}

void endPlans() noexcept {
  if (!shelves) return;
  try {
    shelves->clear();
  } catch (const std::exception&) {  // what could not go is left to the process' end
  }
}

}  // namespace Trident::Impl
