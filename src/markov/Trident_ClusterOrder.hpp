// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CLUSTERORDER_HPP
#define TRIDENT_CLUSTERORDER_HPP

#include <cstddef>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// A cluster, as it is put in order: larger ones first, those of one size by their first node.
struct ClusterKey {
  long long size, first;  ///< nodes, and the least global index among them
};

/// The numbers that are known of all clusters.
struct ClusterCounts {
  long long clusters = 0, singletons = 0, largest = 0;
};

/// Returns the number of each cluster in the order of all. Collective; throws Trident::Error on
/// every rank if one fails.
///
/// A rank holds O(√n + P) numbers beside its own clusters, for n nodes: clusters of up to √n nodes
/// are counted by size, and of larger ones there are at most √n, which every rank gets to know.
/// "Its own" are dealt by equal ranges of the global index: indices that lie very unevenly load one
/// rank.
/// @param mine clusters that this rank has, in any order
/// @param nodes of all ranks; @param least, largest global index, the same on all ranks
/// @param counts gets the counts
std::vector<long long> clusterNumbers(const GridRanks& ranks, const std::vector<ClusterKey>& mine,
                                      long long nodes, long long least, long long largest,
                                      std::size_t messageBytes, ClusterCounts& counts,
                                      LocalFailure& failure);

}  // namespace Trident::Impl

#endif
