// SPDX-License-Identifier: BSD-3-Clause
// Lesson 3: several operations on one grid. Matrices come onto the grid once, and only the last
// result leaves it: here the coarse matrix PᵀSP of a smoothed operator S = A - A·A / 4.
//
// Look at how many products there are, and how few calls of fromTpetra() and toTpetra(). The first
// line of the output is the grid's shape, and why.
#include <Tpetra_Core.hpp>
#include <Trident_Grid.hpp>
#include <Trident_ScopeGuard.hpp>
#include <algorithm>
#include <iostream>

using matrix_type = Tpetra::CrsMatrix<>;
using map_type = matrix_type::map_type;
using GO = map_type::global_ordinal_type;
using MapPtr = Teuchos::RCP<const map_type>;

/// Makes a one-dimensional Laplacian.
static Teuchos::RCP<matrix_type> laplacian(const MapPtr& rows) {
  const GO n = rows->getGlobalNumElements();
  const auto A = Teuchos::rcp(new matrix_type(rows, 3));
  for (GO i = rows->getMinGlobalIndex(); i <= rows->getMaxGlobalIndex(); ++i)
    for (GO j = std::max<GO>(i - 1, 0); j <= std::min<GO>(i + 1, n - 1); ++j)
      A->insertGlobalValues(i, Teuchos::tuple<GO>(j), Teuchos::tuple<double>(i == j ? 2.0 : -1.0));
  A->fillComplete();
  return A;
}

/// Makes each four neighbours one coarse row.
static Teuchos::RCP<matrix_type> aggregation(const MapPtr& rows, const MapPtr& coarse) {
  const auto P = Teuchos::rcp(new matrix_type(rows, 1));
  for (GO i = rows->getMinGlobalIndex(); i <= rows->getMaxGlobalIndex(); ++i)
    P->insertGlobalValues(i, Teuchos::tuple<GO>(i / 4), Teuchos::tuple<double>(1.0));
  P->fillComplete(coarse, rows);
  return P;
}

int main(int argc, char* argv[]) {
  const Trident::ScopeGuard scope(&argc, &argv);  // Tpetra's, and threads for the exchange
  const auto comm = Tpetra::getDefaultComm();
  const MapPtr fine = Teuchos::rcp(new map_type(100000, 0, comm));
  const MapPtr coarse = Teuchos::rcp(new map_type(25000, 0, comm));

  // Rows and columns of all matrices on the grid lie along one of these Maps.
  const Trident::Grid<> grid(comm, {fine, coarse});
  const auto A = grid.fromTpetra(*laplacian(fine));
  const auto P = grid.fromTpetra(*aggregation(fine, coarse));

  const auto square = grid.multiply(A, A);
  const Trident::Report report = square.report();
  const auto S = grid.add(1.0, A, -0.25, square);
  const auto PtSP = grid.multiply(grid.transpose(P), grid.multiply(S, P));

  matrix_type C(coarse, 0);
  grid.toTpetra(PtSP, C);
  const auto entries = C.getGlobalNumEntries();
  const double norm = C.getFrobeniusNorm();  // collective
  if (comm->getRank() == 0)
    std::cout << grid.description() << "\nA·A took " << report.totalSeconds << " s, "
              << report.rounds << " rounds\nPᵀSP has " << entries << " entries, norm " << norm
              << "\n";
}
