// SPDX-License-Identifier: BSD-3-Clause
// The prefetch exchange where sends run ahead otherwise than requests: fused groups ask for several
// rounds at once.

#include <Teuchos_UnitTestHarness.hpp>
#include <vector>

#include "Exchange_TestProduct.hpp"
#include "exchange/Trident_PrefetchExchange.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Delay;
using TestTools::gridsOf;
using TestTools::oneHost;
using TestTools::worldSize;

TEUCHOS_UNIT_TEST(Prefetch, EveryShapeAndLookAhead) {
  const unsigned seed = 71;
  out << "seed " << seed << "\n";
  Delay delay(seed, 300);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 4})) {
    const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    int wrong = 0, number = 0;
    for (Factor factor : {Factor::A, Factor::B})
      for (int sendAhead : {0, 1, 2}) {
        const std::vector<bool> internode = grid.internodeOnLine(factor);
        PrefetchExchange exchange(makeMpiLine(grid.line(factor), internode),
                                  LineSchedule(shape, grid.me(), factor), sendAhead);
        // Several products on one object, with nothing between them that synchronizes.
        for (int ahead : {sendAhead, 0, 3, shape.segments()})
          wrong +=
              runProduct(exchange, shape, grid.me(), factor, ++number, ahead, delay, internode);
      }
    out << shape.name() << "\n";
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

}  // namespace

}  // namespace Trident::Impl
