// SPDX-License-Identifier: BSD-3-Clause
// The rows of B that the columns of A's tiles meet travel, and no others.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "Rounds_TestTools.hpp"
#include "Trident_Error.hpp"
#include "grid/Trident_SliceShape.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "rounds/Trident_NeededRows.hpp"
#include "rounds/Trident_RoundSetup.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::Device;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::hashOf;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::multiplyOnGrid;
using TestTools::multiplyValuesOnGrid;
using TestTools::product;
using TestTools::Space;
using TestTools::worldSize;

/// A band: few rows of other nodes are needed, each by its neighbours.
struct Band {
  int width, seed;
  bool stored(Position r, Position c) const {
    return std::abs(r - c) <= width && hashOf(seed, r, c) % 4;
  }
  double value(Position r, Position c) const {
    return static_cast<double>(hashOf(seed + 1, r, c) % 9) - 4;
  }
};

template <class F>
Dense<double> full(const F& formula, int rows, int columns) {
  Dense<double> all(rows, columns);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      if (formula.stored(r, c)) all.add(r, c, formula.value(r, c));
  return all;
}

std::vector<GridShape> fetchingGrids() {
  std::vector<GridShape> grids;
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 4}))
    if (shape.canFetchRows()) grids.push_back(shape);
  return grids;
}

/// Bytes that ranks should get from other nodes, counted entry by entry from the formulas: every
/// rank can tell it of any other.
template <class FormulaA, class FormulaB>
struct Counted {
  FormulaA A;
  FormulaB B;
  const IndexSpace &rows, &inner, &columns;
  GridCoordinates me;
  GridShape shape;

  /// Returns true if tile row i of A meets row x of B.
  bool meets(int i, Position x) const {
    for (int s = 0; s < shape.segments(); ++s)
      for (Position r = rows.segmentBegin(s); r < rows.segmentBegin(s + 1); ++r)
        if (shape.tileRow(s) == i && A.stored(r, x)) return true;
    return false;
  }

  /// Returns the slice of A that comes for a segment.
  SliceShape sliceOfA(int segment) const {
    SliceShape slice;
    int filled = 0;
    for (const Position r : TestTools::rowsOf(rows, me)) {
      const long long before = slice.entries;
      for (Position x = inner.segmentBegin(segment); x < inner.segmentBegin(segment + 1); ++x)
        slice.entries += A.stored(r, x);
      ++slice.rows;
      filled += slice.entries > before;
    }
    if (slice.entries < slice.rows) slice = {filled, slice.entries, 1, 0};
    slice.narrow = 1;
    return slice;
  }
  /// Returns the rows of a slice of B that come.
  SliceShape rowsOfB(int segment) const {
    SliceShape slice;
    for (Position x = inner.sliceBegin(segment, me.k); x < inner.sliceBegin(segment, me.k + 1); ++x)
      if (meets(me.i, x)) {
        ++slice.rows;
        for (Position c = columns.tileColBegin(me.j); c < columns.tileColBegin(me.j + 1); ++c)
          slice.entries += B.stored(x, c);
      }
    slice.narrow = 1;
    return slice;
  }
  long long bytesOfRounds() const {
    std::size_t bytes = 0;
    for (int s = 0; s < shape.segments(); ++s) {
      if (shape.tileCol(s) != me.j) bytes += sliceOfA(s).bytes(sizeof(double));
      if (shape.tileRow(s) != me.i) bytes += rowsOfB(s).bytes(sizeof(double));
    }
    return static_cast<long long>(bytes);
  }

  /// Counts the words in which grid row i says what it needs of the slice with this rank's k.
  int words(int i, int segment) const {
    if (shape.tileRow(segment) == i) return 0;
    int count = 0;
    for (Position x = inner.sliceBegin(segment, me.k); x < inner.sliceBegin(segment, me.k + 1); ++x)
      count += meets(i, x);
    return std::min(count, (inner.sliceSize(segment, me.k) + 31) / 32);
  }
  int words(int asking, int asked, int segments) const {
    int all = 0;
    for (int s = asked * segments; s < (asked + 1) * segments; ++s) all += words(asking, s);
    return all;
  }
  /// Shapes of A's slices; what is told along the grid row; questions, and shapes that answer them.
  long long bytesOfSetup() const {
    const int perRow = shape.segmentsPerTileRow();
    long long bytes = 0;
    for (int s = 0; s < shape.segments(); ++s)
      if (shape.tileCol(s) != me.j)
        bytes += sizeof(SliceShape) + 4 * shape.lambda + 4 * words(me.i, s);
    for (int i = 0; i < shape.nodeRows; ++i) {
      if (i == me.i) continue;
      const int toMe = words(i, me.i, perRow);
      if (toMe > 0) bytes += 4 * (perRow + toMe);
      if (words(me.i, i, perRow) > 0) bytes += perRow * sizeof(SliceShape);
    }
    return bytes;
  }
};

