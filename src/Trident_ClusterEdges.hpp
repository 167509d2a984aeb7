// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CLUSTEREDGES_HPP
#define TRIDENT_CLUSTEREDGES_HPP

#include <mpi.h>

#include <string>
#include <vector>

#include "markov/Trident_MarkovCluster_decl.hpp"

/// \file Trident_ClusterEdges.hpp
/// Markov clustering of a network that is given as a list of edges.

namespace Trident {

/// The clusters of a network that was given by its edges, the same on every rank.
struct EdgeClusters : MarkovFound {
  std::vector<std::string> labels;   ///< names of the nodes; empty if nodes have only numbers
  std::vector<long long> clusterOf;  ///< cluster of each node; numbered as in MarkovResult
};

/// Clusters a network of nodes 0, 1, ..., as markovCluster() does for a matrix. Edge e joins
/// from[e] and to[e], in both directions. If several edges join two nodes, only the heaviest
/// counts, as with `mcl --abc`. A loop, or an edge of weight 0, adds its nodes, but joins none.
///
/// Each rank passes any part of the edges. One rank may pass all edges, and others none. An edge
/// travels, as 32 bytes, to the ranks of its two nodes. Every rank gets the clusters of all nodes.
///
/// Collective over `comm`. Throws Trident::Error on every rank in these cases: arrays differ in
/// length; some ranks have weights, and others have edges without weights; some ranks pass labels,
/// and others numbers; a number is negative or above 2^31 - 2; a weight is negative or not finite;
/// markovCluster() of the network's matrix throws.
/// @param weights one weight for each edge; or empty on all ranks if all weights are 1
EdgeClusters markovCluster(const std::vector<long long>& from, const std::vector<long long>& to,
                           const std::vector<double>& weights,
                           const MarkovOptions& options = MarkovOptions(),
                           MPI_Comm comm = MPI_COMM_WORLD);

/// Clusters a network whose nodes have labels. Nodes are numbered as they first appear in the
/// edges: by rank, then by edge, and `from` before `to`. Every rank gets all labels.
EdgeClusters markovCluster(const std::vector<std::string>& from, const std::vector<std::string>& to,
                           const std::vector<double>& weights,
                           const MarkovOptions& options = MarkovOptions(),
                           MPI_Comm comm = MPI_COMM_WORLD);

}  // namespace Trident

#endif
