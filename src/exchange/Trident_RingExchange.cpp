// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_RingExchange.hpp"

#include <algorithm>
#include <utility>

namespace Trident::Impl {

RingExchange::RingExchange(std::unique_ptr<Line> line, const LineSchedule& schedule,
                           std::size_t pieceBytes)
    : line_(std::move(line)), schedule_(schedule), pieceBytes_(pieceBytes) {}

void RingExchange::begin(const LineSlices& slices) {
  line_->limitMessages(slices.messageBytes);
  slices_ = slices;
  failed_ = false;
  passages_.clear();
  passages_.resize(schedule_.rounds());
  asked_ = next_ = 0;
}

void RingExchange::request(int round, void* landing, Traffic& traffic) {
  openOwn(round);
  char* const data = static_cast<char*>(landing);
  seeOff(data, slices_.bytes[round]);
  open(round, data);
  Passage& passage = passages_[round];
  for (std::size_t p = 0; p < pieces(round); ++p) {
    passage.pieces.push_back(line_->open());
    passage.pieces.back()->receive(data + p * pieceBytes_, pieceBytes(round, p), left());
  }
  passage.pieces.push_back(line_->open());  // the mark is the last piece
  passage.pieces.back()->receive(&passage.mark, 1, left());
  line_->count(schedule_.owner(round), slices_.bytes[round], traffic);
  advance();
}

bool RingExchange::landed(int round) {
  openOwn(round + 1);
  advance();
  return own(round) || passages_[round].arrived == passages_[round].pieces.size();
}

bool RingExchange::wait(int round) {
  openOwn(round + 1);
  if (own(round)) {
    advance();
    return true;
  }
  Passage& passage = passages_[round];
  while (passage.arrived < passage.pieces.size()) advance();
  advance();  // what came last is passed on now, not after a local product
  return passage.mark == soundMark;
}

void RingExchange::progress() {
  advance();
  for (int t = 0; t < asked_; ++t) passages_[t].sends->test();
}

void RingExchange::end() {
  openOwn(schedule_.rounds());
  while (next_ < schedule_.rounds()) advance();
  for (Passage& passage : passages_) passage.sends->wait();
}

std::size_t RingExchange::pieces(int round) const {
  return (slices_.bytes[round] + pieceBytes_ - 1) / pieceBytes_;
}

std::size_t RingExchange::pieceBytes(int round, std::size_t piece) const {
  return std::min(pieceBytes_, slices_.bytes[round] - piece * pieceBytes_);
}

bool RingExchange::passesOn(int round) const { return schedule_.owner(round) != right(); }

void RingExchange::open(int round, const char* data) {
  passages_[round].data = data;
  passages_[round].sends = line_->open();
  asked_ = round + 1;
}

/// Returns once no round is passed on from [landing, landing + bytes).
void RingExchange::seeOff(const char* landing, std::size_t bytes) {
  for (int t = 0; t < asked_; ++t) {
    Passage& passage = passages_[t];
    if (own(t) || passage.data >= landing + bytes || landing >= passage.data + slices_.bytes[t])
      continue;
    while (next_ <= t) advance();
    passage.sends->wait();
  }
}

/// Own rounds before `round` can be sent: their turn has come.
void RingExchange::openOwn(int round) {
  while (asked_ < round && own(asked_)) {
    Passage& passage = passages_[asked_];
    passage.mark = *markToSend(failed_);
    passage.arrived = pieces(asked_) + 1;
    const int m = asked_ - schedule_.firstOwnSegment();
    open(asked_, static_cast<const char*>(slices_.sent(m, schedule_.me()).data));
  }
}

/// Passes on what has arrived, in round order; a later round is looked at only for what arrived.
void RingExchange::advance() {
  for (; next_ < asked_; ++next_) {
    Passage& passage = passages_[next_];
    passArrived(passage, next_);
    if (passage.passed < pieces(next_) + 1) break;
  }
  for (int t = next_; t < asked_; ++t) {
    Passage& passage = passages_[t];
    while (passage.arrived < passage.pieces.size() && passage.pieces[passage.arrived]->test())
      ++passage.arrived;
  }
}

void RingExchange::passArrived(Passage& passage, int round) {
  const std::size_t last = pieces(round);
  for (;; ++passage.passed) {
    while (passage.arrived < passage.pieces.size() && passage.pieces[passage.arrived]->test())
      ++passage.arrived;
    if (passage.passed == passage.arrived) return;
    if (!passesOn(round)) continue;
    if (passage.passed < last)
      passage.sends->send(passage.data + passage.passed * pieceBytes_,
                          pieceBytes(round, passage.passed), right());
    else
      passage.sends->send(&passage.mark, 1, right());
  }
}

}  // namespace Trident::Impl
