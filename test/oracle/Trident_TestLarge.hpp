// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTLARGE_HPP
#define TRIDENT_TESTLARGE_HPP

#include "Trident_TestMatrices.hpp"

/// \file Trident_TestLarge.hpp
/// Square matrices too large for every rank to know whole, on uniform Maps.

namespace TridentTest {

/// Rows of whose columns `columnsOf(row)` tells, all entries 1. Collective.
template <class ColumnsOf>
MatrixPtr makeRows(GO n, int perRow, const CommPtr& comm, ColumnsOf&& columnsOf) {
  const MapPtr map = Teuchos::rcp(new map_type(n, 0, comm));
  const MatrixPtr A = Teuchos::rcp(new matrix_type(map, perRow));
  for (const GO row : Trident::localGids(*map)) {
    std::vector<GO> columns = columnsOf(row);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const std::vector<double> ones(columns.size(), 1.0);
    A->insertGlobalValues(row, Teuchos::ArrayView<const GO>(columns.data(), columns.size()),
                          Teuchos::ArrayView<const double>(ones.data(), ones.size()));
  }
  A->fillComplete();
  return A;
}

/// `degree` random columns in every row (fewer where two fall together).
inline MatrixPtr randomRows(GO n, int degree, int seed, const CommPtr& comm) {
  return makeRows(n, degree, comm, [=](GO row) {
    Random random(static_cast<std::uint64_t>(seed) * 1000003 + row);
    std::vector<GO> columns(degree);
    for (GO& column : columns) column = static_cast<GO>(random.real() * static_cast<double>(n));
    return columns;
  });
}

/// Diagonals at ±0..width.
inline MatrixPtr bandedRows(GO n, int width, const CommPtr& comm) {
  return makeRows(n, 2 * width + 1, comm, [=](GO row) {
    std::vector<GO> columns;
    for (GO c = std::max<GO>(0, row - width); c <= std::min<GO>(n - 1, row + width); ++c)
      columns.push_back(c);
    return columns;
  });
}

}  // namespace TridentTest

#endif
