// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_DropInPlans.hpp"

#include <exception>

#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"

namespace Trident::Impl {
namespace {

PlanShelves* shelves = nullptr;

}  // namespace

void beginPlans(const PlanLimit& limit) {
  if (limit.plans == 0 && limit.bytes == 0) return;
  static Lasting<PlanShelves> only(limit);
  shelves = &*only;
  atKokkosEnd([] { endPlans(); });  // local then, as communicators' contexts live on
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
