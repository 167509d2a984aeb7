// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_WRITECLUSTERS_HPP
#define TRIDENTCLUSTERING_WRITECLUSTERS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "TridentClustering_ReadGraph.hpp"

namespace Trident {
namespace Clustering {

/// Writes a line for each cluster: the names of its nodes in the order of the rows, with tabs
/// between. Ranks write equally many nodes, wherever these lie in the clusters, so that a cluster
/// of any size is no matter.
///
/// \param clusters of this rank's rows: numbers from 0; each up to the largest is some row's
/// \param ending text behind the clusters, on the last rank
/// Collective; throws MatrixError on every rank where the file cannot be written or a rank is out
/// of memory. The bytes are the same on any number of ranks.
void writeClusters(const std::string& path, const std::vector<std::int64_t>& clusters,
                   const NodeNames& names, const Comm& comm, const std::string& ending = "");

/// Writes clusters as a matrix of mcl, as mcl writes those of a network that it reads as a matrix:
/// a column lists the numbers of its nodes, which are those of the rows, from 0. The bytes are
/// mcl's, but for what it says about its call. Collective; errors as writeClusters().
/// \param comment lines that come first, each begins with #
void writeClusterMatrix(const std::string& path, const std::vector<std::int64_t>& clusters,
                        const Comm& comm, const std::string& comment = "",
                        const std::string& ending = "");

/// Writes a line for each row: its name, a tab, and its cluster, from 1: the line of
/// writeClusters(). Collective; errors as there.
/// \param header begins the file
void writeTable(const std::string& path, const std::vector<std::int64_t>& clusters,
                const NodeNames& names, const Comm& comm, const std::string& header = "");

}  // namespace Clustering
}  // namespace Trident

#endif
