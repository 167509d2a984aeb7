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
/// A matrix of a graph, or of any entries, that is there as a list.

namespace Trident {

/// The way in which edges become entries.
struct EdgeOptions {
  bool bothWays = false;  ///< an edge also has an entry in the row that it leads to; a loop has one
  bool twoSets = false;   ///< rows and columns are two sets of nodes, as of persons and things
  long long rows = 0;     ///< number of rows; 0: one more than the largest number
  long long columns = 0;  ///< number of columns, likewise; with one set that of rows
};

/// Makes the matrix that has an entry (from[e], to[e]) for each edge e, or triplet. Entries at one
/// place are summed, from the largest to the smallest, so that the sum is the same on any ranks.
///
/// Each rank passes any part of the edges; often one has them all, and others none. They travel to
/// the ranks that have their rows, as 16 bytes an entry. Each row gets memory for the entries that
/// it has. Beside the arrays that are passed, memory is at most 3 times that of the matrix and its
/// Maps, where few entries lie at one place; but a rank that passes many edges keeps these
/// 16 bytes for each of their entries until they have left.
///
/// Collective over `comm`. Throws Trident::Error on every rank where arrays differ in length, some
/// ranks have values and others edges without, a number is negative, not below its size, or above
/// 2^31 - 2, a value is not a number, or ranks pass other options, or labels where others have
/// numbers.
/// @param values as many as edges, or empty: all are 1. All ranks that have edges do the same
/// @return fill-complete, on the Maps that Tpetra makes of the numbers of rows and columns
///   (`Map(rows, 0, comm)`); one Map if rows and columns are one set
Teuchos::RCP<Tpetra::CrsMatrix<double>> matrixOfEdges(
    const std::vector<long long>& from, const std::vector<long long>& to,
    const std::vector<double>& values, const EdgeOptions& options = EdgeOptions(),
    const Teuchos::RCP<const Teuchos::Comm<int>>& comm = Tpetra::getDefaultComm());

/// A matrix of edges between nodes that have labels.
struct LabelledMatrix {
  Teuchos::RCP<Tpetra::CrsMatrix<double>> matrix;  ///< fill-complete
  std::vector<std::string> rowLabels;     ///< labels of all rows, by index; the same on every rank
  std::vector<std::string> columnLabels;  ///< labels of all columns; rowLabels if there is one set
};

/// Makes the matrix of nodes that have labels: they are numbered in the order in which edges name
/// them, rank after rank, each edge `from` before `to`. All labels are gathered on every rank.
/// @param options whose `rows` and `columns` are 0
LabelledMatrix matrixOfEdges(
    const std::vector<std::string>& from, const std::vector<std::string>& to,
    const std::vector<double>& values, const EdgeOptions& options = EdgeOptions(),
    const Teuchos::RCP<const Teuchos::Comm<int>>& comm = Tpetra::getDefaultComm());

}  // namespace Trident

#endif
