// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PHASE_HPP
#define TRIDENT_PHASE_HPP

#include <array>
#include <memory>
#include <string>

#include "base/Trident_Threads.hpp"
#include "base/Trident_Wait.hpp"

namespace Trident {

/// The phases of a rank's time, as reports have them.
enum class Phase {
  /// Compares arguments, numbers indices, chooses the grid's shape (which may sample C) and cuts
  /// the index spaces. Before the rounds, finds needed rows, exchanges shapes of slices and takes
  /// memory.
  Setup,
  /// Brings entries of the operands to their places on the grid. Rows that stay on a rank cost
  /// nothing.
  Import,
  /// Waits for slices of other nodes. Slices that arrive during a local product cost nothing here.
  ExchangeWait,
  /// Puts a node's tile together, and waits for the ranks of the node.
  Gather,
  /// Forms local products.
  LocalMultiply,
  /// Adds up the products of batches, if there are several. Filters the product.
  Accumulate,
  /// Moves entries of C to the owners of its rows, sorts them and makes the Tpetra matrix.
  Export
};
constexpr int phaseCount = 7;

/// Returns the key of a phase in reports, timers and the driver's JSON: "setup", "import",
/// "exchange_wait" and so on.
const char* phaseName(Phase phase);

/// Seconds of this rank by phase.
class PhaseSeconds {
 public:
  /// Returns a reference to the seconds of a phase.
  double& operator[](Phase phase) { return seconds_[static_cast<int>(phase)]; }
  /// Returns the seconds of a phase.
  double operator[](Phase phase) const { return seconds_[static_cast<int>(phase)]; }

 private:
  std::array<double, phaseCount> seconds_{};
};

/// The times of the steps of a round on one rank, in seconds since the rank began the rounds. The
/// rounds of one batch have all times but `landed` in common.
struct RoundTimes {
  int round = 0;          ///< number of the round, from 0
  double requested = 0;   ///< request for the round's slices
  double awaited = 0;     ///< start of the wait for the slices
  double landed = 0;      ///< end of the wait for the slices; they may have landed before
  double gathered = 0;    ///< end of the gather: the operands are complete
  double multiplied = 0;  ///< end of the local product, with the addition of its result
};

namespace Impl {

/// Returns the seconds on a clock that only goes forward. All processes of a host share the clock.
double steadySeconds();

struct CallNames;
struct TimedRegion;  // declared only: keeps Teuchos and Kokkos out of this header

/// While it lives, the calling thread is inside a public function of Trident. A Teuchos timer and a
/// Kokkos profiling region run, both named "Trident: Multiply", or "Trident <label>: Multiply" with
/// a label. Phases inside have the function's name, too. A thread that may not be inside Trident
/// gets neither timer nor region. Local.
class CallScope {
 public:
  /// @param function a name such as "Trident::Multiply"
  /// @param label a label of the caller's; may be empty
  explicit CallScope(const char* function, const std::string& label = std::string());
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const SingleThreadGuard inside_;
  const CallNames* const around_;  // the call around this one; null: none
  std::unique_ptr<TimedRegion> timed_;
};

/// While it lives, time counts for `phase`: in `seconds`, in a Teuchos timer, and in a Kokkos
/// profiling region. Timer and region are named "Trident: <function>: <phase>" inside a CallScope,
/// else "Trident: <phase>". The status of this process names the phase, too (Trident_Wait.hpp).
/// While an inner PhaseScope of the same thread lives, time counts in `seconds` for the inner phase
/// alone. Local.
class PhaseScope {
 public:
  /// @param seconds receive the time when the scope ends
  /// @param phase the phase that begins
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
  PhaseScope* const around_;  // the phase around this one; null: none
  std::unique_ptr<TimedRegion> timed_;
};

}  // namespace Impl
}  // namespace Trident

#endif
