// SPDX-License-Identifier: BSD-3-Clause
// What moves arrays between any ranks of a grid, and its making.
#include <algorithm>
#include <utility>

#include "Trident_Agreement.hpp"
#include "Trident_GridTransport.hpp"
#include "Trident_PeerTransfers.hpp"

namespace Trident::Impl {
namespace {

// Long enough that a piece's latency does not count, short enough that one transfer's pieces
// overlap.
constexpr std::size_t longestPiece = std::size_t(4) << 20;

}  // namespace

std::shared_ptr<PeerTransfers> GridTransport::peerTransfers(MemoryKind memory,
                                                            const MessageOptions& options) {
  if (memory != MemoryKind::Device)
    return makeMpiTransfers(grid_.comm(), memory, options.messageBytes);
  const int lambda = grid_.shape().lambda, firstRank = grid_.rank() - grid_.me().k;
  NcclCommunicator* const node = lambda > 1 ? nodeNccl() : nullptr;
  auto& kept = transfers_[{options.deviceMessages, options.messageBytes}];
  if (kept) return kept;  // on all ranks or on none
  if (node && grid_.shape().nodes() == 1) return kept = makeNcclTransfers(*node, firstRank);
  auto byMpi = makeDeviceTransfers(options);
  if (!node) return kept = std::move(byMpi);
  return kept = makeSplitTransfers(makeNcclTransfers(*node, firstRank), std::move(byMpi), firstRank,
                                   lambda);
}

void GridTransport::endTransfers(MemoryKind memory, const MessageOptions& options) {
  if (memory == MemoryKind::Device)
    transfers_.erase({options.deviceMessages, options.messageBytes});
}

/// Device memory by MPI. Collective over the grid. Messages are cut alike directly and staged,
/// since that is each rank's own affair.
std::unique_ptr<PeerTransfers> GridTransport::makeDeviceTransfers(const MessageOptions& options) {
  const MPI_Comm comm = grid_.comm();
  const std::size_t pieceBytes = std::min(options.messageBytes, longestPiece);
  std::unique_ptr<PeerTransfers> peers;
  runEverywhere(comm, [&] {
    peers = directMessages(options.deviceMessages)
                ? makeMpiTransfers(comm, MemoryKind::Device, pieceBytes)
                : makeStagedTransfers(comm, pieceBytes);
  });
  return peers;
}

}  // namespace Trident::Impl
