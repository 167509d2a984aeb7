// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLACEDGRAPH_HPP
#define TRIDENT_PLACEDGRAPH_HPP

#include <cstddef>
#include <utility>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Options.hpp"
#include "exchange/Trident_Context.hpp"
#include "markov/Trident_MarkovCluster_decl.hpp"
#include "markov/Trident_MarkovStart.hpp"
#include "markov/Trident_NodeWork.hpp"
#include "product/Trident_GridSpaces.hpp"

namespace Trident::Impl {

/// Largest number of nodes for which a grid with one node column moves fewer bytes than the
/// squarest grid. Let A have nnz entries of 12 bytes, and let the product have 10·nnz entries
/// before pruning. On N x 1 nodes, a node receives 12·nnz·(1 - 1/N) bytes in an iteration. On q x q
/// nodes, a node receives 12·nnz·2·(1 - 1/q)/q bytes in the rounds, and 80·nnz·(1 - 1/q)/N bytes of
/// values for pruning. A node of the square receives more bytes for N = 9, and fewer for N = 16.
constexpr int mostNodesInColumn = 9;

/// Sets one node column if the options leave the grid's shape to Trident and `comm` has at most
/// mostNodesInColumn nodes. The first call on a communicator is collective.
inline void chooseShape(GridOptions& grid, MPI_Comm comm) {
  const int nodes = Context::of(comm).layout(grid.ranksPerNode, orderOf(grid)).nodes();
  if (grid.choice != GridChoice::Auto || nodes > mostNodesInColumn) return;
  grid.choice = GridChoice::Explicit;
  grid.nodeRows = nodes;
  grid.nodeCols = 1;
}

/// A graph that is brought onto the grid. Rows are cut by the work that they will cause.
template <class LO, class GO, class NO>
class PlacedGraph {
  using Device = typename NO::device_type;
  using Spaces = GridSpaces<double, LO, GO, NO>;

 public:
  /// The bound of imbalance. If the work of a slice exceeds the mean work times this bound, rows
  /// leave their ranks. The bound is low, because rows move once for many products.
  static constexpr double imbalanceThreshold = 1.2;

  /// Chooses the cuts of the rows. With several ranks the constructor also makes the graph, because
  /// the cuts depend on the graph's rows. Collective; throws Trident::Error on every rank if a rank
  /// fails. `A` and `options` must outlive this object.
  PlacedGraph(const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const MarkovOptions& options,
              const Options& gridOptions, MPI_Comm comm)
      : A_(A),
        options_(options),
        messageBytes_(gridOptions.rounds.messageBytes),
        spaces_(comm, {A.getRowMap()}, cutByWork(gridOptions),
                [this](const auto& numbering, const GridRanks& ranks, LocalFailure& failure) {
                  return weigh(numbering, ranks, failure);
                }) {}

  const Spaces& spaces() const { return spaces_; }

  /// Returns the first matrix of the process, on the grid, and frees the graph. Call this function
  /// once. Collective; throws Trident::Error on every rank if a rank fails.
  GridMatrix<double, Device> take() {
    LocalFailure failure;
    if (!isMade_)  // only if there is a single rank, which does not call weigh()
      graph_ = graphWithLoops(A_, options_, spaces_.numbering(0), spaces_.layout(), spaces_.comm(),
                              failure);
    const auto graph = std::exchange(graph_, {});
    return spaces_.importNumbered(graph, 0, 0, failure);
  }
  /// Frees the graph, for a process that begins with a saved matrix.
  void drop() { graph_ = {}; }

 private:
  static Options cutByWork(Options options) {
    if (options.grid.partitionImbalance == 0) options.grid.partitionImbalance = imbalanceThreshold;
    return options;
  }
  /// Makes the graph, and weighs its rows. Collective.
  IndexWeights<Device> weigh(const GlobalNumbering<LO, GO, NO>& numbering, const GridRanks& ranks,
                             LocalFailure& failure) {
    graph_ = graphWithLoops(A_, options_, numbering, ranks.layout(), ranks.comm(), failure);
    isMade_ = true;
    return nodeWork(ranks, numbering, graph_, pruneScheme(options_), messageBytes_, failure);
  }

  const Tpetra::CrsMatrix<double, LO, GO, NO>& A_;
  const MarkovOptions& options_;
  std::size_t messageBytes_;
  NumberedMatrix<double, Device> graph_;  // empty before weigh() and after take()
  bool isMade_ = false;
  Spaces spaces_;  // last: its initialization calls weigh(), which uses the data above
};

}  // namespace Trident::Impl

#endif
