// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_COVERAGE_HPP
#define TRIDENTCLUSTERING_COVERAGE_HPP

#include "TridentClustering_Quality.hpp"

namespace Trident {
namespace Clustering {

/// The cover of the edges by clusters, as `clm info` computes it. As there, each node has a loop
/// that is as heavy as its heaviest edge, and 1 where it has none; its weights are divided by their
/// sum.
struct Coverage {
  /// The mean over nodes of 1 - (n - (in - out) / s) / u: `in` and `out` are the node's weights
  /// inside its cluster and out of it, s the sum of the squares of all, n the nodes of its cluster,
  /// u these and its neighbours outside together. Many neighbours inside are good, and so are few
  /// nodes there that are none. (S. van Dongen, report INS-R0012 of CWI, 2000.)
  double efficiency = 0;
  double massFraction = 0;  ///< the mean of `in`
  /// Ordered pairs of different nodes that are in one cluster, of all such pairs; 0 of one node.
  double areaFraction = 0;
};

/// Finds the coverage. Weights are finite, of any size.
/// \param matrix square, on one contiguous Map, which lists neighbours in rows \param labels of its
///   nodes \param loopFactor weight of a node's loop, where its heaviest edge has 1
/// Collective; throws MatrixError on every rank where one is out of memory.
Coverage coverage(const matrix_type& matrix, const labels_type& labels, double loopFactor = 1);

}  // namespace Clustering
}  // namespace Trident

#endif
