// SPDX-License-Identifier: BSD-3-Clause
// Contract: a product that fails leaves A, B and C as they were, C open where it was open, and C
// takes the next product.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestErrors.hpp"
#include "Trident_TestFailure.hpp"

namespace {

using namespace TridentTest;
using Trident::Error;

/// Checks a failing op(A)·op(B) into C: the exception, and nothing changed. Collective.
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

}  // namespace
