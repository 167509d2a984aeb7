// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_GridPeers.hpp"

#include <algorithm>
#include <utility>

#include "Trident_Agreement.hpp"

namespace Trident {
namespace {

// Long enough that a piece's latency does not count, short enough that one transfer's pieces
// overlap.
constexpr std::size_t longestPiece = std::size_t(4) << 20;

/// Device memory by MPI. Collective over the grid. Messages are cut alike directly and staged,
/// since that is each rank's own affair.
std::unique_ptr<PeerTransfers> makeDeviceTransfers(GridTransport& transport,
                                                   const MessageOptions& options) {
  const MPI_Comm comm = transport.grid().comm();
  const std::size_t pieceBytes = std::min(options.messageBytes, longestPiece);
  std::unique_ptr<PeerTransfers> peers;
  runEverywhere(comm, "Trident::Multiply", [&] {
    peers = GridTransport::directMessages(options.deviceMessages)
                ? makeMpiTransfers(comm, MemoryKind::Device, pieceBytes)
                : makeStagedTransfers(comm, pieceBytes);
  });
  return peers;
}

}  // namespace

std::shared_ptr<PeerTransfers> peerTransfers(GridTransport& transport, MemoryKind memory,
                                             const MessageOptions& options) {
  const ProcessGrid& grid = transport.grid();
  if (memory != MemoryKind::Device)
    return makeMpiTransfers(grid.comm(), memory, options.messageBytes);
  const int lambda = grid.shape().lambda, firstRank = grid.rank() - grid.me().k;
  NcclCommunicator* const node = lambda > 1 ? transport.nodeNccl() : nullptr;
  auto& kept = transport.keptTransfers(memory, options.deviceMessages, options.messageBytes);
  if (kept) return kept;  // on all ranks or on none
  if (node && grid.shape().nodes() == 1) return kept = makeNcclTransfers(*node, firstRank);
  auto byMpi = makeDeviceTransfers(transport, options);
  if (!node) return kept = std::move(byMpi);
  return kept = makeSplitTransfers(makeNcclTransfers(*node, firstRank), std::move(byMpi), firstRank,
                                   lambda);
}

}  // namespace Trident
