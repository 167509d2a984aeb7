// SPDX-License-Identifier: BSD-3-Clause
// Cutting a matrix into packed slices, and setting packed slices side by side again.

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

/// Returns the matrix of a packed slice, read entry by entry on the host.
template <class Scalar>
HostMatrix<Scalar> readPacked(const CutSlices<Scalar, Device>& slices, std::size_t s,
                              const Rectangle& cut) {
  const auto bytes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), slices.storage);
  const PackedSlice<Scalar> packed(bytes.data() + slices.at[s], slices.shapes[s]);
  HostMatrix<Scalar> matrix(cut.rows(), cut.columnEnd - cut.columnBegin);
  for (long long m = 0; m < packed.rows(); ++m)
    for (std::size_t e = packed.begin(m); e < packed.end(m); ++e)
      matrix.rows.at(packed.row(m)).emplace_back(packed.column(e), packed.value(e));
  return matrix;
}

template <class Scalar>
HostMatrix<Scalar> cutOut(const HostMatrix<Scalar>& matrix, const Rectangle& cut) {
  HostMatrix<Scalar> part(cut.rows(), cut.columnEnd - cut.columnBegin);
  for (int r = cut.rowBegin; r < cut.rowEnd; ++r)
    for (const auto& entry : matrix.rows[r])
      if (entry.first >= cut.columnBegin && entry.first < cut.columnEnd)
        part.rows[r - cut.rowBegin].emplace_back(entry.first - cut.columnBegin, entry.second);
  return part;
}

template <class Scalar>
int nonEmptyRows(const HostMatrix<Scalar>& matrix) {
  int count = 0;
  for (const auto& row : matrix.rows) count += !row.empty();
  return count;
}

/// Compares every packed slice with the rectangle cut on the host, in order of entries too.
template <class Scalar>
int wrongSlabs(const HostMatrix<Scalar>& matrix, const std::vector<Rectangle>& cuts) {
  const auto slices = cutSlices<Scalar, Device>(matrix.onDevice(), cuts);
  int wrong = slices.shapes.size() != cuts.size() || slices.at.size() != cuts.size() + 1;
  for (std::size_t s = 0; s < cuts.size(); ++s) {
    const HostMatrix<Scalar> expected = cutOut(matrix, cuts[s]);
    const SliceShape& shape = slices.shapes[s];
    wrong += shape.entries != expected.entries();
    wrong += shape.listed != (expected.entries() < cuts[s].rows());
    wrong += shape.narrow != (cuts[s].columns() <= 65536);
    wrong += shape.rows != (shape.listed ? nonEmptyRows(expected) : cuts[s].rows());
    wrong +=
        slices.at[s] % 64 != 0 || slices.at[s + 1] < slices.at[s] + shape.bytes(sizeof(Scalar));
    wrong += readPacked(slices, s, cuts[s]).rows != expected.rows;
  }
  return wrong;
}

std::vector<int> randomBorders(std::mt19937_64& random, int size, int parts) {
  std::vector<int> borders(parts + 1, 0);
  for (int p = 1; p < parts; ++p) borders[p] = static_cast<int>(random() % (size + 1));
  borders[parts] = size;
  std::sort(borders.begin(), borders.end());
  return borders;
}

