// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_AllToAll.hpp"

#include <utility>

#include "base/Trident_Mpi.hpp"
#include "transport/Trident_ToldCounts.hpp"

namespace Trident::Impl {
namespace {

std::vector<long long> offsetsOf(const std::vector<long long>& counts) {
  std::vector<long long> offsets(counts.size() + 1, 0);
  for (std::size_t r = 0; r < counts.size(); ++r) offsets[r + 1] = offsets[r] + counts[r];
  return offsets;
}

std::vector<bool> internodeTo(const GridRanks& ranks) {
  std::vector<bool> internode(ranks.size());
  for (int r = 0; r < ranks.size(); ++r) internode[r] = !ranks.sameNode(r);
  return internode;
}

}  // namespace

AllToAll::AllToAll(const GridRanks& ranks, std::vector<long long> sendCounts,
                   std::size_t messageBytes)
    : AllToAll(ranks.comm(), internodeTo(ranks), std::move(sendCounts), messageBytes) {}

AllToAll::AllToAll(const ProcessGrid& grid, Factor line, std::vector<long long> sendCounts,
                   std::size_t messageBytes)
    : AllToAll(grid.line(line), grid.internodeOnLine(line), std::move(sendCounts), messageBytes) {}

AllToAll::AllToAll(MPI_Comm comm, std::vector<bool> internode, std::vector<long long> sendCounts,
                   std::size_t messageBytes)
    : AllToAll(comm, std::move(internode), sendCounts, toldCounts(comm, sendCounts, 1),
               messageBytes) {}

AllToAll::AllToAll(MPI_Comm comm, std::vector<bool> internode,
                   const std::vector<long long>& sendCounts,
                   const std::vector<long long>& receiveCounts, std::size_t messageBytes)
    : comm_(comm),
      internode_(std::move(internode)),
      messageBytes_(messageBytes),
      sendOffsets_(offsetsOf(sendCounts)),
      receiveOffsets_(offsetsOf(receiveCounts)) {
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &me_));
}

std::pair<AllToAll, AllToAll> AllToAll::pair(const GridRanks& ranks,
                                             const std::vector<long long>& firstCounts,
                                             const std::vector<long long>& secondCounts,
                                             std::size_t messageBytes) {
  return pair(ranks.comm(), internodeTo(ranks), firstCounts, secondCounts, messageBytes);
}

std::pair<AllToAll, AllToAll> AllToAll::pair(const ProcessGrid& grid, Factor line,
                                             const std::vector<long long>& firstCounts,
                                             const std::vector<long long>& secondCounts,
                                             std::size_t messageBytes) {
  return pair(grid.line(line), grid.internodeOnLine(line), firstCounts, secondCounts, messageBytes);
}

std::pair<AllToAll, AllToAll> AllToAll::pair(MPI_Comm comm, const std::vector<bool>& internode,
                                             const std::vector<long long>& firstCounts,
                                             const std::vector<long long>& secondCounts,
                                             std::size_t messageBytes) {
  std::vector<long long> both;
  for (std::size_t r = 0; r < firstCounts.size(); ++r) {
    both.push_back(firstCounts[r]);
    both.push_back(secondCounts[r]);
  }
  both = toldCounts(comm, both, 2);
  std::vector<long long> first, second;
  for (std::size_t r = 0; r < firstCounts.size(); ++r) {
    first.push_back(both[2 * r]);
    second.push_back(both[2 * r + 1]);
  }
  return {AllToAll(comm, internode, firstCounts, first, messageBytes),
          AllToAll(comm, internode, secondCounts, second, messageBytes)};
}

bool AllToAll::onlySelf() const {
  return sends() == sendOffsets_[me_ + 1] - sendOffsets_[me_] &&
         receives() == receiveOffsets_[me_ + 1] - receiveOffsets_[me_];
}

void AllToAll::exchange(const void* send, void* receive, std::size_t elementBytes,
                        Traffic& traffic) const {
  const auto peers = makeMpiTransfers(comm_, MemoryKind::Host, messageBytes_);
  exchange(send, receive, elementBytes, *peers, traffic);
}

void AllToAll::exchange(const void* send, void* receive, std::size_t elementBytes,
                        PeerTransfers& peers, Traffic& traffic) const {
  move({const_cast<char*>(static_cast<const char*>(send)), sendOffsets_, elementBytes},
       {static_cast<char*>(receive), receiveOffsets_, elementBytes}, peers, traffic);
}

void AllToAll::exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                            Traffic& traffic) const {
  const auto peers = makeMpiTransfers(comm_, MemoryKind::Host, messageBytes_);
  exchangeBack(answers, received, elementBytes, *peers, traffic);
}

void AllToAll::exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                            PeerTransfers& peers, Traffic& traffic) const {
  move({const_cast<char*>(static_cast<const char*>(answers)), receiveOffsets_, elementBytes},
       {static_cast<char*>(received), sendOffsets_, elementBytes}, peers, traffic);
}

void AllToAll::answerEach(const void* answers, void* received, std::size_t answerBytes,
                          Traffic& traffic) const {
  const auto peers = makeMpiTransfers(comm_, MemoryKind::Host, messageBytes_);
  char* const to = const_cast<char*>(static_cast<const char*>(answers));
  char* const from = static_cast<char*>(received);
  std::vector<PeerTransfer> all;
  for (int r = 0; r < static_cast<int>(internode_.size()); ++r) {
    if (r == me_) continue;
    if (sendOffsets_[r + 1] > sendOffsets_[r]) {
      all.push_back({from + r * answerBytes, answerBytes, r, false});
      traffic.count(internode_[r], answerBytes, peers->messages(r, answerBytes));
    }
    if (receiveOffsets_[r + 1] > receiveOffsets_[r])
      all.push_back({to + r * answerBytes, answerBytes, r, true});
  }
  peers->start(all);
  peers->wait();
}

/// All transfers with others, by distance: so not everybody starts with rank 0.
std::vector<PeerTransfer> AllToAll::transfers(const End& send, const End& receive) const {
  const int P = static_cast<int>(internode_.size());
  std::vector<PeerTransfer> all;
  for (int distance = 1; distance < P; ++distance) {
    const int from = (me_ - distance + P) % P, to = (me_ + distance) % P;
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
    if (!t.send) traffic.count(internode_[t.peer], t.bytes, peers.messages(t.peer, t.bytes));
  const auto keepOwn = [&] {
    copyBytes(receive.of(me_), peers.memory(), send.of(me_), peers.memory(), send.bytes(me_));
  };
  // A copy on the device waits for all that runs there, and so for what peers are to send; a copy
  // on the host gives the first messages time to travel.
  const bool onDevice = peers.memory() == MemoryKind::Device;
  if (onDevice) keepOwn();
  peers.start(all);
  if (!onDevice) keepOwn();
  peers.wait();
}

}  // namespace Trident::Impl
