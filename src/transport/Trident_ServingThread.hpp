// SPDX-License-Identifier: BSD-3-Clause
// The cores and the pauses of a thread that serves other ranks' requests.
#ifndef TRIDENT_SERVINGTHREAD_HPP
#define TRIDENT_SERVINGTHREAD_HPP

#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// Returns true if every host has enough cores: one for each thread of its ranks, and one more for
/// each rank. Counts only cores that the ranks may use. Collective; equal on all ranks.
/// @param threads number of threads with which this rank computes
bool haveSpareCores(const GridRanks& ranks, int threads);

/// The pauses of a thread that polls for events, so that it burns no core that computes. After an
/// event the thread yields a few times, and then sleeps longer and longer. The longest sleep
/// depends on the cost of the last polls, so that a waiting thread takes some 3% of a core. If
/// polls are cheap, the longest sleep is 140 µs, and most requests are answered within 200 µs. Over
/// TCP polls cost ten times as much, so sleeps are longer. doc/results/async.md has measurements.
class Backoff {
 public:
  /// Asks the system for sleeps that end on time. Call it on the thread that will pause.
  Backoff();
  /// Makes the next pauses short again, after an event.
  void reset() { pauses_ = 0; }
  /// Returns the seconds to sleep now, or 0 for a mere yield. Called by the thread that polls.
  /// @param transferring true if messages are under way, which move only while the thread polls
  double next(bool transferring);

 private:
  int pauses_ = 0;
  double cpuSeconds_ = 0;   ///< this thread's CPU time when it was last read
  double pollSeconds_ = 0;  ///< smoothed CPU time of a poll and a pause
};

}  // namespace Trident::Impl

#endif
