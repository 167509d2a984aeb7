// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_PrefetchExchange.hpp"

#include <algorithm>

#include "Trident_Messages.hpp"

namespace Trident {
namespace {

// Slices of one pair of ranks follow each other in round order on both sides, and messages of a
// pair with one tag do not overtake, so one tag serves all.
constexpr int tag = 2;

}  // namespace

PrefetchExchange::PrefetchExchange(MPI_Comm line, const LineSchedule& schedule, int sendAhead,
                                   std::size_t messageBytes)
    : line_(line), schedule_(schedule), sendAhead_(sendAhead), messageBytes_(messageBytes) {}

void PrefetchExchange::begin(const LineSlices& slices) {
  slices_ = slices;
  nextSendRound_ = 0;
  receives_.assign(schedule_.rounds(), {});
  sendUpTo(sendAhead_);
}

void PrefetchExchange::request(int round, void* landing, Traffic& traffic) {
  const int segment = schedule_.segmentOfRound(round);
  const std::size_t bytes = slices_.bytes[segment];
  postReceive(landing, bytes, schedule_.owner(segment), tag, line_, messageBytes_,
              receives_[round]);
  traffic.count(true, bytes, messageCount(bytes, messageBytes_));
  sendUpTo(round + sendAhead_);
}

void PrefetchExchange::wait(int round) { waitAll(receives_[round]); }

void PrefetchExchange::progress() { testAll(sends_); }

void PrefetchExchange::end() {
  sendUpTo(schedule_.rounds() - 1);
  waitAll(sends_);
}

void PrefetchExchange::sendUpTo(int round) {
  const int last = std::min(round, schedule_.rounds() - 1);
  for (; nextSendRound_ <= last; ++nextSendRound_)
    for (int step = 1; step < schedule_.members(); ++step) {
      const int peer = (schedule_.me() + step) % schedule_.members();
      const int segment = schedule_.segmentOfRound(nextSendRound_, peer);
      if (schedule_.owner(segment) != schedule_.me()) continue;
      postSend(slices_.own[segment - schedule_.firstOwnSegment()], slices_.bytes[segment], peer,
               tag, line_, messageBytes_, sends_);
    }
}

}  // namespace Trident