TEUCHOS_UNIT_TEST(NeededRows, TheyAreWhatTravels) {
  std::mt19937_64 random(301);
  for (const GridShape& shape : fetchingGrids())
    for (ExchangeKind kind : TestTools::exchangesOn(shape))
      for (int trial = 0; trial < 4; ++trial) {
        const auto exchanges = makeExchanges(shape);
        const int sizes[] = {int(random() % 90), int(random() % 300), int(random() % 90)};
        const Space rows = TestTools::randomSpace(shape, sizes[0], random);
        const Space inner = TestTools::randomSpace(shape, sizes[1], random);
        const Space columns = TestTools::randomSpace(shape, sizes[2], random);
        const Band a{int(random() % 200), trial}, b{int(random() % 20), trial + 10};
        RoundOptions options;
        options.exchange = kind;
        options.fetch = FetchKind::NeededRows;
        options.fuseRounds = int(random() % 3);
        RoundCounters counters;
        const Matrix A = makeMatrix(exchanges, rows, inner, a, random() % 2);
        const Matrix B = makeMatrix(exchanges, inner, columns, b, random() % 2);
        const Matrix C = multiplyOnGrid(A, B, options, &counters);
        out << shape.name() << " " << TestTools::describe(options) << "\n";
        const Dense<double> expected =
            product(full(a, sizes[0], sizes[1]), full(b, sizes[1], sizes[2]));
        TRIDENT_TEST_OK(differences(gathered(C), expected));
        TEST_EQUALITY_CONST(counters.fetch, "needed-rows");
        const Counted<Band, Band> counted{a, b, *rows, *inner, *columns, A.grid().me(), shape};
        TEST_EQUALITY(counters.traffic.rounds.internodeBytes, counted.bytesOfRounds());
        TEST_EQUALITY(counters.traffic.setup.internodeBytes, counted.bytesOfSetup());
      }
}

std::string chosen(const GridShape& shape, const TestTools::Formula* random, const Band& band,
                   const RoundOptions& options) {
  const auto exchanges = makeExchanges(shape);
  const Space space = TestTools::uniformSpace(shape, 40 * shape.ranks());
  RoundCounters counters;
  const Matrix A = random ? makeMatrix(exchanges, space, space, *random)
                          : makeMatrix(exchanges, space, space, band);
  multiplyOnGrid(A, A, options, &counters);
  return counters.fetch;
}

// "auto" takes them where they are fewer bytes than the tiles, and fit the memory bound.
TEUCHOS_UNIT_TEST(NeededRows, AutoTakesThemWhereTheySave) {
  const TestTools::Formula dense{5, 20};
  const Band band{2, 7};
  for (const GridShape& shape : fetchingGrids()) {
    RoundOptions options;
    TEST_EQUALITY_CONST(chosen(shape, nullptr, band, options), "needed-rows");
    TEST_EQUALITY_CONST(chosen(shape, &dense, band, options), "tiles");
    options.memoryBytes = 1;
    TEST_EQUALITY_CONST(chosen(shape, nullptr, band, options), "tiles");
    options.fetch = FetchKind::NeededRows;
    TEST_EQUALITY_CONST(chosen(shape, &dense, band, options), "needed-rows");
  }
}

