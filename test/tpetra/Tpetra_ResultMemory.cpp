// SPDX-License-Identifier: BSD-3-Clause
// A rank that runs out of memory where Tpetra makes C of its arrays, the last step of a product,
// leaves the operands and C as they were on all ranks, and no rank waiting.

#include <Teuchos_UnitTestHarness.hpp>
#include <functional>

#include "Trident_FailingNew.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_TestFailure.hpp"
#include "Trident_TestNeeds.hpp"
#include "matrix/Trident_Device.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace {

using namespace TridentTest;

#define FAILURE_EXPORT_NEEDS_KOKKOS       \
  TRIDENT_TEST_NEEDS(kokkosMayLackMemory, \
                     "Kokkos 5 ends a program that lacks memory for its own bookkeeping")

/// Returns the rank that runs out of memory.
int victim() { return world()->getSize() / 2; }

/// Objects that Tpetra makes on the victim in the last phase of a product, which makes C, after
/// Trident's last view there; the phases of export before it, and the views in it.
struct Counts {
  int objects, phases, views;
};

Counts countLast(const std::function<void()>& multiply) {
  int counts[3];
  {
    const FailingNew counted(FailingNew::never, 0, 0);
    multiply();
    counts[1] = FailingNew::phases() - 1;
    counts[2] = FailingNew::views();
  }
  {
    const FailingNew counted(FailingNew::never, counts[1], counts[2]);
    multiply();
    counts[0] = FailingNew::seen();
  }
  Teuchos::broadcast(*world(), victim(), 3, counts);
  return {counts[0], counts[1], counts[2]};
}

/// Returns the fault if object `number` of the victim cannot be made. Ranks that wait for it
/// hang here.
/// @param failing makes a FailingNew for the object of a number
template <class Failing>
std::string checkRefusal(const Operands& o, matrix_type& C, int number, const Failing& failing,
                         const std::function<void()>& multiply) {
  const ResultBefore before(C);
  const Snapshot beforeA(*o.A), beforeB(*o.B);
  std::string problem = "no exception";
  {
    const bool fails = world()->getRank() == victim();
    const FailingNew now = failing(fails ? number : FailingNew::never);
    try {
      multiply();
    } catch (const Trident::Error& e) {
      FailingNew::end();
      problem = e.what();
      if (problem.find("bad_alloc") != std::string::npos) problem = before.changes();
    } catch (const std::exception& e) {
      FailingNew::end();
      problem = std::string("on this rank alone: ") + e.what();
    }
  }
  problem += beforeA.changes() + beforeB.changes();
  return everywhere(*world(), problem.empty() ? "" : say("object ", number, ": ", problem));
}

/// Returns the step from one object that fails to the next: 1 on hosts. On devices it makes a
/// sample, as a product takes longer there and makes more objects.
int stepOf(int objects) {
  constexpr int most = 20;
  const bool onHost = Trident::Impl::isHost<matrix_type::node_type::device_type>;
  return onHost || objects < most ? 1 : objects / most;
}

/// Fails objects after so many phases of export, and views in the next one.
auto after(int phases, int views) {
  return [=](int number) { return FailingNew(number, phases, views); };
}

/// Lets each object fail once, if Tpetra makes a C that comes in this state. Global constants are
/// reduced when nothing of size can fail any more; here they are left out.
void failWhereTpetraMakesC(State state, Teuchos::FancyOStream& out, bool& success) {
  const Operands o(5, false, false);
  o.params->set("compute global constants", false);
  for (const bool complete : {true, false}) {
    MatrixPtr C = resultIn(state, o);
    const auto multiply = [&] { o.multiply(*C, complete); };
    const Counts count = countLast([&] {
      C = resultIn(state, o);
      multiply();
    });
    C = resultIn(state, o);
    // In a pattern that stays open Tpetra makes nothing.
    if (complete || state < State::Resumed) TEST_COMPARE(count.objects, >, 0);
    out << count.objects << " objects after " << count.phases << " phases and " << count.views
        << " views\n";
    for (int number = 0; number < count.objects; number += stepOf(count.objects))
      TRIDENT_TEST_OK(
          o.verdict(5, checkRefusal(o, *C, number, after(count.phases, count.views), multiply)));
    TRIDENT_TEST_OK(o.verdict(5, checkUsable(o, *C)));
  }
}

