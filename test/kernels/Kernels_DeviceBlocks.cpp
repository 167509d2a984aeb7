// SPDX-License-Identifier: BSD-3-Clause
// Products whose left factor has rows that are alike, as the device's kernel multiplies them: large
// enough for a GPU to take blocks of rows. Each sum has the bits of a loop over A's entries.
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "Trident_TestSums.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "kernels/Trident_NumericProduct.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::HostMatrix;

/// Traits of a factor's rows.
struct Shape {
  int rows, columns, entries;  ///< sizes; a row has from 0 to `entries` entries
  int alike;                   ///< successive rows that have the same columns: from 1 to this
  int run;                     ///< columns that follow each other: from 1 to this
  bool anyOrder = false;       ///< true if some rows are not sorted
};

/// Returns random rows. A column is often followed by the next one, and some rows are empty.
template <class Scalar>
HostMatrix<Scalar> someRows(std::mt19937& random, const Shape& shape) {
  HostMatrix<Scalar> matrix(shape.rows, shape.columns);
  const auto upTo = [&](int most) { return static_cast<int>(random() % (most + 1)); };
  for (int r = 0; r < shape.rows;) {
    std::set<int> columns;
    const int entries = upTo(8) ? shape.entries - upTo(shape.entries / 4) : upTo(1);
    while (static_cast<int>(columns.size()) < entries) {
      const int first = upTo(shape.columns - 1);
      for (int c = first; c < std::min(shape.columns, first + 1 + upTo(shape.run - 1)); ++c)
        columns.insert(c);
    }
    std::vector<int> order(columns.begin(), columns.end());
    if (shape.anyOrder && upTo(3) == 0) std::shuffle(order.begin(), order.end(), random);
    for (int q = 1 + upTo(shape.alike - 1); q > 0 && r < shape.rows; --q, ++r)
      for (const int c : order)
        matrix.rows[r].emplace_back(c, Scalar(upTo(9) ? upTo(2000) * 0.37 - 300 : 0));
  }
  return matrix;
}

/// Returns a product that lacks columns: some in all rows, some in every third.
template <class Scalar>
HostMatrix<Scalar> withoutLacking(const HostMatrix<Scalar>& product) {
  const auto lacks = [](int row, int column) {
    return column % 11 == 0 || (row % 3 == 0 && column % 5 == 0);
  };
  HostMatrix<Scalar> C(product.numRows(), product.columns);
  for (int r = 0; r < C.numRows(); ++r)
    for (const auto& entry : product.rows[r])
      if (!lacks(r, entry.first)) C.rows[r].push_back(entry);
  return C;
}

template <class Scalar>
void check(const Shape& shapeA, const Shape& shapeB, unsigned seed, bool& success,
           Teuchos::FancyOStream& out) {
  std::mt19937 random(seed);
  out << "seed " << seed << "\n";
  const auto A = someRows<Scalar>(random, shapeA), B = someRows<Scalar>(random, shapeB);
  const HostMatrix<Scalar> product = productInOrder(A, B);
  TRIDENT_TEST_OK(
      differencesInBits(multiplyLocal<Scalar, Device>(A.onDevice(), B.onDevice(), {}).C, product));
  using Local = LocalMatrix<Scalar, Device>;
  PlannedWork<Scalar, Device> kept;
  const auto form = [&kept](const Local& a, const Local& b, const Local& c, bool add) {
    return numericProduct<Scalar, Device>(a, b, c, add, nullptr, &kept).strays;
  };
  if constexpr (!isHost<Device>)  // hosts must be given all columns
    TRIDENT_TEST_OK(wrongValues(A, B, withoutLacking(product), true, form));
  TEST_ASSERT(!kept.schedule.found);  // of a C that lacks columns
  TRIDENT_TEST_OK(wrongValues(A, B, product, true, form));
  TEST_EQUALITY(bool(kept.schedule.found), isCuda<Device>);
  TRIDENT_TEST_OK(wrongValues(A, withOtherValues(B), product, true, form));
}

TEUCHOS_UNIT_TEST(DeviceBlocks, ShortRowsOfC) {
  check<double>({46000, 900, 40, 6, 6, true}, {900, 60, 30, 4, 3}, 1, success, out);
}

TEUCHOS_UNIT_TEST(DeviceBlocks, RowsOfCInRuns) {
  check<double>({9000, 3000, 90, 3, 3}, {3000, 4000, 70, 3, 6}, 2, success, out);
}

TEUCHOS_UNIT_TEST(DeviceBlocks, NarrowRowsOfB) {
  check<double>({70000, 9000, 90, 3, 9}, {9000, 2000, 8, 3, 6}, 3, success, out);
}

/// Columns of C that are no runs, and groups of 4, 16 and 32 lanes.
TEUCHOS_UNIT_TEST(DeviceBlocks, ScatteredColumns) {
  check<double>({1100000, 30000, 14, 3, 3}, {30000, 25, 3, 3, 1}, 7, success, out);
  check<double>({320000, 30000, 24, 4, 3}, {30000, 90, 7, 3, 1}, 8, success, out);
  check<double>({250000, 30000, 20, 4, 3}, {30000, 150, 11, 3, 1}, 9, success, out);
  check<double>({75000, 30000, 20, 4, 1, true}, {30000, 500, 40, 4, 1}, 10, success, out);
}

TEUCHOS_UNIT_TEST(DeviceBlocks, WindowsOfLongRows) {
  check<double>({1500, 5000, 700, 8, 4, true}, {5000, 40000, 60, 4, 2}, 4, success, out);
}

TEUCHOS_UNIT_TEST(DeviceBlocks, BlocksInAAlone) {
  check<double>({9000, 3000, 90, 40, 3}, {3000, 4000, 70, 1, 1}, 5, success, out);
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(DeviceBlocks, Scalars, Scalar) {
  check<Scalar>({12000, 3000, 70, 4, 2}, {3000, 900, 70, 4, 2}, 6, success, out);
}
TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(DeviceBlocks, Scalars, float)
TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(DeviceBlocks, Scalars, int)
using Complex = Kokkos::complex<double>;
TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(DeviceBlocks, Scalars, Complex)

}  // namespace
}  // namespace Trident::Impl
