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

// Matrices of lists of edges, of which each rank has any part.

namespace Trident::Impl {

/// The edges that a rank has, in arrays of one length.
struct EdgeArrays {
  const std::vector<long long>&from, &to;
  const std::vector<double>& weights;  ///< a weight for each edge, or empty: all are 1
};

/// The entries that edges become.
struct EdgeRule {
  bool bothWays;  ///< an edge also has an entry in the row that it leads to; a loop has one entry
  /// True: the heaviest entry of a place stays, and none for loops and weights of 0. False: entries
  /// of a place are summed, from the largest on.
  bool heaviest;
};

/// Throws Trident::Error if arrays differ in length. Local.
void requireLengths(std::size_t from, std::size_t to, std::size_t weights);

/// Returns the number of rows, or columns, that the edges need: one more than the largest number.
/// Throws Trident::Error if a number is negative, or not below `size`. Local.
/// @param size 0: no bound but 2^31 - 1
long long countNumbers(const std::vector<long long>& numbers, long long size);

/// Returns the largest numbers of rows and columns over all ranks. Collective; throws
/// Trident::Error on every rank where one has failed, or some ranks have weights and others edges
/// without.
/// @param counts of this rank
std::vector<long long> agreeOnEdges(const std::vector<long long>& counts, std::size_t edges,
                                    std::size_t weights, const LocalFailure& failure,
                                    MPI_Comm comm);

/// Makes a matrix of edges, on a contiguous Map like that which Tpetra makes of a size. Each rank
/// gets its rows from all; a row gets memory for as many entries as it has. Collective; throws
/// Trident::Error on every rank where one fails.
/// @param edges good ones; their rows and columns are below these sizes, which are below 2^31
Teuchos::RCP<Tpetra::CrsMatrix<double>> matrixOfEntries(
    const EdgeArrays& edges, long long rows, long long columns, const EdgeRule& rule,
    const Teuchos::RCP<const Teuchos::Comm<int>>& comm);

/// NodeLabels in the order of their numbers.
using NodeLabels = std::vector<std::string>;

/// Edges by numbers, and the labels that these stand for.
struct NumberedEdges {
  std::vector<long long> from, to;
  NodeLabels rowLabels, columnLabels;
};

/// Numbers the labels of all ranks in the order in which edges name them: rank after rank, each
/// edge `from` before `to`. Collective; throws Trident::Error on every rank where one fails.
/// @param apart true if labels of rows and of columns are numbered each by themselves
NumberedEdges numberedEdges(const NodeLabels& from, const NodeLabels& to, bool apart,
                            MPI_Comm comm);

/// Gathers the items of all ranks, in their order. Collective; throws Trident::Error on every rank.
/// @param what they are, for messages
std::vector<long long> gathered(const std::vector<long long>& mine, MPI_Comm comm,
                                const char* what);

}  // namespace Trident::Impl

#endif
