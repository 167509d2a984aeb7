// SPDX-License-Identifier: BSD-3-Clause
// The product of three matrices with all transposes, on random Maps, its plan, and what it refuses.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_TripleMatrixMultiply.hpp>

#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;
using Plan = Trident::MultiplyRAPPlan<double, LO, GO, map_type::node_type>;

/// One factor op(M), of small integers, so that products are exact.
struct Factor {
  Sparse op;
  Indices rows, cols;  // indices of op
  MapPtr rowMap, colMap;
  bool transposed;
  MatrixPtr matrix;

  void form() {
    matrix = transposed ? makeMatrix(op.transpose(), cols, rows, colMap, rowMap, colMap)
                        : makeMatrix(op, rows, cols, rowMap, colMap, rowMap);
  }
  void renewValues(Random& random) {
    for (auto& row : op.rows)
      for (auto& entry : row) entry.second = random.between(-4, 4);
    form();
  }
};

struct Galerkin {
  Random random;
  Factor R, A, P;
  int lambda = 1;
  std::string shape;
  Teuchos::RCP<Teuchos::ParameterList> params;

  Galerkin(std::uint64_t seed, bool tR, bool tA, bool tP) : random(seed) {
    Indices indices[4];
    MapPtr maps[4];
    int sizes[4];
    for (int s = 0; s < 4; ++s) {
      sizes[s] = random.between(1, s == 1 || s == 2 ? 40 : 20);
      indices[s] = randomIndices(random, sizes[s]);
      maps[s] = makeMap(random, indices[s], randomLayout(random), world());
    }
    Factor* const factors[] = {&R, &A, &P};
    const bool transposed[] = {tR, tA, tP};
    for (int f = 0; f < 3; ++f) {
      *factors[f] = {randomSparse(random, sizes[f], sizes[f + 1], true),
                     indices[f],
                     indices[f + 1],
                     maps[f],
                     maps[f + 1],
                     transposed[f],
                     {}};
      factors[f]->form();
    }
    params = randomParameters(random, world()->getSize(), lambda, shape);
  }
  Expected expected() const { return Expected(R.op, Expected(A.op, P.op).sparse()); }
  MatrixPtr newResult() const { return Teuchos::rcp(new matrix_type(R.rowMap, 0)); }
  Trident::Report multiply(matrix_type& Ac, bool complete = true) const {
    return Trident::MultiplyRAP(*R.matrix, R.transposed, *A.matrix, A.transposed, *P.matrix,
                                P.transposed, Ac, complete, "label", params);
  }
  std::string check(const matrix_type& Ac) const {
    if (!Ac.getDomainMap()->isSameAs(*P.colMap)) return "domain Map";
    if (!Ac.getRangeMap()->isSameAs(*R.rowMap)) return "range Map";
    return checkEntries(Ac, expected(), R.rows, P.cols, true);
  }
  std::string verdict(std::uint64_t seed, const std::string& problem) const {
    const std::string first = everywhere(*world(), problem);
    return first.empty() ? ""
                         : say("seed ", seed, R.transposed, A.transposed, P.transposed, ": ", first,
                               "\n", *params);
  }
};

std::string checkGalerkin(std::uint64_t seed, bool tR, bool tA, bool tP) {
  const Galerkin g(seed, tR, tA, tP);
  const Snapshot beforeR(*g.R.matrix), beforeA(*g.A.matrix), beforeP(*g.P.matrix);
  const MatrixPtr Ac = g.newResult();
  const Trident::Report report = g.multiply(*Ac);
  std::string problem = g.check(*Ac);
  if (problem.empty()) problem = beforeR.changes() + beforeA.changes() + beforeP.changes();
  if (report.grid.lambda != g.lambda) problem = "lambda";
  const auto sum = Trident::summarize(report, *world());
  const long long multiplyAdds = Expected(g.A.op, g.P.op).multiplyAdds + g.expected().multiplyAdds;
  if (problem.empty() && sum.multiplyAdds != multiplyAdds)
    problem = say("multiply-adds ", sum.multiplyAdds, ", not ", multiplyAdds);
  return g.verdict(seed, problem);
}

