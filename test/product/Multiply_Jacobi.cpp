// SPDX-License-Identifier: BSD-3-Clause
// B - ω D⁻¹ A B on random Maps, with diagonals that are stored and ones that are not, and its plan.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>

#include "Trident_Jacobi.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;
using Plan = Trident::JacobiPlan<double, LO, GO, map_type::node_type>;

/// All numbers are small integers or powers of two, so that every result is exact.
struct Smoothing {
  Random random;
  Indices rows, cols;
  MapPtr rowMap, colMap;
  Sparse a, b;
  std::vector<double> d;  // D⁻¹
  double omega = 0.5;
  MatrixPtr A, B;
  Teuchos::RCP<vector_type> Dinv;
  Teuchos::RCP<Teuchos::ParameterList> params;

  /// @param diagonals chance of a row of A to store its diagonal
  Smoothing(std::uint64_t seed, double diagonals) : random(seed) {
    const int n = random.between(1, 40), m = random.between(1, 20);
    rows = randomIndices(random, n);
    cols = randomIndices(random, m);
    rowMap = makeMap(random, rows, randomLayout(random), world());
    colMap = makeMap(random, cols, randomLayout(random), world());
    a = randomSparse(random, n, n, true);
    for (int i = 0; i < n; ++i) {
      a.rows[i].erase(i);
      if (random.chance(diagonals)) a.rows[i][i] = random.between(1, 4);
    }
    b = randomSparse(random, n, m, true);
    d.resize(n);
    int lambda = 1;
    std::string shape;
    params = randomParameters(random, world()->getSize(), lambda, shape);
    form();
  }
  void form() {
    for (double& x : d) x = random.oneOf<double>({0.25, 0.5, 1, 2});
    A = makeMatrix(a, rows, rows, rowMap, rowMap, rowMap);
    B = makeMatrix(b, rows, cols, rowMap, colMap, rowMap);
    Dinv = Teuchos::rcp(new vector_type(vectorOf(rowMap, rows, d)));
  }
  void renewValues() {
    for (Sparse* s : {&a, &b})
      for (auto& row : s->rows)
        for (auto& entry : row) entry.second = random.between(-4, 4);
    omega = random.oneOf<double>({0.25, 0.5, 2});
    form();
  }
  /// Returns (I - ω D⁻¹ A)·B, whose entries are those of B and of A·B.
  Expected expected() const {
    Sparse s(a.numRows(), a.cols);
    for (int i = 0; i < a.numRows(); ++i) {
      s.rows[i][i] = 1;
      for (const auto& entry : a.rows[i]) s.rows[i][entry.first] -= omega * d[i] * entry.second;
    }
    return Expected(s, b);
  }
  std::string check(const matrix_type& C) const {
    if (!C.getDomainMap()->isSameAs(*colMap)) return "domain Map";
    if (!C.getRangeMap()->isSameAs(*rowMap)) return "range Map";
    return checkEntries(C, expected(), rows, cols, true);
  }
  std::string verdict(std::uint64_t seed, const std::string& problem) const {
    const std::string first = everywhere(*world(), problem);
    return first.empty() ? "" : say("seed ", seed, ": ", first, "\n", *params);
  }
};

std::string checkSmoothing(std::uint64_t seed, double diagonals) {
  const Smoothing s(seed, diagonals);
  const Snapshot beforeA(*s.A), beforeB(*s.B);
  matrix_type C(s.rowMap, 0);
  Trident::Jacobi(s.omega, *s.Dinv, *s.A, *s.B, C, true, "label", s.params);
  std::string problem = s.check(C);
  if (problem.empty()) problem = beforeA.changes() + beforeB.changes();
  return s.verdict(seed, problem);
}

TEUCHOS_UNIT_TEST(Jacobi, StoredDiagonals) {
  for (int seed = 1; seed <= 40; ++seed) TRIDENT_TEST_OK(checkSmoothing(seed, 1));
}

