// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PHASE_HPP
#define TRIDENT_PHASE_HPP

#include <array>
#include <memory>
#include <string>

#include "base/Trident_Threads.hpp"
#include "base/Trident_Wait.hpp"

namespace Trident {

/// The phases that a rank spends its time in, as reported.
enum class Phase {
  /// Compares arguments, numbers indices, chooses the grid's shape (this may sample C) and cuts the
  /// index spaces; before the rounds it finds needed rows, exchanges shapes of slices and takes
  /// memory.
  Setup,
  /// Brings entries of the operands to their places on the grid. Rows that stay move nothing.
  Import,
  /// Waits for slices of other nodes that have not come yet. Slices that travel during a local
  /// product cost nothing here.
  ExchangeWait,
  /// Puts a node's tile together, and waits for the ranks of the node.
  Gather,
  /// Multiplies.
  LocalMultiply,
  /// Adds the products of different rounds (none if all rounds are fused), and filters.
  Accumulate,
  /// Moves entries of C to the owners of its rows, sorts them and makes the Tpetra matrix.
  Export
};
constexpr int phaseCount = 7;

/// Returns "setup", "import", "exchange_wait", ...: the key in reports, timers and the driver's
/// JSON.
const char* phaseName(Phase phase);

/// Seconds of this rank by phase.
class PhaseSeconds {
 public:
  /// Returns the seconds of a phase, to add to.
  double& operator[](Phase phase) { return seconds_[static_cast<int>(phase)]; }
  /// Returns the seconds of a phase.
  double operator[](Phase phase) const { return seconds_[static_cast<int>(phase)]; }

 private:
  std::array<double, phaseCount> seconds_{};
};

/// The times at which a round of one rank came to its steps, in seconds since the rank began the
/// rounds. Rounds that are fused into one local product share their last three times.
struct RoundTimes {
  int round = 0;          ///< number of the round, from 0
  double requested = 0;   ///< request for the round's slices
  double awaited = 0;     ///< start of the wait for slices, with nothing else left to do
  double landed = 0;      ///< arrival of the slices, at the latest when the rank looked
  double gathered = 0;    ///< operands complete
  double multiplied = 0;  ///< product formed and added
};

namespace Impl {

/// Returns the seconds of a clock that only goes forward. All processes of a host share it.
double steadySeconds();

struct CallNames;
struct TimedRegion;  // keeps Teuchos and Kokkos out of this header

/// While it lives, the calling thread is inside Trident, in a public function. Its time counts in a
/// Teuchos timer, and a Kokkos profiling region has the timer's name: "Trident: Multiply", with a
/// label "Trident <label>: Multiply". Phases inside have the function's name. A thread that may not
/// be inside has neither timer nor region. Local to the rank.
class CallScope {
 public:
  /// @param function a name such as "Trident::Multiply"
  /// @param label the caller's; may be empty
  explicit CallScope(const char* function, const std::string& label = std::string());
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const SingleThreadGuard inside_;
  const CallNames* const around_;  // names of the call around this one
  std::unique_ptr<TimedRegion> timed_;
};

/// While it lives, time counts for `phase`: in `seconds`, in the Teuchos timer
/// "Trident: <function>: <phase>" of the call around it ("Trident: <phase>" outside of calls), and
/// in a Kokkos profiling region of that name; and the status of this process says so
/// (Trident_Wait.hpp). In `seconds` time counts once: while a phase lives inside another of the
/// same thread, it does not count for the outer one. Local to the rank.
class PhaseScope {
 public:
  /// @param seconds get the time when it ends
  /// @param phase that begins
  PhaseScope(PhaseSeconds& seconds, Phase phase);
  ~PhaseScope();
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  PhaseStatus status_;
  PhaseSeconds& seconds_;
  Phase phase_;
  double start_;
  double inside_ = 0;         // seconds of the phases inside
  PhaseScope* const around_;  // null: none
  std::unique_ptr<TimedRegion> timed_;
};

}  // namespace Impl
}  // namespace Trident

#endif
