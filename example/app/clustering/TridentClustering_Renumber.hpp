// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_RENUMBER_HPP
#define TRIDENTCLUSTERING_RENUMBER_HPP

#include <cstdint>
#include <vector>

#include "TridentProblems_Comm.hpp"

namespace Trident {
namespace Clustering {

using namespace Problems;

/// mcl's -sort.
enum class ClusterOrder {
  bySize,        ///< the largest first, those of one size by their first nodes (revsize)
  byRisingSize,  ///< reverse order of bySize (size)
  byFirstNode    ///< (lex)
};

/// Counts the clusters, which are numbered from 0. \param clusters of this rank's rows.
/// Collective.
std::int64_t countClusters(const std::vector<std::int64_t>& clusters, const Comm& comm);

/// Numbers clusters in another order. \param clusters of this rank's rows, which follow those of
/// the ranks before: numbers from 0 without a gap, by size. Collective; throws MatrixError on every
/// rank where one is out of memory.
void renumber(std::vector<std::int64_t>& clusters, ClusterOrder order, const Comm& comm);

}  // namespace Clustering
}  // namespace Trident

#endif
