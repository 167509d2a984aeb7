// SPDX-License-Identifier: BSD-3-Clause
// A test that hangs for some seconds, longer than its watchdog waits: what CTest looks for is what
// the watchdog says of every rank. Where it says nothing, the test ends by itself, and passes.

#include <Teuchos_UnitTestHarness.hpp>
#include <chrono>
#include <thread>

namespace {

TEUCHOS_UNIT_TEST(Watchdog, HangsOnPurpose) {
  std::this_thread::sleep_for(std::chrono::seconds(3));
}

}  // namespace
