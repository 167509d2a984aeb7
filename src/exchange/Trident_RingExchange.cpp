// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_RingExchange.hpp"

#include <algorithm>
#include <utility>

namespace Trident::Impl {

RingExchange::RingExchange(std::unique_ptr<Line> line, const LineSchedule& schedule,
                           std::size_t chunkBytes)
    : line_(std::move(line)), schedule_(schedule), chunkBytes_(chunkBytes) {}

void RingExchange::begin(const LineSlices& slices) {
  line_->limitMessages(slices.messageBytes);
  slices_ = slices;
  failed_ = false;
  forwarding_.clear();
  forwarding_.resize(schedule_.rounds());
  asked_ = next_ = 0;
  for (const SentSlice& slice : slices.own)
    if (slices.await && slice.bytes > 0)
      slices.await(static_cast<const char*>(slice.data) + slice.bytes);
}

void RingExchange::request(int round, void* landing, Traffic& traffic) {
  openOwn(round);
  char* const data = static_cast<char*>(landing);
  awaitForwarded(data, slices_.bytes[round]);
  open(round, data);
  Forwarding& slice = forwarding_[round];
  for (std::size_t p = 0; p < chunks(round); ++p) {
    slice.chunks.push_back(line_->open());
    slice.chunks.back()->receive(data + p * chunkBytes_, chunkBytes(round, p), left());
  }
  slice.chunks.push_back(line_->open());  // the mark is the last chunk
  slice.chunks.back()->receive(&slice.mark, 1, left());
  line_->count(schedule_.owner(round), slices_.bytes[round], traffic);
  advance();
}

bool RingExchange::landed(int round) {
  openOwn(round + 1);
  advance();
  return own(round) || forwarding_[round].arrived == forwarding_[round].chunks.size();
}

bool RingExchange::wait(int round) {
  openOwn(round + 1);
  if (own(round)) {
    advance();
    return true;
  }
  Forwarding& slice = forwarding_[round];
  while (slice.arrived < slice.chunks.size()) advance();
  advance();  // forwards the last chunks before the caller computes
  return slice.mark == soundMark;
}

void RingExchange::progress() {
  advance();
  for (int t = 0; t < asked_; ++t) forwarding_[t].sends->test();
}

void RingExchange::end() {
  openOwn(schedule_.rounds());
  while (next_ < schedule_.rounds()) advance();
  for (Forwarding& slice : forwarding_) slice.sends->wait();
  slices_.await = {};  // frees memory that the function may hold
}

std::size_t RingExchange::chunks(int round) const {
  return (slices_.bytes[round] + chunkBytes_ - 1) / chunkBytes_;
}

std::size_t RingExchange::chunkBytes(int round, std::size_t chunk) const {
  return std::min(chunkBytes_, slices_.bytes[round] - chunk * chunkBytes_);
}

bool RingExchange::forwards(int round) const { return schedule_.owner(round) != right(); }

void RingExchange::open(int round, const char* data) {
  forwarding_[round].data = data;
  forwarding_[round].sends = line_->open();
  asked_ = round + 1;
}

/// Waits until all received slices in [landing, landing + bytes) are forwarded.
void RingExchange::awaitForwarded(const char* landing, std::size_t bytes) {
  for (int t = 0; t < asked_; ++t) {
    Forwarding& slice = forwarding_[t];
    if (own(t) || slice.data >= landing + bytes || landing >= slice.data + slices_.bytes[t])
      continue;
    while (next_ <= t) advance();
    slice.sends->wait();
  }
}

/// Opens the next own slices for sending. Stops before `round`, or before another rank's slice.
void RingExchange::openOwn(int round) {
  while (asked_ < round && own(asked_)) {
    Forwarding& slice = forwarding_[asked_];
    slice.mark = *markToSend(failed_);
    slice.arrived = chunks(asked_) + 1;
    const int m = asked_ - schedule_.firstOwnSegment();
    open(asked_, static_cast<const char*>(slices_.sent(m, schedule_.ownMember()).data));
  }
}

/// Counts arrived chunks. Forwards them in the order of rounds until a chunk is missing.
void RingExchange::advance() {
  for (; next_ < asked_; ++next_) {
    Forwarding& slice = forwarding_[next_];
    forwardArrived(slice, next_);
    if (slice.forwarded < chunks(next_) + 1) break;
  }
  for (int t = next_; t < asked_; ++t) {
    Forwarding& slice = forwarding_[t];
    while (slice.arrived < slice.chunks.size() && slice.chunks[slice.arrived]->test())
      ++slice.arrived;
  }
}

void RingExchange::forwardArrived(Forwarding& slice, int round) {
  const std::size_t last = chunks(round);
  for (;; ++slice.forwarded) {
    while (slice.arrived < slice.chunks.size() && slice.chunks[slice.arrived]->test())
      ++slice.arrived;
    if (slice.forwarded == slice.arrived) return;
    if (!forwards(round)) continue;
    if (slice.forwarded < last)
      slice.sends->send(slice.data + slice.forwarded * chunkBytes_,
                        chunkBytes(round, slice.forwarded), right());
    else
      slice.sends->send(&slice.mark, 1, right());
  }
}

}  // namespace Trident::Impl