TEUCHOS_UNIT_TEST(Jacobi, DiagonalsNotStored) {
  for (int seed = 1; seed <= 30; ++seed) TRIDENT_TEST_OK(checkSmoothing(seed, 0.5));
  for (int seed = 1; seed <= 10; ++seed) TRIDENT_TEST_OK(checkSmoothing(seed, 0));
}

TEUCHOS_UNIT_TEST(Jacobi, AgreesWithTpetra) {
  Random random(6);
  for (int n : {1, 23, 64}) {
    Sparse a = randomSparse(random, n, n, true);
    for (int i = 0; i < n; ++i) a.rows[i][i] = 4;
    const Sparse b = randomSparse(random, n, (n + 1) / 2, true);
    const MatrixPtr A = makeUniform(a, world()), B = makeUniform(b, world());
    vector_type Dinv(A->getRowMap());
    Dinv.putScalar(0.25);
    matrix_type ours(A->getRowMap(), 0), theirs(A->getRowMap(), 0);
    Trident::Jacobi(0.5, Dinv, *A, *B, ours);
    Tpetra::MatrixMatrix::Jacobi(0.5, Dinv, *A, *B, theirs);
    TEST_ASSERT(ours.getDomainMap()->isSameAs(*theirs.getDomainMap()));
    TEST_ASSERT(ours.getRangeMap()->isSameAs(*theirs.getRangeMap()));
    const auto mine = entriesOf(ours);
    TRIDENT_TEST_OK(everywhere(*world(), [&]() -> std::string {
      for (const auto& entry : entriesOf(theirs))
        if (!mine.count(entry.first) || mine.at(entry.first) != entry.second)
          return say("entry (", entry.first.first, ", ", entry.first.second, ")");
      return "";
    }()));
  }
}

TEUCHOS_UNIT_TEST(Jacobi, PlanWithNewValues) {
  for (int seed = 1; seed <= 15; ++seed) {
    Smoothing s(seed, seed % 3 ? 1 : 0.5);
    matrix_type C(s.rowMap, 0);
    const Plan plan(s.omega, *s.Dinv, *s.A, *s.B, C, s.params);
    TRIDENT_TEST_OK(s.verdict(seed, s.check(C)));
    const Trident::Report& first = plan.report();
    const auto sum = Trident::summarize(first, *world());
    TEST_EQUALITY(sum.multiplyAdds, s.expected().multiplyAdds);
    for (int time = 0; time < 3; ++time) {
      s.renewValues();
      const auto report = plan.multiply(s.omega, *s.Dinv, *s.A, *s.B, C);
      TEST_EQUALITY(report.multiplyAdds, first.multiplyAdds);
      TEST_EQUALITY(report.grid.name(), first.grid.name());
      TRIDENT_TEST_OK(s.verdict(seed, s.check(C)));
    }
  }
}

TEUCHOS_UNIT_TEST(Jacobi, BadInput) {
  const Smoothing s(11, 1), other(13, 1);
  matrix_type C(s.rowMap, 0);
  const std::string function = "Trident::Jacobi: ";
  TRIDENT_TEST_OK(
      expectThrow<Trident::Error>(*world(), {function, "inverse diagonal's Map", "A.getRowMap()"},
                                  [&] { Trident::Jacobi(0.5, *other.Dinv, *s.A, *s.B, C); }));
  TRIDENT_TEST_OK(
      expectThrow<Trident::Error>(*world(), {function, "inner sizes differ", "A is ", "B is "},
                                  [&] { Trident::Jacobi(0.5, *s.Dinv, *s.A, *other.B, C); }));
  Trident::Jacobi(s.omega, *s.Dinv, *s.A, *s.B, C);
  TRIDENT_TEST_OK(s.verdict(11, s.check(C)));
  Trident::Jacobi(s.omega, *s.Dinv, *s.A, *s.B, C);  // into its pattern
  TRIDENT_TEST_OK(s.verdict(11, s.check(C)));
}

}  // namespace
