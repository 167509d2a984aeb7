// SPDX-License-Identifier: BSD-3-Clause
// Every grid that the ranks can form, asked for by name: with 4 ranks 2 x 2 nodes of one, 1 x 2
// nodes of two, and four more. So few ranks are all that a Trilinos runs tests on by default.

#include <Teuchos_UnitTestHarness.hpp>
#include <set>

#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;

/// Checks the product of `f` on this grid. Returns what is wrong with it or with its report, or an
/// empty text. Collective.
std::string checkOn(const Fixture& f, int rows, int columns, int lambda,
                    const std::string& exchange) {
  const std::string grid = say(rows, "x", columns);
  const auto list = tridentList();
  list->sublist("Trident").set("ranks per node", lambda).set("grid", grid);
  list->sublist("Trident").sublist("expert").set("exchange", exchange);
  return checkProduct(*f.A, f.a, *f.B, f.b, f.rows, f.cols, list, true, lambda,
                      say(grid, "x", lambda));
}

TEUCHOS_UNIT_TEST(EveryShape, AskedForByName) {
  const int P = world()->getSize();
  const Fixture f(world(), 40, 36, 44);
  std::set<std::string> seen;
  for (int lambda = 1; lambda <= P; ++lambda) {
    if (P % lambda != 0) continue;
    const int nodes = P / lambda;
    for (int rows = 1; rows <= nodes; ++rows) {
      if (nodes % rows != 0) continue;
      for (const char* exchange : {"auto", "prefetch"})
        TRIDENT_TEST_OK(checkOn(f, rows, nodes / rows, lambda, exchange));
      seen.insert(say(rows, "x", nodes / rows, "x", lambda));
    }
  }
  if (P == 4)
    TEST_ASSERT(
        (seen == std::set<std::string>{"1x4x1", "2x2x1", "4x1x1", "1x2x2", "2x1x2", "1x1x4"}));
}

}  // namespace
