// SPDX-License-Identifier: BSD-3-Clause
// The grid takes messages, and says why, if a node cannot share its tile.

#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Rounds_TestTools.hpp"
#include "Transport_ScarceMemory.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_Agreement.hpp"

namespace Trident::Impl {
namespace {

using namespace TestTools;

/// Lists grids whose nodes have several ranks.
std::vector<GridShape> sharingGrids() {
  std::vector<GridShape> grids;
  for (const GridShape& shape : gridsOf(worldSize(), {2, 3, 4, 8}))
    if (shape.lambda > 1) grids.push_back(shape);
  return grids;
}

/// Multiplies A by A in the sparsity of a seed. Returns what is wrong, on all ranks.
std::string wrongProduct(const std::shared_ptr<GridExchanges>& exchanges, int n,
                         const RoundOptions& options, RoundCounters& counters) {
  const Formula formula{static_cast<std::uint64_t>(n), 40};
  const Space space = uniformSpace(exchanges->grid().shape(), n);
  const Matrix A = makeMatrix(exchanges, space, space, formula);
  return differences(gathered(multiplyOnGrid(A, A, options, &counters)),
                     product(formula.full(n, n), formula.full(n, n)));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool sameEverywhere(const std::string& text) {
  return firstText(MPI_COMM_WORLD, firstText(MPI_COMM_WORLD, text) == text ? "" : "differs")
      .empty();
}

TEUCHOS_UNIT_TEST(SharedTile, IsTheDefaultInANode) {
  TRIDENT_TEST_NEEDS(isHost<Device>, "no tile on a device is shared");
  for (const GridShape& shape : sharingGrids()) {
    const auto exchanges = makeExchanges(shape);
    RoundCounters counters;
    TRIDENT_TEST_OK(wrongProduct(exchanges, 40, {}, counters));
    TEST_EQUALITY(counters.gather, std::string("shared"));
    const ScarceMemory none(0);  // a second product has its memory
    TRIDENT_TEST_OK(wrongProduct(exchanges, 40, {}, counters));
    TEST_EQUALITY(counters.gather, std::string("shared"));
    TEST_EQUALITY_CONST(ScarceMemory::calls(), 0);
  }
}

// Whichever rank of whichever node it is that lacks the memory.
TEUCHOS_UNIT_TEST(SharedTile, WhereOneRankLacksMemoryAllTakeMessages) {
  TRIDENT_TEST_NEEDS(isHost<Device>, "no tile on a device is shared");
  for (const GridShape& shape : sharingGrids())
    for (int fused : {0, 1})
      for (int victim = 0; victim < worldSize(); ++victim) {
        const auto exchanges = makeExchanges(shape);
        RoundOptions options;
        options.fuseRounds = fused;
        const ScarceMemory scarce(worldRank() == victim ? 20 : ScarceMemory::unlimited);
        RoundCounters counters;
        TRIDENT_TEST_OK(wrongProduct(exchanges, 40, options, counters));
        TEST_EQUALITY(counters.gather, std::string("mpi"));
        out << shape.name() << ", rank " << victim << ": " << counters.gatherReason << "\n";
        TEST_ASSERT(contains(counters.gatherReason, "not every node shares memory: "));
        TEST_ASSERT(contains(counters.gatherReason, "were asked for, and "));
        TEST_ASSERT(sameEverywhere(counters.gatherReason));
      }
}

// A refused request is not made again, even if there is enough again, or if less is wanted.
TEUCHOS_UNIT_TEST(SharedTile, ProductsThatGrow) {
  TRIDENT_TEST_NEEDS(isHost<Device>, "no tile on a device is shared");
  for (const GridShape& shape : sharingGrids()) {
    const auto exchanges = makeExchanges(shape);
    std::string reason;
    for (int n : {10, 20, 40, 160, 10}) {
      const bool last = n == 160 || !reason.empty();
      const ScarceMemory scarce(worldRank() == 0 && n == 160 ? 1000 : ScarceMemory::unlimited);
      RoundCounters counters;
      TRIDENT_TEST_OK(wrongProduct(exchanges, n, {}, counters));
      TEST_EQUALITY(counters.gather, std::string(last ? "mpi" : "shared"));
      if (!reason.empty()) {
        TEST_EQUALITY(counters.gatherReason, reason);
        TEST_EQUALITY_CONST(ScarceMemory::calls(), 0);
      }
      if (last) reason = counters.gatherReason;
    }
  }
}

TEUCHOS_UNIT_TEST(SharedTile, AskedForByNameItThrowsEverywhereOrIsThere) {
  TRIDENT_TEST_NEEDS(isHost<Device>, "no tile on a device is shared");
  RoundOptions options;
  options.gather = GatherKind::Shared;
  for (const GridShape& shape : sharingGrids())
    for (int victim = 0; victim < worldSize(); ++victim) {
      const auto exchanges = makeExchanges(shape);
      RoundCounters counters;
      std::string problem;
      try {
        const ScarceMemory scarce(worldRank() == victim ? 20 : ScarceMemory::unlimited);
        wrongProduct(exchanges, 40, options, counters);
      } catch (const Error& e) {
        problem = e.what();
      }
      out << problem << "\n";
      TEST_ASSERT(contains(problem, "\"gather\" = \"shared\" is not possible: "));
      TEST_ASSERT(contains(problem, "were asked for, and "));
      TEST_ASSERT(contains(problem, "use \"auto\" or \"mpi\""));
      TEST_ASSERT(sameEverywhere(problem));
      for (GatherKind kind : {GatherKind::Auto, GatherKind::Shared}) {
        options.gather = kind;  // with enough memory both share, and "auto" has not been refused
        TRIDENT_TEST_OK(wrongProduct(exchanges, 40, options, counters));
        TEST_EQUALITY(counters.gather, std::string("shared"));
      }
    }
}

}  // namespace

}  // namespace Trident::Impl
