// SPDX-License-Identifier: BSD-3-Clause
// Lesson 4: the two products of a multigrid setup, and how to read their reports. A prolongator is
// smoothed by a Jacobi step, P = P0 - ω D⁻¹ A P0, and the coarse matrix is Pᵀ·A·P.
//
// Look at the reports (doc/report.md explains each word). "because" says why each choice was made.
// The column "mean" adds up to the total: its largest number is where the time went. Of "MB
// received", what is between nodes is the expensive part: "rounds" are the factors that travelled,
// "export" is what C's owners got.
#include <Tpetra_Core.hpp>
#include <Tpetra_Vector.hpp>
#include <Trident_Jacobi.hpp>
#include <Trident_MultiplyRAP.hpp>
#include <Trident_ScopeGuard.hpp>
#include <iostream>

using matrix_type = Tpetra::CrsMatrix<>;
using map_type = matrix_type::map_type;
using vector_type = Tpetra::Vector<>;
using GO = map_type::global_ordinal_type;
using MapPtr = Teuchos::RCP<const map_type>;

constexpr GO side = 240, blockSide = 3;  // points, and points of a coarse one, in each direction
constexpr double omega = 2.0 / 3;

/// Makes the five-point Laplacian of a square.
static Teuchos::RCP<matrix_type> laplacian(const MapPtr& rows) {
  const auto A = Teuchos::rcp(new matrix_type(rows, 5));
  for (GO i = rows->getMinGlobalIndex(); i <= rows->getMaxGlobalIndex(); ++i) {
    A->insertGlobalValues(i, Teuchos::tuple<GO>(i), Teuchos::tuple<double>(4.0));
    const auto neighbour = [&](bool inside, GO j) {
      if (inside) A->insertGlobalValues(i, Teuchos::tuple<GO>(j), Teuchos::tuple<double>(-1.0));
    };
    neighbour(i % side > 0, i - 1);
    neighbour(i % side < side - 1, i + 1);
    neighbour(i >= side, i - side);
    neighbour(i < side * (side - 1), i + side);
  }
  A->fillComplete();
  return A;
}

/// Makes each block of points one coarse point.
static Teuchos::RCP<matrix_type> aggregation(const MapPtr& rows, const MapPtr& coarse) {
  const auto P = Teuchos::rcp(new matrix_type(rows, 1));
  for (GO i = rows->getMinGlobalIndex(); i <= rows->getMaxGlobalIndex(); ++i) {
    const GO block = i / side / blockSide * (side / blockSide) + i % side / blockSide;
    P->insertGlobalValues(i, Teuchos::tuple<GO>(block), Teuchos::tuple<double>(1.0));
  }
  P->fillComplete(coarse, rows);
  return P;
}

/// Prints a report on rank 0. Collective, as the numbers of all ranks are gathered.
static void print(const char* what, const Trident::Report& report) {
  const auto summary = Trident::summarize(report, *Tpetra::getDefaultComm());
  if (Tpetra::getDefaultComm()->getRank() == 0)
    std::cout << what << "\n" << Trident::describe(report, summary) << "\n";
}

int main(int argc, char* argv[]) {
  const Trident::ScopeGuard scope(&argc, &argv);  // Tpetra's, and threads for the exchange
  const auto comm = Tpetra::getDefaultComm();
  const GO points = side * side, blocks = points / (blockSide * blockSide);
  const MapPtr fine = Teuchos::rcp(new map_type(points, 0, comm));
  const MapPtr coarse = Teuchos::rcp(new map_type(blocks, 0, comm));
  const auto A = laplacian(fine), P0 = aggregation(fine, coarse);

  // Two ranks act as a node, so that there is a network to look at on any machine. Leave it out in
  // a program: then those that share memory are a node.
  const auto params = Teuchos::parameterList();
  params->sublist("Trident").set("ranks per node", 2);

  vector_type inverseDiagonal(fine);
  A->getLocalDiagCopy(inverseDiagonal);
  inverseDiagonal.reciprocal(inverseDiagonal);
  matrix_type P(fine, 0);
  print("P = P0 - omega D^-1 A P0",
        Trident::Jacobi(omega, inverseDiagonal, *A, *P0, P, true, "smooth", params));

  matrix_type Ac(coarse, 0);  // true: R is P transposed, and is never formed
  print("Ac = P^T (A P)",
        Trident::MultiplyRAP(P, true, *A, false, P, false, Ac, true, "coarsen", params));
  const auto entries = Ac.getGlobalNumEntries();
  if (comm->getRank() == 0)
    std::cout << "Ac has " << blocks << " rows and " << entries << " entries\n";
}
