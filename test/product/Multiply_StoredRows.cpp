// SPDX-License-Identifier: BSD-3-Clause
// Left factors that stay where they are stored (hosts of one node): matrices like a mesh's, of
// whose rows most meet rows of their own rank alone.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>

#include "Trident_Jacobi.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestLimits.hpp"
#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;
using Plan =
    Trident::MultiplyPlan<double, matrix_type::local_ordinal_type, GO, matrix_type::node_type>;
using JacobiPlan = Trident::JacobiPlan<double, LO, GO, map_type::node_type>;

/// Draws entries in columns near to a row's own, and sometimes far from it; whole numbers.
Sparse nearDiagonal(Random& random, int m, int n, double far) {
  Sparse M(m, n);
  for (int i = 0; i < m; ++i) {
    const int own = static_cast<int>(static_cast<long long>(i) * n / m);
    for (int c = std::max(0, own - 3); c < std::min(n, own + 4); ++c)
      if (c == own || random.chance(0.7)) M.rows[i][c] = random.between(-4, 4);
    if (random.chance(far)) M.rows[i][random.between(0, n - 1)] = random.between(1, 4);
  }
  return M;
}

void renew(Random& random, Sparse& M) {
  for (auto& row : M.rows)
    for (auto& entry : row) entry.second = random.between(-4, 4);
}

/// A and B on Maps of blocks, some of which may be empty.
struct Factors {
  Random random;
  Indices rows, cols;
  MapPtr rowMap, colMap;
  Sparse a, b;
  MatrixPtr A, B;

  Factors(std::uint64_t seed, double far) : random(seed) {
    const int n = random.between(1, 300), m = random.between(1, 60);
    rows = contiguousIndices(n);
    cols = contiguousIndices(m);
    const Layout layout = random.oneOf<Layout>({Layout::Uniform, Layout::Uneven, Layout::OneRank});
    rowMap = makeMap(random, rows, layout, world());
    colMap = makeMap(random, cols, layout, world());
    a = nearDiagonal(random, n, n, far);
    b = nearDiagonal(random, n, m, far);
    form();
  }
  void form() {
    A = makeMatrix(a, rows, rows, rowMap, rowMap, rowMap);
    B = makeMatrix(b, rows, cols, rowMap, colMap, rowMap);
  }
  std::string check(const matrix_type& C, const Expected& expected) const {
    return everywhere(*world(), checkEntries(C, expected, rows, cols, true));
  }
};

const double shares[] = {0, 0.05, 0.9};  // of rows with an entry far from the diagonal

TEUCHOS_UNIT_TEST(StoredRows, Products) {
  for (int seed = 1; seed <= 30; ++seed) {
    const Factors f(seed, shares[seed % 3]);
    const Snapshot beforeA(*f.A), beforeB(*f.B);
    for (const char* gather : {"auto", "mpi"}) {
      const auto params = Teuchos::parameterList();
      params->sublist("Trident").sublist("expert").set("gather", gather);
      matrix_type C(f.rowMap, 0);
      Trident::Multiply(*f.A, *f.B, C, params);
      TRIDENT_TEST_OK(f.check(C, Expected(f.a, f.b)));
    }
    TRIDENT_TEST_OK(everywhere(*world(), beforeA.changes() + beforeB.changes()));
  }
}

/// Two products on one grid, of which the left factors are one matrix.
TEUCHOS_UNIT_TEST(StoredRows, OneMatrixTwice) {
  for (int seed = 1; seed <= 12; ++seed) {
    const Factors f(seed, shares[seed % 3]);
    matrix_type C(f.rowMap, 0);
    Trident::MultiplyRAP(*f.A, false, *f.A, false, *f.B, false, C);
    TRIDENT_TEST_OK(f.check(C, Expected(f.a, Expected(f.a, f.b).sparse())));
  }
}

TEUCHOS_UNIT_TEST(StoredRows, PlansWithNewValues) {
  for (int seed = 1; seed <= 15; ++seed) {
    Factors f(seed, shares[seed % 3]);
    matrix_type C(f.rowMap, 0);
    const Plan plan(*f.A, *f.B, C);
    TRIDENT_TEST_OK(f.check(C, Expected(f.a, f.b)));
    for (int time = 0; time < 2; ++time) {
      renew(f.random, f.a);
      renew(f.random, f.b);
      f.form();
      plan.multiply(*f.A, *f.B, C);
      TRIDENT_TEST_OK(f.check(C, Expected(f.a, f.b)));
    }
  }
}

/// The diagonal is missing in rows of odd ranks alone: these have values of their own.
TEUCHOS_UNIT_TEST(StoredRows, DiagonalsThatSomeRanksLack) {
  for (int seed = 1; seed <= 12; ++seed) {
    Factors f(seed, shares[seed % 3]);
    const int n = f.a.numRows();
    const int ranks = world()->getSize();
    for (int i = 0; i < n; ++i) {
      f.a.rows[i][i] = f.random.between(1, 4);
      if (i * ranks / n % 2 && f.random.chance(0.5)) f.a.rows[i].erase(i);
    }
    f.form();
    vector_type inverse(f.rowMap);
    inverse.putScalar(0.25);
    const auto expected = [&](double omega) {
      Sparse s(n, n);
      for (int i = 0; i < n; ++i) {
        s.rows[i][i] = 1;
        for (const auto& entry : f.a.rows[i]) s.rows[i][entry.first] -= omega * 0.25 * entry.second;
      }
      return Expected(s, f.b);
    };
    matrix_type C(f.rowMap, 0), D(f.rowMap, 0);
    Trident::Jacobi(0.5, inverse, *f.A, *f.B, C);
    TRIDENT_TEST_OK(f.check(C, expected(0.5)));
    const JacobiPlan plan(0.5, inverse, *f.A, *f.B, D);
    renew(f.random, f.b);
    f.form();
    plan.multiply(2, inverse, *f.A, *f.B, D);
    TRIDENT_TEST_OK(f.check(D, expected(2)));
  }
}

/// A plan whose first product shared a tile, and whose later ones cannot.
TEUCHOS_UNIT_TEST(StoredRows, PlanWhoseTileCanNoLongerBeShared) {
  Factors f(5, 0.05);
  matrix_type C(f.rowMap, 0);
  const Plan plan(*f.A, *f.B, C);
  {
    const FileSizeLimit none(4096);
    const int n = 20000;
    const Indices indices = contiguousIndices(n);
    const MapPtr map = makeMap(f.random, indices, Layout::Uniform, world());
    const Sparse m = nearDiagonal(f.random, n, n, 1);
    const MatrixPtr M = makeMatrix(m, indices, indices, map, map, map);
    matrix_type square(map, 0);
    Trident::Multiply(*M, *M, square);
  }
  for (int time = 0; time < 2; ++time) {
    renew(f.random, f.a);
    renew(f.random, f.b);
    f.form();
    const auto report = plan.multiply(*f.A, *f.B, C);
    if (world()->getSize() > 1 && Trident::Impl::isHost<map_type::node_type::device_type>)
      TEST_EQUALITY(report.gather, "mpi");
    TRIDENT_TEST_OK(f.check(C, Expected(f.a, f.b)));
  }
}

}  // namespace
