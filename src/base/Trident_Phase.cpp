// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Phase.hpp"

#include <Kokkos_Core.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <array>
#include <chrono>
#include <string>

#include "base/Trident_Lasting.hpp"
#include "base/Trident_Threads.hpp"

namespace Trident {

const char* phaseName(Phase phase) {
  static constexpr const char* names[phaseCount] = {
      "setup", "import", "exchange_wait", "gather", "local_multiply", "accumulate", "export"};
  return names[static_cast<int>(phase)];
}

namespace Impl {
namespace {

/// Returns the name of a phase's timer. The names are made once: a small product would feel it.
const std::string& timerName(Phase phase) {
  static const Lasting<std::array<std::string, phaseCount>> names([] {
    std::array<std::string, phaseCount> all;
    for (int p = 0; p < phaseCount; ++p)
      all[p] = std::string("Trident: Multiply: ") + phaseName(static_cast<Phase>(p));
    return all;
  }());
  return (*names)[static_cast<int>(phase)];
}

Teuchos::Time& timer(Phase phase) {
  const Teuchos::RCP<Teuchos::Time> known = Teuchos::TimeMonitor::lookupCounter(timerName(phase));
  return known.is_null() ? *Teuchos::TimeMonitor::getNewCounter(timerName(phase)) : *known;
}

/// In which this thread is; null: none.
thread_local PhaseScope* current = nullptr;

}  // namespace

double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct PhaseScope::TimeMonitor {
  explicit TimeMonitor(Phase phase) : monitor(timer(phase)) {}
  Teuchos::TimeMonitor monitor;
};

PhaseScope::PhaseScope(PhaseSeconds& seconds, Phase phase)
    : status_(phaseName(phase)),
      seconds_(seconds),
      phase_(phase),
      start_(steadySeconds()),
      around_(current) {
  if (!SingleThreadGuard::refused()) {  // else timers and regions are another thread's
    monitor_ = std::make_unique<TimeMonitor>(phase);
    Kokkos::Profiling::pushRegion(timerName(phase));
    start_ = steadySeconds();
  }
  current = this;  // last: where something above throws, no destructor takes it back
}

PhaseScope::~PhaseScope() {
  const double seconds = steadySeconds() - start_;
  seconds_[phase_] += seconds - inside_;
  if (around_) around_->inside_ += seconds;
  current = around_;
  if (monitor_) Kokkos::Profiling::popRegion();
}

}  // namespace Impl
}  // namespace Trident
