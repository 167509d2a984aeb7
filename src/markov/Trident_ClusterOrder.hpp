// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CLUSTERORDER_HPP
#define TRIDENT_CLUSTERORDER_HPP

#include <cstddef>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// The key by which clusters are ordered: larger ones first, equally large ones by `first`.
struct ClusterKey {
  long long size, first;  ///< number of nodes, and their least global index
};

/// The counts of all clusters, of clusters with one node, and of nodes in the largest cluster.
struct ClusterCounts {
  long long clusters = 0, singletons = 0, largest = 0;
};

/// Returns the place of each cluster of `mine` in the order of all clusters. Collective; throws
/// Trident::Error on every rank if a rank fails.
///
/// For n nodes, a rank holds O(√n + P) numbers beside the clusters that are dealt to it. Clusters
/// of up to √n nodes are only counted by size. Larger clusters are at most √n in number, so every
/// rank gets all of them. Clusters are dealt by equal ranges of the global index. If indices are
/// very uneven, one rank may get most clusters.
/// @param mine clusters that this rank has, in any order
/// @param nodes, least, largest number of nodes, least and largest global index; the same on all
///   ranks
/// @param counts gets the counts of all clusters
std::vector<long long> clusterNumbers(const GridRanks& ranks, const std::vector<ClusterKey>& mine,
                                      long long nodes, long long least, long long largest,
                                      std::size_t messageBytes, ClusterCounts& counts,
                                      LocalFailure& failure);

}  // namespace Trident::Impl

#endif
