// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_TestLarge.hpp"

#include <algorithm>

namespace TridentTest {

MatrixPtr makeRows(GO n, int perRow, const CommPtr& comm,
                   const std::function<std::vector<GO>(GO row)>& columnsOf) {
  const MapPtr map = Teuchos::rcp(new map_type(n, 0, comm));
  const MatrixPtr A = Teuchos::rcp(new matrix_type(map, perRow));
  for (const GO row : Trident::Impl::localGids(*map)) {
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

MatrixPtr randomRows(GO n, int degree, int seed, const CommPtr& comm) {
  return makeRows(n, degree, comm, [=](GO row) {
    Random random(static_cast<std::uint64_t>(seed) * 1000003 + row);
    std::vector<GO> columns(degree);
    for (GO& column : columns) column = static_cast<GO>(random.real() * static_cast<double>(n));
    return columns;
  });
}

MatrixPtr bandedRows(GO n, int width, const CommPtr& comm) {
  return makeRows(n, 2 * width + 1, comm, [=](GO row) {
    std::vector<GO> columns;
    for (GO c = std::max<GO>(0, row - width); c <= std::min<GO>(n - 1, row + width); ++c)
      columns.push_back(c);
    return columns;
  });
}

}  // namespace TridentTest
