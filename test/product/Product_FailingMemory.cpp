// SPDX-License-Identifier: BSD-3-Clause
// A rank that runs out of memory, from the first step of a product to the last one before C, leaves
// the operands and C as they were on all ranks, and no rank waiting.

#include <Teuchos_UnitTestHarness.hpp>
#include <functional>
#include <memory>

#include "Trident_FailingAllocation.hpp"
#include "Trident_Grid.hpp"
#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestFailure.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_PinnedMemory.hpp"
#include "base/Trident_Scratch.hpp"
#include "matrix/Trident_Device.hpp"

namespace {

using namespace TridentTest;
using Trident::Impl::TestTools::FailingAllocation;

constexpr bool onHosts = Trident::Impl::isHost<matrix_type::node_type::device_type>;

/// Returns the rank that runs out of memory.
int victim() { return world()->getSize() / 2; }

/// A product of which one rank does not get an array of Trident's. (Tpetra's own are not agreed
/// upon.)
struct Trial {
  std::string function;  ///< name of the called function, which errors must give
  std::vector<const matrix_type*> operands;
  std::function<MatrixPtr()> newC;
  std::function<void(matrix_type&)> multiply;
};

/// Trident's allocations on the victim in one product, and those before its import; equal on all
/// ranks. On devices those before the export: there Tpetra makes host copies of what C takes over,
/// under the same labels.
struct Allocations {
  int all = 0, beforeImport = 0;
};

/// Counts them while it lives.
class CountedAllocations {
 public:
  /// @param prefix only those whose label begins so count
  explicit CountedAllocations(const char* prefix = "Trident::") : counting_(enough, prefix) {
    atImport() = atExport() = enough;
    Kokkos::Tools::Experimental::set_push_region_callback(note);
  }
  ~CountedAllocations() { Kokkos::Tools::Experimental::set_push_region_callback(nullptr); }
  CountedAllocations(const CountedAllocations&) = delete;
  CountedAllocations& operator=(const CountedAllocations&) = delete;

  Allocations soFar() const {
    const int left = onHosts ? FailingAllocation::left() : atExport();
    int counts[] = {enough - left, enough - atImport()};
    Teuchos::broadcast(*world(), victim(), 2, counts);
    return {counts[0], counts[1]};
  }

