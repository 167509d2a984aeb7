// SPDX-License-Identifier: BSD-3-Clause
// Contract: a product that fails leaves A, B and C as they were, C open where it was open, and C
// takes the next product.

#include <Teuchos_UnitTestHarness.hpp>
#include <memory>

#include "Multiply_FailingAllocation.hpp"
#include "Trident_TestContract.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using Trident::Error;
using Trident::TestTools::FailingAllocation;

/// In which C may come.
enum class State { New, NewWithRoom, NewWithColumns, Resumed, Complete };
constexpr State states[] = {State::New, State::NewWithRoom, State::NewWithColumns, State::Resumed,
                            State::Complete};

/// A C for o's product: new, or with the product's pattern and sevens.
MatrixPtr resultIn(State state, const Operands& o) {
  if (state == State::New) return Teuchos::rcp(new matrix_type(o.rowMap, 0));
  if (state == State::NewWithRoom) return Teuchos::rcp(new matrix_type(o.rowMap, 41));
  if (state == State::NewWithColumns) return Teuchos::rcp(new matrix_type(o.rowMap, o.colMap, 41));
  const MatrixPtr C =
      makeMatrix(o.expected().sparse(), o.rows, o.cols, o.rowMap, o.colMap, o.rowMap);
  C->resumeFill();
  C->setAllToScalar(7);
  if (state == State::Complete) C->fillComplete(o.colMap, o.rowMap);
  return C;
}

/// Everything of a C that a caller can see, before and after.
class ResultBefore {
 public:
  explicit ResultBefore(const matrix_type& C) : C_(C), facts_(factsOf(C)), maps_(mapsOf(C)) {
    if (C.isLocallyIndexed()) entries_ = std::make_unique<Snapshot>(C);
  }
  std::string changes() const {
    if (factsOf(C_) != facts_) return "C is open or indexed as it was not before";
    if (mapsOf(C_) != maps_) return "a Map of C was replaced";
    return entries_ ? entries_->changes() : "";
  }

 private:
  static std::vector<bool> factsOf(const matrix_type& C) {
    return {C.isFillActive(), C.isFillComplete(), C.isLocallyIndexed(), C.isGloballyIndexed(),
            C.hasColMap()};
  }
  static std::vector<const void*> mapsOf(const matrix_type& C) {
    return {C.getRowMap().get(), C.hasColMap() ? C.getColMap().get() : nullptr,
            C.getDomainMap().get(), C.getRangeMap().get()};
  }
  const matrix_type& C_;
  std::vector<bool> facts_;
  std::vector<const void*> maps_;
  std::unique_ptr<Snapshot> entries_;  // of a C that has some
};

/// The good product into a C that a failed one had.
std::string checkUsable(const Operands& o, matrix_type& C) {
  o.multiply(C, true);
  return everywhere(*world(), checkEntries(C, o.expected(), o.rows, o.cols, true));
}

/// A failing op(A)·op(B) into C: the exception, and nothing changed. Collective.
std::string expectUntouched(const matrix_type& A, bool transA, const matrix_type& B, bool transB,
                            matrix_type& C, bool complete, const std::vector<std::string>& words,
                            const Operands& o) {
  const Snapshot beforeA(A), beforeB(B);
  const ResultBefore before(C);
  const std::string thrown = expectThrow<Error>(*world(), words, [&] {
    Trident::Multiply(A, transA, B, transB, C, complete, "label", o.params);
  });
  const std::string changed =
      everywhere(*world(), before.changes() + beforeA.changes() + beforeB.changes());
  return thrown + changed;
}

TEUCHOS_UNIT_TEST(Failure, ShapesThatDoNotFit) {
  for (int seed = 1; seed <= 2; ++seed)
    for (const State state : states)
      for (const bool complete : {true, false}) {
        const Operands o(seed, false, false);
        Sparse longer(o.b.numRows() + 1, o.b.cols);
        const MatrixPtr B = makeUniform(longer, world()), C = resultIn(state, o);
        TRIDENT_TEST_OK(o.verdict(seed, expectUntouched(*o.A, false, *B, false, *C, complete,
                                                        {"inner sizes differ"}, o)));
        Sparse tall(o.a.numRows() + 1, o.a.cols);
        const MatrixPtr A = makeUniform(tall, world());
        TRIDENT_TEST_OK(o.verdict(
            seed, expectUntouched(*A, false, *o.B, false, *C, complete, {"rows", "C"}, o)));
        TRIDENT_TEST_OK(o.verdict(seed, checkUsable(o, *C)));
      }
}

// A has one more column, which it uses in one row; B's rows are as many, one of them elsewhere.
TEUCHOS_UNIT_TEST(Failure, ColumnThatNobodyOwns) {
  for (int seed = 1; seed <= 2; ++seed)
    for (const State state : states)
      for (const bool complete : {true, false}) {
        const Operands o(seed, false, false);
        Indices strange = o.inner;
        const GO stray = 1 + *std::max_element(strange.gids.begin(), strange.gids.end());
        strange.gids.back() = stray;
        strange.contiguous = false;
        Sparse a = o.a;
        a.rows[0][a.cols - 1] = 1;
        Random random(seed);
        const MapPtr domain = makeMap(random, strange, Layout::Cyclic, world());
        const MatrixPtr A = makeMatrix(a, o.rows, strange, o.rowMap, domain, o.rowMap);
        const MatrixPtr C = resultIn(state, o);
        TRIDENT_TEST_OK(
            o.verdict(seed, expectUntouched(*A, false, *o.B, false, *C, complete,
                                            {std::to_string(stray), "no rank owns"}, o)));
        TRIDENT_TEST_OK(o.verdict(seed, checkUsable(o, *C)));
      }
}

// A has an entry more, and the product then entries that C's pattern lacks.
TEUCHOS_UNIT_TEST(Failure, EntryOutsideThePattern) {
  int failed = 0;
  for (int seed = 1; seed <= 8; ++seed)
    for (const State state : {State::Resumed, State::Complete})
      for (const bool complete : {true, false}) {
        const Operands o(seed, false, false);
        Sparse a = o.a;
        for (int l = 0; l < a.cols; ++l) a.rows[0][l] = 1;
        const auto more = Expected(a, o.b).entries() - o.expected().entries();
        if (more == 0) continue;
        const MatrixPtr A = makeMatrix(a, o.rows, o.inner, o.rowMap, o.innerMap, o.rowMap);
        const MatrixPtr C = resultIn(state, o);
        TRIDENT_TEST_OK(o.verdict(
            seed, expectUntouched(*A, false, *o.B, false, *C, complete, {"C's pattern lacks"}, o)));
        TRIDENT_TEST_OK(o.verdict(seed, checkUsable(o, *C)));
        ++failed;
      }
  TEST_COMPARE(failed, >, 8);
}

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
