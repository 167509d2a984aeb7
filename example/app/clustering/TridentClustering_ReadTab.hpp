// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_READTAB_HPP
#define TRIDENTCLUSTERING_READTAB_HPP

#include <string>

#include "TridentClustering_ReadGraph.hpp"

namespace Trident {
namespace Clustering {

/// Names a graph's nodes by a dictionary (a tab file of mcl): lines NUMBER LABEL with space
/// between, in any order; the label, with any space in it, goes to the end of the line. Blank lines
/// and those that begin with # are skipped. A number is that of the node in the graph's file.
/// Numbers beyond the graph are skipped, as the dictionary may be of a larger one. Each rank reads
/// its part, and keeps the labels of its rows.
///
/// Collective. Throws MatrixError on every rank, with the line where one is wrong, and where a node
/// has two labels or none.
void readTab(const std::string& path, Graph& graph);

}  // namespace Clustering
}  // namespace Trident

#endif
