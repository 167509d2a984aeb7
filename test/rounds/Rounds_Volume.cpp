// SPDX-License-Identifier: BSD-3-Clause
// The bytes of the rounds on a uniform matrix are exact (doc/algorithm.md) where tiles travel
// whole; of needed rows see Rounds_NeededRows.

#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Rounds_TestTools.hpp"
#include "grid/Trident_SliceShape.hpp"

namespace Trident::Impl {
namespace {

using TestTools::gridsOf;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::multiplyOnGrid;
using TestTools::worldSize;

constexpr long long entriesPerRow = 2;  // of every segment of columns
constexpr long long positionsPerSlice = 3;

/// The first `entriesPerRow` columns of every segment.
struct Uniform {
  Position segmentSize;
  bool stored(Position, Position c) const { return c % segmentSize < entriesPerRow; }
  double value(Position r, Position c) const { return static_cast<double>((r + c) % 5); }
};

struct Sample {
  GridShape shape;
  Matrix A;
  RoundCounters counters;
  long long perRank;  // entries of A on each rank: nnz/P

  Sample(const GridShape& grid, GatherKind gather, ExchangeKind exchange = ExchangeKind::Auto,
         int nodeSize = 1)
      : shape(grid) {
    const auto exchanges = makeExchanges(shape, nodeSize);
    const Position segment = positionsPerSlice * shape.lambda;
    const auto space = TestTools::uniformSpace(shape, segment * shape.segments());
    A = makeMatrix(exchanges, space, space, Uniform{segment});
    RoundOptions options;
    options.gather = gather;
    options.exchange = exchange;
    options.fuseRounds = 1;
    options.fetch = FetchKind::Tiles;
    multiplyOnGrid(A, A, options, &counters);
    const long long S = shape.segments();
    perRank = space->size() * S * entriesPerRow / shape.ranks();
  }
};

TEUCHOS_UNIT_TEST(Volume, SquareGridsReceiveTwiceQMinusOneSlices) {
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 4})) {
    if (shape.nodeRows != shape.nodeCols) continue;
    const Sample sample(shape, GatherKind::Mpi);
    const long long q = shape.nodeRows;
    TEST_EQUALITY(static_cast<long long>(sample.A.local().nnz()), sample.perRank);
    const SliceShape slice{positionsPerSlice, sample.perRank, 0, 1};
    out << shape.name() << "\n";
    TEST_EQUALITY(sample.counters.traffic.rounds.internodeBytes,
                  2 * (q - 1) * static_cast<long long>(slice.bytes(sizeof(double))));
    TEST_EQUALITY(sample.counters.traffic.rounds.internodeMessages, 2 * (q - 1));
  }
}

TEUCHOS_UNIT_TEST(Volume, AnyGridReceivesEverySliceThatIsNotItsOwn) {
  std::vector<std::pair<GridShape, ExchangeKind>> cases;
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2}))
    for (ExchangeKind kind : TestTools::exchangesOn(shape)) cases.emplace_back(shape, kind);
  for (const auto& [shape, kind] : cases) {
    const Sample sample(shape, GatherKind::Auto, kind);
    const long long S = shape.segments();
    const long long rowsA = positionsPerSlice * S / shape.nodeRows;
    const SliceShape sliceA{rowsA, rowsA * entriesPerRow, 0, 1};
    const SliceShape sliceB{positionsPerSlice,
                            positionsPerSlice * entriesPerRow * S / shape.nodeCols, 0, 1};
    const long long countA = S - S / shape.nodeCols, countB = S - S / shape.nodeRows;
    out << shape.name() << "\n";
    TEST_EQUALITY(sample.counters.traffic.rounds.internodeBytes,
                  countA * static_cast<long long>(sliceA.bytes(sizeof(double))) +
                      countB * static_cast<long long>(sliceB.bytes(sizeof(double))));
    TEST_EQUALITY(sample.counters.traffic.rounds.internodeMessages, countA + countB);
    // As entries: (p_c - 1)·nnz/P + (p_r - 1)·nnz/P.
    TEST_EQUALITY(countA * sliceA.entries + countB * sliceB.entries,
                  (shape.nodeCols + shape.nodeRows - 2) * sample.perRank);
  }
}

TEUCHOS_UNIT_TEST(Volume, SummaCountsByWhereTheOwnerSitsWhoeverPassesItOn) {
  for (const GridShape& shape : TestTools::summaShapes())
    for (ExchangeKind kind : TestTools::exchangesOn(shape))
      for (int nodeSize : {1, 2, 4}) {
        const Sample sample(shape, GatherKind::Auto, kind, nodeSize);
        const ProcessGrid& grid = sample.A.grid();
        const long long S = shape.segments(), rowsA = positionsPerSlice * S / shape.nodeRows;
        const SliceShape sliceA{rowsA, rowsA * entriesPerRow, 0, 1};
        const SliceShape sliceB{positionsPerSlice,
                                positionsPerSlice * entriesPerRow * S / shape.nodeCols, 0, 1};
        long long bytes[] = {0, 0};  // from this node, from others
        const int node = grid.rank() / grid.layout().nodeSize;
        for (int s = 0; s < S; ++s) {
          const int a = shape.rank(grid.me().i, shape.tileCol(s), 0);
          const int b = shape.rank(shape.tileRow(s), grid.me().j, 0);
          if (a != grid.rank())
            bytes[a / grid.layout().nodeSize != node] += sliceA.bytes(sizeof(double));
          if (b != grid.rank())
            bytes[b / grid.layout().nodeSize != node] += sliceB.bytes(sizeof(double));
        }
        out << shape.name() << " " << sample.counters.exchange << " nodes of " << nodeSize << "\n";
        TEST_EQUALITY(sample.counters.traffic.rounds.intranodeBytes, bytes[0]);
        TEST_EQUALITY(sample.counters.traffic.rounds.internodeBytes, bytes[1]);
      }
}

TEUCHOS_UNIT_TEST(Volume, TheGatherReceivesTheOtherSlicesOfTheNode) {
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 4})) {
    const Sample sample(shape, GatherKind::Mpi);
    const long long S = shape.segments();
    const long long entries = positionsPerSlice * entriesPerRow * S / shape.nodeCols;
    const long long slice = positionsPerSlice * 8 + entries * (8 + 4);
    const bool closes = sample.A.grid().me().k == shape.lambda - 1;  // has the closing offset
    out << shape.name() << "\n";
    TEST_EQUALITY(sample.counters.traffic.rounds.intranodeBytes,
                  S * ((shape.lambda - 1) * slice + (closes ? 0 : 8)));
  }
}

TEUCHOS_UNIT_TEST(Volume, ASharedTileIsNotSent) {
  for (const GridShape& shape : gridsOf(worldSize(), {2, 4})) {
    const Sample sample(shape, GatherKind::Shared);
    TEST_EQUALITY_CONST(sample.counters.traffic.rounds.intranodeBytes, 0);
    TEST_EQUALITY_CONST(sample.counters.traffic.rounds.intranodeMessages, 0);
  }
}

}  // namespace

}  // namespace Trident::Impl
