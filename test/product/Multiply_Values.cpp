// SPDX-License-Identifier: BSD-3-Clause
// Values that are not numbers, zeros that are stored, and sums that cancel.

#include <Teuchos_UnitTestHarness.hpp>
#include <limits>

#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;

Teuchos::RCP<Teuchos::ParameterList> onGrid(const std::string& grid, int fuse) {
  const auto list = tridentList();
  auto& trident = list->sublist("Trident");
  trident.set("ranks per node", 1).set("grid", grid).sublist("expert").set("fuse rounds", fuse);
  return list;
}

/// Checks entry by entry against the dense product, on every shape, fused and not.
std::string onEveryGrid(const Sparse& a, const Sparse& b) {
  const CommPtr comm = world();
  const MatrixPtr A = makeUniform(a, comm), B = makeUniform(b, comm);
  const int P = comm->getSize();
  for (int cols = 1; cols <= P; ++cols)
    for (int fuse : {0, 1}) {
      if (P % cols) continue;
      const std::string grid = std::to_string(P / cols) + "x" + std::to_string(cols);
      const MatrixPtr C = newResult(*A);
      Trident::Multiply(*A, *B, *C, onGrid(grid, fuse));
      const std::string problem =
          everywhere(*comm, checkEntries(*C, Expected(a, b), contiguousIndices(a.numRows()),
                                         contiguousIndices(b.cols), true));
      if (!problem.empty()) return grid + ": " + problem;
    }
  return "";
}

TEUCHOS_UNIT_TEST(Values, NanAndInfinityPropagate) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int seed = 0; seed < 10; ++seed) {
    Random random(seed);
    Sparse a = randomSparse(random, 20, 17, true), b = randomSparse(random, 17, 23, true);
    for (Sparse* M : {&a, &b})
      for (auto& row : M->rows)
        for (auto& entry : row)
          if (random.chance(0.1)) entry.second = random.oneOf<double>({inf, -inf, nan, 0.0});
    const std::string problem = onEveryGrid(a, b);
    if (!problem.empty()) out << "seed " << seed << ": " << problem << "\n";
    TRIDENT_TEST_OK(problem);
  }
}

// A stored zero times infinity is NaN, too.
TEUCHOS_UNIT_TEST(Values, StoredZeroTimesInfinity) {
  Sparse a(5, 5), b(5, 5);
  for (int i = 0; i < 5; ++i) {
    a.rows[i] = {{i, 0.0}, {(i + 2) % 5, 1.0}};
    b.rows[i] = {{4 - i, std::numeric_limits<double>::infinity()}};
  }
  TRIDENT_TEST_OK(onEveryGrid(a, b));
}

// All products cancel: the entries stay, as zeros.
TEUCHOS_UNIT_TEST(Values, CancellationKeepsStructure) {
  const int n = 24;
  Sparse a(n, n), b(n, n);
  for (int i = 0; i < n; ++i) {
    for (int l = 0; l < n; ++l) a.rows[i][l] = l % 2 ? -1.0 : 1.0;
    b.rows[i] = {{(i / 2) % n, 2.0}};
  }
  TEST_EQUALITY(Expected(a, b).entries(), n * (n / 2));
  TRIDENT_TEST_OK(onEveryGrid(a, b));
}

TEUCHOS_UNIT_TEST(Values, OnlyStoredZeros) {
  Sparse a(9, 7), b(7, 8);
  for (auto& row : a.rows) row = {{3, 0.0}, {5, 0.0}};
  for (auto& row : b.rows) row = {{1, 0.0}, {6, 1.0}};
  TRIDENT_TEST_OK(onEveryGrid(a, b));
}

// Dense rows and columns: every rank needs everything.
TEUCHOS_UNIT_TEST(Values, ArrowMatrix) {
  const int n = 33;
  Sparse a(n, n);
  for (int i = 0; i < n; ++i) {
    a.rows[i] = {{0, 1.0 + i}, {i, -2.0}};
    a.rows[0][i] = 3.0 - i;
  }
  TRIDENT_TEST_OK(onEveryGrid(a, a));
}

}  // namespace
