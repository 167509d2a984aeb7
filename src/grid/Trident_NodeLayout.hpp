// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODELAYOUT_HPP
#define TRIDENT_NODELAYOUT_HPP

#include <mpi.h>

#include <string>
#include <vector>

namespace Trident::Impl {

/// The nodes of a communicator's ranks, and the grid order of the ranks: node by node, and inside a
/// node by k. In the communicator, successive ranks may lie on different nodes.
struct NodeLayout {
  int lambda = 1;    ///< ranks in a node of the grid, equal for all nodes
  int nodeSize = 1;  ///< ranks in a node of the machine: λ, except in a flattened() layout
  std::vector<int> commRank;  ///< communicator rank of each grid rank
  std::vector<int> gridRank;  ///< grid rank of each communicator rank
  std::string reason;         ///< reason for this λ, for reports

  int nodes() const { return static_cast<int>(commRank.size()) / lambda; }
  bool sameNode(int gridRankA, int gridRankB) const {  ///< true if one machine node has both ranks
    return gridRankA / nodeSize == gridRankB / nodeSize;
  }
};

/// Finds the host of each rank of `comm`. A host is named by the lowest rank of `comm` on it.
/// Collective over `comm`.
/// @param host the ranks of `comm` that share memory with this one, in the order of `comm`
std::vector<int> detectHosts(MPI_Comm comm, MPI_Comm host);

/// Cuts hosts into nodes of λ ranks. Hosts are ordered by their first rank.
/// @param hostOfRank any label for each rank; ranks with equal labels share memory
/// @param ranksPerNode λ becomes gcd(ranksPerNode, number of ranks). If ranksPerNode is 0,
///   λ becomes the greatest common divisor of the hosts' sizes
NodeLayout layoutNodes(const std::vector<int>& hostOfRank, int ranksPerNode);

/// Returns the layout of a grid in which each rank is a node. Ranks keep their order. Bytes still
/// count as internode or intranode by the nodes of the machine.
NodeLayout flattened(NodeLayout layout);

}  // namespace Trident::Impl

#endif
