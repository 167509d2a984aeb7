// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_EDGEENTRIES_HPP
#define TRIDENT_EDGEENTRIES_HPP

#include <mpi.h>

#include <Teuchos_Comm.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "base/Trident_Agreement.hpp"

// Makes matrices from lists of edges. Each rank may have any part of a list.

namespace Trident::Impl {

/// The edges that a rank has, in arrays of one length.
struct EdgeArrays {
  const std::vector<long long>&from, &to;
  const std::vector<double>& weights;  ///< a weight for each edge; if empty, each weight is 1
};

/// The rule by which edges become entries of a matrix.
struct EdgeRule {
  bool bothWays;  ///< true if an edge (i, j) makes entries (i, j) and (j, i); a loop makes one
  /// Rule for entries of one row and column. If true, only the heaviest stays, and loops and edges
  /// of weight 0 make no entry. If false, the entries are summed, from the largest on.
  bool heaviest;
};

/// Throws Trident::Error if the three lengths differ. `weights` may also be 0. Local.
void requireLengths(std::size_t from, std::size_t to, std::size_t weights);

/// Returns the number of rows, or of columns: `size`; if `size` is 0, one more than the largest of
/// `numbers`. Throws Trident::Error if a number is negative or too large. Local.
/// @param size bound of the numbers; 0 means 2^31 - 1
long long countNumbers(const std::vector<long long>& numbers, long long size);

/// Returns the largest numbers of rows and columns over all ranks. Collective. Throws
/// Trident::Error on every rank if a rank has failed, or if some ranks have weights and others have
/// edges without weights.
/// @param counts numbers of rows and columns that this rank's edges need
std::vector<long long> agreeOnEdges(const std::vector<long long>& counts, std::size_t edges,
                                    std::size_t weights, const LocalFailure& failure,
                                    MPI_Comm comm);

/// Makes a matrix of edges. Its Maps are contiguous, as Tpetra makes them from a size. Each rank
/// gets the entries of its rows from all ranks. Rows have no room for more entries. Collective;
/// throws Trident::Error on every rank if a rank fails.
/// @param edges this rank's edges, with numbers below `rows` and `columns`, which are below 2^31
Teuchos::RCP<Tpetra::CrsMatrix<double>> matrixOfEntries(
    const EdgeArrays& edges, long long rows, long long columns, const EdgeRule& rule,
    const Teuchos::RCP<const Teuchos::Comm<int>>& comm);

/// Labels of nodes of a graph, in the order of their numbers.
using NodeLabels = std::vector<std::string>;

/// Edges as pairs of numbers, and the label of each number.
struct NumberedEdges {
  std::vector<long long> from, to;
  NodeLabels rowLabels, columnLabels;
};

/// Numbers the labels of all ranks in the order in which they appear: rank after rank, edge after
/// edge, `from` before `to`. Collective; throws Trident::Error on every rank if a rank fails.
/// @param apart true if labels of rows have numbers of their own, apart from labels of columns
NumberedEdges numberedEdges(const NodeLabels& from, const NodeLabels& to, bool apart,
                            MPI_Comm comm);

/// Gathers the items of all ranks, in rank order. Collective; throws Trident::Error on every rank
/// if a rank lacks memory, or if the items are more than an int counts.
/// @param what name of the items, for messages
std::vector<long long> gathered(const std::vector<long long>& mine, MPI_Comm comm,
                                const char* what);

}  // namespace Trident::Impl

#endif
