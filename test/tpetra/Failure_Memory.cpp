// SPDX-License-Identifier: BSD-3-Clause
// A rank that runs out of memory, from the import to the last step before C, leaves A, B and C as
// they were on all ranks.

#include <Teuchos_UnitTestHarness.hpp>

#include "Multiply_FailingAllocation.hpp"
#include "Trident_TestFailure.hpp"

namespace {

using namespace TridentTest;
using Trident::TestTools::FailingAllocation;

/// Fails one allocation of Trident's on this rank, counted from the import on: earlier ones are not
/// agreed upon, nor are Tpetra's own.
class FailingFromImport {
 public:
  explicit FailingFromImport(int number) : failing_(FailingAllocation::never, "Trident::") {
    wanted() = number;
    Kokkos::Tools::Experimental::set_push_region_callback(arm);
  }
  ~FailingFromImport() { Kokkos::Tools::Experimental::set_push_region_callback(nullptr); }
  FailingFromImport(const FailingFromImport&) = delete;
  FailingFromImport& operator=(const FailingFromImport&) = delete;

 private:
  static int& wanted() {
    static int wanted = FailingAllocation::never;
    return wanted;
  }
  static void arm(const char* region) {
    if (std::string(region) != "Trident: Multiply: import") return;
    if (wanted() == FailingAllocation::never) return;  // a timer names the region once more
    FailingAllocation::left() = wanted();
    wanted() = FailingAllocation::never;
  }
  FailingAllocation failing_;
};

/// What the product of `o` into C says where allocation `number` of rank `victim` fails; empty
/// where it succeeds.
std::string refusal(const Operands& o, matrix_type& C, bool complete, int victim, int number) {
  const FailingFromImport failing(world()->getRank() == victim ? number : FailingAllocation::never);
  try {
    o.multiply(C, complete);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

// One rank runs out of memory in each such allocation in turn.
TEUCHOS_UNIT_TEST(Failure, OneRankOutOfMemory) {
  const int victim = world()->getSize() / 2;
  for (const State state : states)
    for (const bool complete : {true, false}) {
      const Operands o(5, false, false);
      const Snapshot beforeA(*o.A), beforeB(*o.B);
      const MatrixPtr C = resultIn(state, o);
      const ResultBefore before(*C);
      int number = 0;
      for (;; ++number) {
        const std::string text = refusal(o, *C, complete, victim, number);
        if (text.empty()) break;
        std::string problem = before.changes() + beforeA.changes() + beforeB.changes();
        if (text.find("injected failure") == std::string::npos) problem = text;
        if (!problem.empty()) problem = FailingAllocation::label() + ": " + problem;
        TRIDENT_TEST_OK(o.verdict(number, problem));
      }
      TEST_COMPARE(number, >, 5);
      if (!complete) C->fillComplete(o.colMap, o.rowMap);
      TRIDENT_TEST_OK(o.verdict(5, checkUsable(o, *C)));
    }
}

}  // namespace
