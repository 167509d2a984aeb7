// SPDX-License-Identifier: BSD-3-Clause
// Tests that take longer together than the watchdog waits for one of them, as on a busy machine:
// they pass, since each comes to its end.

#include <Teuchos_UnitTestHarness.hpp>
#include <chrono>
#include <thread>

namespace {

void takeSomeTime() { std::this_thread::sleep_for(std::chrono::milliseconds(1200)); }

TEUCHOS_UNIT_TEST(WatchdogProgress, First) { takeSomeTime(); }
TEUCHOS_UNIT_TEST(WatchdogProgress, Second) { takeSomeTime(); }
TEUCHOS_UNIT_TEST(WatchdogProgress, Third) { takeSomeTime(); }
TEUCHOS_UNIT_TEST(WatchdogProgress, Fourth) { takeSomeTime(); }

}  // namespace