 private:
  static constexpr int enough = 1 << 30;
  static int& atImport() {
    static int left = enough;
    return left;
  }
  static int& atExport() {
    static int left = enough;
    return left;
  }
  static void note(const char* region) {
    const std::string name = region;
    if (name.find(": import") != std::string::npos && atImport() == enough)
      atImport() = FailingAllocation::left();
    if (name.find(": export") != std::string::npos) atExport() = FailingAllocation::left();
  }
  FailingAllocation counting_;
};

/// Counts the allocations of the third product. The first makes what all keep. On devices the
/// second still takes one block of scratch more than later ones.
Allocations countAllocations(const Trial& trial) {
  for (int n = 0; n < 2; ++n) trial.multiply(*trial.newC());
  const MatrixPtr C = trial.newC();
  Trident::Impl::trimScratch(0);  // else a device's arrays are not allocated
  const CountedAllocations counted;
  trial.multiply(*C);
  return counted.soFar();
}

/// Returns the fault if allocation `number` of the victim fails. Ranks that wait for it hang
/// here.
std::string checkRefusal(const Trial& trial, matrix_type& C, int number) {
  const ResultBefore before(C);
  std::vector<std::unique_ptr<Snapshot>> operands;
  for (const matrix_type* operand : trial.operands)
    operands.push_back(std::make_unique<Snapshot>(*operand));
  std::string problem = "no exception";
  {
    const bool fails = world()->getRank() == victim();
    Trident::Impl::trimScratch(0);
    const FailingAllocation failing(fails ? number : FailingAllocation::never, "Trident::");
    try {
      trial.multiply(C);
    } catch (const std::exception& e) {
      problem = e.what();
      if (problem.find(trial.function + ": injected failure") == 0) problem = before.changes();
    }
  }
  for (const auto& operand : operands) problem += operand->changes();
  if (!problem.empty())
    problem = say("allocation ", number, " ", FailingAllocation::label(), ": ", problem);
  return everywhere(*world(), problem);
}

// A C in each state in which it may come. Each allocation fails in one of the states, the last
// ones, which depend on the state, in all.
TEUCHOS_UNIT_TEST(Failure, OneRankOutOfMemory) {
  const Operands o(5, false, false);
  constexpr int forms = 10, last = 4;
  for (int form = 0; form < forms; ++form) {
    const State state = states[form / 2];
    const bool complete = form % 2;
    const Trial trial{"Trident::Multiply",
                      {o.A.get(), o.B.get()},
                      [&] { return resultIn(state, o); },
                      [&](matrix_type& C) { o.multiply(C, complete); }};
    const Allocations count = countAllocations(trial);
    TEST_COMPARE(count.all - count.beforeImport, >, 2);  // on devices scratch serves many arrays
    const MatrixPtr C = trial.newC();
    for (int number = 0; number < count.all; ++number)
      if (number % forms == form || number >= count.all - last)
        TRIDENT_TEST_OK(o.verdict(form, checkRefusal(trial, *C, number)));
    trial.multiply(*C);
    if (!complete) C->fillComplete(o.colMap, o.rowMap);
    TRIDENT_TEST_OK(o.verdict(form, checkUsable(o, *C)));
  }
}

/// Fails each allocation of a product before its import, and some after it; then forms it.
std::string checkEach(const Trial& trial, const Expected& expected, const Indices& rows,
                      const Indices& cols) {
  const Allocations count = countAllocations(trial);
  if (count.beforeImport < 1) return "the product's beginning was not seen";
  const MatrixPtr C = trial.newC();
  for (int number = 0; number < count.all; number += number < count.beforeImport ? 1 : 8) {
    const std::string problem = checkRefusal(trial, *C, number);
    if (!problem.empty()) return problem;
  }
  trial.multiply(*C);
  return everywhere(*world(), checkEntries(*C, expected, rows, cols, true));
}

std::function<MatrixPtr()> newResultOn(const MapPtr& rowMap) {
  return [rowMap] { return Teuchos::rcp(new matrix_type(rowMap, 0)); };
}

/// Lets the operands' product choose among shapes, on as many nodes as there can be.
void chooseShape(const Operands& o) {
  Teuchos::ParameterList& list = o.params->sublist("Trident");
  list.sublist("expert").set("algorithm", "trident");
  list.sublist("expert").set("exchange", "auto");
  list.set("ranks per node", world()->getSize() % 4 == 0 && o.transA ? 2 : 1);
  list.set("grid", "auto");
  list.sublist("expert").set("predict volume", true);
}

// Maps of all sorts, so that columns are numbered in each way: by arithmetic (3), by the importer
// (1, 5), by the directory (6).
TEUCHOS_UNIT_TEST(Failure, BeforeTheImport) {
  for (const bool byWork : {false, true})
    for (const int seed : {1, 3, 5, 6}) {
      const Operands o(seed, seed % 2 == 0, seed % 3 == 0);
      chooseShape(o);
      if (byWork) o.params->sublist("Trident").set("partition", "work");
      const Trial trial{
          "Trident::Multiply", {o.A.get(), o.B.get()}, newResultOn(o.rowMap), [&](matrix_type& C) {
            o.multiply(C, true);
          }};
      TRIDENT_TEST_OK(o.verdict(seed, checkEach(trial, o.expected(), o.rows, o.cols)));
    }
}

// Every allocation fails in turn on one node, where few agreements tell of it.
TEUCHOS_UNIT_TEST(Failure, OnOneNode) {
  for (const int seed : {1, 3, 5, 6}) {
    const Operands o(seed, seed == 3, seed == 5);
    chooseShape(o);
    o.params->sublist("Trident").set("ranks per node", world()->getSize());
    o.params->sublist("Trident").set("partition", std::string(seed == 6 ? "uniform" : "aligned"));
    const Trial trial{
        "Trident::Multiply", {o.A.get(), o.B.get()}, newResultOn(o.rowMap), [&](matrix_type& C) {
          o.multiply(C, true);
        }};
    const int all = countAllocations(trial).all;
    const MatrixPtr C = trial.newC();
    for (int number = 0; number < all; ++number)
      TRIDENT_TEST_OK(o.verdict(seed, checkRefusal(trial, *C, number)));
    trial.multiply(*C);
    TRIDENT_TEST_OK(o.verdict(
        seed, everywhere(*world(), checkEntries(*C, o.expected(), o.rows, o.cols, true))));
  }
}

// A rank that does not get a block that stages slices fails as with any other array.
TEUCHOS_UNIT_TEST(FailureOnDevices, PinnedMemory) {
  TRIDENT_TEST_NEEDS(!onHosts && world()->getSize() > 1, "slices are staged between devices alone");
  const Operands o(6, false, false);
  o.params->sublist("Trident").set("ranks per node", 1);
  const auto product = [&] {
    const MatrixPtr C = newResultOn(o.rowMap)();
    o.multiply(*C, true);
    return C;
  };
  const int blocks = [&] {
    Trident::Impl::trimPinned(0);
    const CountedAllocations counted("Trident::pinned");
    product();
    return counted.soFar().all;
  }();
  TEST_COMPARE(blocks, >, 0);
  for (int number = 0; number < blocks; ++number) {
    Trident::Impl::trimPinned(0);
    std::string text;
    {
      const bool fails = world()->getRank() == victim();
      const FailingAllocation failing(fails ? number : FailingAllocation::never, "Trident::pinned");
      try {
        product();
      } catch (const std::exception& e) {
        text = e.what();
      }
    }
    const bool refused = text.find("Trident::Multiply: injected failure") == 0;
    TRIDENT_TEST_OK(everywhere(*world(), refused ? "" : say("block ", number, ": ", text)));
    TRIDENT_TEST_OK(o.verdict(
        6, everywhere(*world(), checkEntries(*product(), o.expected(), o.rows, o.cols, true))));
  }
}

TEUCHOS_UNIT_TEST(Failure, GalerkinProduct) {
  const Operands o(7, false, false);
  chooseShape(o);
  o.params->sublist("Trident").set("partition", "work");  // here a right factor is transposed
  const Trial trial{
      "Trident::MultiplyRAP", {o.A.get(), o.B.get()}, newResultOn(o.rowMap), [&](matrix_type& C) {
        Trident::MultiplyRAP(*o.A, false, *o.B, false, *o.B, true, C, true, "label", o.params);
      }};
  const Expected expected(o.expected().sparse(), o.b.transpose());
  TRIDENT_TEST_OK(o.verdict(7, checkEach(trial, expected, o.rows, o.inner)));
}

TEUCHOS_UNIT_TEST(Failure, JacobiProduct) {
  Operands o(8, false, false);
  chooseShape(o);
  const int n = o.b.numRows();
  const Sparse m = randomSparse(o.random, n, n, true);
  const MatrixPtr M = makeMatrix(m, o.inner, o.inner, o.innerMap, o.innerMap, o.innerMap);
  vector_type inverse(o.innerMap);
  inverse.putScalar(0.5);
  const Trial trial{
      "Trident::Jacobi", {M.get(), o.B.get()}, newResultOn(o.innerMap), [&](matrix_type& C) {
        Trident::Jacobi(0.5, inverse, *M, *o.B, C, true, "label", o.params);
      }};
  Sparse smoother(n, n);
  for (int i = 0; i < n; ++i) {
    smoother.rows[i][i] = 1;
    for (const auto& entry : m.rows[i]) smoother.rows[i][entry.first] -= 0.25 * entry.second;
  }
  const Expected expected(smoother, o.b);
  TRIDENT_TEST_OK(o.verdict(8, checkEach(trial, expected, o.inner, o.cols)));
}

/// Fails each allocation of a matrix's way onto a grid, until none is left to fail. Empty where all
/// ranks got the exception each time. Collective.
std::string failEachOf(const std::function<void()>& bring) {
  const std::string expected = "Trident::Grid::fromTpetra: injected failure";
  for (int number = 0;; ++number) {
    std::string text;
    {
      const bool fails = world()->getRank() == victim();
      Trident::Impl::trimScratch(0);
      const FailingAllocation failing(fails ? number : FailingAllocation::never, "Trident::");
      try {
        bring();
      } catch (const std::exception& e) {
        text = e.what();
      }
    }
    if (onAll(*world(), text.empty()))
      return everywhere(*world(),
                        number < 3 ? "hardly anything was allocated" : FailingAllocation::label());
    const bool right = text.find(expected) == 0;
    if (!onAll(*world(), right))
      return everywhere(*world(), say("allocation ", number, ": ", right ? "" : "'" + text + "'"));
  }
}

// Matrices and graphs, whose rows stay or move to others.
TEUCHOS_UNIT_TEST(Failure, OntoAGrid) {
  using Grid = Trident::Grid<double, LO, GO, matrix_type::node_type>;
  for (const int seed : {1, 3, 5, 6}) {
    const Operands o(seed, false, false);
    for (const bool uniform : {false, true}) {
      if (uniform) o.params->sublist("Trident").set("partition", std::string("uniform"));
      const Grid grid(world(), {o.rowMap, o.innerMap}, o.params);
      const auto ofMatrix = [&] { grid.fromTpetra(*o.A, o.innerMap); };
      const auto ofGraph = [&] { grid.fromTpetra(o.A->getCrsGraph(), o.innerMap); };
      const auto turned = [&] { grid.fromTpetra(o.A->getCrsGraph(), o.innerMap, o.rowMap); };
      for (const std::function<void()>& bring :
           {std::function<void()>(ofMatrix), std::function<void()>(ofGraph),
            std::function<void()>(turned)})
        TRIDENT_TEST_OK(o.verdict(seed, failEachOf(bring)));
    }
  }
}

TEUCHOS_UNIT_TEST(Failure, Plan) {
  using Plan = Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type>;
  const Operands o(9, false, false);
  chooseShape(o);
  const Trial first{
      "Trident::MultiplyPlan", {o.A.get(), o.B.get()}, newResultOn(o.rowMap), [&](matrix_type& C) {
        const Plan plan(*o.A, *o.B, C, o.params);
      }};
  TRIDENT_TEST_OK(o.verdict(9, checkEach(first, o.expected(), o.rows, o.cols)));

  const MatrixPtr C = Teuchos::rcp(new matrix_type(o.rowMap, 0));
  const Plan plan(*o.A, *o.B, *C, o.params);
  const Trial again{"Trident::MultiplyPlan::multiply",
                    {o.A.get(), o.B.get()},
                    [&] { return C; },
                    [&](matrix_type& D) { plan.multiply(*o.A, *o.B, D); }};
  const Allocations count = countAllocations(again);
  TEST_ASSERT(count.all > 0 || world()->getSize() == 1);  // a plan of one rank needs no memory
  for (int number = 0; number < count.all; ++number)
    TRIDENT_TEST_OK(o.verdict(9, checkRefusal(again, *C, number)));
  plan.multiply(*o.A, *o.B, *C);
  TRIDENT_TEST_OK(
      o.verdict(9, everywhere(*world(), checkEntries(*C, o.expected(), o.rows, o.cols, true))));
}

}  // namespace
