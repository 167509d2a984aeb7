// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MARKOVCLUSTER_DEF_HPP
#define TRIDENT_MARKOVCLUSTER_DEF_HPP

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/Trident_Phase.hpp"
#include "base/Trident_Wait.hpp"
#include "markov/Trident_ClusterFinder.hpp"
#include "markov/Trident_MarkovCluster_decl.hpp"
#include "markov/Trident_MarkovForecast.hpp"
#include "markov/Trident_MarkovProcess.hpp"
#include "markov/Trident_MarkovResume.hpp"
#include "markov/Trident_MarkovRuns.hpp"
#include "markov/Trident_MarkovStart.hpp"
#include "markov/Trident_PlacedGraph.hpp"
#include "matrix/Trident_StoredAs.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "product/Trident_GridSpaces.hpp"
#include "product/Trident_Product.hpp"
#include "tpetra/Trident_LocalEntries.hpp"

namespace Trident {
namespace Impl {

/// Returns the reason why a matrix is no graph; empty if it is one. Local.
template <class Matrix>
std::string problemOfGraph(const Matrix& A) {
  if (!A.isFillComplete()) return "A is not fill-complete; call A.fillComplete() first";
  const auto rows = A.getRowMap()->getGlobalNumElements();
  const auto columns = A.getDomainMap()->getGlobalNumElements();
  if (rows == columns) return "";
  return "A is " + std::to_string(rows) + " x " + std::to_string(columns) +
         "; pass a square matrix, with a row and a column for each node";
}

/// Checks the arguments of a call on all ranks, and returns the options of grid and products.
/// Collective; throws on every rank if an argument is wrong, or differs between ranks.
/// @param ofRuns message of problemOfRuns()
/// @param inflations inflations of these runs, as text
template <class LO, class GO, class NO>
Options agreedMarkovOptions(const char* function, const Tpetra::CrsMatrix<double, LO, GO, NO>& A,
                            const MarkovOptions& options,
                            const MarkovCheckpoints<LO, GO, NO>& checkpoints, MPI_Comm comm,
                            const std::string& ofRuns = "", const std::string& inflations = "") {
  CollectiveArguments arguments = collectiveArgumentsOf(options);
  arguments.push_back({"inflations", inflations});
  const CollectiveArguments more = collectiveArgumentsOf(checkpoints);
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Options agreed = agreedOptions(function, arguments, options.params, comm,
                                       [&](std::string problem, const CollectiveArguments& values) {
                                         if (problem.empty()) problem = problemOfGraph(A);
                                         if (problem.empty()) problem = ofRuns;
                                         if (problem.empty()) problem = problemOfOptions(options);
                                         if (problem.empty())
                                           problem = problemOfCheckpoints(checkpoints);
                                         requireConsistent(comm, function, problem, values);
                                       });
  if (agreed.rounds.semiring != SemiringKind::PlusTimes)  // all ranks throw, or none
    throw Error(function, std::string("flow is over plus-times alone; leave \"semiring\" = \"") +
                              nameOf(agreed.rounds.semiring) + "\" out");
  return agreed;
}

/// Throws on every rank if A's Maps or weights are not those of a graph. Collective.
template <class Matrix>
void requireGraph(const Matrix& A, bool signedWeights, MPI_Comm comm) {
  if (!A.getRowMap()->isSameAs(*A.getDomainMap()))
    throw Error(
        "A's row and domain Maps differ; call A.fillComplete() without Maps, or with the row Map");
  requireOneToOne(*A.getRowMap(), "A's row Map", "pass a one-to-one Map");
  runEverywhere(comm, [&] { requireWeights(localMatrixOf(A).values, "A", signedWeights); });
}

/// Returns the global indices of this rank, on the device. Local.
template <class Map>
Kokkos::View<long long*, typename Map::device_type> gidsOf(const Map& map) {
  using Device = typename Map::device_type;
  const auto gids = uninitialized<long long, Device>("Trident::gids", localSize(map));
  const auto local = map.getLocalMap();
  using LO = typename Map::local_ordinal_type;
  Kokkos::parallel_for(
      "Trident::gids", Range<Device>(0, gids.extent(0)), TRIDENT_LAMBDA(long long l) {
        gids(l) = static_cast<long long>(local.getGlobalElement(static_cast<LO>(l)));
      });
  return gids;
}

/// Returns the labels as a vector on a row Map. Local.
template <class LO, class GO, class NO, class Labels>
Teuchos::RCP<Tpetra::Vector<GO, LO, GO, NO>> labelVector(
    const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& map, const Labels& labels) {
  const auto vector = Teuchos::rcp(new Tpetra::Vector<GO, LO, GO, NO>(map));
  const auto to = vector->getLocalViewDevice(Tpetra::Access::OverwriteAll);
  Kokkos::parallel_for(
      "Trident::labelVector", Range<typename NO::device_type>(0, labels.extent(0)),
      TRIDENT_LAMBDA(long long l) { to(l, 0) = static_cast<GO>(labels(l)); });
  Kokkos::fence();
  return vector;
}

/// Returns the nonzero entries of a graph as edges. Collective; may throw as columnNumbers().
template <class LO, class GO, class NO>
NodeEdges<typename NO::device_type> edgesOfGraph(const Tpetra::CrsMatrix<double, LO, GO, NO>& A,
                                                 const GlobalNumbering<LO, GO, NO>& numbering,
                                                 const NodeLayout& layout, MPI_Comm comm,
                                                 LocalFailure& failure) {
  using Device = typename NO::device_type;
  Traffic uncounted;
  const auto numbers = columnNumbers(*A.getCrsGraph(), numbering, layout, comm, uncounted,
                                     missingColumnMessage(), failure);
  NodeEdges<Device> edges;
  failure.guard([&] {
    const LocalMatrix<double, Device> local = localMatrixOf(A);
    edges.remotes = remotesAmong<Device>(numbers, numbering);
    edges.offsets = local.graph.row_map;
    edges.columns = uninitialized<int, Device>("Trident::columns", local.nnz());
    edges.kept = uninitialized<char, Device>("Trident::keptEdges", local.nnz());
    const ValueIndices<Device> indices{numbering.begin(), numbering.end(),
                                       toDevice<Position, Device>(edges.remotes)};
    const auto columns = edges.columns;
    const auto kept = edges.kept;
    Kokkos::parallel_for(
        "Trident::edgesOfGraph", Range<Device>(0, local.nnz()), TRIDENT_LAMBDA(long long e) {
          columns(e) = static_cast<int>(indices(numbers(local.graph.entries(e))));
          kept(e) = local.values(e) != 0;
        });
    Kokkos::fence();
  });
  return edges;
}

/// Finds the clusters of a limit. The limit's rows leave the grid, and the ranks that own these
/// rows find the clusters. Collective; throws Trident::Error on every rank if a rank fails.
template <class LO, class GO, class NO>
void interpret(const Tpetra::CrsMatrix<double, LO, GO, NO>& A, bool forceConnected,
               const GridSpaces<double, LO, GO, NO>& spaces,
               GridMatrix<double, typename NO::device_type>&& limit,
               MarkovResult<LO, GO, NO>& result) {
  using Device = typename NO::device_type;
  const auto& space = spaces.space(0);
  const auto& numbering = spaces.numbering(0);
  const auto& map = numbering.map;
  const RoundOptions& options = spaces.options().rounds;
  Traffic uncounted;
  LocalFailure failure;
  NodeEdges<Device> graph;
  Kokkos::View<long long*, Device> gids;
  MatrixExport<double, Device> outgoing(std::move(limit), SliceUsers::Sole, space, space, options,
                                        uncounted, failure);
  failure.guard([&] {
    graph = edgesOfLimit<Device>(outgoing.rows({}), toHost<Position, Device>(outgoing.remotes()));
    gids = gidsOf(*map);
    Kokkos::fence();
  });
  NodeEdges<Device> inside;
  if (forceConnected) inside = edgesOfGraph(A, numbering, spaces.layout(), spaces.comm(), failure);
  const auto found =
      ClusterFinder<Device>(spaces.grid(), numbering, graph, gids, options.messageBytes, failure)
          .run(static_cast<long long>(map->getMinAllGlobalIndex()),
               static_cast<long long>(map->getMaxAllGlobalIndex()),
               forceConnected ? &inside : nullptr);
  runEverywhere(spaces.comm(), [&] { result.labels = labelVector<LO, GO, NO>(map, found.labels); });
  result.clusters = found.counts.clusters;
  result.singletons = found.counts.singletons;
  result.largest = found.counts.largest;
  result.overlaps = found.overlaps;
}

/// Runs the process from its first matrix, and returns the limit. The process stores its matrices
/// in type Scalar. Collective.
template <class Scalar, class LO, class GO, class NO>
GridMatrix<double, typename NO::device_type> limitOf(
    GridMatrix<double, typename NO::device_type>&& first,
    const GridSpaces<double, LO, GO, NO>& spaces, const MarkovOptions& options,
    const Checkpoints<LO, GO, NO>& states, int every, MarkovResult<LO, GO, NO>& result) {
  auto matrix = storedAs<Scalar>(first);
  first = {};
  MarkovProcess<Scalar, LO, GO, NO> process(spaces, options, result);
  if (options.forecast) process.forecast(matrix, every > 0);
  // Moved, so that the first matrix does not take memory beside the later ones.
  return storedAs<double>(
      process.limitOf(std::move(matrix), every,
                      [&](const auto& soFar, const auto& now) { states.save(soFar, now); }));
}

/// Finds the results of a run from its limit. Collective.
template <class LO, class GO, class NO>
void finish(const Tpetra::CrsMatrix<double, LO, GO, NO>& A, bool forceConnected,
            const GridSpaces<double, LO, GO, NO>& spaces,
            GridMatrix<double, typename NO::device_type>&& limit,
            MarkovResult<LO, GO, NO>& result) {
  const double start = steadySeconds();
  interpret(A, forceConnected, spaces, std::move(limit), result);
  std::vector<double> peak{result.peakBytes};
  maximumEverywhere(spaces.comm(), peak, LocalFailure());
  result.peakBytes = peak[0];
  result.seconds.interpret = steadySeconds() - start;
}

/// Clusters a graph that has nodes. Options are checked, and the same on all ranks. Collective.
template <class LO, class GO, class NO>
void clusterGraph(const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const MarkovOptions& options,
                  const MarkovCheckpoints<LO, GO, NO>& checkpoints, const Options& gridOptions,
                  MPI_Comm comm, MarkovResult<LO, GO, NO>& result) {
  const double start = steadySeconds();
  PlacedGraph<LO, GO, NO> graph(A, options, gridOptions, comm);
  const GridSpaces<double, LO, GO, NO>& spaces = graph.spaces();
  result.grid = spaces.description();
  const Checkpoints<LO, GO, NO> states(A, options, checkpoints, spaces);
  if (states.resumes()) graph.drop();
  auto matrix = states.resumes() ? states.resume(result) : graph.take();
  spaces.orderFactors(matrix, matrix);
  result.seconds.start = steadySeconds() - start;
  const auto process = options.precision == MarkovPrecision::Single ? limitOf<Single, LO, GO, NO>
                                                                    : limitOf<double, LO, GO, NO>;
  auto limit = process(std::move(matrix), spaces, options, states, checkpoints.every, result);
  finish(A, options.forceConnected, spaces, std::move(limit), result);
}

/// Clusters a graph once for each inflation, and gives each result to found(). Makes no
/// checkpoints. The graph has nodes. Options are checked, and the same on all ranks. Collective.
template <class LO, class GO, class NO>
void clusterRuns(const Tpetra::CrsMatrix<double, LO, GO, NO>& A,
                 const std::vector<double>& inflations,
                 const std::function<void(double, const MarkovResult<LO, GO, NO>&)>& found,
                 const MarkovOptions& options, const Options& gridOptions, MPI_Comm comm) {
  double start = steadySeconds();
  PlacedGraph<LO, GO, NO> graph(A, options, gridOptions, comm);
  const GridSpaces<double, LO, GO, NO>& spaces = graph.spaces();
  MarkovResult<LO, GO, NO> common;
  common.grid = spaces.description();
  auto matrix = graph.take();
  spaces.orderFactors(matrix, matrix);
  common.seconds.start = steadySeconds() - start;
  const auto limits = options.precision == MarkovPrecision::Single ? limitsOf<Single, LO, GO, NO>
                                                                   : limitsOf<double, LO, GO, NO>;
  limits(std::move(matrix), spaces, options, inflations, common,
         [&](auto&& limit, const std::vector<double>& ofLimit, auto& result) {
           finish(A, options.forceConnected, spaces, std::move(limit), result);
           result.seconds.total = steadySeconds() - start;
           for (const double inflation : ofLimit)
             runEverywhere(comm, [&] { found(inflation, result); });
           start = steadySeconds();
         });
}

}  // namespace Impl

template <class LO, class GO, class NO>
MarkovResult<LO, GO, NO> markovCluster(const Tpetra::CrsMatrix<double, LO, GO, NO>& A,
                                       const MarkovOptions& options,
                                       const MarkovCheckpoints<LO, GO, NO>& checkpoints) {
  const char* const function = "Trident::markovCluster";
  const Impl::CallScope inside(function);
  return Impl::withErrorContext(function, [&] {
    const double start = Impl::steadySeconds();
    const MPI_Comm comm = Impl::rawComm(*A.getComm());
    Impl::Options gridOptions = Impl::agreedMarkovOptions(function, A, options, checkpoints, comm);
    const Impl::TimeoutScope timeout(gridOptions.timeoutSeconds);
    Impl::requireGraph(A, options.signedWeights, comm);
    Impl::chooseShape(gridOptions.grid, comm);
    MarkovResult<LO, GO, NO> result;
    if (A.getRowMap()->getGlobalNumElements() > 0) {
      Impl::clusterGraph(A, options, checkpoints, gridOptions, comm, result);
    } else {
      result.labels = Teuchos::rcp(new Tpetra::Vector<GO, LO, GO, NO>(A.getRowMap()));
      result.converged = true;
    }
    result.seconds.total = Impl::steadySeconds() - start;
    return result;
  });
}

template <class LO, class GO, class NO>
void markovClusters(
    const Tpetra::CrsMatrix<double, LO, GO, NO>& A, const std::vector<double>& inflations,
    const std::function<void(double inflation, const MarkovResult<LO, GO, NO>& result)>& found,
    const MarkovOptions& options) {
  const char* const function = "Trident::markovClusters";
  const Impl::CallScope inside(function);
  Impl::withErrorContext(function, [&] {
    const MPI_Comm comm = Impl::rawComm(*A.getComm());
    const std::string problem = Impl::problemOfRuns(inflations, bool(found), options);
    const MarkovOptions forAll =
        inflations.empty() ? options : Impl::optionsWith(options, inflations.front());
    Impl::Options gridOptions = Impl::agreedMarkovOptions<LO, GO, NO>(
        function, A, forAll, {}, comm, problem, Impl::textOf(inflations));
    const Impl::TimeoutScope timeout(gridOptions.timeoutSeconds);
    Impl::requireGraph(A, options.signedWeights, comm);
    Impl::chooseShape(gridOptions.grid, comm);
    if (A.getRowMap()->getGlobalNumElements() > 0)
      return Impl::clusterRuns(A, inflations, found, options, gridOptions, comm);
    for (const double inflation : inflations) {
      MarkovResult<LO, GO, NO> result;
      result.labels = Teuchos::rcp(new Tpetra::Vector<GO, LO, GO, NO>(A.getRowMap()));
      result.converged = true;
      Impl::runEverywhere(comm, [&] { found(inflation, result); });
    }
  });
}

}  // namespace Trident

#define TRIDENT_MARKOVCLUSTER_INSTANT(LO, GO, NO)                                \
  template Trident::MarkovResult<LO, GO, NO> Trident::markovCluster<LO, GO, NO>( \
      const Tpetra::CrsMatrix<double, LO, GO, NO>&, const MarkovOptions&,        \
      const Trident::MarkovCheckpoints<LO, GO, NO>&);                            \
  template void Trident::markovClusters<LO, GO, NO>(                             \
      const Tpetra::CrsMatrix<double, LO, GO, NO>&, const std::vector<double>&,  \
      const std::function<void(double, const MarkovResult<LO, GO, NO>&)>&, const MarkovOptions&);

#endif
