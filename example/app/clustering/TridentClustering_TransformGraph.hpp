// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_TRANSFORMGRAPH_HPP
#define TRIDENTCLUSTERING_TRANSFORMGRAPH_HPP

#include "TridentClustering_ReadGraph.hpp"
#include "TridentClustering_Transform.hpp"
#include "TridentProblems_Assemble.hpp"

namespace Trident {
namespace Clustering {

/// Changes a graph as mcl's -tf does: its loops go, weights become floats, and the steps are made
/// one after the other. Row i of the matrix is column i of mcl's. Ranks keep their rows; an edge
/// travels only where a step asks for the one back.
///
/// Collective. Throws MatrixError on every rank where a weight is no number at the end, or negative
/// without `negativeToo`, or a rank is out of memory.
void transformGraph(Graph& graph, const Transformation& steps, bool negativeToo = false);

/// Changes the rows of a graph of `nodes` nodes as transformGraph() does. They lie on ranks in
/// uniform blocks, and have neither loops nor zeros.
void transformRows(LocalRows& rows, const Transformation& steps, std::int64_t nodes,
                   const Comm& comm, bool negativeToo = false);

}  // namespace Clustering
}  // namespace Trident

#endif
