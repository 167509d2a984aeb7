// SPDX-License-Identifier: BSD-3-Clause
// call_FillComplete_on_result = false: C has the entries, stays open, and the caller completes it.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <algorithm>

#include "Trident_TestContract.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;

std::string checkOpen(const matrix_type& C) {
  if (C.isFillComplete() || !C.isFillActive()) return "C is not open";
  return C.getDomainMap().is_null() ? "" : "C has a domain Map already";
}

/// Compares Tpetra's open result, completed with the same Maps, with C. Tpetra needs room to insert
/// in. If stored zeros of A alone make an entry, Tpetra has none.
std::string checkAgainstOpenTpetra(const Operands& o, const matrix_type& C) {
  matrix_type T(o.rowMap, 41);
  Tpetra::MatrixMatrix::Multiply(*o.A, o.transA, *o.B, o.transB, T, false);
  std::string problem = T.isFillComplete() || !T.isFillActive() ? "Tpetra's C is not open" : "";
  T.fillComplete(C.getDomainMap(), C.getRangeMap());
  const auto mine = entriesOf(C), theirs = entriesOf(T);
  for (const auto& entry : theirs)
    if (!mine.count(entry.first)) problem = say("C lacks an entry of row ", entry.first.first);
  for (const auto& entry : mine) {
    const auto found = theirs.find(entry.first);
    if (entry.second != (found == theirs.end() ? 0.0 : found->second))
      problem = say("C differs from Tpetra's in row ", entry.first.first);
  }
  return problem;
}

TEUCHOS_UNIT_TEST(OpenResult, CompletedByCaller) {
  for (int seed = 1; seed <= 12; ++seed)
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        const Operands o(seed, transA, transB);
        const Snapshot beforeA(*o.A), beforeB(*o.B);
        matrix_type C(o.rowMap, seed % 2 ? 0 : 30);
        o.multiply(C, false);
        std::string problem = checkOpen(C);
        const std::size_t entries = Trident::Impl::localEntries(C);
        C.fillComplete(o.colMap, o.rowMap);
        if (entries != Trident::Impl::localEntries(C)) problem = "the open C lacked entries";
        if (problem.empty()) problem = beforeA.changes() + beforeB.changes();
        if (problem.empty()) problem = checkEntries(C, o.expected(), o.rows, o.cols, true);
        if (C.getRowMap().get() != o.rowMap.get()) problem = "row Map";
        if (C.getDomainMap().get() != o.colMap.get()) problem = "domain Map";
        if (C.getRangeMap().get() != o.rowMap.get()) problem = "range Map";
        const std::string applied = checkProductWithVector(C, o.expected(), o.rows, o.cols);
        const std::string tpetra = checkAgainstOpenTpetra(o, C);
        TRIDENT_TEST_OK(o.verdict(seed, problem + applied + tpetra));
      }
}

TEUCHOS_UNIT_TEST(OpenResult, MapsOfTheCallersChoice) {
  for (int seed = 1; seed <= 12; ++seed) {
    Operands o(seed, false, false);
    const MapPtr domain = makeMap(o.random, o.cols, randomLayout(o.random), world());
    const MapPtr range = makeMap(o.random, o.rows, randomLayout(o.random), world());
    matrix_type C(o.rowMap, 0);
    o.multiply(C, false);
    C.fillComplete(domain, range);
    std::string problem = checkEntries(C, o.expected(), o.rows, o.cols, true);
    if (C.getDomainMap().get() != domain.get()) problem = "domain Map";
    if (C.getRangeMap().get() != range.get()) problem = "range Map";
    const std::string applied = checkProductWithVector(C, o.expected(), o.rows, o.cols);
    TRIDENT_TEST_OK(o.verdict(seed, problem + applied));
  }
}

// An open matrix takes values: every entry gets one more, before fillComplete().
TEUCHOS_UNIT_TEST(OpenResult, TakesValuesWhileOpen) {
  const Fixture f(world());
  const MatrixPtr C = newResult(*f.A), D = newResult(*f.A);
  Trident::Multiply(*f.A, false, *f.B, false, *C, false);
  Trident::Multiply(*f.A, *f.B, *D);
  const auto wanted = entriesOf(*D);
  LO changed = 0;
  for (const auto& entry : wanted)
    changed += C->sumIntoGlobalValues(entry.first.first, Teuchos::tuple(entry.first.second)(),
                                      Teuchos::tuple(1.0)());
  C->fillComplete(f.B->getDomainMap(), f.A->getRangeMap());
  auto raised = wanted;
  for (auto& entry : raised) entry.second += 1;
  TRIDENT_TEST_OK(everywhere(
      *world(),
      changed == static_cast<LO>(wanted.size()) && entriesOf(*C) == raised ? "" : "values"));
}

