// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_FORCECONNECTED_HPP
#define TRIDENTCLUSTERING_FORCECONNECTED_HPP

#include <cstdint>
#include <vector>

#include "TridentClustering_ReadGraph.hpp"

namespace Trident {
namespace Clustering {

/// Splits clusters into their connected components, by edges of the graph inside of clusters,
/// whichever way these point (mcl's -force-connected=y, for graphs that are not directed). The
/// clusters are numbered anew: the larger ones first, those of one size by their first nodes.
///
/// \param clusters of this rank's rows
/// \return how many clusters of one node there are then, on all ranks
/// Collective; few rounds (about the logarithm of the largest cluster), however long its paths are.
/// Throws MatrixError on every rank where one is out of memory.
std::int64_t forceConnected(std::vector<std::int64_t>& clusters, const matrix_type& graph);

}  // namespace Clustering
}  // namespace Trident

#endif
