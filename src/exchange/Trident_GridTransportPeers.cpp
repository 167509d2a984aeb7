// SPDX-License-Identifier: BSD-3-Clause
// What moves arrays between any ranks of a grid, and its making.
#include <algorithm>
#include <utility>

#include "base/Trident_Agreement.hpp"
#include "exchange/Trident_GridTransport.hpp"
#include "transport/Trident_PeerTransfers.hpp"

namespace Trident::Impl {
namespace {

// Long enough that a piece's latency does not count, short enough that one transfer's pieces
// overlap.
constexpr std::size_t longestPiece = std::size_t(4) << 20;

/// Device memory by MPI. Local; throws where memory for staging lacks. Messages are cut alike
/// directly and staged, since that is each rank's own affair.
std::unique_ptr<PeerTransfers> deviceTransfers(MPI_Comm comm, const MessageOptions& options) {
  const std::size_t pieceBytes = std::min(options.messageBytes, longestPiece);
  return GridTransport::directMessages(options.deviceMessages)
             ? makeMpiTransfers(comm, MemoryKind::Device, pieceBytes)
             : makeStagedTransfers(comm, pieceBytes);
}

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

/// Device memory by MPI. Collective over the grid.
std::unique_ptr<PeerTransfers> GridTransport::makeDeviceTransfers(const MessageOptions& options) {
  std::unique_ptr<PeerTransfers> peers;
  runEverywhere(grid_.comm(), [&] { peers = deviceTransfers(grid_.comm(), options); });
  return peers;
}

std::unique_ptr<PeerTransfers> GridTransport::lineTransfers(Factor factor, MemoryKind memory,
                                                            const MessageOptions& options) const {
  if (memory == MemoryKind::Device) return deviceTransfers(grid_.line(factor), options);
  return makeMpiTransfers(grid_.line(factor), memory, options.messageBytes);
}

}  // namespace Trident::Impl
