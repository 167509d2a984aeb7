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
  std::vector<std::string> labels;   ///< names of the nodes; empty where edges name them by numbers
  std::vector<long long> clusterOf;  ///< cluster of each node; numbered as in MarkovResult
};

/// Clusters a network of nodes 0, 1, ..., as markovCluster() does for a matrix. Edge e joins
/// from[e] and to[e], in both directions. Of several edges between two nodes the heaviest counts,
/// as with mcl's --abc. An edge from a node to itself, or of weight 0, only says that nodes exist.
///
/// Each rank passes any part of the edges; one rank may pass all, others none. An edge travels to
/// the ranks that have its rows, as 32 bytes. Every rank gets the clusters of all nodes.
///
/// Collective over `comm`. Throws Trident::Error on every rank if arrays differ in length, if some
/// ranks have weights and others have edges without weights, if some ranks pass labels and others
/// numbers, if a number is negative or above 2^31 - 2, if a weight is negative or not finite, and
/// as markovCluster() of a matrix.
/// @param weights one for each edge; or empty on all ranks if all weights are 1
EdgeClusters markovCluster(const std::vector<long long>& from, const std::vector<long long>& to,
                           const std::vector<double>& weights,
                           const MarkovOptions& options = MarkovOptions(),
                           MPI_Comm comm = MPI_COMM_WORLD);

/// Clusters a network whose nodes have labels. Nodes are numbered in the order in which edges name
/// them: rank after rank, and in each edge `from` before `to`. Every rank gets all labels.
EdgeClusters markovCluster(const std::vector<std::string>& from, const std::vector<std::string>& to,
                           const std::vector<double>& weights,
                           const MarkovOptions& options = MarkovOptions(),
                           MPI_Comm comm = MPI_COMM_WORLD);

}  // namespace Trident

#endif
