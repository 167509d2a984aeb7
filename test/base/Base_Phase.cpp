// SPDX-License-Identifier: BSD-3-Clause
// Time counts for its phase, here and in Teuchos' timers.

#include <Teuchos_TimeMonitor.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/Trident_Phase.hpp"

namespace Trident::Impl {
namespace {

void sleepMilliseconds(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

double timerSeconds(Phase phase) {
  const auto timer =
      Teuchos::TimeMonitor::lookupCounter(std::string("Trident: Multiply: ") + phaseName(phase));
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

// Whatever lies inside one another, and ends by an exception: no second counts twice.
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
  const auto timer = Teuchos::TimeMonitor::lookupCounter("Trident: Multiply: export");
  TEST_ASSERT(!timer.is_null() && !timer->isRunning());
}

}  // namespace

}  // namespace Trident::Impl
