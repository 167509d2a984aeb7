// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_ClusterEdges.hpp"

#include <Teuchos_DefaultMpiComm.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "tpetra/Trident_EdgeEntries.hpp"

namespace Trident {
namespace Impl {
namespace {

void requireWeights(const std::vector<double>& weights) {
  for (const double weight : weights)
    if (!(weight >= 0 && std::isfinite(weight)))
      throw Error(
          "an edge has a weight that is negative or not finite; weights must be numbers "
          "from 0 on");
}

/// Throws Trident::Error on every rank if only some ranks have labels of nodes. Collective.
void agreeOnArguments(bool labels, MPI_Comm comm) {
  checkArguments(comm, "Trident::markovCluster", [&](CollectiveArguments& values) {
    values.push_back({"nodes have", labels ? "labels" : "numbers"});
    return std::string();
  });
}

/// Clusters a graph. Collective; throws Trident::Error on every rank if a rank has a bad edge.
EdgeClusters clustersOfEdges(const EdgeArrays& edges, const MarkovOptions& options, MPI_Comm comm) {
  LocalFailure failure;
  std::vector<long long> nodes{0};
  failure.guard([&] {
    requireLengths(edges.from.size(), edges.to.size(), edges.weights.size());
    requireWeights(edges.weights);
    nodes[0] = std::max(countNumbers(edges.from, 0), countNumbers(edges.to, 0));
  });
  nodes = agreeOnEdges(nodes, edges.from.size(), edges.weights.size(), failure, comm);
  const auto A = matrixOfEntries(edges, nodes[0], nodes[0], {true, true},
                                 Teuchos::rcp(new Teuchos::MpiComm<int>(comm)));
  const auto result = Trident::markovCluster(*A, options);
  EdgeClusters found;
  static_cast<MarkovFound&>(found) = result;
  std::vector<long long> mine;
  runEverywhere(comm, [&] {
    const auto labels = result.labels->getData();
    mine.assign(labels.begin(), labels.end());
  });
  found.clusterOf = gathered(mine, comm, "clusters of nodes");
  return found;
}

}  // namespace
}  // namespace Impl

EdgeClusters markovCluster(const std::vector<long long>& from, const std::vector<long long>& to,
                           const std::vector<double>& weights, const MarkovOptions& options,
                           MPI_Comm comm) {
  return Impl::withErrorContext("Trident::markovCluster", [&] {
    const Impl::CallScope inside("Trident::markovCluster");
    Impl::agreeOnArguments(false, comm);
    return Impl::clustersOfEdges({from, to, weights}, options, comm);
  });
}

EdgeClusters markovCluster(const std::vector<std::string>& from, const std::vector<std::string>& to,
                           const std::vector<double>& weights, const MarkovOptions& options,
                           MPI_Comm comm) {
  return Impl::withErrorContext("Trident::markovCluster", [&] {
    const Impl::CallScope inside("Trident::markovCluster");
    Impl::agreeOnArguments(true, comm);
    Impl::runEverywhere(comm,
                        [&] { Impl::requireLengths(from.size(), to.size(), weights.size()); });
    Impl::NumberedEdges edges = Impl::numberedEdges(from, to, false, comm);
    EdgeClusters found = Impl::clustersOfEdges({edges.from, edges.to, weights}, options, comm);
    found.labels = std::move(edges.rowLabels);
    return found;
  });
}

}  // namespace Trident
