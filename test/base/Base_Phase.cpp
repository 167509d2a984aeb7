// SPDX-License-Identifier: BSD-3-Clause
// Time counts for its phase, here and in Teuchos' timers, under the name of the call around it.

#include <Kokkos_Core.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/Trident_Phase.hpp"

namespace Trident::Impl {
namespace {

void sleepMilliseconds(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

double timerSeconds(Phase phase) {
  const auto timer =
      Teuchos::TimeMonitor::lookupCounter(std::string("Trident: ") + phaseName(phase));
  return timer.is_null() ? -1.0 : timer->totalElapsedTime();
}

TEUCHOS_UNIT_TEST(Phase, NamesAreDistinct) {
  std::set<std::string> names;
  for (int p = 0; p < phaseCount; ++p) names.insert(phaseName(static_cast<Phase>(p)));
  TEST_EQUALITY(names.size(), static_cast<std::size_t>(phaseCount));
  TEST_EQUALITY(std::string(phaseName(Phase::Setup)), std::string("setup"));
  TEST_EQUALITY(std::string(phaseName(Phase::Export)), std::string("export"));
}

TEUCHOS_UNIT_TEST(Phase, TimeAddsUpInItsPhaseAlone) {
  PhaseSeconds seconds;
  for (int n = 0; n < 2; ++n) {
    const PhaseScope scope(seconds, Phase::Gather);
    sleepMilliseconds(20);
  }
  TEST_COMPARE(seconds[Phase::Gather], >=, 0.040);
  TEST_COMPARE(seconds[Phase::Gather], <, 5.0);  // a sleep may be late, not this late
  for (int p = 0; p < phaseCount; ++p)
    if (static_cast<Phase>(p) != Phase::Gather)
      TEST_EQUALITY_CONST(seconds[static_cast<Phase>(p)], 0.0);
}

// Phases inside one another, which an exception ends, count no second twice.
TEUCHOS_UNIT_TEST(Phase, InsideAnotherTimeCountsOnce) {
  PhaseSeconds seconds;
  const double start = steadySeconds();
  try {
    const PhaseScope around(seconds, Phase::Export);
    {
      const PhaseScope inside(seconds, Phase::LocalMultiply);
      const PhaseScope innermost(seconds, Phase::Gather);
      sleepMilliseconds(20);
    }
    const PhaseScope second(seconds, Phase::LocalMultiply);
    sleepMilliseconds(20);
    throw std::runtime_error("inside");
  } catch (const std::runtime_error&) {
    sleepMilliseconds(1);
  }
  { const PhaseScope after(seconds, Phase::Import); }
  const double all = steadySeconds() - start;
  double sum = 0;
  for (int p = 0; p < phaseCount; ++p) {
    TEST_COMPARE(seconds[static_cast<Phase>(p)], >=, 0.0);
    sum += seconds[static_cast<Phase>(p)];
  }
  TEST_COMPARE(sum, <=, all);
  TEST_COMPARE(seconds[Phase::LocalMultiply], >=, 0.020);
  TEST_COMPARE(seconds[Phase::Gather], >=, 0.020);
}

TEUCHOS_UNIT_TEST(Phase, TeuchosTimerCountsToo) {
  PhaseSeconds seconds;
  { const PhaseScope scope(seconds, Phase::Import); }
  const double before = timerSeconds(Phase::Import);
  TEST_COMPARE(before, >=, 0.0);
  {
    const PhaseScope scope(seconds, Phase::Import);
    sleepMilliseconds(20);
  }
  TEST_COMPARE(timerSeconds(Phase::Import) - before, >=, 0.020);
}

TEUCHOS_UNIT_TEST(Phase, SurvivesClearedTimers) {
  PhaseSeconds seconds;
  { const PhaseScope scope(seconds, Phase::Accumulate); }
  Teuchos::TimeMonitor::clearCounters();  // an application may do so between products
  {
    const PhaseScope scope(seconds, Phase::Accumulate);
    sleepMilliseconds(2);
  }
  TEST_COMPARE(timerSeconds(Phase::Accumulate), >=, 0.002);
}

TEUCHOS_UNIT_TEST(Phase, AnExceptionEndsThePhase) {
  PhaseSeconds seconds;
  try {
    const PhaseScope scope(seconds, Phase::Export);
    sleepMilliseconds(2);
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
  }
  TEST_COMPARE(seconds[Phase::Export], >=, 0.002);
  const auto timer = Teuchos::TimeMonitor::lookupCounter("Trident: export");
  TEST_ASSERT(!timer.is_null() && !timer->isRunning());
}

/// Keeps the names of the regions that are open, and all that were, while it lives.
class Regions {
 public:
  Regions() {
    open().clear();
    all().clear();
    Kokkos::Tools::Experimental::set_push_region_callback([](const char* name) {
      open().push_back(name);
      all().insert(name);
    });
    Kokkos::Tools::Experimental::set_pop_region_callback([] { open().pop_back(); });
  }
  ~Regions() {
    Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
    Kokkos::Tools::Experimental::set_pop_region_callback(nullptr);
  }
  static std::vector<std::string>& open() {
    static std::vector<std::string> names;
    return names;
  }
  static std::set<std::string>& all() {
    static std::set<std::string> names;
    return names;
  }
};

TEUCHOS_UNIT_TEST(Phase, CallsNameTimersAndRegions) {
  const Regions regions;
  PhaseSeconds seconds;
  const auto calls = [](const std::string& name) {
    const auto timer = Teuchos::TimeMonitor::lookupCounter(name);
    return timer.is_null() ? 0 : timer->numCalls();
  };
  try {
    const CallScope outer("Trident::Outer", "label");
    { const PhaseScope scope(seconds, Phase::Setup); }
    {
      const CallScope inner("Trident::Inner::call");
      const PhaseScope scope(seconds, Phase::Import);
      TEST_EQUALITY(Regions::open().back(), std::string("Trident: Inner::call: import"));
    }
    const PhaseScope scope(seconds, Phase::Export);
    TEST_EQUALITY(Regions::open().front(), std::string("Trident label: Outer"));
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
  }
  TEST_ASSERT(Regions::open().empty());
  const std::set<std::string> names{"Trident label: Outer", "Trident: Outer: setup",
                                    "Trident: Inner::call", "Trident: Inner::call: import",
                                    "Trident: Outer: export"};
  TEST_ASSERT(Regions::all() == names);
  for (const std::string& name : names) TEST_EQUALITY(calls(name), 1);
  { const PhaseScope outside(seconds, Phase::Gather); }
  TEST_EQUALITY(Regions::all().count("Trident: gather"), 1u);
}

// Timers and regions are those of the thread that is inside.
TEUCHOS_UNIT_TEST(Phase, AnotherThreadHasNoRegions) {
  const CallScope inside("Trident::First");
  const Regions regions;
  std::thread([] {
    PhaseSeconds seconds;
    const CallScope second("Trident::Second");
    const PhaseScope scope(seconds, Phase::Setup);
  }).join();
  TEST_ASSERT(Regions::all().empty());
  TEST_ASSERT(Teuchos::TimeMonitor::lookupCounter("Trident: Second").is_null());
}

}  // namespace

}  // namespace Trident::Impl
