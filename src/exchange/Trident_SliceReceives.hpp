// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICERECEIVES_HPP
#define TRIDENT_SLICERECEIVES_HPP

#include <memory>
#include <vector>

#include "base/Trident_Wait.hpp"
#include "exchange/Trident_SliceExchange.hpp"
#include "transport/Trident_Line.hpp"

namespace Trident::Impl {

/// The receives of one product, by round. For a round, a slice and its mark are received.
class SliceReceives {
 public:
  explicit SliceReceives(Line& line) : line_(line) {}

  /// Begins a product. All receives of the last product must be complete.
  void begin(int rounds) {
    receives_.resize(rounds);
    owners_.resize(rounds);
    marks_.assign(rounds, soundMark);
  }
  void post(int round, void* landing, std::size_t bytes, int owner) {
    if (!receives_[round]) receives_[round] = line_.open();
    owners_[round] = owner;
    receives_[round]->receive(landing, bytes, owner);
    receives_[round]->receive(&marks_[round], 1, owner);
  }
  /// Returns true if a round's receives are done, or if none was posted (empty or own slice).
  bool landed(int round) { return !receives_[round] || receives_[round]->test(); }
  /// Returns the status of a wait for the slice of `round`, whose receive was posted.
  WaitStatus waitStatus(int round) const {
    return WaitStatus("the slice of a round", line_.worldRank(owners_[round]));
  }
  /// Waits for a round's slice, if a receive was posted. Returns false if the sender had failed.
  bool wait(int round) {
    if (receives_[round]) {
      const WaitStatus waiting = waitStatus(round);
      receives_[round]->wait();
    }
    return marks_[round] == soundMark;
  }

 private:
  Line& line_;
  std::vector<std::unique_ptr<Transfers>> receives_;
  std::vector<int> owners_;  // owner of each round's slice, if its receive was posted
  std::vector<char> marks_;
};

}  // namespace Trident::Impl

#endif
