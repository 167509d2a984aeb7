// SPDX-License-Identifier: BSD-3-Clause
// Rows put in the order of their columns, and values that follow, against std::sort.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "Trident_TestDense.hpp"
#include "matrix/Trident_OrderRows.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "matrix/Trident_TransposeRows.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::fromDevice;
using TestTools::HostMatrix;

/// Draws rows of up to `longest` distinct columns, some of them in any order, some of them empty.
HostMatrix<double> shuffledRows(std::mt19937_64& random, int rows, int columns, int longest) {
  HostMatrix<double> matrix(rows, columns);
  std::vector<int> all(columns);
  for (int c = 0; c < columns; ++c) all[c] = c;
  for (auto& row : matrix.rows) {
    std::shuffle(all.begin(), all.end(), random);
    const int length = static_cast<int>(random() % (longest + 1));
    if (random() % 2) std::sort(all.begin(), all.begin() + length);
    for (int e = 0; e < length; ++e) row.emplace_back(all[e], static_cast<double>(random() % 1000));
  }
  return matrix;
}

TEUCHOS_UNIT_TEST(OrderRows, AgainstSort) {
  const unsigned seed = 71;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const int longest : {0, 1, 5, 40, 300}) {
    HostMatrix<double> expected = shuffledRows(random, 50, 400, longest);
    const auto matrix = expected.onDevice();
    const auto& offsets = matrix.graph.row_map;
    const Kokkos::View<int*, Device> columns = matrix.graph.entries;
    const bool ascended = columnsAscend<Device>(offsets, columns, 400);
    bool should = true;
    for (auto& row : expected.rows) {
      should = should && std::is_sorted(row.begin(), row.end());
      std::sort(row.begin(), row.end());
    }
    TEST_EQUALITY(ascended, should);
    const auto order = orderColumns<Device>(offsets, columns, 400);
    TEST_EQUALITY(order.changes(), !should);
    TEST_ASSERT(columnsAscend<Device>(offsets, columns, 400));
    if (!order.changes()) continue;
    const Kokkos::View<double*, Device> before = matrix.values;
    const auto values = valuesInOrder<Device>(offsets, before, order);
    const LocalMatrix<double, Device> ordered("ordered", 50, 400, columns.extent(0), values,
                                              offsets, columns);
    TEST_ASSERT(fromDevice<double>(ordered).rows == expected.rows);
  }
}

// Each entry is in the row of its column, where it came from is known, and rows ascend.
TEUCHOS_UNIT_TEST(OrderRows, TransposedRows) {
  std::mt19937_64 random(72);
  for (const int longest : {0, 1, 5, 40, 300}) {
    const auto host = shuffledRows(random, 50, 400, longest);
    HostMatrix<double> expected(400, 50);
    for (int r = 0; r < 50; ++r)
      for (const auto& [column, value] : host.rows[r]) expected.rows[column].emplace_back(r, value);
    const auto matrix = host.onDevice();
    const auto transposed = transposeAscending(matrix);
    const auto values = transposedValues<Device>(matrix.values, transposed);
    const LocalMatrix<double, Device> found("found", 400, 50, values.extent(0), values,
                                            transposed.offsets, transposed.columns);
    TEST_ASSERT(fromDevice<double>(found).rows == expected.rows);
  }
}

// A rank without rows may have no offsets at all.
TEUCHOS_UNIT_TEST(OrderRows, NoRows) {
  const Kokkos::View<const std::size_t*, Device> offsets;
  const Kokkos::View<int*, Device> columns;
  TEST_ASSERT(columnsAscend<Device>(offsets, columns, 3));
  TEST_ASSERT(!orderColumns<Device>(offsets, columns, 3).changes());
  TEST_EQUALITY(longestRow<Device>(offsets), 0);
}

// Kokkos 5 ends a program whose loop begins behind its end.
TEUCHOS_UNIT_TEST(OrderRows, NoEntries) {
  for (const int rows : {0, 1, 3}) {
    const auto matrix = HostMatrix<double>(rows, 4).onDevice();
    TEST_ASSERT(rowsAscend(matrix));
    TEST_EQUALITY(longestRow<Device>(matrix.graph.row_map), 0);
  }
}

}  // namespace

}  // namespace Trident::Impl
