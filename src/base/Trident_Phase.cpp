// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Phase.hpp"

#include <Kokkos_Core.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/Trident_Lasting.hpp"

namespace Trident {

const char* phaseName(Phase phase) {
  static constexpr const char* names[phaseCount] = {
      "setup", "import", "exchange_wait", "gather", "local_multiply", "accumulate", "export"};
  return names[static_cast<int>(phase)];
}

namespace Impl {

/// The names of a public function's timers and regions.
struct CallNames {
  std::string call;                            ///< "Trident: Multiply"
  std::array<std::string, phaseCount> phases;  ///< "Trident: Multiply: setup" and so on
};

/// A running Teuchos timer, and a Kokkos region inside it.
struct TimedRegion {
  explicit TimedRegion(const std::string& name) : monitor(timer(name)) {
    Kokkos::Profiling::pushRegion(name);
  }
  ~TimedRegion() { Kokkos::Profiling::popRegion(); }
  TimedRegion(const TimedRegion&) = delete;
  TimedRegion& operator=(const TimedRegion&) = delete;

  static Teuchos::Time& timer(const std::string& name) {
    const Teuchos::RCP<Teuchos::Time> known = Teuchos::TimeMonitor::lookupCounter(name);
    return known.is_null() ? *Teuchos::TimeMonitor::getNewCounter(name) : *known;
  }
  Teuchos::TimeMonitor monitor;
};

namespace {

/// Returns the names of timers and regions for a function such as "Trident::Multiply"; if it is
/// empty, for phases outside of calls. Keeps the names, as making them is slow.
const CallNames& namesOf(std::string_view function) {
  static Lasting<std::map<std::string, CallNames, std::less<>>> known;
  const auto found = (*known).find(function);
  if (found != (*known).end()) return found->second;
  CallNames names;
  constexpr std::string_view space = "Trident::";
  names.call = "Trident: " + std::string(function.substr(std::min(space.size(), function.size())));
  for (int p = 0; p < phaseCount; ++p)
    names.phases[p] =
        names.call + (function.empty() ? "" : ": ") + phaseName(static_cast<Phase>(p));
  return (*known).emplace(function, std::move(names)).first->second;
}

/// The names of the call that this thread is in; null outside of calls.
thread_local const CallNames* currentCall = nullptr;
thread_local PhaseScope* currentPhase = nullptr;

}  // namespace

double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CallScope::CallScope(const char* function, const std::string& label) : around_(currentCall) {
  if (SingleThreadGuard::refused()) return;  // only the thread inside Trident has a timer
  const CallNames& names = namesOf(function);
  timed_ = std::make_unique<TimedRegion>(
      label.empty() ? names.call : "Trident " + label + names.call.substr(names.call.find(':')));
  currentCall = &names;  // set last, because after an exception no destructor resets it
}

CallScope::~CallScope() { currentCall = around_; }

PhaseScope::PhaseScope(PhaseSeconds& seconds, Phase phase)
    : status_(phaseName(phase)),
      seconds_(seconds),
      phase_(phase),
      start_(steadySeconds()),
      around_(currentPhase) {
  if (!SingleThreadGuard::refused()) {
    const CallNames& names = currentCall ? *currentCall : namesOf("");
    timed_ = std::make_unique<TimedRegion>(names.phases[static_cast<int>(phase)]);
    start_ = steadySeconds();
  }
  currentPhase = this;  // set last, because after an exception no destructor resets it
}

PhaseScope::~PhaseScope() {
  const double seconds = steadySeconds() - start_;
  seconds_[phase_] += seconds - inside_;
  if (around_) around_->inside_ += seconds;
  currentPhase = around_;
}

}  // namespace Impl
}  // namespace Trident
