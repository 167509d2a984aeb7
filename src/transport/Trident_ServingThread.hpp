// SPDX-License-Identifier: BSD-3-Clause
// The time of cores that a thread which serves others' requests takes from ranks that compute.
#ifndef TRIDENT_SERVINGTHREAD_HPP
#define TRIDENT_SERVINGTHREAD_HPP

#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// Returns true if every rank's host has one more core for each of its ranks than these compute
/// with. The ranks are those of `ranks`, and the cores those that they may run on. Collective;
/// equal on all ranks.
/// @param threads with which this rank computes
bool haveSpareCores(const GridRanks& ranks, int threads);

/// The waiting of a thread for events that only polling shows, without burning a core that
/// computes. After something happened it yields a few times and then sleeps longer and longer. The
/// longest sleep keeps the thread at 3% of a core, at the price of its last polls. That is 140 µs
/// if MPI's progress is cheap, so that most requests are answered within 200 µs. It is longer if
/// progress is not cheap: over TCP a look into MPI costs ten times as much. doc/results/async.md
/// has both measured.
class Backoff {
 public:
  /// Asks the system for sleeps that end on time. Called by the thread that will pause.
  Backoff();
  /// Makes the next pauses short again, as something happened.
  void reset() { pauses_ = 0; }
  /// Returns the seconds to sleep now; 0: only yield. Called by the thread that polls.
  /// @param transferring true if messages are under way, which move only while they are polled
  double next(bool transferring);

 private:
  int pauses_ = 0;
  double cpuSeconds_ = 0;   ///< CPU time of this thread at the last pause
  double pollSeconds_ = 0;  ///< smoothed cost of a poll and a pause
};

}  // namespace Trident::Impl

#endif