/// Cuts a matrix at column borders and sets the packed slices side by side again, in the same
/// order.
template <class Scalar>
bool survivesColumns(const HostMatrix<Scalar>& matrix, const std::vector<int>& borders) {
  std::vector<Rectangle> cuts;
  for (std::size_t p = 0; p + 1 < borders.size(); ++p)
    cuts.push_back({0, matrix.numRows(), borders[p], borders[p + 1]});
  const auto slices = cutSlices<Scalar, Device>(matrix.onDevice(), cuts);
  std::vector<PackedColumns<Scalar>> packedSlices;
  for (std::size_t p = 0; p < cuts.size(); ++p)
    packedSlices.push_back({slices.packed(p), borders[p]});
  const HostMatrix<Scalar> back = TestTools::fromDevice<Scalar>(
      concatenateColumns<Scalar, Device>(packedSlices, matrix.numRows(), matrix.columns));
  return differences(dense(back), dense(matrix)).empty() &&
         (!isSorted(matrix) || isSorted(back));  // sorted packed slices stay sorted
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Slices, AnyRectangleOfAnyMatrix, Scalar) {
  const unsigned seed = 11;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 150; ++n) {
    const int rows = static_cast<int>(random() % 50), columns = static_cast<int>(random() % 50);
    const double density[] = {0.0, 0.005, 0.05, 0.4, 1.0};
    const auto matrix =
        TestTools::randomMatrix<Scalar>(random, rows, columns, density[n % 5], n % 2 == 0);
    std::vector<Rectangle> cuts;
    for (unsigned c = 0; c < 1 + random() % 6; ++c) {
      const std::vector<int> r = randomBorders(random, rows, 3);
      const std::vector<int> w = randomBorders(random, columns, 3);
      cuts.push_back({r[1], r[2], w[1], w[2]});
    }
    const int bad = wrongSlabs(matrix, cuts);
    if (bad) out << "case " << n << ": " << rows << " x " << columns << "\n";
    wrong += bad;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

// Widths about the one from which columns take more than 16 bits.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Slices, WideAndNarrow, Scalar) {
  HostMatrix<Scalar> matrix(3, 200000);
  for (const int column : {0, 7, 65534, 65535, 65536, 65537, 131071, 131072, 199999})
    for (int r = 0; r < 3; ++r) matrix.rows[r].emplace_back(column, Scalar(column % 1000 + r));
  TEST_EQUALITY_CONST(wrongSlabs(matrix, {{0, 3, 0, 65536},
                                          {0, 3, 0, 65537},
                                          {0, 2, 65536, 131072},
                                          {1, 3, 65536, 131073},
                                          {0, 3, 0, 200000}}),
                      0);
  TEST_ASSERT(survivesColumns(matrix, {0, 65536, 131073, 200000}));
  TEST_ASSERT(survivesColumns(matrix, {0, 65537, 131072, 200000}));
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Slices, ColumnsRoundTrip, Scalar) {
  const unsigned seed = 12;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 150; ++n) {
    const int rows = static_cast<int>(random() % 60), columns = static_cast<int>(random() % 60);
    const double density[] = {0.0, 0.005, 0.05, 0.4, 1.0};
    const auto matrix =
        TestTools::randomMatrix<Scalar>(random, rows, columns, density[n % 5], n % 2 == 0);
    wrong += !survivesColumns(matrix,
                              randomBorders(random, columns, 1 + static_cast<int>(random() % 7)));
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Slices, HypersparseSlicesListTheirRows, Scalar) {
  HostMatrix<Scalar> matrix(100000, 8);
  matrix.rows[17] = {{3, Scalar(5)}};
  matrix.rows[99999] = {{0, Scalar(1)}, {7, Scalar(2)}};
  const std::vector<Rectangle> cuts{{0, 100000, 0, 4}, {0, 100000, 4, 8}, {18, 99999, 0, 8}};
  TEST_EQUALITY_CONST(wrongSlabs(matrix, cuts), 0);
  const auto slices = cutSlices<Scalar, Device>(matrix.onDevice(), cuts);
  TEST_EQUALITY_CONST(slices.shapes[0].rows, 2);
  TEST_EQUALITY_CONST(slices.shapes[1].rows, 1);
  TEST_EQUALITY_CONST(slices.shapes[2].entries, 0);
  TEST_COMPARE(slices.storage.extent(0), <, 1000u);  // nothing grows with the rows
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Slices, DegenerateMatrices, Scalar) {
  TEST_EQUALITY_CONST(wrongSlabs(HostMatrix<Scalar>(0, 0), {{0, 0, 0, 0}}), 0);
  TEST_EQUALITY_CONST(wrongSlabs(HostMatrix<Scalar>(0, 9), {{0, 0, 0, 4}, {0, 0, 4, 9}}), 0);
  TEST_EQUALITY_CONST(wrongSlabs(HostMatrix<Scalar>(9, 0), {{0, 9, 0, 0}, {3, 3, 0, 0}}), 0);
  TEST_EQUALITY_CONST(wrongSlabs(HostMatrix<Scalar>(5, 5), {}), 0);
  TEST_ASSERT(survivesColumns(HostMatrix<Scalar>(0, 3), {0, 1, 3}));
  TEST_ASSERT(survivesColumns(HostMatrix<Scalar>(3, 0), {0, 0, 0}));
  // A matrix object without arrays: what a rank without rows may hand in.
  const auto none = cutSlices<Scalar, Device>(LocalMatrix<Scalar, Device>(), {{0, 0, 0, 0}});
  TEST_EQUALITY_CONST(none.shapes[0].entries, 0);
}

#define TRIDENT_SLICES_INSTANT(SCALAR)                                                 \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Slices, AnyRectangleOfAnyMatrix, SCALAR)        \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Slices, WideAndNarrow, SCALAR)                  \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Slices, ColumnsRoundTrip, SCALAR)               \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Slices, HypersparseSlicesListTheirRows, SCALAR) \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Slices, DegenerateMatrices, SCALAR)

using ComplexDouble = Kokkos::complex<double>;
TRIDENT_SLICES_INSTANT(float)
TRIDENT_SLICES_INSTANT(double)
TRIDENT_SLICES_INSTANT(ComplexDouble)

}  // namespace

}  // namespace Trident::Impl
