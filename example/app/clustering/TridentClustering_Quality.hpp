// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_QUALITY_HPP
#define TRIDENTCLUSTERING_QUALITY_HPP

#include <Tpetra_Vector.hpp>
#include <cstdint>

#include "TridentProblems_Comm.hpp"

namespace Trident {
namespace Clustering {

using namespace Problems;

/// Clusters of a matrix's rows: numbers from 0, on its row Map.
using labels_type = Tpetra::Vector<global_ordinal_type, local_ordinal_type, global_ordinal_type,
                                   map_type::node_type>;

/// Counts the entries off the diagonal, on all ranks; each edge of a symmetric graph is two.
/// Collective.
std::int64_t countEdges(const matrix_type& matrix);

/// Counts the entries whose weight is negative, on all ranks; those of the diagonal too where
/// `loopsToo`. Collective.
std::int64_t countNegativeEdges(const matrix_type& matrix, bool loopsToo = false);

/// Returns the modularity of a clustering, between -1/2 and 1: the share of the edges' weight that
/// lies inside clusters, less what it would be if edges kept the weights of their ends and joined
/// any nodes. Of a directed graph: with weights out of and into a node apart. Loops do not count; 0
/// where there are no edges. Weights are finite, of any size.
///
/// \param matrix square, on one contiguous Map \param outOnly weights into a node count as those
///   out of it, as in mcl
/// Collective; throws MatrixError on every rank where one is out of memory.
double modularity(const matrix_type& matrix, const labels_type& labels, bool outOnly = false);

}  // namespace Clustering
}  // namespace Trident

#endif