/// The rules by which rows or tiles travel, which the predictor shares.
TEUCHOS_UNIT_TEST(NeededRows, RulesByHand) {
  TEST_EQUALITY_CONST(neededByNode(std::vector<int>{50, 50}, 100), 75);
  TEST_EQUALITY_CONST(neededByNode(std::vector<double>{100, 3}, 100), 100);
  TEST_EQUALITY_CONST(neededByNode(std::vector<int>{0, 0}, 0), 0);
  RoundOptions options;
  options.memoryBytes = 1000;
  FetchBytes sums = FetchBytes::ofRank(10, 30, 1000, 0, options);
  TEST_ASSERT(sums.saves());
  sums += FetchBytes::ofRank(10, 0, 0, 0, options);
  TEST_ASSERT(sums.saves());
  TEST_ASSERT(!(FetchBytes(sums) += FetchBytes::ofRank(10, 0, 0, 0, options)).saves());
  TEST_ASSERT(!(FetchBytes(sums) += FetchBytes::ofRank(0, 0, 1001, 0, options)).saves());
}

TEUCHOS_UNIT_TEST(NeededRows, AreKeptForOtherValues) {
  for (const GridShape& shape : fetchingGrids()) {
    const auto exchanges = makeExchanges(shape);
    const Space space = TestTools::uniformSpace(shape, 20 * shape.ranks());
    const Band a{3, 1};
    const Matrix A = makeMatrix(exchanges, space, space, a);
    SymbolicData<Device> symbolic;
    const Matrix C = multiplyOnGrid(A, A, RoundOptions(), nullptr, &symbolic);
    TEST_ASSERT(symbolic.needed != nullptr);
    sortRows(C.local());
    struct Doubled : Band {
      double value(Position r, Position c) const { return 2 * Band::value(r, c) + 1; }
    };
    const Matrix D = makeMatrix(exchanges, space, space, Doubled{{a}});
    RoundCounters counters;
    multiplyValuesOnGrid(D, D, C, RoundOptions(), &counters, &symbolic);
    const int n = static_cast<int>(space->size());
    const Dense<double> expected = product(full(Doubled{{a}}, n, n), full(Doubled{{a}}, n, n));
    TRIDENT_TEST_OK(differences(gathered(C), expected));
    TEST_EQUALITY_CONST(counters.fetch, "needed-rows");
    // Nothing is asked again but the entries of the node's slices.
    TEST_EQUALITY_CONST(counters.traffic.setup.internodeBytes, 0);

    // They are not in the way of tiles.
    RoundOptions tiles;
    tiles.fetch = FetchKind::Tiles;
    multiplyValuesOnGrid(D, D, C, tiles, &counters, &symbolic);
    TRIDENT_TEST_OK(differences(gathered(C), expected));
    TEST_EQUALITY_CONST(counters.fetch, "tiles");
  }
}

// Asked for where no tile of B travels, or only to all alike: an error everywhere.
TEUCHOS_UNIT_TEST(NeededRows, WantTilesOfTheirOwn) {
  RoundOptions options;
  options.fetch = FetchKind::NeededRows;
  std::vector<GridShape> grids = gridsOf(worldSize(), {1, 2});
  for (const GridShape& shape : TestTools::summaShapes()) grids.push_back(shape);
  for (const GridShape& shape : grids) {
    if (shape.nodes() == 1 || shape.canFetchRows()) continue;
    const auto exchanges = makeExchanges(shape);
    const Space space = TestTools::uniformSpace(shape, 10 * shape.ranks());
    const Matrix A = makeMatrix(exchanges, space, space, Band{2, 3});
    TEST_THROW(multiplyOnGrid(A, A, options), Error);
  }
}

// A set of rows is as long as the shorter of its two forms, and is read as it was written.
TEUCHOS_UNIT_TEST(RowSet, AnyRows) {
  std::mt19937_64 random(302);
  for (int trial = 0; trial < 200; ++trial) {
    const int size = static_cast<int>(random() % 200), percent = static_cast<int>(random() % 101);
    const Position begin = static_cast<Position>(random() % 1000);
    std::vector<int> rows, expected{-1}, read{-1};
    for (int row = 0; row < size; ++row)
      if (static_cast<int>(random() % 100) < percent) {
        rows.push_back(static_cast<int>(begin) + row);
        expected.push_back(7 + row);
      }
    std::vector<SetWord> words{5, 5, 5};  // other sets, before
    appendSet(rows.begin(), rows.end(), begin, size, words);
    const int count = static_cast<int>(rows.size());
    TEST_EQUALITY(static_cast<int>(words.size()), 3 + std::min(count, (size + 31) / 32));
    readSet(words.data() + 3, count, size, 7, read);
    TEST_COMPARE_ARRAYS(read, expected);
  }
}

}  // namespace

}  // namespace Trident::Impl
