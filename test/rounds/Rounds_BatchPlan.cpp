// SPDX-License-Identifier: BSD-3-Clause
// The number of rounds that are fused, and the segments that they hold.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <limits>
#include <set>

#include "Grid_TestTools.hpp"
#include "rounds/Trident_BatchPlan.hpp"

namespace Trident::Impl {
namespace {

constexpr long long MiB = 1ll << 20;

RoundOptions options(int fuseRounds, long long memoryBytes = 0) {
  RoundOptions result;
  result.fuseRounds = fuseRounds;
  result.memoryBytes = memoryBytes;
  return result;
}

TEUCHOS_UNIT_TEST(BatchPlan, AGivenNumberIsTakenUpToAllRounds) {
  const RoundBytes huge{1000 * MiB, 1000 * MiB, 1};
  TEST_EQUALITY_CONST(roundsPerBatch(12, huge, options(1)), 1);
  TEST_EQUALITY_CONST(roundsPerBatch(12, huge, options(5)), 5);
  TEST_EQUALITY_CONST(roundsPerBatch(12, huge, options(12)), 12);
  TEST_EQUALITY_CONST(roundsPerBatch(12, huge, options(100)), 12);
}

TEUCHOS_UNIT_TEST(BatchPlan, MemoryBoundsTheRest) {
  const RoundBytes bytes{3 * MiB, 7 * MiB, 1};
  TEST_EQUALITY_CONST(roundsPerBatch(12, bytes, options(0, 10 * MiB)), 1);
  TEST_EQUALITY_CONST(roundsPerBatch(12, bytes, options(0, 49 * MiB)), 4);
  TEST_EQUALITY_CONST(roundsPerBatch(12, bytes, options(0, 50 * MiB)), 5);
  TEST_EQUALITY_CONST(roundsPerBatch(12, bytes, options(0, 500 * MiB)), 12);
  TEST_EQUALITY_CONST(roundsPerBatch(12, bytes, options(0, 1)), 1);  // one must run
}

TEUCHOS_UNIT_TEST(BatchPlan, DefaultBoundIsAFloorOrEightTimesTheOwn) {
  const RoundBytes little{30 * MiB, 34 * MiB, MiB};  // 64 MiB a round
  TEST_EQUALITY_CONST(roundsPerBatch(12, little, options(0)), 4);
  const RoundBytes much{30 * MiB, 34 * MiB, 64 * MiB};
  TEST_EQUALITY_CONST(roundsPerBatch(12, much, options(0)), 8);
  TEST_EQUALITY_CONST(roundsPerBatch(12, {0, 0, 0}, options(0)), 12);  // empty matrices
}

TEUCHOS_UNIT_TEST(BatchPlan, RowsOfAFusedTileStayCountable) {
  constexpr long long most = std::numeric_limits<int>::max();
  for (int asked : {0, 12}) {
    TEST_EQUALITY_CONST(roundsPerBatch(12, {0, 0, 0, 1000}, options(asked)), 12);
    TEST_EQUALITY_CONST(roundsPerBatch(12, {0, 0, 0, most / 13}, options(asked)), 12);
    TEST_EQUALITY_CONST(roundsPerBatch(12, {0, 0, 0, most / 12}, options(asked)), 11);
    TEST_EQUALITY_CONST(roundsPerBatch(12, {0, 0, 0, most / 2}, options(asked)), 1);
    TEST_EQUALITY_CONST(roundsPerBatch(12, {0, 0, 0, most}, options(asked)), 1);  // one must run
  }
}

TEUCHOS_UNIT_TEST(BatchPlan, BatchesHoldEveryRoundAndSegmentOnce) {
  int wrong = 0;
  for (int nodes = 1; nodes <= 16; ++nodes)
    for (const GridShape& shape : allShapes(nodes, 1))
      for (int perBatch : {1, 2, 3, shape.segments(), shape.segments() + 5})
        for (int i = 0; i < shape.nodeRows; ++i)
          for (int j = 0; j < shape.nodeCols; ++j) {
            int next = 0;
            std::set<int> met;
            for (const RoundBatch& batch : batchRounds(shape, i, j, perBatch)) {
              wrong += batch.firstRound != next || batch.endRound <= batch.firstRound;
              wrong += batch.endRound - batch.firstRound > perBatch;
              wrong += !std::is_sorted(batch.segments.begin(), batch.segments.end());
              std::set<int> expected;
              for (int t = batch.firstRound; t < batch.endRound; ++t)
                expected.insert(shape.segmentOfRound(t, i, j));
              wrong += std::set<int>(batch.segments.begin(), batch.segments.end()) != expected;
              met.insert(expected.begin(), expected.end());
              next = batch.endRound;
            }
            wrong += next != shape.segments() || static_cast<int>(met.size()) != shape.segments();
          }
  TEST_EQUALITY_CONST(wrong, 0);
}

}  // namespace

}  // namespace Trident::Impl