/// Compares Tpetra's C and Trident's, made alike, after one thing was done to both. Collective.
template <class Work>
std::string sameAsTpetra(const Fixture& f, std::size_t room, const Work& work) {
  matrix_type mine(f.A->getRowMap(), room), theirs(f.A->getRowMap(), room);
  Trident::Multiply(*f.A, false, *f.B, false, mine, false);
  Tpetra::MatrixMatrix::Multiply(*f.A, false, *f.B, false, theirs, false);
  for (matrix_type* const C : {&mine, &theirs}) {
    work(*C);
    C->fillComplete(f.B->getDomainMap(), f.A->getRangeMap());
  }
  auto wanted = entriesOf(theirs);
  for (const auto& entry : entriesOf(mine)) wanted.emplace(entry.first, 0.0);  // of A's zeros
  return everywhere(*world(), entriesOf(mine) == wanted ? "" : "other entries than Tpetra's");
}

// An open matrix takes entries, in columns that are there and in others, as far as it has room.
TEUCHOS_UNIT_TEST(OpenResult, TakesEntriesWhileOpen) {
  const Fixture f(world());
  const GO firstColumn = f.B->getDomainMap()->getMinAllGlobalIndex(),
           lastColumn = f.B->getDomainMap()->getMaxAllGlobalIndex();
  for (const GO column : {firstColumn, lastColumn})
    TRIDENT_TEST_OK(sameAsTpetra(f, 40, [&](matrix_type& C) {
      for (const GO row : Trident::Impl::localGids(*C.getRowMap()))
        C.insertGlobalValues(row, Teuchos::tuple(column)(), Teuchos::tuple(5.0)());
    }));
  TRIDENT_TEST_OK(sameAsTpetra(f, 40, [&](matrix_type& C) { C.scale(2.0); }));
  TRIDENT_TEST_OK(sameAsTpetra(f, 40, [&](matrix_type& C) { C.resumeFill(); }));
}

TEUCHOS_UNIT_TEST(OpenResult, IsAddedTo) {
  const Fixture f(world(), 12, 12, 12);
  TRIDENT_TEST_OK(sameAsTpetra(
      f, 40, [&](matrix_type& C) { Tpetra::MatrixMatrix::Add(*f.A, false, 5.0, C, 1.0); }));
}

// An open C is as Tpetra leaves it; without room it holds the product, and no more.
TEUCHOS_UNIT_TEST(OpenResult, IsGloballyIndexed) {
  const Fixture f(world());
  for (const std::size_t room : {0, 40}) {
    matrix_type C(f.A->getRowMap(), room);
    C.setObjectLabel("mine");
    Trident::Multiply(*f.A, false, *f.B, false, C, false);
    const auto graph = C.getCrsGraph();
    std::string problem;
    if (C.isLocallyIndexed() || C.hasColMap()) problem = "C is locally indexed";
    if (C.getObjectLabel() != "mine") problem = "label";
    const LO rows = static_cast<LO>(Trident::Impl::localSize(*C.getRowMap()));
    for (LO row = 0; row < rows; ++row) {
      const std::size_t length = C.getNumEntriesInLocalRow(row);
      if (graph->getNumAllocatedEntriesInLocalRow(row) != std::max(length, room) &&
          C.isGloballyIndexed())
        problem = say("room of row ", row);
    }
    TRIDENT_TEST_OK(everywhere(*world(), problem));
  }
}

TEUCHOS_UNIT_TEST(OpenResult, FailureLeavesItNew) {
  const Fixture f(world()), g(world(), 11, 8, 9);
  const MatrixPtr C = newResult(*f.A);
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*world(), {"inner sizes differ"}, [&] {
    Trident::Multiply(*f.A, false, *g.B, false, *C, false);
  }));
  TEST_ASSERT(C->isFillActive() && !C->isLocallyIndexed() && !C->isGloballyIndexed());
  TRIDENT_TEST_OK(expectUsable(f, *C));
}

}  // namespace
