// SPDX-License-Identifier: BSD-3-Clause
// Products and plans of matrices whose rows come in blocks with the same columns, as those of
// several unknowns of a node, cut by ranks wherever their Maps cut them.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <set>

#include "Trident_MultiplyPlan.hpp"
#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;
using Plan =
    Trident::MultiplyPlan<double, matrix_type::local_ordinal_type, GO, matrix_type::node_type>;

/// Draws small whole numbers, so that any order of summation gives one product.
double someValue(Random& random) { return random.oneOf<double>({-3, -2, -1, 0, 1, 2, 3}); }

/// Blocks of up to `most` rows with `entries` columns each, of which many follow each other.
Sparse blocks(Random& random, int rows, int cols, int entries, int most) {
  Sparse A(rows, cols);
  for (int first = 0, count; first < rows; first += count) {
    count = std::min(random.between(1, most), rows - first);
    std::set<int> columns;
    while (static_cast<int>(columns.size()) < std::min(entries, cols)) {
      const int begin = random.below(cols);
      for (int c = begin; c < std::min(begin + 3, cols); ++c) columns.insert(c);
    }
    for (int r = first; r < first + count; ++r)
      for (const int c : columns) A.rows[r][c] = someValue(random);
  }
  return A;
}

/// Multiplies factors of which the left one, or both, have blocks, by a product and by a plan.
/// Empty, or what is wrong. Collective.
std::string checkBlocks(std::uint64_t seed, const CommPtr& comm) {
  Random random(seed);
  const int m = random.between(100, 200), l = 150, n = random.between(60, 150);
  const int most = random.between(2, 10);
  const Indices rows = contiguousIndices(m), inner = contiguousIndices(l),
                cols = contiguousIndices(n);
  const auto map = [&](const Indices& indices) {
    return makeMap(random, indices, seed % 2 ? Layout::Uneven : randomLayout(random), comm);
  };
  const MapPtr rowsA = map(rows), rowsB = map(inner), domainB = map(cols);
  Sparse a = blocks(random, m, l, 30, most);
  const Sparse b = blocks(random, l, n, 20, seed % 3 ? most : 1);
  const MatrixPtr A = makeMatrix(a, rows, inner, rowsA, rowsB, rowsA);
  const MatrixPtr B = makeMatrix(b, inner, cols, rowsB, domainB, rowsB);
  const auto check = [&](const matrix_type& C) {
    return everywhere(*comm, checkEntries(C, Expected(a, b), rows, cols, true));
  };
  MatrixPtr C = newResult(*A);
  Trident::Multiply(*A, *B, *C);
  std::string problem = check(*C);
  C = newResult(*A);
  const Plan plan(*A, *B, *C);
  if (problem.empty()) problem = check(*C);
  for (auto& row : a.rows)
    for (auto& entry : row) entry.second = someValue(random);
  plan.multiply(*makeMatrix(a, rows, inner, rowsA, rowsB, rowsA), *B, *C);
  if (problem.empty()) problem = check(*C);
  return problem.empty() ? "" : say("seed ", seed, ": ", problem);
}

/// Rows of nodes of three unknowns, of which every seventh row lacks an entry, in blocks of a
/// product: all on a host, none on a device.
TEUCHOS_UNIT_TEST(Blocks, AreReported) {
  const int nodes = 40 * world()->getSize(), wide = 12;
  Sparse a(3 * nodes, 3 * nodes), unlike(3 * nodes, 3 * nodes);
  for (int r = 0; r < 3 * nodes; ++r)
    for (int c = 0; c < 3 * wide; ++c) {
      if (r % 7 != 0 || c != 5) a.rows[r][(r / 3 * 3 + c) % (3 * nodes)] = 1 + c;
      unlike.rows[r][(r + 2 * c) % (3 * nodes)] = 1;
    }
  const MatrixPtr A = makeUniform(a, world()), B = makeUniform(unlike, world());
  const auto rowsOf = [&](const matrix_type& left) {
    return Trident::summarize(Trident::Multiply(left, *A, *newResult(*A)), *world()).blockRows;
  };
  const bool host = Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                               matrix_type::device_type::memory_space>::accessible;
  TEST_EQUALITY(rowsOf(*A), host ? 3 * nodes : 0);
  TEST_EQUALITY_CONST(rowsOf(*B), 0);
}

TEUCHOS_UNIT_TEST(Blocks, ProductsAndPlans) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) TRIDENT_TEST_OK(checkBlocks(seed, world()));
}

}  // namespace
