// SPDX-License-Identifier: BSD-3-Clause
// (A*B)*A on one grid, by public headers alone: matrices come once, and only the result leaves.
#include <Tpetra_Core.hpp>
#include <Trident_Grid.hpp>
#include <iostream>

using Matrix = Tpetra::CrsMatrix<>;

/// Makes a matrix whose row i has a one in column i + shift, cyclically.
static Teuchos::RCP<Matrix> shifted(const Teuchos::RCP<const Matrix::map_type>& map, int shift) {
  const auto A = Teuchos::rcp(new Matrix(map, 1));
  const Matrix::global_ordinal_type n = map->getGlobalNumElements();
  for (auto i = map->getMinGlobalIndex(); i <= map->getMaxGlobalIndex(); ++i)
    A->insertGlobalValues(i, Teuchos::tuple((i + shift) % n), Teuchos::tuple(1.0));
  A->fillComplete();
  return A;
}

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  const auto map = Teuchos::rcp(new Matrix::map_type(100, 0, Tpetra::getDefaultComm()));
  const Trident::Grid<> grid(map->getComm(), {map});
  const auto A = grid.fromTpetra(*shifted(map, 1)), B = grid.fromTpetra(*shifted(map, 10));
  const auto ABA = grid.multiply(grid.multiply(A, B), A);  // shifts by 1 + 10 + 1
  Matrix C(map, 0);
  grid.toTpetra(grid.add(1.0, ABA, -1.0, grid.fromTpetra(*shifted(map, 12))), C);
  const bool good = C.getGlobalNumEntries() == 100 && C.getFrobeniusNorm() == 0;
  if (map->getComm()->getRank() == 0) std::cout << "(A*B)*A is " << (good ? "right\n" : "wrong\n");
  return good ? 0 : 1;
}
