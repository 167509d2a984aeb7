// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODES_HPP
#define TRIDENT_NODES_HPP

#include <Teuchos_Comm.hpp>
#include <vector>

namespace Trident {

/// Returns the number of each rank's node, counted from 0. Products on `comm` use these nodes. In
/// reports, bytes between ranks of one node are intranode, all others internode.
///
/// Collective over `comm`. The first call on a communicator makes the objects that its products
/// share. Throws Trident::Error on every rank if `ranksPerNode` is negative, or differs between
/// ranks.
/// @param comm a Teuchos::MpiComm or a Teuchos::SerialComm
/// @param ranksPerNode value of the parameter "ranks per node"; 0: the ranks that share memory
/// @return one number for each rank, in the order of ranks; the same list on every rank
std::vector<int> nodesOfRanks(const Teuchos::Comm<int>& comm, int ranksPerNode = 0);

}  // namespace Trident

#endif
