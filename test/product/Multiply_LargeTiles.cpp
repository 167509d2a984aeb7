// SPDX-License-Identifier: BSD-3-Clause
// Shapes on whose tiles local indices do not fit are passed over. A test cannot hold 2^31 indices
// (Tpetra alone keeps 8 bytes for each), so it lowers what a tile may hold.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestErrors.hpp"
#include "product/Trident_Product.hpp"

// The library has it (src/Trident_ETI.cpp).
extern template class Trident::Impl::Product<TridentTest::matrix_type::scalar_type, TridentTest::LO,
                                             TridentTest::GO, TridentTest::matrix_type::node_type>;

namespace {

using namespace TridentTest;
using NO = matrix_type::node_type;
using Operand = Trident::Impl::Operand<double, LO, GO, NO>;
using Product = Trident::Impl::Product<double, LO, GO, NO>;

constexpr int n = 120;

struct Square {
  Sparse a{n, n};
  Indices indices = contiguousIndices(n);
  MatrixPtr A;
  Square() {
    for (int i = 0; i < n; ++i)
      for (int j : {i, (7 * i + 3) % n, (i + 50) % n}) a.rows[i][j] = i + j + 1;
    A = makeUniform(a, world());
  }
};

/// Forms A·op(A) on nodes of one rank, whose tiles have at most so many rows or columns.
/// Collective.
Trident::Report multiply(const Square& s, matrix_type& C, int largestTile,
                         const std::string& partition, bool transposed = false,
                         const std::string& grid = "auto") {
  const auto list = tridentList();
  list->sublist("Trident").set("ranks per node", 1).set("grid", grid);
  list->sublist("Trident").set("partition", partition);
  Trident::Impl::Options options = Trident::Impl::readParameters(list);
  options.grid.largestTile = largestTile;
  return Product({Operand(*s.A, "A"), Operand(*s.A, "B", transposed)}, C, options, list).run();
}

bool isPrime(int number) {
  for (int d = 2; d < number; ++d)
    if (number % d == 0) return false;
  return number > 1;
}

TEUCHOS_UNIT_TEST(LargeTiles, AutoPassesOverThem) {
  const Square s;
  const int ranks = world()->getSize();
  for (const char* partition : {"aligned", "uniform", "balanced", "work"})
    for (const bool transposed : {false, true}) {
      const MatrixPtr C = newResult(*s.A);
      if (isPrime(ranks)) {  // Nx1 and 1xN are all there is
        TRIDENT_TEST_OK(expectThrow<Trident::Error>(
            *world(),
            {"every grid of " + std::to_string(ranks) + " nodes of 1 ranks", "more than 119",
             "use more nodes"},
            [&] { multiply(s, *C, n - 1, partition, transposed); }));
        Trident::Multiply(*s.A, *s.A, *C);
        continue;
      }
      const Trident::Report report = multiply(s, *C, n - 1, partition, transposed);
      TEST_ASSERT(report.grid.nodeRows > 1 && report.grid.nodeCols > 1);
      TEST_EQUALITY(report.grid.nodes(), ranks);
      const Expected expected(s.a, transposed ? s.a.transpose() : s.a);
      TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*C, expected, s.indices, s.indices, true)));
    }
}

// The needed rows of an Nx1 grid are as good at the limit itself as without one.
TEUCHOS_UNIT_TEST(LargeTiles, TilesThatFitAreTaken) {
  const Square s;
  const MatrixPtr C = newResult(*s.A), D = newResult(*s.A);
  const auto bounded = multiply(s, *C, n, "aligned"), free = multiply(s, *D, 1 << 30, "aligned");
  TEST_EQUALITY(bounded.grid.name(), free.grid.name());
}

// A shape that was asked for is not replaced.
TEUCHOS_UNIT_TEST(LargeTiles, ShapeThatIsAskedForIsAnError) {
  const Square s;
  const std::string shape = std::to_string(world()->getSize()) + "x1";
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(
      *world(), {shape, "120 rows or columns", "hold 119", "closer to a square"},
      [&] { multiply(s, *newResult(*s.A), n - 1, "aligned", false, shape); }));
}

}  // namespace
