// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MATRIXOFEDGES_HPP
#define TRIDENT_MATRIXOFEDGES_HPP

#include <Teuchos_Comm.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <string>
#include <vector>

/// \file Trident_MatrixOfEdges.hpp
/// A matrix that is given as a list of edges, or of other entries.

namespace Trident {

/// Options of the matrix that is made of edges.
struct EdgeOptions {
  bool bothWays = false;  ///< true if each edge that is no loop also makes the entry (to, from)
  bool twoSets = false;   ///< true if rows and columns are two sets, such as persons and things
  long long rows = 0;     ///< number of rows; 0: just enough for the edges
  long long columns = 0;  ///< number of columns, likewise; without twoSets, as rows: 0 or `rows`
};

/// Makes the matrix of edges, or of other triplets. Edge e is the entry (from[e], to[e]). Entries
/// at one place are summed from the largest to the smallest. So the sum does not depend on ranks.
///
/// Each rank passes any part of the edges. Often one rank passes all edges, and others none.
/// Entries travel to the ranks of their rows, as 16 bytes each. Each row gets memory for its own
/// entries only. If few entries lie at one place, this takes at most 3 times the memory of the
/// matrix and its Maps, besides the passed arrays. A rank that passes many edges also holds 16
/// bytes for each entry until the entries are sent.
///
/// Collective over `comm`. Throws Trident::Error on every rank in these cases: arrays differ in
/// length; some ranks have values, and others have edges without values; some ranks pass labels,
/// and others numbers; a number is negative, above 2^31 - 2, or not below the given `rows` or
/// `columns`; a value is not a number; options contradict each other, or differ between ranks.
/// @param values one value for each edge; or empty on all ranks if all values are 1
/// @return fill-complete matrix. Its Maps are `Map(rows, 0, comm)` and `Map(columns, 0, comm)`, or
///   one Map if rows and columns are one set
Teuchos::RCP<Tpetra::CrsMatrix<double>> matrixOfEdges(
    const std::vector<long long>& from, const std::vector<long long>& to,
    const std::vector<double>& values, const EdgeOptions& options = EdgeOptions(),
    const Teuchos::RCP<const Teuchos::Comm<int>>& comm = Tpetra::getDefaultComm());

/// A matrix of edges between nodes that have labels.
struct LabelledMatrix {
  Teuchos::RCP<Tpetra::CrsMatrix<double>> matrix;  ///< fill-complete matrix
  std::vector<std::string> rowLabels;     ///< labels of all rows, by index; the same on every rank
  std::vector<std::string> columnLabels;  ///< labels of all columns; equal to rowLabels for one set
};

/// Makes the matrix of nodes that have labels. Nodes are numbered as they first appear in the
/// edges: by rank, then by edge, and `from` before `to`. Every rank gets all labels.
/// @param options options whose `rows` and `columns` are 0
LabelledMatrix matrixOfEdges(
    const std::vector<std::string>& from, const std::vector<std::string>& to,
    const std::vector<double>& values, const EdgeOptions& options = EdgeOptions(),
    const Teuchos::RCP<const Teuchos::Comm<int>>& comm = Tpetra::getDefaultComm());

}  // namespace Trident

#endif
