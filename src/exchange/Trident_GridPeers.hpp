// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDPEERS_HPP
#define TRIDENT_GRIDPEERS_HPP

#include <memory>

#include "Trident_GridTransport.hpp"
#include "Trident_PeerTransfers.hpp"

namespace Trident {

/// The best there is for arrays in this memory on this grid: for device memory NCCL inside a node
/// where that is possible, and MPI, directly where GridTransport::directMessages, else staged. Kept
/// by the transport, for one thread. Collective over the grid; throws on every rank where memory
/// for staging lacks.
std::shared_ptr<PeerTransfers> peerTransfers(GridTransport& transport, MemoryKind memory,
                                             const MessageOptions& options);

}  // namespace Trident

#endif
