// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WAIT_HPP
#define TRIDENT_WAIT_HPP

#include <mpi.h>

#include <string>
#include <vector>

namespace Trident::Impl {

/// Returns the status of this process in words: its phase, its round, and the data and the rank
/// that it waits for. The text is empty while no call of Trident runs. Any thread may call this
/// function at any time, so a watchdog may, too.
std::string statusText();

/// While it lives, the status names this phase. The name must be a literal. Only the thread that is
/// inside Trident may make an object. Objects of this class nest.
class PhaseStatus {
 public:
  explicit PhaseStatus(const char* phase);
  ~PhaseStatus();
  PhaseStatus(const PhaseStatus&) = delete;
  PhaseStatus& operator=(const PhaseStatus&) = delete;

 private:
  const char* before_;
};

/// While it lives, the status names the round that was last passed to at().
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

/// While it lives, the status says that this process waits.
class WaitStatus {
 public:
  /// @param what the awaited data, as a literal such as "the slice of a round"
  /// @param rank the awaited rank, by its number in MPI_COMM_WORLD; negative: several ranks
  explicit WaitStatus(const char* what, int rank = -1);
  ~WaitStatus();
  WaitStatus(const WaitStatus&) = delete;
  WaitStatus& operator=(const WaitStatus&) = delete;

 private:
  const char* whatBefore_;
  int rankBefore_;
};

/// While it lives, waits of this thread give up after `seconds` ("timeout"), or never if that is 0.
class TimeoutScope {
 public:
  /// @param agreed true if all ranks are known to have equal `seconds`. Otherwise all ranks poll,
  ///   because polling and blocking ranks cannot be in one collective together.
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

/// Returns the reason why this process gave up a wait; an empty text if it gave up none. After
/// giving up, every further wait throws immediately, because MPI still holds unfinished transfers.
std::string whyAbandoned();
/// Throws Trident::Error if this process has given up a wait.
void requireNotAbandoned();

/// One wait for other ranks. The caller tests in a loop if the wait is over, and calls goOn() after
/// each test. All other waits are bounded collectives (Trident_Mpi.hpp), or, without a timeout,
/// blocking calls of MPI.
class Wait {
 public:
  Wait();
  /// Lets other threads run. Gives up a wait that has lasted too long (whyAbandoned()). Throws
  /// Trident::Error if this process has given up this wait or an earlier one.
  void goOn();
  /// Returns the seconds since the wait began.
  double seconds() const;

 private:
  double start_;
};

/// Blocks until all requests are complete, and clears the list. If this takes too long
/// (TimeoutScope), cancels the receives and throws Trident::Error.
void waitAll(std::vector<MPI_Request>& requests);

}  // namespace Trident::Impl

#endif