TEUCHOS_UNIT_TEST(Failure, WhereTpetraMakesANewC) {
  FAILURE_EXPORT_NEEDS_KOKKOS;
  for (const State state : states)
    if (state < State::Resumed) failWhereTpetraMakesC(state, out, success);
}

// nvcc keeps a kernel's lambda on the heap. Kokkos counts no references to views any more where
// copying one has failed, and in a pattern kernels run after the last array.
TEUCHOS_UNIT_TEST(FailureOnHosts, WhereTpetraMakesCOfAPattern) {
  FAILURE_EXPORT_NEEDS_KOKKOS;
  TRIDENT_TEST_NEEDS(Trident::Impl::isHost<matrix_type::node_type::device_type>,
                     "on devices a pattern's last kernels cannot fail on their own");
  for (const State state : states)
    if (state >= State::Resumed) failWhereTpetraMakesC(state, out, success);
}

// Lists of remote columns lie between steps that ranks take together.
TEUCHOS_UNIT_TEST(Failure, WhereTheColumnMapIsMade) {
  FAILURE_EXPORT_NEEDS_KOKKOS;
  constexpr int seed = 7;
  int all = 0;  // in one of the two the victim may have few remote columns
  for (const Layout layout : {Layout::Uniform, Layout::Scattered}) {
    Operands o(seed, false, false);
    const int numRows = 30, numInner = 30, numCols = 3000;
    o.rows = randomIndices(o.random, numRows);
    o.inner = randomIndices(o.random, numInner);
    o.cols = contiguousIndices(numCols);
    o.rowMap = makeMap(o.random, o.rows, Layout::Cyclic, world());
    o.innerMap = makeMap(o.random, o.inner, Layout::Cyclic, world());
    o.colMap = makeMap(o.random, o.cols, layout, world());
    o.a = randomSparse(o.random, numRows, numInner, true);
    o.b = randomSparse(o.random, numInner, numCols, true);
    o.form();
    o.params = Teuchos::parameterList();
    const MatrixPtr C = Teuchos::rcp(new matrix_type(o.rowMap, 0));
    int objects = 0;
    {
      const FailingNew counted = FailingNew::beforeMaps(FailingNew::never);
      o.multiply(*resultIn(State::New, o), true);
      objects = FailingNew::seen();
    }
    Teuchos::broadcast(*world(), victim(), Teuchos::outArg(objects));
    all += objects;
    for (int number = 0; number < objects; number += stepOf(objects))
      TRIDENT_TEST_OK(o.verdict(seed, checkRefusal(o, *C, number, FailingNew::beforeMaps,
                                                   [&] { o.multiply(*C, true); })));
    TRIDENT_TEST_OK(o.verdict(seed, checkUsable(o, *C)));
  }
  out << all << " objects\n";
  if (world()->getSize() > 1) TEST_COMPARE(all, >, 3);
}

// A plan lets Tpetra forget what it has cached of C's values.
TEUCHOS_UNIT_TEST(Failure, WherePlansCompleteC) {
  FAILURE_EXPORT_NEEDS_KOKKOS;
  const Operands o(9, false, false);
  o.params->set("compute global constants", false);
  const MatrixPtr C = Teuchos::rcp(new matrix_type(o.rowMap, 0));
  const Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type> plan(*o.A, *o.B, *C,
                                                                           o.params);
  plan.multiply(*o.A, *o.B, *C);  // the first one's phases get their timers from Teuchos
  int objects = 0;
  {
    const FailingNew counted(FailingNew::never, 0, 0);
    Kokkos::Profiling::pushRegion("Trident: Multiply: export");
    Trident::Impl::completeAgain(*C);
    Kokkos::Profiling::popRegion();
    objects = FailingNew::seen();
  }
  Teuchos::broadcast(*world(), victim(), Teuchos::outArg(objects));
  TEST_COMPARE(objects, >, 5);
  for (int number = 0; number < objects; number += stepOf(objects))
    TRIDENT_TEST_OK(o.verdict(
        9, checkRefusal(o, *C, number, after(0, 0), [&] { plan.multiply(*o.A, *o.B, *C); })));
  plan.multiply(*o.A, *o.B, *C);
  TRIDENT_TEST_OK(
      o.verdict(9, everywhere(*world(), checkEntries(*C, o.expected(), o.rows, o.cols, true))));
}

}  // namespace
