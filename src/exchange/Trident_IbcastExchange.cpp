// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/Trident_IbcastExchange.hpp"

#include <algorithm>
#include <utility>

#include "base/Trident_Mpi.hpp"
#include "transport/Trident_Messages.hpp"

namespace Trident::Impl {

IbcastExchange::IbcastExchange(std::unique_ptr<Line> line, MPI_Comm comm,
                               const LineSchedule& schedule)
    : line_(std::move(line)), comm_(Communicator::duplicate(comm)), schedule_(schedule) {}

void IbcastExchange::begin(const LineSlices& slices) {
  slices_ = slices;
  line_->limitMessages(slices.messageBytes);
  failed_ = false;
  started_ = 0;
  requests_.assign(schedule_.rounds(), {});
  marks_.assign(schedule_.rounds(), soundMark);
}

void IbcastExchange::request(int round, void* landing, Traffic& traffic) {
  openOwn(round);
  start(round, landing);
  line_->count(schedule_.owner(round), slices_.bytes[round], traffic);
}

bool IbcastExchange::landed(int round) {
  openOwn(round + 1);
  if (schedule_.owner(round) == schedule_.me()) return true;
  testAll(requests_[round]);
  return requests_[round].empty();
}

bool IbcastExchange::wait(int round) {
  openOwn(round + 1);
  // The owner's part may end later: its slice stays until end().
  if (schedule_.owner(round) != schedule_.me()) waitAll(requests_[round]);
  return marks_[round] == soundMark;
}

void IbcastExchange::progress() {
  for (int t = 0; t < started_; ++t) testAll(requests_[t]);
}

void IbcastExchange::end() {
  openOwn(schedule_.rounds());
  for (auto& requests : requests_) waitAll(requests);
}

/// Own rounds before `round` have their turn.
void IbcastExchange::openOwn(int round) {
  while (started_ < round && schedule_.owner(started_) == schedule_.me()) {
    marks_[started_] = *markToSend(failed_);
    const SentSlice& own = slices_.sent(started_ - schedule_.firstOwnSegment(), schedule_.me());
    // MPI_Ibcast takes no const, but does not write at its root.
    start(started_, const_cast<void*>(own.data));
  }
}

void IbcastExchange::start(int round, void* data) {
  std::vector<MPI_Request>& requests = requests_[round];
  const auto broadcast = [&](char* part, int count) {
    requests.push_back(MPI_REQUEST_NULL);
    TRIDENT_MPI_CHECK(
        MPI_Ibcast(part, count, MPI_BYTE, schedule_.owner(round), comm_.get(), &requests.back()));
  };
  const std::size_t bytes = slices_.bytes[round], most = slices_.messageBytes;
  for (std::size_t at = 0; at < bytes; at += most)
    broadcast(static_cast<char*>(data) + at, static_cast<int>(std::min(most, bytes - at)));
  broadcast(&marks_[round], 1);
  started_ = round + 1;
}

}  // namespace Trident::Impl
