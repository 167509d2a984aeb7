// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_NcclExchange.hpp"

#include <utility>

#include "exchange/Trident_SliceExchange.hpp"

namespace Trident::Impl {
namespace {

MemoryBlock bothMarks() {
  MemoryBlock marks(MemoryKind::Device, "Trident::marks", 2);
  copyBytes(marks.data(), MemoryKind::Device, markToSend(false), MemoryKind::Host, 2);
  return marks;
}

}  // namespace

NcclExchange::NcclExchange(NcclCommunicator& nccl, const LineSchedule& schedule,
                           std::vector<bool> internode)
    : nccl_(nccl),
      schedule_(schedule),
      inOrder_(sendsInOrder(schedule, othersFrom(schedule.ownMember(), schedule.members()))),
      internode_(std::move(internode)),
      sentMarks_(bothMarks()),
      receivedMarks_(MemoryKind::Device, "Trident::marks", schedule.rounds()),
      marks_(MemoryKind::Pinned, "Trident::marks", schedule.rounds()) {}

void NcclExchange::begin(const LineSlices& slices) {
  slices_ = slices;
  failed_ = false;
  nextSend_ = 0;
  tickets_.clear();
  for (int t = 0; t < schedule_.rounds(); ++t) marks_.data()[t] = soundMark;
  startOwnRounds();
}

void NcclExchange::request(int round, void* landing, Traffic& traffic) {
  const int segment = schedule_.segmentOfRound(round);
  const std::size_t bytes = slices_.bytes[segment];
  traffic.count(internode_[schedule_.owner(segment)], static_cast<long long>(bytes), bytes > 0);
  startRound(landing);
  startOwnRounds();
}

bool NcclExchange::landed(int round) { return own(round) || nccl_.test(tickets_[round]); }

bool NcclExchange::wait(int round) {
  if (own(round)) return true;
  nccl_.wait(tickets_[round]);
  return marks_.data()[round] == soundMark;
}

void NcclExchange::end() { nccl_.wait(tickets_.back()); }

void NcclExchange::startOwnRounds() {
  while (static_cast<int>(tickets_.size()) < schedule_.rounds() &&
         own(static_cast<int>(tickets_.size())))
    startRound(nullptr);
}

/// Starts the next round. `landing` is unused if this rank owns the round's slice.
void NcclExchange::startRound(void* landing) {
  const int round = static_cast<int>(tickets_.size());
  std::vector<NcclTransfer> transfers;
  const auto add = [&](const SentSlice& slice, char* mark, int peer, bool send) {
    if (slice.bytes == 0) return false;
    transfers.push_back({const_cast<void*>(slice.data), slice.bytes, peer, send});
    transfers.push_back({mark, 1, peer, send});
    return true;
  };
  const int segment = schedule_.segmentOfRound(round);
  const bool receives =
      !own(round) && add({landing, slices_.bytes[segment]}, receivedMarks_.data() + round,
                         schedule_.owner(segment), false);
  for (; nextSend_ < inOrder_.size() && inOrder_[nextSend_].round == round; ++nextSend_) {
    const ScheduledSend& next = inOrder_[nextSend_];
    add(slices_.sent(next.slice, next.peer), sentMarks_.data() + failed_, next.peer, true);
  }
  tickets_.push_back(0);  // counts this round even if start() throws
  tickets_.back() = nccl_.start(transfers);
  if (receives)
    tickets_.back() = nccl_.copyToHost(marks_.data() + round, receivedMarks_.data() + round, 1);
}

}  // namespace Trident::Impl
