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

/// The most nodes of a machine on which one node column moves less than the squarest grid. Let A
/// have nnz entries of 12 bytes, and the product before pruning 10 times as many. In an iteration a
/// node of N receives 12·nnz·(1 - 1/N) bytes on N x 1. On q x q it receives 12·nnz·2·(1 - 1/q)/q in
/// the rounds, and values for pruning, 80·nnz·(1 - 1/q)/N. That is more for N = 9, and less for 16.
constexpr int mostNodesInColumn = 9;

/// Gives a grid without a named shape one node column, if that moves less. The first call on a
/// communicator is collective.
inline void chooseShape(GridOptions& grid, MPI_Comm comm) {
  const int nodes = Context::of(comm).layout(grid.ranksPerNode, orderOf(grid)).nodes();
  if (grid.choice != GridChoice::Auto || nodes > mostNodesInColumn) return;
  grid.choice = GridChoice::Explicit;
  grid.nodeRows = nodes;
  grid.nodeCols = 1;
}

/// A graph on its way onto the grid. Its rows are cut by the work that they will cause.
template <class LO, class GO, class NO>
class PlacedGraph {
  using Device = typename NO::device_type;
  using Spaces = GridSpaces<double, LO, GO, NO>;

 public:
  /// The largest part's work over the mean, above which rows leave their ranks. It is low, because
  /// rows move once for many products.
  static constexpr double imbalanceThreshold = 1.2;

  /// Cuts the rows. Makes the graph for that if there are several ranks. Collective; throws
  /// Trident::Error on every rank. A and options must outlive this object.
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

  /// Returns the first matrix of the process, on the grid; call this once. Collective; throws
  /// Trident::Error on every rank.
  GridMatrix<double, Device> take() {
    LocalFailure failure;
    if (!isThere_)  // the same on all ranks; a single rank does not weigh
      graph_ = graphWithLoops(A_, options_, spaces_.numbering(0), spaces_.layout(), spaces_.comm(),
                              failure);
    const auto graph = std::exchange(graph_, {});
    return spaces_.importNumbered(graph, 0, 0, failure);
  }
  /// Frees the graph, if another matrix takes its place.
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
    isThere_ = true;
    return nodeWork(ranks, numbering, graph_, pruneScheme(options_), messageBytes_, failure);
  }

  const Tpetra::CrsMatrix<double, LO, GO, NO>& A_;
  const MarkovOptions& options_;
  std::size_t messageBytes_;
  NumberedMatrix<double, Device> graph_;  // empty before weigh() and after take()
  bool isThere_ = false;
  Spaces spaces_;  // last member, because making it calls weigh()
};

}  // namespace Trident::Impl

#endif
