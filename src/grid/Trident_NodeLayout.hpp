// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODELAYOUT_HPP
#define TRIDENT_NODELAYOUT_HPP

#include <mpi.h>

#include <string>
#include <vector>

namespace Trident {

/// Which ranks of a communicator form nodes, and the grid order of its ranks: node by node, k
/// inside. It is not the communicator's order where a launcher deals ranks round-robin over nodes.
struct NodeLayout {
  int lambda = 1;             ///< ranks in a node, the same in every node
  std::vector<int> commRank;  ///< communicator rank by grid rank
  std::vector<int> gridRank;  ///< grid rank by communicator rank
  std::string reason;         ///< where λ came from

  int nodes() const { return static_cast<int>(commRank.size()) / lambda; }
};

/// The host of every rank of `comm`, as the lowest rank of its shared-memory domain. Collective.
std::vector<int> detectHosts(MPI_Comm comm);

/// Nodes of λ ranks cut from hosts, hosts in order of their first rank.
/// @param hostOfRank   any label per rank; equal labels share memory
/// @param ranksPerNode the wanted λ; 0 takes the hosts' size. Where hosts differ in size, or the
///                     wanted λ does not divide the number of ranks, the greatest common divisor.
NodeLayout layoutNodes(const std::vector<int>& hostOfRank, int ranksPerNode);

}  // namespace Trident

#endif
