// SPDX-License-Identifier: BSD-3-Clause
// Lesson 7: the triangles of a graph, by a product within a mask. Let L have an entry (i, j) for
// each edge from node i to a lower node j. Then (L·L)(i, j) counts the ways from i over a node
// between to j, and each that has an edge (i, j) beside it closes a triangle. So only entries where
// L has one are wanted, and no others are formed.
//
// Look at the entries: the whole product has twice as many as the one within the mask, and
// both take as many multiply-adds. The count is known for this graph, a ring whose nodes know their
// k neighbours on each side: n k (k - 1) / 2. The whole product is never stored: its rows come in
// pieces, and what is wanted of them, here how many ways there are, is taken of each.
//
//   Trident_07_triangles.exe [nodes]
#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_Core.hpp>
#include <Trident_Grid.hpp>
#include <Trident_MatrixOfEdges.hpp>
#include <Trident_ScopeGuard.hpp>
#include <cstdlib>
#include <iostream>
#include <vector>

using matrix_type = Tpetra::CrsMatrix<>;
using map_type = matrix_type::map_type;
using vector_type = Tpetra::Vector<>;
using Piece = Trident::Grid<>::Piece;
using GO = map_type::global_ordinal_type;
using CommPtr = Teuchos::RCP<const Teuchos::Comm<int>>;

static constexpr GO neighbours = 10;  // on each side

/// Makes the matrix of the edges to lower nodes. Each rank lists some of them, here those of every
/// so many nodes; rows get memory for the entries that they have. Collective.
static Teuchos::RCP<matrix_type> lowerEdges(GO n, const CommPtr& comm) {
  std::vector<long long> from, to;
  for (GO i = comm->getRank(); i < n; i += comm->getSize())
    for (GO away = 1; away <= neighbours; ++away)
      for (const GO j : {(i + away) % n, (i + n - away) % n})
        if (j < i) {
          from.push_back(i);
          to.push_back(j);
        }
  Trident::EdgeOptions options;
  options.rows = n;
  return Trident::matrixOfEdges(from, to, {}, options, comm);  // all values are 1
}

/// Sums all entries. Collective.
static double sum(const matrix_type& C) {
  vector_type ones(C.getDomainMap()), sums(C.getRangeMap());
  ones.putScalar(1.0);
  C.apply(ones, sums);
  return sums.norm1();  // no entry is negative
}

/// Sums a piece's entries, on the device where they are. Local.
static double sumOf(const Piece& piece) {
  double sum = 0;
  const auto values = piece.values;
  using Range = Kokkos::RangePolicy<Piece::device_type::execution_space>;
  Kokkos::parallel_reduce(
      Range(0, values.extent(0)), KOKKOS_LAMBDA(std::size_t e, double& all) { all += values(e); },
      sum);
  return sum;
}

int main(int argc, char* argv[]) {
  const Trident::ScopeGuard scope(&argc, &argv);  // Tpetra's, and threads for the exchange
  const CommPtr comm = Tpetra::getDefaultComm();
  const GO n = argc > 1 ? std::atol(argv[1]) : 100000;
  const auto lower = lowerEdges(n, comm);
  const auto nodes = lower->getRowMap();

  const Trident::Grid<> grid(comm, {nodes});
  const auto L = grid.fromTpetra(*lower);

  const auto closed = grid.multiplyWithin(L, L, L);
  matrix_type C(nodes, 0);
  grid.toTpetra(closed, C);
  const double triangles = sum(C);
  double mine = 0, ways = 0;  // of all rows that came to this rank; of all
  const Trident::Report whole =
      grid.multiplyInPieces(L, L, [&](const Piece& piece) { mine += sumOf(piece); });
  Teuchos::reduceAll(*comm, Teuchos::REDUCE_SUM, mine, Teuchos::outArg(ways));

  const auto ofWithin = Trident::summarize(closed.report(), *comm);
  const auto ofWhole = Trident::summarize(whole, *comm);
  if (comm->getRank() == 0)
    std::cout << static_cast<long long>(triangles) << " triangles, expected "
              << n * neighbours * (neighbours - 1) / 2 << "\nwithin the mask: " << ofWithin.entriesC
              << " entries, " << ofWithin.multiplyAdds << " multiply-adds, "
              << closed.report().totalSeconds << " s\nthe whole product: " << ofWhole.entriesC
              << " entries, " << ofWhole.multiplyAdds << " multiply-adds, " << whole.totalSeconds
              << " s, " << static_cast<long long>(ways) << " ways\n";
}
