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

/// The numbers of an iteration of markovCluster(). All but `seconds` are the same on every rank.
struct MarkovProgress {
  int iteration = 0;       ///< number of the iteration, from 1
  double chaos = 0;        ///< largest chaos of a row; below 0.0001 the iterations end
  long long entries = 0;   ///< entries of the matrix after pruning, on all ranks
  long long expanded = 0;  ///< entries of the product before pruning, on all ranks
  double seconds = 0;      ///< time of this iteration, on this rank
  double inflation = 0;    ///< inflation of the run; of shared iterations, the least one
};

/// A forecast of the memory that markovCluster() takes where its matrices lie, on a host or a
/// device. It is for the rank that takes most, and the same on every rank.
struct MarkovForecast {
  /// The factor by which forecasts were wrong at most, on graphs from practice (doc/clustering.md).
  static constexpr double factor = 1.5;

  double bytes = 0;      ///< bytes beside those taken before the iterations
  double available = 0;  ///< free bytes for the rank; 0: not known
};

/// The options of markovCluster(). Names and defaults are those of the program mcl 22-282. All
/// ranks must pass the same values.
struct MarkovOptions {
  double inflation = 2;  ///< exponent above 0, up to 30; larger values give smaller clusters
  int scheme = 6;        ///< 1 to 7: care of pruning; gives those of the next four that are -1
  /// Pruning keeps the entries of a row that are at least 0.99999/prune; 0: all. -1: see `scheme`.
  long long prune = -1;
  /// Most entries that a row keeps of those: the largest, with ties; 0: all. -1: see `scheme`.
  long long select = -1;
  /// A row that kept less than `percent` % of its sum, and fewer than `recover` entries, gets its
  /// largest entries back until it has `recover`; 0: never. -1: see `scheme`.
  long long recover = -1;
  int percent = -1;  ///< see `recover`; 0 to 99. -1: see `scheme`
  /// The weight of a node's loop over that of the node's heaviest edge; 0 to 1e9 (mcl's -c). A node
  /// without edges always has a loop.
  double loopFactor = 1;
  /// The power to which weights, and loops after them, are raised before the first product; 0 to 30
  /// (mcl's -pi).
  double firstInflation = 1;
  /// The number of first iterations that take `initialInflation`; 0 or more (mcl's -l). They are
  /// made even if the process has converged.
  int initialIterations = 0;
  double initialInflation = 2;  ///< inflation of initial iterations; above 0, up to 30 (mcl's -i)
  /// True if weights may be negative. As in mcl, a row is then divided by its sum, whatever that
  /// is; a loop gets the largest weight; and pruning drops negative values of a product.
  bool signedWeights = false;
  /// Most bytes on a rank for rows of a product that are not pruned yet, and for forming them
  /// ("product memory bytes" in doc/parameters.md). 0: as `params` say, or derived.
  double productMemoryBytes = 0;
  /// Precision of the process' matrices. Single takes 8 bytes an entry, Double 12.
  MarkovPrecision precision = MarkovPrecision::Double;
  /// True if a cluster is split when edges inside it, whichever way they point, do not connect it
  /// (mcl's --force-connected, for graphs that are not directed). In the end this takes 6 bytes for
  /// each entry of A, which neither the forecast nor `peakBytes` counts.
  bool forceConnected = false;
  int mostIterations = 10000;  ///< most iterations, 1 or more; if too few, `converged` is false
  /// A function that is called on every rank after each iteration; may be empty. If it throws on
  /// one rank, all ranks throw Trident::Error.
  std::function<void(const MarkovProgress&)> progress;
  /// A function that is called from time to time in an iteration, with the share of this rank's
  /// rows that are formed, from 0 on; may be empty. Not collective: it must not communicate. Its
  /// exceptions are dropped.
  std::function<void(double share)> within;
  /// A function that is called on every rank before the iterations; may be empty. If it is set, a
  /// forecast is made from a sample of the first iterations. If the forecast exceeds free memory by
  /// more than MarkovForecast::factor, all ranks throw after this call. If the function throws on
  /// one rank, all ranks throw Trident::Error.
  std::function<void(const MarkovForecast&)> forecast;
  double availableBytes = 0;  ///< free bytes for a rank in a forecast; 0: as the system says
  /// A list with a sublist "Trident" of grids' and products' parameters (doc/parameters.md), or
  /// null.
  Teuchos::RCP<Teuchos::ParameterList> params;
};

/// Returns the options with the scheme's numbers where `prune`, `select`, `recover` or `percent` is
/// -1. Local; throws Trident::Error if there is no such scheme.
MarkovOptions withScheme(const MarkovOptions& options);

/// Seconds of the parts of markovCluster() on this rank.
struct MarkovSeconds {
  double start = 0;      ///< loops, normalization, import to the grid
  double expand = 0;     ///< products
  double prune = 0;      ///< pruning and inflation
  double interpret = 0;  ///< export of the limit, and its labels
  double total = 0;      ///< time of the whole call
};

