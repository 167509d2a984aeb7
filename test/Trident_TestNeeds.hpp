// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TESTNEEDS_HPP
#define TRIDENT_TESTNEEDS_HPP

#include <string>

/// The first statement of a unit test that not every machine or number of ranks can run: where
/// `condition` does not hold, the test is skipped, and `reason` says why. The condition must be the
/// same on all ranks. Such tests form a group of their own, which is named in trident_add_test's
/// ALONE: CTest then skips the group, and no test passes that tested nothing.
#define TRIDENT_TEST_NEEDS(condition, reason) \
  if (::TridentTest::runsElsewhere()) return; \
  if (!(condition)) {                         \
    ::TridentTest::skip(reason);              \
    return;                                   \
  }                                           \
  static_assert(true, "so that the macro ends with a semicolon")

namespace TridentTest {

/// Marks the running test as skipped. Local; all ranks must do it.
void skip(const std::string& reason);

/// Returns true if the group of the test that now runs is a test of CTest of its own, which is
/// another one than this.
bool runsElsewhere();

}  // namespace TridentTest

#endif
