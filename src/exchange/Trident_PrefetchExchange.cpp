// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_PrefetchExchange.hpp"

#include <algorithm>
#include <utility>

#include "Trident_Standing.hpp"

namespace Trident::Impl {

PrefetchExchange::PrefetchExchange(std::unique_ptr<Line> line, const LineSchedule& schedule,
                                   int sendAhead)
    : line_(std::move(line)),
      schedule_(schedule),
      sendAhead_(sendAhead),
      sends_(line_->open()),
      receives_(*line_) {}

void PrefetchExchange::begin(const LineSlices& slices) {
  line_->limitMessages(slices.messageBytes);
  slices_ = slices;
  failed_ = false;
  nextSendRound_ = 0;
  receives_.begin(schedule_.rounds());
  sendUpTo(sendAhead_);
}

void PrefetchExchange::request(int round, void* landing, Traffic& traffic) {
  const int segment = schedule_.segmentOfRound(round), owner = schedule_.owner(segment);
  receives_.post(round, landing, slices_.bytes[segment], owner);
  line_->count(owner, slices_.bytes[segment], traffic);
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
  const WaitStanding standing("others to receive this rank's slices");
  sends_->wait();
}

void PrefetchExchange::sendUpTo(int round) {
  const int last = std::min(round, schedule_.rounds() - 1);
  for (; nextSendRound_ <= last; ++nextSendRound_)
    for (int peer : line_->peers()) {
      const int segment = schedule_.segmentOfRound(nextSendRound_, peer);
      if (schedule_.owner(segment) != schedule_.me()) continue;
      const SentSlice& slice = slices_.sent(segment - schedule_.firstOwnSegment(), peer);
      sends_->send(slice.data, slice.bytes, peer);
      sends_->send(markToSend(failed_), 1, peer);
    }
}

}  // namespace Trident::Impl
