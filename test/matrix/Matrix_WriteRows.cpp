// SPDX-License-Identifier: BSD-3-Clause
// Writing slices to their block of a tile, and counts to offsets.

#include <Teuchos_UnitTestHarness.hpp>
#include <random>
#include <vector>

#include "Trident_TestDense.hpp"
#include "matrix/Trident_PackedSlice.hpp"
#include "matrix/Trident_TileAssembly.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::HostMatrix;
using TestTools::toVector;

/// A tile filled with rubbish: what is not written shows.
template <class Scalar>
struct Tile {
  Kokkos::View<std::size_t*, Device> offsets;
  CrsArrays<Scalar, Device> arrays;
  Tile(int rows, long long entries)
      : offsets(TestTools::toDevice(std::vector<std::size_t>(rows + 1, 987654321))) {
    arrays.offsets = offsets;
    arrays.columns = TestTools::toDevice(std::vector<int>(entries, -77));
    arrays.values = TestTools::toDevice(std::vector<Scalar>(entries, Scalar(-77)));
  }
  TileCsr<Scalar> pointers() const {
    return {offsets.data(), arrays.columns.data(), arrays.values.data()};
  }
};

/// Cuts a matrix into ranges of rows and writes them, every second one as a packed slice, in random
/// order.
template <class Scalar>
long long wrongBlocks(std::mt19937_64& random, const HostMatrix<Scalar>& matrix, int parts) {
  const int rows = matrix.numRows();
  const LocalMatrix<Scalar, Device> device = matrix.onDevice();
  std::vector<int> borders(parts + 1, 0);
  for (int p = 1; p < parts; ++p) borders[p] = static_cast<int>(random() % (rows + 1));
  borders[parts] = rows;
  std::sort(borders.begin(), borders.end());
  std::vector<Rectangle> cuts;
  for (int p = 0; p < parts; ++p) cuts.push_back({borders[p], borders[p + 1], 0, matrix.columns});
  const auto slices = cutSlices<Scalar, Device>(device, cuts);

  const Tile<Scalar> tile(rows, matrix.entries());
  std::vector<std::size_t> entryBegin(parts + 1, 0);
  for (int p = 0; p < parts; ++p) entryBegin[p + 1] = entryBegin[p] + slices.shapes[p].entries;
  const int first = static_cast<int>(random() % parts);
  for (int n = 0; n < parts; ++n) {
    const int p = (first + n) % parts;
    const PlaceInTile block{borders[p], cuts[p].rows(), entryBegin[p]};
    if (p % 2)
      writePacked<Scalar, Device>(slices.packed(p), block, tile.pointers());
    else
      writeRows(device, borders[p], block, tile.pointers());
  }
  Kokkos::fence();

  long long wrong = 0;
  const auto offsets = toVector(tile.arrays.offsets), expected = toVector(device.graph.row_map);
  for (int r = 0; r < rows; ++r) wrong += offsets[r] != expected[r];
  wrong += offsets[rows] != 987654321;  // the closing offset is the caller's
  wrong += toVector(tile.arrays.columns) != toVector(device.graph.entries);
  const auto values = toVector(tile.arrays.values), expectedValues = toVector(device.values);
  for (std::size_t e = 0; e < values.size(); ++e) wrong += !(values[e] == expectedValues[e]);
  return wrong;
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(WriteRows, PackedSlicesAndRowsFillATile, Scalar) {
  const unsigned seed = 21;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  long long wrong = 0;
  for (int n = 0; n < 200; ++n) {
    const double density[] = {0.0, 0.003, 0.02, 0.3, 1.0};
    const auto matrix =
        TestTools::randomMatrix<Scalar>(random, static_cast<int>(random() % 80),
                                        static_cast<int>(random() % 40), density[n % 5], n % 3 > 0);
    wrong += wrongBlocks(random, matrix, 1 + static_cast<int>(random() % 8));
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(WriteRows, NothingOutsideTheBlockIsWritten) {
  HostMatrix<double> matrix(3, 4);
  matrix.rows[1] = {{2, 5.0}, {0, 6.0}};
  const auto device = matrix.onDevice();
  const auto slices = cutSlices<double, Device>(device, {{0, 3, 0, 4}});
  for (bool asPacked : {true, false}) {
    const Tile<double> tile(6, 5);
    const PlaceInTile block{2, 3, 1};
    if (asPacked)
      writePacked<double, Device>(slices.packed(0), block, tile.pointers());
    else
      writeRows(device, 0, block, tile.pointers());
    Kokkos::fence();
    const std::size_t rubbish = 987654321;
    TEST_COMPARE_ARRAYS(toVector(tile.arrays.offsets),
                        std::vector<std::size_t>({rubbish, rubbish, 1, 1, 3, rubbish, rubbish}));
    TEST_COMPARE_ARRAYS(toVector(tile.arrays.columns), std::vector<int>({-77, 2, 0, -77, -77}));
    TEST_COMPARE_ARRAYS(toVector(tile.arrays.values), std::vector<double>({-77, 5, 6, -77, -77}));
  }
}

TEUCHOS_UNIT_TEST(CountsToOffsets, IsAnExclusiveScan) {
  std::mt19937_64 random(22);
  for (int n : {0, 1, 2, 1000, 100000}) {
    std::vector<std::size_t> counts(n + 1), expected(n + 1, 0);
    for (int i = 0; i < n; ++i) {
      counts[i] = random() % 5;
      expected[i + 1] = expected[i] + counts[i];
    }
    counts[n] = 999;  // ignored
    const auto device = TestTools::toDevice(counts);
    const std::size_t total = countsToOffsets<std::size_t, Device>(device);
    TEST_EQUALITY(total, expected[n]);
    TEST_ASSERT(toVector(device) == expected);
  }
}

TEUCHOS_UNIT_TEST(CountsToOffsets, BeyondAnInt) {
  const auto device =
      TestTools::toDevice(std::vector<std::size_t>{std::size_t(3) << 31, std::size_t(1) << 33, 0});
  const std::size_t total = countsToOffsets<std::size_t, Device>(device);
  TEST_EQUALITY(total, (std::size_t(3) << 31) + (std::size_t(1) << 33));
}

TEUCHOS_UNIT_TEST(LocalMatrix, EmptyMatrixAndBytes) {
  const auto empty = emptyMatrix<double, Device>(4, 7);
  TEST_EQUALITY_CONST(empty.numRows(), 4);
  TEST_EQUALITY_CONST(empty.numCols(), 7);
  TEST_EQUALITY_CONST(empty.nnz(), 0u);
  TEST_COMPARE_ARRAYS(toVector(empty.graph.row_map), std::vector<std::size_t>(5, 0));
  TEST_EQUALITY_CONST(matrixBytes(empty), 5u * 8);
  HostMatrix<float> host(2, 2);
  host.rows[0] = {{0, 1.0f}, {1, 1.0f}};
  TEST_EQUALITY_CONST(matrixBytes(host.onDevice()), 2u * (4 + 4) + 3 * 8);
}

using ComplexDouble = Kokkos::complex<double>;
TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(WriteRows, PackedSlicesAndRowsFillATile, float)
TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(WriteRows, PackedSlicesAndRowsFillATile, double)
TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(WriteRows, PackedSlicesAndRowsFillATile, ComplexDouble)

}  // namespace

}  // namespace Trident::Impl