TEUCHOS_UNIT_TEST(RAP, AllTransposes) {
  for (int seed = 1; seed <= 6; ++seed)
    for (int t = 0; t < 8; ++t) TRIDENT_TEST_OK(checkGalerkin(seed, t & 1, t & 2, t & 4));
}

// R = P' without an R: the same object serves twice, and Tpetra agrees.
TEUCHOS_UNIT_TEST(RAP, ImplicitTransposeAgreesWithTpetra) {
  Random random(4);
  for (int n : {1, 17, 60}) {
    const int nc = (n + 2) / 3;
    const Sparse a = randomSparse(random, n, n, true), p = randomSparse(random, n, nc, true);
    const MatrixPtr A = makeUniform(a, world()), P = makeUniform(p, world());
    matrix_type Ac(P->getDomainMap(), 0), expected(P->getDomainMap(), 0);
    Trident::MultiplyRAP(*P, true, *A, false, *P, false, Ac);
    Tpetra::TripleMatrixMultiply::MultiplyRAP(*P, true, *A, false, *P, false, expected);
    TRIDENT_TEST_OK(
        everywhere(*world(), checkEntries(Ac, Expected(p.transpose(), Expected(a, p).sparse()),
                                          contiguousIndices(nc), contiguousIndices(nc), true)));
    TEST_ASSERT(Ac.getDomainMap()->isSameAs(*expected.getDomainMap()));
    TEST_ASSERT(Ac.getRangeMap()->isSameAs(*expected.getRangeMap()));
    const auto ours = entriesOf(Ac), theirs = entriesOf(expected);
    TRIDENT_TEST_OK(everywhere(*world(), [&]() -> std::string {
      for (const auto& entry : theirs)  // Tpetra may keep fewer: it skips zeros of A
        if (!ours.count(entry.first) || ours.at(entry.first) != entry.second)
          return say("entry (", entry.first.first, ", ", entry.first.second, ")");
      return "";
    }()));
  }
}

TEUCHOS_UNIT_TEST(RAP, OneMatrixThrice) {
  Random random(5);
  const int n = 30;
  const Sparse a = randomSparse(random, n, n, true);
  const MatrixPtr A = makeUniform(a, world());
  const Indices all = contiguousIndices(n);
  for (const auto& t : {std::array<bool, 3>{false, false, false},
                        {true, true, true},
                        {true, false, false},
                        {false, true, false}}) {
    const auto op = [&](bool transposed) { return transposed ? a.transpose() : a; };
    const MatrixPtr C = newResult(*A);
    Trident::MultiplyRAP(*A, t[0], *A, t[1], *A, t[2], *C);
    const Expected expected(op(t[0]), Expected(op(t[1]), op(t[2])).sparse());
    TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*C, expected, all, all, true)));
  }
}

// A result that is open: left open, then into its pattern once more.
TEUCHOS_UNIT_TEST(RAP, OpenResultAndPattern) {
  for (int seed = 1; seed <= 5; ++seed) {
    Galerkin g(seed, seed % 2, false, seed % 3 == 0);
    const MatrixPtr Ac = g.newResult();
    g.multiply(*Ac, false);
    TEST_ASSERT(Ac->isFillActive());
    Ac->fillComplete(g.P.colMap, g.R.rowMap);
    TRIDENT_TEST_OK(g.verdict(seed, g.check(*Ac)));
    g.A.renewValues(g.random);
    if (seed % 2) Ac->resumeFill();
    g.multiply(*Ac);
    TEST_ASSERT(Ac->isFillComplete());
    TRIDENT_TEST_OK(g.verdict(seed, g.check(*Ac)));
  }
}

