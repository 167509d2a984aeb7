// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CLUSTERORDER_HPP
#define TRIDENT_CLUSTERORDER_HPP

#include <cstddef>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// The key that puts clusters in order: larger ones first, equal ones by their first node.
struct ClusterKey {
  long long size, first;  ///< number of nodes, and their least global index
};

/// The number of all clusters, of those of one node, and of the largest one's nodes.
struct ClusterCounts {
  long long clusters = 0, singletons = 0, largest = 0;
};

/// Returns the place of each cluster of `mine` in the order of all clusters. Collective; throws
/// Trident::Error on every rank if one fails.
///
/// For n nodes, a rank holds O(√n + P) numbers beside the clusters that are dealt to it. Clusters
/// of up to √n nodes are only counted, by size. Larger ones are at most √n, and every rank gets
/// them all. Clusters are dealt by equal ranges of the global index, so very uneven indices load
/// one rank.
/// @param mine clusters that this rank has, in any order
/// @param nodes number of nodes; @param least, largest global index; all the same on every rank
/// @param counts gets the counts of all clusters
std::vector<long long> clusterNumbers(const GridRanks& ranks, const std::vector<ClusterKey>& mine,
                                      long long nodes, long long least, long long largest,
                                      std::size_t messageBytes, ClusterCounts& counts,
                                      LocalFailure& failure);

}  // namespace Trident::Impl

#endif
