// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CLUSTEREDGES_HPP
#define TRIDENT_CLUSTEREDGES_HPP

#include <mpi.h>

#include <string>
#include <vector>

#include "markov/Trident_MarkovCluster_decl.hpp"

/// \file Trident_ClusterEdges.hpp
/// Markov clustering of a network that is there as a list of edges.

namespace Trident {

/// The clusters of a network that was given by its edges, the same on every rank.
struct EdgeClusters : MarkovFound {
  std::vector<std::string> labels;   ///< names of the nodes; empty where edges name them by numbers
  std::vector<long long> clusterOf;  ///< cluster of each node; numbered as in MarkovResult
};

/// Clusters a network of nodes 0, 1, ... as markovCluster() of a matrix does. Edge e joins from[e]
/// and to[e], whichever way it points; of several between two nodes the heaviest counts, as with
/// mcl's --abc. Edges of a node with itself, and of weight 0, only say that their nodes are there.
///
/// Each rank passes any part of the edges; often one has them all, and others none. They travel to
/// the ranks that have their rows, as 32 bytes each. The clusters of all nodes come to every rank.
///
/// Collective over `comm`. Throws Trident::Error on every rank where arrays differ in length, some
/// ranks have weights and others edges without, a number is negative or above 2^31 - 2, a weight is
/// negative or not finite, ranks pass labels and others numbers, and as markovCluster().
/// @param weights as many as edges, or empty: all are 1. All ranks that have edges do the same
EdgeClusters markovCluster(const std::vector<long long>& from, const std::vector<long long>& to,
                           const std::vector<double>& weights,
                           const MarkovOptions& options = MarkovOptions(),
                           MPI_Comm comm = MPI_COMM_WORLD);

/// Clusters nodes that have labels: they are numbered in the order in which edges name them,
/// rank after rank, each edge `from` before `to`. All labels are gathered on every rank.
EdgeClusters markovCluster(const std::vector<std::string>& from, const std::vector<std::string>& to,
                           const std::vector<double>& weights,
                           const MarkovOptions& options = MarkovOptions(),
                           MPI_Comm comm = MPI_COMM_WORLD);

}  // namespace Trident

#endif
