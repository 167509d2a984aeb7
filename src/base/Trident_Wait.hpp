// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WAIT_HPP
#define TRIDENT_WAIT_HPP

#include <mpi.h>

#include <string>
#include <vector>

namespace Trident::Impl {

/// Returns the status of this process in a call of Trident, in words: its phase, the round, and its
/// wait: for which data from which rank. The text is empty while no call runs. It is for exceptions
/// of waits that take too long, and for watchdogs; so any thread may ask at any time.
std::string statusText();

/// While it lives, the status names this phase. Names must be literals. Made by the thread that is
/// in Trident; they nest.
class PhaseStatus {
 public:
  explicit PhaseStatus(const char* phase);
  ~PhaseStatus();
  PhaseStatus(const PhaseStatus&) = delete;
  PhaseStatus& operator=(const PhaseStatus&) = delete;

 private:
  const char* before_;
};

/// While it lives, the status names the round of a product on the grid, once at() was called.
class RoundStatus {
 public:
  RoundStatus() = default;
  ~RoundStatus() { at(none); }
  RoundStatus(const RoundStatus&) = delete;
  RoundStatus& operator=(const RoundStatus&) = delete;
  void at(int round);

 private:
  static constexpr int none = -1;
};

/// While it lives, the status names a wait of this process.
class WaitStatus {
 public:
  /// @param what a literal: "the slice of a round"
  /// @param rank in MPI_COMM_WORLD of whom it waits for; negative: several
  explicit WaitStatus(const char* what, int rank = -1);
  ~WaitStatus();
  WaitStatus(const WaitStatus&) = delete;
  WaitStatus& operator=(const WaitStatus&) = delete;

 private:
  const char* whatBefore_;
  int rankBefore_;
};

/// While it lives, no wait of this thread lasts longer than so many seconds ("timeout"); 0: as long
/// as it takes.
class TimeoutScope {
 public:
  /// @param agreed true if all ranks are known to have the same bound. Else all poll, since a rank
  ///               that polls cannot meet one that blocks in the same collective.
  explicit TimeoutScope(double seconds, bool agreed = true);
  ~TimeoutScope();
  TimeoutScope(const TimeoutScope&) = delete;
  TimeoutScope& operator=(const TimeoutScope&) = delete;

  /// Returns true if this thread polls while it waits, in place of blocking inside MPI.
  static bool polls();

 private:
  double secondsBefore_;
  bool pollsBefore_;
};

/// Returns the reason why this process gave a wait up; empty if it never did. After that its
/// communicators hold transfers that nobody ends. They are left to MPI, and every further wait
/// fails at once.
std::string whyAbandoned();
/// Throws Trident::Error if this process gave a wait up.
void requireNotAbandoned();

/// One wait for other ranks, made of looks. Nothing waits without one of these, a bounded
/// collective (Trident_Mpi.hpp), or a blocking call of MPI's where waits are not bounded.
class Wait {
 public:
  Wait();
  /// Lets other threads run, between two looks. Throws Trident::Error if the wait has lasted too
  /// long; the process has then abandoned its transfers.
  void goOn();
  /// Returns the seconds since the wait began.
  double seconds() const;

 private:
  double start_;
};

/// Blocks until all requests are complete, and clears the list. If it gives up, it cancels
/// receives.
void waitAll(std::vector<MPI_Request>& requests);

}  // namespace Trident::Impl

#endif
