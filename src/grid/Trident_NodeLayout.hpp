// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODELAYOUT_HPP
#define TRIDENT_NODELAYOUT_HPP

#include <mpi.h>

#include <string>
#include <vector>

namespace Trident::Impl {

/// The ranks of a communicator that form nodes, and the grid order of its ranks: node by node, k
/// inside. It is not the communicator's order if a launcher deals ranks round-robin over nodes.
struct NodeLayout {
  int lambda = 1;             ///< ranks in a node of the grid, the same in every node
  int nodeSize = 1;           ///< ranks in a node of the machine: λ unless the grid is blind to it
  std::vector<int> commRank;  ///< communicator rank by grid rank
  std::vector<int> gridRank;  ///< grid rank by communicator rank
  std::string reason;         ///< origin of λ, for reports

  int nodes() const { return static_cast<int>(commRank.size()) / lambda; }
  bool sameNode(int gridRankA, int gridRankB) const {  ///< a node of the machine
    return gridRankA / nodeSize == gridRankB / nodeSize;
  }
};

/// Finds the host of every rank of `comm`, named by the lowest rank of its shared-memory domain.
/// Collective.
/// @param host the ranks of `comm` that share memory with this one, in its order
std::vector<int> detectHosts(MPI_Comm comm, MPI_Comm host);

/// Cuts hosts into nodes of λ ranks, hosts in order of their first rank.
/// @param hostOfRank   any label per rank; equal labels share memory
/// @param ranksPerNode the wanted λ; 0 takes the hosts' size. Where hosts differ in size, or the
///                     wanted λ does not divide the number of ranks, the greatest common divisor.
NodeLayout layoutNodes(const std::vector<int>& hostOfRank, int ranksPerNode);

/// Makes of a layout that of a grid which is blind to the hierarchy, with the ranks in their order.
/// Every rank is a node of the grid, while bytes still count as between or inside the machine's
/// nodes.
NodeLayout flattened(NodeLayout layout);

}  // namespace Trident::Impl

#endif
