// SPDX-License-Identifier: BSD-3-Clause
// Lesson 6: matrices whose rows are scattered over the ranks. Nothing is asked of row Maps but that
// each row has one owner, so the same call forms the product. Its bytes differ.
//
// Look at the bytes between nodes. Row i of a scattered matrix has its neighbours i - 1 and i + 1
// on other ranks. So a node needs nearly all rows of the right factor, not only those along the
// edge of its part, and fetches whole tiles. C's rows lie as A's do, and entries and norm are the
// same, wherever the rows are.
#include <Tpetra_Core.hpp>
#include <Trident_Multiply.hpp>
#include <Trident_ScopeGuard.hpp>
#include <algorithm>
#include <iostream>

using matrix_type = Tpetra::CrsMatrix<>;
using map_type = matrix_type::map_type;
using GO = map_type::global_ordinal_type;
using MapPtr = Teuchos::RCP<const map_type>;

/// Deals rows to the ranks in turn, as cards: rank r has r, r + P, r + 2 P, ...
static MapPtr dealt(GO rows, const Teuchos::RCP<const Teuchos::Comm<int>>& comm) {
  Teuchos::Array<GO> mine;
  for (GO i = comm->getRank(); i < rows; i += comm->getSize()) mine.push_back(i);
  return Teuchos::rcp(new map_type(rows, mine(), 0, comm));
}

/// Makes a one-dimensional Laplacian, whose rows lie along any Map.
static Teuchos::RCP<matrix_type> laplacian(const MapPtr& map) {
  const GO n = map->getGlobalNumElements();
  const auto A = Teuchos::rcp(new matrix_type(map, 3));
  for (int row = 0; row <= map->getMaxLocalIndex(); ++row) {
    const GO i = map->getGlobalElement(row);
    for (GO j = std::max<GO>(i - 1, 0); j <= std::min<GO>(i + 1, n - 1); ++j)
      A->insertGlobalValues(i, Teuchos::tuple<GO>(j), Teuchos::tuple<double>(i == j ? 2.0 : -1.0));
  }
  A->fillComplete();
  return A;
}

/// Forms A·B and prints what it took. Collective.
static void multiply(const char* what, const matrix_type& A, const matrix_type& B) {
  // Two ranks act as a node, so that there is a network to look at on any machine.
  const auto params = Teuchos::parameterList();
  params->sublist("Trident").set("ranks per node", 2);

  matrix_type C(A.getRowMap(), 0);
  const Trident::Report report = Trident::Multiply(A, B, C, params);
  const auto summary = Trident::summarize(report, *A.getComm());
  const auto entries = C.getGlobalNumEntries();
  const double norm = C.getFrobeniusNorm();  // collective
  const auto& bytes = summary.traffic;
  if (A.getComm()->getRank() == 0)
    std::cout << what << ": " << entries << " entries, norm " << norm << "\n  fetch "
              << report.fetch << "; bytes between nodes: import " << bytes.import.internodeBytes
              << ", rounds " << bytes.rounds.internodeBytes << ", export "
              << bytes.export_.internodeBytes << "\n";
}

int main(int argc, char* argv[]) {
  const Trident::ScopeGuard scope(&argc, &argv);  // Tpetra's, and threads for the exchange
  const auto comm = Tpetra::getDefaultComm();
  const GO n = 100000;
  const auto inBlocks = laplacian(Teuchos::rcp(new map_type(n, 0, comm)));
  const auto scattered = laplacian(dealt(n, comm));

  multiply("rows in blocks", *inBlocks, *inBlocks);
  multiply("rows scattered", *scattered, *scattered);
  // Columns of A find rows of B by their global index, whoever owns them.
  multiply("A in blocks, B scattered", *inBlocks, *scattered);
}
