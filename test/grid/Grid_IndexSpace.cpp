// SPDX-License-Identifier: BSD-3-Clause
// Segments, slices and tiles of an index space.

#include <Teuchos_UnitTestHarness.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "Grid_TestTools.hpp"
#include "Trident_Error.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_Partition.hpp"

namespace Trident::Impl {
namespace {

/// Slice that holds a position, found by walking all slices.
struct Slice {
  int segment, k;
};
Slice sliceOf(const std::vector<Position>& cuts, int lambda, Position x) {
  int slice = 0;
  while (cuts[slice + 1] <= x) ++slice;
  return {slice / lambda, slice % lambda};
}

TEUCHOS_UNIT_TEST(IndexSpace, EveryPositionHasOneRowOwnerAndOneTileColumn) {
  const unsigned seed = 31;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int nodes = 1; nodes <= 12; ++nodes)
    for (const GridShape& shape : TestTools::gridsOf(4 * nodes, {1, 2, 4})) {
      const Position size = static_cast<Position>(random() % 100);
      const auto cuts = TestTools::randomCuts(size, shape.segments() * shape.lambda, random);
      const IndexSpace space(shape, cuts);
      wrong += space.size() != size || !(space.shape() == shape) || space.cuts() != cuts;

      // Rows: count every position at its owner, by a walk that knows only the cuts.
      std::vector<int> rows(shape.nodeRows * shape.lambda, 0), columns(shape.nodeCols, 0);
      for (Position x = 0; x < size; ++x) {
        const Slice slice = sliceOf(cuts, shape.lambda, x);
        ++rows[shape.tileRow(slice.segment) * shape.lambda + slice.k];
        ++columns[shape.tileCol(slice.segment)];
        wrong += x < space.segmentBegin(slice.segment) ||
                 x >= space.segmentBegin(slice.segment) + space.segmentSize(slice.segment);
        wrong +=
            x < space.sliceBegin(slice.segment, slice.k) ||
            x >= space.sliceBegin(slice.segment, slice.k) + space.sliceSize(slice.segment, slice.k);
      }
      for (int i = 0; i < shape.nodeRows; ++i)
        for (int k = 0; k < shape.lambda; ++k)
          wrong += space.localRows(i, k) != rows[i * shape.lambda + k];
      for (int j = 0; j < shape.nodeCols; ++j) {
        wrong += space.tileColSize(j) != columns[j];
        wrong += space.tileColBegin(j + 1) - space.tileColBegin(j) != columns[j];
      }
      wrong += space.tileColBegin(0) != 0 || space.tileColBegin(shape.nodeCols) != size;
    }
  TEST_EQUALITY_CONST(wrong, 0);
}

/// Returns the text of what making the space throws; an empty text if it throws nothing.
std::string refusal(const GridShape& shape, Position size) {
  try {
    const IndexSpace space(shape, uniformCuts(size, shape.segments() * shape.lambda));
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEUCHOS_UNIT_TEST(IndexSpace, TilesMustFitAnInt) {
  const Position big = Position(1) << 31;
  TEST_EQUALITY(refusal({1, 1, 2}, big - 2), std::string());
  TEST_ASSERT(refusal({1, 1, 2}, big).find("1x1x2") != std::string::npos);
  // As rows four tiles of a quarter, as columns one tile of all; and the other way round.
  for (const GridShape& shape : {GridShape{4, 1, 1}, GridShape{1, 4, 1}}) {
    TEST_EQUALITY(refusal(shape, big - 2), std::string());
    TEST_ASSERT(refusal(shape, big).find(std::to_string(big)) != std::string::npos);
  }
  TEST_EQUALITY(refusal({2, 2, 1}, 2 * big - 4), std::string());
  TEST_ASSERT(!refusal({2, 2, 1}, 2 * big).empty());
}

TEUCHOS_UNIT_TEST(IndexSpace, UnevenCutsCountBySlicesNotBySize) {
  // 4 x 1: rows in four tiles, columns in one. All positions in the last slice.
  const GridShape shape{4, 1, 2};
  const IndexSpace space(shape, {0, 0, 0, 0, 0, 0, 0, 0, 1000});
  TEST_EQUALITY_CONST(space.localRows(3, 1), 1000);
  TEST_EQUALITY_CONST(space.localRows(3, 0), 0);
  TEST_EQUALITY_CONST(space.localRows(0, 0), 0);
  TEST_EQUALITY_CONST(space.tileColSize(0), 1000);
}

}  // namespace

}  // namespace Trident::Impl
