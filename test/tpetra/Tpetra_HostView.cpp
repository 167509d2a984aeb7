// SPDX-License-Identifier: BSD-3-Clause
// A host view of C that one rank's caller holds, where Tpetra then refuses C's values on the
// device: all ranks throw, and A, B and C are as they were.

#include <Teuchos_UnitTestHarness.hpp>
#include <functional>
#include <optional>

#include "Trident_HeldHostView.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestFailure.hpp"
#include "Trident_TestNeeds.hpp"

namespace {

using namespace TridentTest;

#define HOST_VIEW_NEEDS_MEMORY_APART                  \
  TRIDENT_TEST_NEEDS(HeldHostView::keepsDeviceAway(), \
                     "the device's memory is the host's: a host view keeps it from nothing")

/// Returns the fault if `victim` calls with a host view of C. Collective.
std::string checkRefusal(const Operands& o, matrix_type& C, int victim, const std::string& function,
                         const std::function<void()>& multiply) {
  const ResultBefore before(C);
  const Snapshot beforeA(*o.A), beforeB(*o.B);
  std::string thrown;
  {
    std::optional<HeldHostView> held;
    if (world()->getRank() == victim) held.emplace(C);
    thrown = expectThrow<Trident::Error>(
        *world(), {function, "host view is alive", "let every host view of A, B and C go before"},
        multiply);
  }
  return thrown + everywhere(*world(), before.changes() + beforeA.changes() + beforeB.changes());
}

TEUCHOS_UNIT_TEST(Failure, AHostViewOfAPattern) {
  HOST_VIEW_NEEDS_MEMORY_APART;
  const Operands o(5, false, false);
  for (const State state : states) {
    if (state < State::Resumed) continue;
    for (const bool complete : {true, false})
      for (int victim = 0; victim < world()->getSize(); ++victim) {
        const MatrixPtr C = resultIn(state, o);
        TRIDENT_TEST_OK(o.verdict(5, checkRefusal(o, *C, victim, "Trident::Multiply",
                                                  [&] { o.multiply(*C, complete); })));
        TRIDENT_TEST_OK(o.verdict(5, checkUsable(o, *C)));
      }
  }
}

TEUCHOS_UNIT_TEST(Failure, AHostViewOfAPlannedResult) {
  HOST_VIEW_NEEDS_MEMORY_APART;
  const Operands o(9, false, false);
  const MatrixPtr C = Teuchos::rcp(new matrix_type(o.rowMap, 0));
  const Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type> plan(*o.A, *o.B, *C,
                                                                           o.params);
  const auto multiply = [&] { plan.multiply(*o.A, *o.B, *C); };
  for (int victim = 0; victim < world()->getSize(); ++victim)
    TRIDENT_TEST_OK(o.verdict(9, checkRefusal(o, *C, victim, "Trident::MultiplyPlan", multiply)));
  multiply();
  TRIDENT_TEST_OK(
      o.verdict(9, everywhere(*world(), checkEntries(*C, o.expected(), o.rows, o.cols, true))));
}

}  // namespace
