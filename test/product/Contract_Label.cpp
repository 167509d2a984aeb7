// SPDX-License-Identifier: BSD-3-Clause
// The label of a call is in the name of its timer.

#include <Teuchos_TimeMonitor.hpp>
#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using Teuchos::TimeMonitor;

TEUCHOS_UNIT_TEST(Label, NamesTheTimer) {
  const Fixture f(world()), g(world(), 11, 8, 9);
  const std::string name = "Trident level 3: Multiply";
  TEST_ASSERT(TimeMonitor::lookupCounter(name).is_null());
  const auto multiply = [&](const matrix_type& B, const std::string& label) {
    Trident::Multiply(*f.A, false, B, false, *newResult(*f.A), true, label);
  };
  multiply(*f.B, "");
  TEST_ASSERT(TimeMonitor::lookupCounter("Trident : Multiply").is_null());
  multiply(*f.B, "level 3");
  multiply(*f.B, "level 3");
  const auto timer = TimeMonitor::lookupCounter(name);
  TEST_ASSERT(!timer.is_null());
  TEST_EQUALITY(timer->numCalls(), 2);
  TEST_THROW(multiply(*g.B, "level 3"), std::runtime_error);
  TEST_ASSERT(!timer->isRunning());
}

}  // namespace
