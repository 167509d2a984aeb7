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
  double inflation = 0;    ///< inflation of the run; the least one, if runs share the iteration
};

/// A forecast of the memory that markovCluster() takes on a rank, where its matrices lie: on the
/// host or on a device. All ranks get the same numbers: the largest `bytes` and the smallest
/// `available` among the ranks.
struct MarkovForecast {
  /// The largest error of a forecast, as a factor, on graphs from practice (doc/clustering.md).
  static constexpr double factor = 1.5;

  double bytes = 0;      ///< bytes in addition to those that were taken before the iterations
  double available = 0;  ///< free bytes for the rank; 0: not known
};

/// The options of markovCluster(). Names and defaults are those of the program mcl 22-282. All
/// ranks must pass the same values.
struct MarkovOptions {
  double inflation = 2;  ///< exponent above 0, up to 30; larger values give smaller clusters
  /// The scheme, 1 (prunes most) to 7 (least). It sets each of the next four options that is -1.
  int scheme = 6;
  /// Pruning keeps a row's entries of at least 0.99999/prune; 0 keeps all. -1: `scheme` decides.
  long long prune = -1;
  /// The number of entries of a row that pruning keeps: the largest ones, and ties with these. 0:
  /// no bound. -1: `scheme` decides.
  long long select = -1;
  /// The number of entries that a row has after recovery. If pruning leaves fewer than `recover`
  /// entries, and less than `percent` % of the row's sum, the row keeps its largest entries
  /// instead, up to `recover` and with ties. 0: no recovery. -1: `scheme` decides.
  long long recover = -1;
  int percent = -1;  ///< see `recover`; 0 to 99. -1: `scheme` decides
  /// The weight of a node's loop, divided by the weight of the node's heaviest edge; 0 to 1e9
  /// (mcl's -c). A node without edges always has a loop.
  double loopFactor = 1;
  /// The power to which the weights of edges and loops are raised before the first product; 0 to 30
  /// (mcl's -pi). Negative weights stay.
  double firstInflation = 1;
  /// The number of initial iterations, with the inflation `initialInflation`; 0 or more (mcl's -l).
  /// All initial iterations are made, even if the process has converged.
  int initialIterations = 0;
  double initialInflation = 2;  ///< inflation of initial iterations; above 0, up to 30 (mcl's -i)
  /// True if weights may be negative. Then, as in mcl, a row is divided even by a negative sum, a
  /// loop gets the largest weight, and pruning drops negative values of a product.
  bool signedWeights = false;
  /// Limit of a rank's bytes for rows of a product that are not pruned yet, and for forming them
  /// ("product memory bytes" in doc/parameters.md). If 0, `params` decide, or else Trident.
  double productMemoryBytes = 0;
  /// Precision of the process' matrices. Single takes 8 bytes an entry, Double 12.
  MarkovPrecision precision = MarkovPrecision::Double;
  /// True if each cluster is split into its connected components (mcl's --force-connected, for
  /// undirected graphs). Edges inside the cluster connect in both directions. The split takes 6
  /// bytes for each entry of A, which neither the forecast nor `peakBytes` counts.
  bool forceConnected = false;
  int mostIterations = 10000;  ///< limit of iterations, 1 or more; if too few, `converged` is false
  /// A function that is called on every rank after each iteration; may be empty. If the function
  /// throws on one rank, all ranks throw Trident::Error.
  std::function<void(const MarkovProgress&)> progress;
  /// A function that is called from time to time in an iteration; may be empty. Its argument is the
  /// share of this rank's rows that are already formed, 0 at first. The function must not
  /// communicate. Exceptions of the function are dropped.
  std::function<void(double share)> within;
  /// A function that is called on every rank before the iterations; may be empty. If the function
  /// is set, a forecast is made from a sample of the first iterations. If the forecast exceeds the
  /// free memory times MarkovForecast::factor, all ranks throw after this call. If the function
  /// throws on one rank, all ranks throw Trident::Error.
  std::function<void(const MarkovForecast&)> forecast;
  double availableBytes = 0;  ///< free bytes for a rank in a forecast; if 0, the system is asked
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
  double interpret = 0;  ///< export of the limit, search for its clusters
  double total = 0;      ///< time of the whole call
};

/// The findings about a graph; the same on all ranks. The graph is given as a matrix or by edges.
struct MarkovFound {
  long long clusters = 0;    ///< number of clusters
  long long singletons = 0;  ///< clusters of one node
  long long largest = 0;     ///< number of nodes in the largest cluster
  int iterations = 0;        ///< iterations that were made
  double chaos = 0;          ///< chaos of the last iteration
  bool converged = false;    ///< true if chaos fell below 0.0001
};

