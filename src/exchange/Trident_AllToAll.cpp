// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_AllToAll.hpp"

#include "Trident_MpiCheck.hpp"

namespace Trident {
namespace {

std::vector<long long> offsetsOf(const std::vector<long long>& counts) {
  std::vector<long long> offsets(counts.size() + 1, 0);
  for (std::size_t r = 0; r < counts.size(); ++r) offsets[r + 1] = offsets[r] + counts[r];
  return offsets;
}

}  // namespace

AllToAll::AllToAll(const ProcessGrid& grid, std::vector<long long> sendCounts,
                   std::size_t messageBytes)
    : grid_(grid), messageBytes_(messageBytes), sendOffsets_(offsetsOf(sendCounts)) {
  std::vector<long long> receiveCounts(sendCounts.size());
  TRIDENT_MPI_CHECK(MPI_Alltoall(sendCounts.data(), 1, MPI_LONG_LONG, receiveCounts.data(), 1,
                                 MPI_LONG_LONG, grid.comm()));
  receiveOffsets_ = offsetsOf(receiveCounts);
}

bool AllToAll::onlySelf() const {
  const int me = grid_.rank();
  return sends() == sendOffsets_[me + 1] - sendOffsets_[me] &&
         receives() == receiveOffsets_[me + 1] - receiveOffsets_[me];
}

void AllToAll::exchange(const void* send, void* receive, std::size_t elementBytes,
                        Traffic& traffic) const {
  const auto peers = makeMpiTransfers(grid_.comm(), MemoryKind::Host, messageBytes_);
  exchange(send, receive, elementBytes, *peers, traffic);
}

void AllToAll::exchange(const void* send, void* receive, std::size_t elementBytes,
                        PeerTransfers& peers, Traffic& traffic) const {
  move({const_cast<char*>(static_cast<const char*>(send)), sendOffsets_, elementBytes},
       {static_cast<char*>(receive), receiveOffsets_, elementBytes}, peers, traffic);
}

void AllToAll::exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                            Traffic& traffic) const {
  const auto peers = makeMpiTransfers(grid_.comm(), MemoryKind::Host, messageBytes_);
  move({const_cast<char*>(static_cast<const char*>(answers)), receiveOffsets_, elementBytes},
       {static_cast<char*>(received), sendOffsets_, elementBytes}, *peers, traffic);
}

/// All transfers with others, by distance: so not everybody starts with rank 0.
std::vector<PeerTransfer> AllToAll::transfers(const End& send, const End& receive) const {
  const int P = grid_.shape().ranks(), me = grid_.rank();
  std::vector<PeerTransfer> all;
  for (int distance = 1; distance < P; ++distance) {
    const int from = (me - distance + P) % P, to = (me + distance) % P;
    if (receive.bytes(from) > 0)
      all.push_back({receive.of(from), receive.bytes(from), from, false});
    if (send.bytes(to) > 0) all.push_back({send.of(to), send.bytes(to), to, true});
  }
  return all;
}

void AllToAll::move(const End& send, const End& receive, PeerTransfers& peers,
                    Traffic& traffic) const {
  const std::vector<PeerTransfer> all = transfers(send, receive);
  for (const PeerTransfer& t : all)
    if (!t.send) traffic.count(!grid_.sameNode(t.peer), t.bytes, peers.messages(t.peer, t.bytes));
  const int me = grid_.rank();
  const auto keepOwn = [&] {
    copyBytes(receive.of(me), peers.memory(), send.of(me), peers.memory(), send.bytes(me));
  };
  // A copy on the device waits for all that runs there, and so for what peers are to send; a copy
  // on the host gives the first messages time to travel.
  const bool onDevice = peers.memory() == MemoryKind::Device;
  if (onDevice) keepOwn();
  peers.start(all);
  if (!onDevice) keepOwn();
  peers.wait();
}

}  // namespace Trident
