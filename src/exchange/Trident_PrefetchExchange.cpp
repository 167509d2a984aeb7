// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_PrefetchExchange.hpp"

#include <utility>

#include "base/Trident_Wait.hpp"
#include "exchange/Trident_SliceSends.hpp"

namespace Trident::Impl {

PrefetchExchange::PrefetchExchange(std::unique_ptr<Line> line, const LineSchedule& schedule,
                                   int sendAhead)
    : line_(std::move(line)),
      schedule_(schedule),
      sendAhead_(sendAhead),
      inOrder_(sendsInOrder(schedule, line_->peers())),
      sends_(line_->open()),
      receives_(*line_) {}

void PrefetchExchange::begin(const LineSlices& slices) {
  line_->limitMessages(slices.messageBytes);
  slices_ = slices;
  failed_ = false;
  nextSend_ = 0;
  receives_.begin(schedule_.rounds());
  sendUpTo(sendAhead_);
}

void PrefetchExchange::request(int round, void* landing, Traffic& traffic) {
  const int segment = schedule_.segmentOfRound(round), owner = schedule_.owner(segment);
  if (slices_.bytes[segment] > 0) {
    receives_.post(round, landing, slices_.bytes[segment], owner);
    line_->count(owner, slices_.bytes[segment], traffic);
  }
  sendUpTo(round + sendAhead_);
}

bool PrefetchExchange::landed(int round) {
  sendUpTo(round);
  return receives_.landed(round);
}

bool PrefetchExchange::wait(int round) {
  sendUpTo(round);
  return receives_.wait(round);
}

void PrefetchExchange::progress() { sends_->test(); }

void PrefetchExchange::end() {
  sendUpTo(schedule_.rounds() - 1);
  const WaitStatus waiting("others to receive this rank's slices");
  sends_->wait();
  slices_.await = {};  // frees memory that the function may hold
}

void PrefetchExchange::sendUpTo(int round) {
  while (nextSend_ < inOrder_.size() && inOrder_[nextSend_].round <= round) {
    const ScheduledSend& next = inOrder_[nextSend_++];
    const SentSlice& slice = slices_.sent(next.slice, next.peer);
    if (slice.bytes > 0) sendSlice(slices_, slice, failed_, next.peer, *sends_);
  }
}

}  // namespace Trident::Impl
