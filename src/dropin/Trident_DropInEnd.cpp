// SPDX-License-Identifier: BSD-3-Clause
#include "dropin/Trident_DropInEnd.hpp"

#include "base/Trident_Ends.hpp"
#include "dropin/Trident_DropInReport.hpp"
#include "dropin/Trident_PlanCache.hpp"
#include "exchange/Trident_Context.hpp"

namespace Trident::Impl {
namespace {

void endNow() {
  const PlanCache* const plans = plansOfProcess();
  endReport(plans ? plans->counts() : PlanCounts());
  endPlans();
}

}  // namespace

void endWithMpi() {
  Context::endWithMpi();  // what comes first is done last: plans use contexts
  atMpiEnd(endNow);
}

}  // namespace Trident::Impl