/// Findings about a graph that is given as a matrix or by edges. The same on every rank.
struct MarkovFound {
  long long clusters = 0;    ///< number of clusters
  long long singletons = 0;  ///< clusters of one node
  long long largest = 0;     ///< nodes of the largest cluster
  int iterations = 0;        ///< iterations that were made
  double chaos = 0;          ///< chaos of the last iteration
  bool converged = false;    ///< true if chaos fell below 0.0001
};

/// The clusters of a graph. All numbers but `seconds` are the same on every rank.
template <class LO, class GO, class NO>
struct MarkovResult : MarkovFound {
  /// The number of each node's cluster, on A's row Map. Clusters are numbered from 0 by falling
  /// size, equal ones by smallest global index; mcl writes them in this order.
  Teuchos::RCP<Tpetra::Vector<GO, LO, GO, NO>> labels;
  long long entries = 0;      ///< entries of the limit, on all ranks
  long long mostEntries = 0;  ///< entries of the largest pruned matrix, on all ranks
  long long expanded = 0;     ///< sum of all products' entries before pruning
  long long dropped = 0;      ///< entries of products that pruning dropped
  long long overlaps = 0;     ///< nodes of several clusters; each is in the first one
  /// The most bytes of a rank at one time: of a factor, of the tile and row block assembled from
  /// it, of a piece of the product, and of the kept entries. Counted, not measured.
  double peakBytes = 0;
  std::string grid;       ///< shape of the grid, and the reason for it
  MarkovSeconds seconds;  ///< times of this rank
};

/// The states that markovCluster() saves, and the state that it resumes. On all ranks `every` must
/// be the same, and either none has a state to resume or all have one with the same numbers.
template <class LO, class GO, class NO>
struct MarkovCheckpoints {
  int every = 0;  ///< iterations from one saved state to the next; 0: none is saved
  /// A function that gets the state after each `every` iterations, and after the last one if
  /// `mostIterations` ends the process. It is called on every rank, and may communicate over A's
  /// communicator if it throws on all ranks or on none. If it throws, so do all ranks
  /// (Trident::Error).
  std::function<void(const MarkovState<LO, GO, NO>&)> save;
  /// The state to go on from; null: the run begins with A. It may come from other ranks, another
  /// grid or another row Map of the same indices. But its matrix must lie on A's row Map.
  Teuchos::RCP<const MarkovState<LO, GO, NO>> resume;
};

/// Clusters the nodes of a weighted graph as the program mcl does (Markov clustering), on the
/// trident grid. It computes in `double`, where mcl computes in `float`; options.precision is for
/// stored values only.
///
/// Each row is a node. Row i lists the neighbours of node i with their weights; the graph may be
/// directed. Entries on the diagonal are ignored: each node gets a loop as heavy as its heaviest
/// edge (`loopFactor`), or 1 if it has none. Stored zeros are no edges. Entries with the same row
/// and column are added first.
///
/// Collective over A's communicator. Throws Trident::Error on every rank if A is not fill-complete
/// or not square, if its row and domain Maps differ, if a weight is not finite, or is negative
/// without `signedWeights`, if an option is out of its range, if options differ between ranks, if a
/// rank fails, or if the state to resume is of another graph or of other options. Throws Teuchos'
/// exceptions for bad parameters.
///
/// A resumed run finds the clusters and numbers of an uninterrupted one, but for `peakBytes` and
/// `seconds`; on another grid, sums are rounded differently. `mostIterations` counts the iterations
/// of both runs, and may differ from that of the interrupted run.
/// @param A is not changed
template <class LO, class GO, class NO>
MarkovResult<LO, GO, NO> markovCluster(
    const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const MarkovOptions& options = MarkovOptions(),
    const MarkovCheckpoints<LO, GO, NO>& checkpoints = MarkovCheckpoints<LO, GO, NO>());

/// Clusters a graph once for each of these inflations, one after the other. Results are those of a
/// call of markovCluster() for each, but for `peakBytes`, `seconds` and the rounding of sums. Steps
/// that do not depend on the inflation are made once: the graph comes onto the grid, the initial
/// iterations are made, and the first product after them is formed and pruned. This product stays
/// beside the matrices of each run.
///
/// Collective; throws as markovCluster().
/// @param inflations at least one; `options.inflation` does not matter
/// @param found called on every rank after each run, with the result; `seconds` are those of the
///   run's own work. May communicate over A's communicator if it throws on all ranks or on none. If
///   it throws, all ranks throw Trident::Error
template <class LO, class GO, class NO>
void markovClusters(
    const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const std::vector<double>& inflations,
    const std::function<void(double inflation, const MarkovResult<LO, GO, NO>& result)>& found,
    const MarkovOptions& options = MarkovOptions());

}  // namespace Trident

#endif
