// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_WRITEGRAPH_HPP
#define TRIDENTCLUSTERING_WRITEGRAPH_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "TridentClustering_ReadGraph.hpp"

namespace Trident {
namespace Clustering {

/// Writes a graph as a matrix that mcl and readGraph() read: column j lists the neighbours of node
/// j, nodes from 0 in the order of the rows, weights with 17 digits. All ranks write.
///
/// Collective; throws MatrixError on every rank where the file cannot be written.
void writeGraph(const std::string& path, const Graph& graph);

/// Writes the same in mcl's bytes: weights are floats of seven digits, and lines are broken.
/// Collective; errors as there.
void writeGraphAsMcl(const std::string& path, const Graph& graph);

/// Writes a graph as a binary matrix of mcl, weights as floats. Collective; errors as there.
void writeGraphAsBinary(const std::string& path, const Graph& graph);

/// Writes the names of that matrix's nodes, as mcxload -write-tab does: a line NUMBER<TAB> LABEL
/// for each. readTab() and -use-tab of mcl read it. Collective; errors as writeGraph().
void writeTab(const std::string& path, const Graph& graph);

/// Returns the planted clusters of the generator `families`, for the rows of this rank: numbers
/// from 0, in the order of the rows. Collective. Throws MatrixError on every rank for another
/// generator.
/// \param spec of a graph of `nodes` nodes
std::vector<std::int64_t> plantedClusters(const std::string& spec, std::int64_t nodes,
                                          const Comm& comm);

}  // namespace Clustering
}  // namespace Trident

#endif
