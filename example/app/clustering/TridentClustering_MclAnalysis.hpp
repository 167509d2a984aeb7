// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_MCLANALYSIS_HPP
#define TRIDENTCLUSTERING_MCLANALYSIS_HPP

#include <string>

#include "TridentClustering_Options.hpp"
#include "TridentClustering_Quality.hpp"

namespace Trident {
namespace Clustering {

/// Returns the lines that -analyze y appends to the clusters: their sizes and quality. As of mcl,
/// the graph is the one that the iterations begin with: its weights are raised to the power of -pi,
/// -c makes its loops, and a row is divided by its sum.
/// \param labels numbered by falling size \param out file of the clusters
/// Collective; throws MatrixError on every rank where one is out of memory.
std::string mclAnalysis(const matrix_type& matrix, const labels_type& labels,
                        const Options& options, const std::string& out);

}  // namespace Clustering
}  // namespace Trident

#endif
