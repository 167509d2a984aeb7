// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODES_HPP
#define TRIDENT_NODES_HPP

#include <Teuchos_Comm.hpp>
#include <vector>

namespace Trident {

/// Returns the node's number, from 0, of each rank of a communicator, as products on that
/// communicator see the machine. In reports, bytes between ranks of one node are intranode, all
/// others internode.
///
/// Collective over `comm`. The first call on a communicator makes the objects of its products.
/// Throws Trident::Error on every rank if `ranksPerNode` is negative, or differs between ranks.
/// @param comm a Teuchos::MpiComm or a Teuchos::SerialComm
/// @param ranksPerNode as the parameter "ranks per node"; 0: the ranks that share memory
/// @return as many numbers as ranks, in the communicator's order; the same on every rank
std::vector<int> nodesOfRanks(const Teuchos::Comm<int>& comm, int ranksPerNode = 0);

}  // namespace Trident

#endif
