// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVCLUSTER_DECL_HPP
#define TRIDENT_MARKOVCLUSTER_DECL_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <Tpetra_Vector_decl.hpp>
#include <functional>
#include <string>
#include <vector>

#include "markov/Trident_MarkovState.hpp"

namespace Trident {

/// The numbers that are known after an iteration of markovCluster(). They are alike on every rank,
/// but for `seconds`.
struct MarkovProgress {
  int iteration = 0;       ///< number of the iteration, from 1
  double chaos = 0;        ///< the largest of all rows; below 0.0001 the iterations end
  long long entries = 0;   ///< entries of the matrix after pruning, on all ranks
  long long expanded = 0;  ///< entries of the product before pruning, on all ranks
  double seconds = 0;      ///< time of this iteration, on this rank
  double inflation = 0;    ///< the run's; of shared iterations, the first run's
};

/// The memory that markovCluster() is going to take where its matrices lie, a host's memory or a
/// device's. It is the bytes of the rank that takes the most, alike on every rank.
struct MarkovForecast {
  /// A forecast is off by this factor at most, on graphs as they come (doc/clustering.md).
  static constexpr double factor = 1.5;

  double bytes = 0;      ///< bytes beside those that are taken before the iterations
  double available = 0;  ///< bytes for a rank; 0: not known
};

/// The options of markovCluster(). Names and defaults are those of the program mcl 22-282. Ranks
/// must pass equal values.
struct MarkovOptions {
  double inflation = 2;  ///< exponent above 0, up to 30; larger values give smaller clusters
  int scheme = 6;        ///< 1 to 7: the care of pruning, where the next four are -1
  /// A row of a product keeps its entries from 0.99999/prune on; 0 keeps all. -1: as the scheme.
  long long prune = -1;
  /// Most entries of those, the largest and ties; 0: all. -1: as the scheme.
  long long select = -1;
  /// A row that has kept less than `percent` of its sum, and fewer entries than this, gets its
  /// largest entries back, until it has this many; 0: never. -1: as the scheme.
  long long recover = -1;
  int percent = -1;  ///< 0 to 99; -1: as the scheme
  /// The loop of a node is as heavy as its heaviest edge times this; 0 or more, at most 1e9 (mcl's
  /// -c). A node without edges has a loop in any case.
  double loopFactor = 1;
  /// Weights, and loops after them, are raised to this power before the first product; 0 to 30
  /// (mcl's -pi).
  double firstInflation = 1;
  /// The number of iterations that are made with this inflation first, whether or not the process
  /// is at its end; from 0 on, and above 0, up to 30 (mcl's -l and -i).
  int initialIterations = 0;
  double initialInflation = 2;  ///< the inflation of those iterations
  /// True if weights may be negative: mcl's way, by which a row is divided by its sum whatever that
  /// is, a loop is the largest of the edges, and pruning drops negative values after a product.
  bool signedWeights = false;
  /// Bytes that rows of a product which are not pruned yet may take on a rank, with memory for
  /// forming them ("product memory bytes" in doc/parameters.md). 0: as `params` say, or derived.
  double productMemoryBytes = 0;
  /// Single: the matrices take 8 bytes an entry in the place of 12. A stays as it is.
  MarkovPrecision precision = MarkovPrecision::Double;
  /// True if clusters are split that edges inside of them do not connect, whichever way these point
  /// (mcl's --force-connected, for graphs that are not directed). Takes 6 bytes for each entry of A
  /// at the end, which neither the forecast nor `peakBytes` counts.
  bool forceConnected = false;
  int mostIterations = 10000;  ///< 1 or more; if too few, `converged` is false
  /// Called on every rank after each iteration, where set. An exception on one rank becomes a
  /// Trident::Error on all.
  std::function<void(const MarkovProgress&)> progress;
  /// Called within an iteration from time to time, where set, with the share of this rank's rows
  /// that are formed, from 0 on. Not collective: it must neither communicate nor throw; exceptions
  /// are dropped.
  std::function<void(double share)> within;
  /// Called on every rank before the iterations, where set: then a sample of the first few is made,
  /// and where their matrices cannot fit, by more than that factor, all ranks throw after this
  /// call. An exception on one rank becomes a Trident::Error on all.
  std::function<void(const MarkovForecast&)> forecast;
  double availableBytes = 0;  ///< bytes for a rank, in a forecast; 0: as the system says
  /// Parameters, whose sublist "Trident" has the options of grids and products (doc/parameters.md).
  Teuchos::RCP<Teuchos::ParameterList> params;
};

/// Returns the options with the numbers of their scheme in the place of -1: `prune`, `select`,
/// `recover` and `percent`. Local; throws Trident::Error where there is no such scheme.
MarkovOptions withScheme(const MarkovOptions& options);

/// Seconds of the parts of markovCluster() on this rank.
struct MarkovSeconds {
  double start = 0;      ///< loops, normalization, the way onto the grid
  double expand = 0;     ///< products
  double prune = 0;      ///< pruning and inflation
  double interpret = 0;  ///< labels from the limit, with the way off the grid
  double total = 0;      ///< time of the whole call
};

/// Findings about a graph, however it is passed; alike on every rank.
struct MarkovFound {
  long long clusters = 0;    ///< number of clusters
  long long singletons = 0;  ///< clusters of one node
  long long largest = 0;     ///< nodes of the largest cluster
  int iterations = 0;        ///< iterations that were made
  double chaos = 0;          ///< chaos of the last iteration
  bool converged = false;    ///< true if chaos fell below 0.0001
};

/// The clusters of a graph. All numbers are the same on every rank but for `seconds`.
template <class LO, class GO, class NO>
struct MarkovResult : MarkovFound {
  /// The cluster of each node, on A's row Map. Clusters are numbered from 0 by falling size, those
  /// of one size by their smallest global index; so does mcl write them.
  Teuchos::RCP<Tpetra::Vector<GO, LO, GO, NO>> labels;
  long long entries = 0;      ///< entries of the limit, on all ranks
  long long mostEntries = 0;  ///< entries of the largest pruned matrix, on all ranks
  long long expanded = 0;     ///< entries of all products before pruning, together
  long long dropped = 0;      ///< entries of products that pruning dropped
  long long overlaps = 0;     ///< nodes that belonged to several clusters: they are in the first
  /// The most bytes of a rank at once: a factor, the tile and the row block that were put together
  /// of it, a piece of the product and its kept entries. Counted, not measured.
  double peakBytes = 0;
  std::string grid;       ///< shape of the grid, and the reason for it
  MarkovSeconds seconds;  ///< times of this rank
};

/// The states that markovCluster() saves, to be resumed, and the one from which it begins. `every`,
/// whether there is a state to resume, and that state's numbers must be the same on every rank.
template <class LO, class GO, class NO>
struct MarkovCheckpoints {
  int every = 0;  ///< iterations from one to the next; 0: none
  /// Gets the state after each `every` iterations, and after the last one where `mostIterations`
  /// ends the process. Called on every rank, and may communicate over A's communicator; where it
  /// does, it throws on all ranks or on none. An exception becomes a Trident::Error on all.
  std::function<void(const MarkovState<LO, GO, NO>&)> save;
  /// Goes on from there; null: begins with A. It may come from another number of ranks, another
  /// grid and another row Map of the same indices, but its matrix must lie on A's row Map.
  Teuchos::RCP<const MarkovState<LO, GO, NO>> resume;
};

/// Clusters the nodes of a weighted graph as the program mcl does (Markov clustering), on the
/// trident grid. Arithmetic is that of `double`, but mcl has `float`; options.precision is that of
/// stored values.
///
/// Each row is a node. Row i lists the neighbours of node i with their weights; the graph may be
/// directed. Entries on the diagonal are ignored: each node gets a loop as heavy as its heaviest
/// edge (`loopFactor`), or 1 if it has none. Stored zeros are no edges. Entries of the same place
/// are added first.
///
/// Collective over A's communicator. Throws Trident::Error on every rank where A is not
/// fill-complete or not square, its row and domain Maps differ, a weight is not finite, or negative
/// without `signedWeights`, an option is out of its range, ranks pass different options, or a rank
/// fails; where the state to resume is of another graph or of other options, with what differs;
/// Teuchos' exceptions for bad parameters.
///
/// A run that is resumed finds the clusters of one that was not interrupted, and the same numbers
/// but for `peakBytes` and `seconds`; on another grid sums are rounded otherwise. `mostIterations`
/// may differ from that of the interrupted run, and counts the iterations of both.
/// @param A stays as it is
template <class LO, class GO, class NO>
MarkovResult<LO, GO, NO> markovCluster(
    const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const MarkovOptions& options = MarkovOptions(),
    const MarkovCheckpoints<LO, GO, NO>& checkpoints = MarkovCheckpoints<LO, GO, NO>());

/// Clusters a graph once for each of these inflations, one after the other: to the same clusters
/// and numbers as as many calls of markovCluster(), but for `peakBytes` and `seconds`, and for the
/// rounding of sums. Steps that do not depend on the inflation are done once: the graph comes onto
/// the grid, the initial iterations are made, and the first product after them is formed and
/// pruned. It stays beside the matrices of each run.
///
/// Collective, and throws, as markovCluster().
/// @param inflations at least one; `options.inflation` does not matter
/// @param found called on every rank after each run, with its result, whose `seconds` are of its
///   own work; may communicate over A's communicator, and where it does, throws on all ranks or on
///   none. What it throws is thrown as Trident::Error on all
template <class LO, class GO, class NO>
void markovClusters(
    const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const std::vector<double>& inflations,
    const std::function<void(double inflation, const MarkovResult<LO, GO, NO>& result)>& found,
    const MarkovOptions& options = MarkovOptions());

}  // namespace Trident

#endif
