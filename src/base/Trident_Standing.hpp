// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STANDING_HPP
#define TRIDENT_STANDING_HPP

#include <string>

namespace Trident::Impl {

/// Where this process stands in a call of Trident, in words: its phase, the round, and what it
/// waits for from whom. For exceptions of waits that take too long, and for watchdogs; so any
/// thread may ask at any time. Empty while no call runs.
std::string standingText();

/// While it lives, this process stands in a phase of that name. Names must be literals. By the
/// thread that is in Trident; they nest.
class PhaseStanding {
 public:
  explicit PhaseStanding(const char* phase);
  ~PhaseStanding();
  PhaseStanding(const PhaseStanding&) = delete;
  PhaseStanding& operator=(const PhaseStanding&) = delete;

 private:
  const char* before_;
};

/// The same of the round, from the time it is made: of a product on the grid.
class RoundStanding {
 public:
  RoundStanding() = default;
  ~RoundStanding() { at(none); }
  RoundStanding(const RoundStanding&) = delete;
  RoundStanding& operator=(const RoundStanding&) = delete;
  void at(int round);

 private:
  static constexpr int none = -1;
};

/// The same of what it waits for.
class WaitStanding {
 public:
  /// @param what a literal: "the slice of a round"
  /// @param rank in MPI_COMM_WORLD of whom it waits for; negative: several
  explicit WaitStanding(const char* what, int rank = -1);
  ~WaitStanding();
  WaitStanding(const WaitStanding&) = delete;
  WaitStanding& operator=(const WaitStanding&) = delete;

 private:
  const char* whatBefore_;
  int rankBefore_;
};

}  // namespace Trident::Impl

#endif
