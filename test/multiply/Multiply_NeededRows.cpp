// SPDX-License-Identifier: BSD-3-Clause
// Where A does not travel, the rows of B that a node's columns of A meet do, and no others.

#include <Teuchos_UnitTestHarness.hpp>
#include <map>
#include <memory>
#include <string>

#include "Multiply_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_GridMultiply.hpp"
#include "Trident_KnownProduct.hpp"
#include "Trident_NeededRows.hpp"
#include "Trident_SliceShape.hpp"
#include "Trident_SortRows.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::Device;
using TestTools::gathered;
using TestTools::gridsOf;
using TestTools::hashOf;
using TestTools::makeMatrix;
using TestTools::makeTransport;
using TestTools::Matrix;
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

/// Bytes that the rank at `me` should get from other nodes: of each slice with its k the rows that
/// some row on its node meets.
template <class FormulaA, class FormulaB>
long long neededBytes(const FormulaA& A, const FormulaB& B, const IndexSpace& rows,
                      const IndexSpace& inner, Position columns, const GridCoordinates& me) {
  long long bytes = 0;
  for (int s = 0; s < inner.shape().segments(); ++s) {
    if (s == me.i) continue;
    SliceShape shape;
    for (Position x = inner.sliceBegin(s, me.k); x < inner.sliceBegin(s, me.k + 1); ++x) {
      bool needed = false;
      for (Position r = rows.segmentBegin(me.i); r < rows.segmentBegin(me.i + 1); ++r)
        needed |= A.stored(r, x);
      if (!needed) continue;
      ++shape.rows;
      for (Position c = 0; c < columns; ++c) shape.entries += B.stored(x, c);
    }
    bytes += static_cast<long long>(shape.bytes(sizeof(double)));
  }
  return bytes;
}

TEUCHOS_UNIT_TEST(NeededRows, TheyAreWhatTravels) {
  std::mt19937_64 random(301);
  for (const GridShape& shape : fetchingGrids())
    for (ExchangeKind kind : TestTools::exchangesOn(shape))
      for (int trial = 0; trial < 4; ++trial) {
        const auto transport = makeTransport(shape);
        const int sizes[] = {int(random() % 90), int(random() % 90), int(random() % 90)};
        const Space rows = TestTools::randomSpace(shape, sizes[0], random);
        const Space inner = TestTools::randomSpace(shape, sizes[1], random);
        const Space columns = TestTools::randomSpace(shape, sizes[2], random);
        const Band a{int(random() % 20), trial}, b{int(random() % 20), trial + 10};
        RoundOptions options;
        options.exchange = kind;
        options.fetch = FetchKind::NeededRows;
        options.fuseRounds = int(random() % 3);
        RoundCounters counters;
        const Matrix A = makeMatrix(transport, rows, inner, a, random() % 2);
        const Matrix B = makeMatrix(transport, inner, columns, b, random() % 2);
        const Matrix C = multiplyOnGrid(A, B, options, &counters);
        out << shape.name() << " " << TestTools::describe(options) << "\n";
        const Dense<double> expected =
            product(full(a, sizes[0], sizes[1]), full(b, sizes[1], sizes[2]));
        TRIDENT_TEST_OK(differences(gathered(C), expected));
        TEST_EQUALITY_CONST(counters.fetch, "needed-rows");
        TEST_EQUALITY(counters.traffic.rounds.internodeBytes,
                      neededBytes(a, b, *rows, *inner, sizes[2], A.grid().me()));
      }
}

std::string chosen(const GridShape& shape, const TestTools::Formula* random, const Band& band,
                   const RoundOptions& options) {
  const auto transport = makeTransport(shape);
  const Space space = TestTools::uniformSpace(shape, 40 * shape.ranks());
  RoundCounters counters;
  const Matrix A = random ? makeMatrix(transport, space, space, *random)
                          : makeMatrix(transport, space, space, band);
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

TEUCHOS_UNIT_TEST(NeededRows, AreKeptForOtherValues) {
  for (const GridShape& shape : fetchingGrids()) {
    const auto transport = makeTransport(shape);
    const Space space = TestTools::uniformSpace(shape, 20 * shape.ranks());
    const Band a{3, 1};
    const Matrix A = makeMatrix(transport, space, space, a);
    std::shared_ptr<const KnownProduct<Device>> known;
    const Matrix C = multiplyOnGrid(A, A, RoundOptions(), nullptr, &known);
    TEST_ASSERT(known != nullptr && known->needed != nullptr);
    sortRows(C.local());
    struct Doubled : Band {
      double value(Position r, Position c) const { return 2 * Band::value(r, c) + 1; }
    };
    const Matrix D = makeMatrix(transport, space, space, Doubled{{a}});
    RoundCounters counters;
    multiplyValuesOnGrid(D, D, C, RoundOptions(), &counters, known);
    const int n = static_cast<int>(space->size());
    const Dense<double> expected = product(full(Doubled{{a}}, n, n), full(Doubled{{a}}, n, n));
    TRIDENT_TEST_OK(differences(gathered(C), expected));
    TEST_EQUALITY_CONST(counters.fetch, "needed-rows");
    // Nothing is asked again but the entries of the node's slices.
    TEST_EQUALITY_CONST(counters.traffic.setup.internodeBytes, 0);

    // They are not in the way of tiles.
    RoundOptions tiles;
    tiles.fetch = FetchKind::Tiles;
    multiplyValuesOnGrid(D, D, C, tiles, &counters, known);
    TRIDENT_TEST_OK(differences(gathered(C), expected));
    TEST_EQUALITY_CONST(counters.fetch, "tiles");
  }
}

// Asked for where A travels: an error everywhere.
TEUCHOS_UNIT_TEST(NeededRows, WantAGridOfOneNodeColumn) {
  RoundOptions options;
  options.fetch = FetchKind::NeededRows;
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    if (shape.nodes() == 1 || shape.canFetchRows()) continue;
    const auto transport = makeTransport(shape);
    const Space space = TestTools::uniformSpace(shape, 10 * shape.ranks());
    const Matrix A = makeMatrix(transport, space, space, Band{2, 3});
    TEST_THROW(multiplyOnGrid(A, A, options), Error);
  }
}

}  // namespace

}  // namespace Trident::Impl
