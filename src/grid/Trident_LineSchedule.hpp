// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LINESCHEDULE_HPP
#define TRIDENT_LINESCHEDULE_HPP

#include <algorithm>
#include <vector>

#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {

enum class Factor { A, B };

/// The static schedule of one line of the grid, seen from one rank: a grid row, along which A's
/// slices travel, or a grid column, along which B's do. Every member needs every segment once, and
/// any member can compute when any other needs which.
class LineSchedule {
 public:
  LineSchedule(const GridShape& shape, const GridCoordinates& me, Factor factor)
      : shape_(shape), me_(me), factor_(factor) {}

  int rounds() const { return shape_.segments(); }
  int members() const { return factor_ == Factor::A ? shape_.nodeCols : shape_.nodeRows; }
  int me() const { return factor_ == Factor::A ? me_.j : me_.i; }
  int owner(int segment) const {
    return factor_ == Factor::A ? shape_.tileCol(segment) : shape_.tileRow(segment);
  }
  int ownSegments() const { return rounds() / members(); }
  int firstOwnSegment() const { return me() * ownSegments(); }
  int segmentOfRound(int round, int member) const {
    return factor_ == Factor::A ? shape_.segmentOfRound(round, me_.i, member)
                                : shape_.segmentOfRound(round, member, me_.j);
  }
  int segmentOfRound(int round) const { return segmentOfRound(round, me()); }
  /// Inverse of segmentOfRound in the round.
  int roundOfSegment(int segment, int member) const {
    return factor_ == Factor::A ? shape_.roundOfSegment(segment, me_.i, member)
                                : shape_.roundOfSegment(segment, member, me_.j);
  }

 private:
  GridShape shape_;
  GridCoordinates me_;
  Factor factor_;
};

/// The other members of a line, from the own rank on, so that not everybody starts with the same
/// one.
inline std::vector<int> othersFrom(int me, int members) {
  std::vector<int> others;
  for (int step = 1; step < members; ++step) others.push_back((me + step) % members);
  return others;
}

/// An own slice, the peer that gets it, and the round in which that peer needs it.
struct ScheduledSend {
  int round, slice, peer;
};

/// All that a rank may have to send: own segments times peers. In the order of rounds, and those of
/// one round in the order of `peers`.
inline std::vector<ScheduledSend> sendsInOrder(const LineSchedule& schedule,
                                               const std::vector<int>& peers) {
  std::vector<ScheduledSend> sends;
  sends.reserve(peers.size() * schedule.ownSegments());
  for (int peer : peers)
    for (int slice = 0; slice < schedule.ownSegments(); ++slice)
      sends.push_back(
          {schedule.roundOfSegment(schedule.firstOwnSegment() + slice, peer), slice, peer});
  std::stable_sort(sends.begin(), sends.end(), [](const ScheduledSend& a, const ScheduledSend& b) {
    return a.round < b.round;
  });
  return sends;
}

}  // namespace Trident::Impl

#endif
