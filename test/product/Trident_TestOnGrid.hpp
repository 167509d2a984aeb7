// SPDX-License-Identifier: BSD-3-Clause
// Matrices on a grid beside what loops over rows say of them.
#ifndef TRIDENT_TESTONGRID_HPP
#define TRIDENT_TESTONGRID_HPP

#include <Teuchos_ParameterList.hpp>
#include <string>

#include "Trident_Grid.hpp"
#include "Trident_TestOracle.hpp"

namespace TridentTest {

using Grid = Trident::Grid<double, LO, GO, map_type::node_type>;

/// Returns an empty text if the matrix on the grid is `expected`. Collective.
inline std::string check(const Grid& grid, const Grid::Matrix& matrix, const Sparse& expected,
                         const Indices& rows, const Indices& columns) {
  matrix_type C(matrix.rowMap(), 0);
  grid.toTpetra(matrix, C);
  return everywhere(*world(), checkEntries(C, itself(expected), rows, columns, true));
}

/// Returns the entries of a matrix that a mask has, or lacks.
inline Sparse masked(const Sparse& a, const Sparse& mask, bool outside) {
  Sparse c(a.numRows(), a.cols);
  for (int i = 0; i < a.numRows(); ++i)
    for (const auto& entry : a.rows[i])
      if ((mask.rows[i].count(entry.first) != 0) != outside) c.rows[i].insert(entry);
  return c;
}

/// Returns options with this semiring.
inline Teuchos::ParameterList over(const std::string& semiring) {
  Teuchos::ParameterList options;
  options.set("semiring", semiring);
  return options;
}

}  // namespace TridentTest

#endif
