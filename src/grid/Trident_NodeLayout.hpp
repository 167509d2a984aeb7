// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODELAYOUT_HPP
#define TRIDENT_NODELAYOUT_HPP

#include <mpi.h>

#include <string>
#include <vector>

namespace Trident::Impl {

/// The nodes of a communicator's ranks, and the grid order of the ranks: by node, and inside a node
/// by k. The communicator has another order if a launcher deals ranks to nodes in turn.
struct NodeLayout {
  int lambda = 1;    ///< ranks in a node of the grid, equal for all nodes
  int nodeSize = 1;  ///< ranks in a node of the machine; λ unless the grid ignores these nodes
  std::vector<int> commRank;  ///< communicator rank by grid rank
  std::vector<int> gridRank;  ///< grid rank by communicator rank
  std::string reason;         ///< origin of λ, for reports

  int nodes() const { return static_cast<int>(commRank.size()) / lambda; }
  bool sameNode(int gridRankA, int gridRankB) const {  ///< true if a node of the machine has both
    return gridRankA / nodeSize == gridRankB / nodeSize;
  }
};

/// Finds the host of each rank of `comm`. The name of a host is the lowest rank of its
/// shared-memory domain. Collective.
/// @param host the ranks of `comm` that share memory with this one, in the order of `comm`
std::vector<int> detectHosts(MPI_Comm comm, MPI_Comm host);

/// Cuts hosts into nodes of λ ranks. Hosts are ordered by their first rank.
/// @param hostOfRank any label for each rank; ranks with equal labels share memory
/// @param ranksPerNode the wanted λ; 0: the size of the hosts. If hosts differ in size, or the
///   wanted λ does not divide the number of ranks, λ is the greatest common divisor.
NodeLayout layoutNodes(const std::vector<int>& hostOfRank, int ranksPerNode);

/// Returns the layout of a grid that ignores the machine's nodes: each rank is a node of the grid.
/// Ranks keep their order, and bytes still count as between or inside the machine's nodes.
NodeLayout flattened(NodeLayout layout);

}  // namespace Trident::Impl

#endif