std::string checkPlan(std::uint64_t seed, bool tR, bool tA, bool tP) {
  Galerkin g(seed, tR, tA, tP);
  const MatrixPtr Ac = g.newResult();
  const Plan plan(*g.R.matrix, tR, *g.A.matrix, tA, *g.P.matrix, tP, *Ac, g.params);
  std::string problem = g.check(*Ac);
  const auto graph = Ac->getCrsGraph();
  const auto sum = Trident::summarize(plan.report(), *world());
  if (problem.empty() &&
      sum.multiplyAdds != Expected(g.A.op, g.P.op).multiplyAdds + g.expected().multiplyAdds)
    problem = say("the plan's report has ", sum.multiplyAdds, " multiply-adds");
  if (problem.empty() && plan.report().grid.lambda != g.lambda) problem = "lambda";
  for (int time = 1; time <= 2; ++time) {
    g.A.renewValues(g.random);
    if (time == 2) g.P.renewValues(g.random);
    plan.multiply(*g.R.matrix, *g.A.matrix, *g.P.matrix, *Ac);
    if (problem.empty()) problem = g.check(*Ac);
    if (problem.empty() && Ac->getCrsGraph() != graph) problem = "Ac has another graph";
    if (!problem.empty()) return g.verdict(seed, say("product ", time, ": ", problem));
  }
  return g.verdict(seed, problem);
}

TEUCHOS_UNIT_TEST(RAP, PlanWithNewValues) {
  for (int seed = 1; seed <= 3; ++seed)
    for (int t = 0; t < 8; ++t) TRIDENT_TEST_OK(checkPlan(seed, t & 1, t & 2, t & 4));
}

// P in the place of R: the message says which flag is meant.
TEUCHOS_UNIT_TEST(RAP, FlagThatFits) {
  Random random(9);
  const MatrixPtr A = makeUniform(randomSparse(random, 12, 12, true), world());
  const MatrixPtr P = makeUniform(randomSparse(random, 12, 5, true), world());
  const MatrixPtr Ac = Teuchos::rcp(new matrix_type(P->getDomainMap(), 0));
  const auto refuse = [&](const std::string& words, bool tR, bool tP) {
    return expectThrow<Trident::Error>(
        *world(), {"Trident::MultiplyRAP: inner sizes differ", words},
        [&] { Trident::MultiplyRAP(*P, tR, *A, false, *P, tP, *Ac); });
  };
  TRIDENT_TEST_OK(
      refuse("R must have as many columns as A has rows; or pass transposeR = true", false, false));
  TRIDENT_TEST_OK(refuse("; or pass transposeP = false", true, true));
  Trident::MultiplyRAP(*P, true, *A, false, *P, false, *Ac);
  TEST_ASSERT(Ac->isFillComplete());
}

TEUCHOS_UNIT_TEST(RAP, BadInput) {
  Galerkin g(3, false, false, false), other(8, false, false, false);
  const MatrixPtr Ac = g.newResult();
  const auto refuse = [&](const std::vector<std::string>& words, const matrix_type& R,
                          const matrix_type& A, const matrix_type& P) {
    return expectThrow<Trident::Error>(
        *world(), words, [&] { Trident::MultiplyRAP(R, false, A, false, P, false, *Ac); });
  };
  const std::string function = "Trident::MultiplyRAP: ";
  TRIDENT_TEST_OK(refuse({function, "inner sizes differ", "R is ", "A is ", "P is "}, *g.R.matrix,
                         *other.A.matrix, *g.P.matrix));
  const matrix_type open(g.P.rowMap, 1);
  TRIDENT_TEST_OK(refuse({function, "P is not fill-complete", "P.fillComplete()"}, *g.R.matrix,
                         *g.A.matrix, open));
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*world(), {function, "Ac is"}, [&] {
    matrix_type& A = *g.A.matrix;
    Trident::MultiplyRAP(*g.R.matrix, false, A, false, *g.P.matrix, false, A);
  }));
  g.multiply(*Ac);
  TRIDENT_TEST_OK(g.verdict(3, g.check(*Ac)));
}

}  // namespace