/// The clusters of a graph. All numbers but `seconds` are the same on every rank.
template <class LO, class GO, class NO>
struct MarkovResult : MarkovFound {
  /// The number of each node's cluster, on A's row Map. Numbers begin with 0. Larger clusters go
  /// first, and equally large ones by their smallest global index, as in mcl's output.
  Teuchos::RCP<Tpetra::Vector<GO, LO, GO, NO>> labels;
  long long entries = 0;      ///< entries of the limit, on all ranks
  long long mostEntries = 0;  ///< entries of the largest pruned matrix, on all ranks
  long long expanded = 0;     ///< sum of all products' entries before pruning
  long long dropped = 0;      ///< entries of products that pruning dropped
  long long overlaps = 0;     ///< nodes of several clusters; a label names the first cluster
  /// The largest number of bytes in use on a rank, counted, not measured: the matrix before an
  /// iteration, its copies as factors, a piece of the product, and the kept entries.
  double peakBytes = 0;
  std::string grid;       ///< shape of the grid, and the reason for it
  MarkovSeconds seconds;  ///< times of this rank
};

/// The states that markovCluster() saves, and the state that it resumes. All ranks must pass the
/// same `every`. Either no rank resumes, or all ranks resume the same state.
template <class LO, class GO, class NO>
struct MarkovCheckpoints {
  int every = 0;  ///< iterations from one saved state to the next; 0: none is saved
  /// A function that gets the state after iterations `every`, 2·`every`, 3·`every`, ..., and after
  /// the last iteration if `mostIterations` ends the process. The function is called on every rank,
  /// and may communicate over A's communicator if it throws on all ranks or on none. If the
  /// function throws on one rank, all ranks throw Trident::Error.
  std::function<void(const MarkovState<LO, GO, NO>&)> save;
  /// The state to resume; null if the run begins with A. The run that saved the state may have had
  /// other ranks, another grid or another row Map of the same indices. The caller must bring the
  /// state's matrix onto A's row Map.
  Teuchos::RCP<const MarkovState<LO, GO, NO>> resume;
};

/// Clusters the nodes of a weighted graph as the program mcl does (Markov clustering), on the
/// trident grid. Sums are computed in `double`, where mcl computes in `float`; options.precision is
/// for stored values only.
///
/// Each row is a node. Row i lists the neighbours of node i with their weights; the graph may be
/// directed. Entries on the diagonal are ignored: each node gets a loop as heavy as its heaviest
/// edge (`loopFactor`), or of weight 1 if the node has no edge. Stored zeros are no edges. Entries
/// with the same row and column count as one entry, which is their sum.
///
/// Collective over A's communicator. Throws Trident::Error on every rank if A is not fill-complete
/// or not square, if its row and domain Maps differ, if a weight is not finite, or is negative
/// without `signedWeights`, if an option is out of its range, if options differ between ranks, if a
/// rank fails, or if the state to resume comes from another graph or other options. Throws Teuchos'
/// exceptions for bad parameters.
///
/// A resumed run has the same result as an uninterrupted run, except `peakBytes` and `seconds`. On
/// another grid, sums are rounded differently. `mostIterations` counts the iterations before and
/// after the interruption; the two runs may have different `mostIterations`.
/// @param A is not changed
template <class LO, class GO, class NO>
MarkovResult<LO, GO, NO> markovCluster(
    const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const MarkovOptions& options = MarkovOptions(),
    const MarkovCheckpoints<LO, GO, NO>& checkpoints = MarkovCheckpoints<LO, GO, NO>());

/// Clusters a graph once for each inflation, one after the other. Each result equals the result of
/// markovCluster() with this inflation, except `peakBytes`, `seconds` and the rounding of sums.
/// Steps that do not depend on the inflation are made once: the import of the graph, the initial
/// iterations, and the next product with its pruning. This product stays in memory during all runs.
///
/// Collective; throws as markovCluster().
/// @param inflations at least one; `options.inflation` is not used
/// @param found function that is called on every rank after each run. `result.seconds` are the
///   times of the run. In the first run they include the shared steps. The function may communicate
///   over A's communicator if it throws on all ranks or on none. If the function throws on one
///   rank, all ranks throw Trident::Error
template <class LO, class GO, class NO>
void markovClusters(
    const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const std::vector<double>& inflations,
    const std::function<void(double inflation, const MarkovResult<LO, GO, NO>& result)>& found,
    const MarkovOptions& options = MarkovOptions());

}  // namespace Trident

#endif
