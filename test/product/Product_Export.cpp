// SPDX-License-Identifier: BSD-3-Clause
// Products whose columns are found before they are formed, on all ranks or on none, against a dense
// oracle.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <new>
#include <numeric>
#include <random>
#include <vector>

#include "Move_TestTools.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "product/Trident_ProductExport.hpp"
#include "rounds/Trident_Rounds.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::Device;
using TestTools::everywhere;
using TestTools::Formula;
using TestTools::fromDevice;
using TestTools::gridsOf;
using TestTools::makeExchanges;
using TestTools::makeMatrix;
using TestTools::Matrix;
using TestTools::randomSpace;
using TestTools::SpacePtr;
using TestTools::stayingSpace;
using TestTools::worldSize;
using Sums = SumsOrOperands<double, Device>;
using Way = ProductExport<double, Device>;

/// A product, and whether it is put off.
struct Case {
  SpacePtr rows, columns;
  Dense<double> expected;
  bool defer;  ///< decision that all ranks share

  /// Returns the remote columns of this rank's rows, ascending.
  std::vector<Position> remotes() const {
    std::vector<Position> found;
    for (Position c = 0; c < columns->size(); ++c) {
      bool met = false;
      for (Position r = rows->numbering().begin(); r < rows->numbering().end(); ++r)
        met |= expected.stored[expected.at(static_cast<int>(r), static_cast<int>(c))] > 0;
      if (met && (c < columns->numbering().begin() || c >= columns->numbering().end()))
        found.push_back(c);
    }
    return found;
  }

  /// Counts the entries of this rank's rows that are wrong or missing.
  /// @param order of the remote columns
  int wrongRows(const CrsArrays<double, Device>& arrays, const std::vector<int>& order) const {
    const std::vector<Position> others = remotes();
    std::vector<Position> columnOf(columns->numbering().end() - columns->numbering().begin());
    std::iota(columnOf.begin(), columnOf.end(), columns->numbering().begin());
    const std::size_t owned = columnOf.size();
    columnOf.resize(owned + others.size());
    for (std::size_t c = 0; c < others.size(); ++c)
      columnOf[owned + (order.empty() ? c : order[c])] = others[c];
    const auto host = fromDevice<double>(arrays.matrix(static_cast<int>(columnOf.size())));
    int wrong =
        !isSorted(host) + (host.numRows() != rows->numbering().end() - rows->numbering().begin());
    for (int r = 0; r < host.numRows(); ++r) {
      const int row = static_cast<int>(rows->numbering().begin()) + r;
      long long stored = 0;
      for (int c = 0; c < expected.columns; ++c) stored += expected.stored[expected.at(row, c)];
      wrong += stored != static_cast<long long>(host.rows[r].size());
      for (const auto& entry : host.rows[r]) {
        const std::size_t at = expected.at(row, static_cast<int>(columnOf.at(entry.first)));
        wrong += !expected.stored[at] || expected.values[at] != entry.second;
      }
    }
    return wrong;
  }

  int wrongAsItLeaves(const Rounds<double, Device>& product, const Sums& sums, const Matrix& A,
                      const RoundOptions& options, std::mt19937_64& own) const {
    LocalFailure failure;
    if (!sums.isDeferred()) {
      Traffic traffic;
      MatrixExport<double, Device> late(product.product(sums), SliceUsers::Sole, rows, columns,
                                        options, traffic, failure);
      return wrongOn(late, own) + failure.failed() + defer;
    }
    Way way(A.grid(), sums, *columns, options, failure);
    return wrongOn(way, own) + failure.failed() + !defer;
  }

  template <class SomeWay>
  int wrongOn(SomeWay& way, std::mt19937_64& own) const {
    int wrong = toHost<Position, Device>(way.remotes()) != remotes();
    std::vector<int> order;
    if (own() % 2) {
      order.resize(way.remotes().extent(0));
      std::iota(order.begin(), order.end(), 0);
      TestTools::shuffle(order, own);
    }
    if (wrong == 0) wrong = wrongRows(way.rows(toDevice<int, Device>(order)), order);
    return wrong;
  }
};

/// Counts the faults of a case's product on this rank.
/// @param wish true if this rank would put its local product off
int wrongProduct(const Case& now, const Matrix& A, const Matrix& B, bool wish,
                 const RoundOptions& options, std::mt19937_64& own) {
  RoundCounters counters;
  LocalFailure failure;
  Rounds<double, Device> product(A, B, options, counters, failure);
  Sums sums([&](const OperandSizes&) { return wish; }, options, counters);
  product.run(sums);
  const int wrong = now.wrongAsItLeaves(product, sums, A, options, own);
  return wrong + failure.failed();
}

void checkProducts(Teuchos::FancyOStream& out, bool& success, unsigned seed,
                   const RoundOptions& options) {
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    if (shape.nodeCols != 1) continue;
    const auto exchanges = makeExchanges(shape);
    const int me = exchanges->grid().rank();
    for (int round = 0; round < 9; ++round) {
      const Position m = 1 + random() % 40, inner = 1 + random() % 30, n = 1 + random() % 40;
      const Formula a{random(), static_cast<int>(random() % 40)};
      const Formula b{random(), round >= 5 && round <= 6 ? 0 : 5 + static_cast<int>(random() % 40)};
      const auto middle = randomSpace(shape, inner, random);
      Case now{stayingSpace(shape, m, me, random), stayingSpace(shape, n, me, random),
               product(a.full(m, inner), b.full(inner, n)), false};
      std::mt19937_64 own(random() + me);
      const bool wish = round % 3 == 0 || (round % 3 == 1 && own() % 2);
      now.defer = everywhere(wish) > 0;  // one that would is enough
      const Matrix A = makeMatrix(exchanges, now.rows, middle, a);
      const Matrix B = makeMatrix(exchanges, middle, now.columns, b);
      const int wrong = wrongProduct(now, A, B, wish, options, own);
      out << shape.name() << " " << m << " x " << inner << " x " << n << "\n";
      TEST_EQUALITY_CONST(everywhere(wrong), 0);
    }
  }
}

TEUCHOS_UNIT_TEST(ProductExport, WholeTiles) {
  RoundOptions options;
  options.fuseRounds = worldSize();  // one batch
  options.fetch = FetchKind::Tiles;
  checkProducts(out, success, 611, options);
}

TEUCHOS_UNIT_TEST(ProductExport, NeededRows) {
  RoundOptions options;
  options.fuseRounds = worldSize();
  checkProducts(out, success, 612, options);
}

// The products of several batches are formed in the rounds, whatever a rank would like.
TEUCHOS_UNIT_TEST(ProductExport, SeveralBatchesAreNotDeferred) {
  std::mt19937_64 random(613);
  const GridShape shape{worldSize(), 1, 1};
  const auto exchanges = makeExchanges(shape);
  const int me = exchanges->grid().rank();
  RoundOptions options;
  options.fuseRounds = 1;
  options.fetch = FetchKind::Tiles;
  const Formula a{random(), 30}, b{random(), 30};
  const auto middle = randomSpace(shape, 40, random);
  const Case now{stayingSpace(shape, 30, me, random), stayingSpace(shape, 35, me, random),
                 product(a.full(30, 40), b.full(40, 35)), worldSize() == 1};
  const Matrix A = makeMatrix(exchanges, now.rows, middle, a);
  const Matrix B = makeMatrix(exchanges, middle, now.columns, b);
  TEST_EQUALITY_CONST(everywhere(wrongProduct(now, A, B, true, options, random)), 0);
}

// The question whether to put off may fail: as what comes before the rounds does.
TEUCHOS_UNIT_TEST(ProductExport, AWishThatFailsIsTold) {
  std::mt19937_64 random(614);
  const GridShape shape{worldSize(), 1, 1};
  const auto exchanges = makeExchanges(shape);
  const auto space = randomSpace(shape, 40, random);
  const Matrix A = makeMatrix(exchanges, space, space, Formula{random(), 30});
  RoundOptions options;
  options.fuseRounds = worldSize();
  const bool fails = exchanges->grid().rank() == worldSize() - 1;
  RoundCounters counters;
  LocalFailure failure;
  Rounds<double, Device> product(A, A, options, counters, failure);
  Sums sums(
      [&](const OperandSizes&) -> bool {
        if (fails) throw std::bad_alloc();
        return false;
      },
      options, counters);
  TEST_THROW(product.run(sums), Error);
  TEST_EQUALITY_CONST(everywhere(failure.failed() != fails), 0);
  TEST_EQUALITY_CONST(everywhere(sums.isDeferred()), 0);
}

// A setup may plan its rounds twice, where a node cannot share memory: the last plan counts.
TEUCHOS_UNIT_TEST(ProductExport, MoreGroupsTakeAWishBack) {
  RoundCounters counters;
  const Sums::DeferRule always = [](const OperandSizes&) { return true; };
  Sums sums(always, RoundOptions(), counters);
  sums.expect(1);
  TEST_ASSERT(sums.wouldDefer({1, 1, 1}));
  sums.defer();
  sums.expect(2);
  TEST_ASSERT(!sums.wouldDefer({1, 1, 1}));
  TEST_ASSERT(!sums.isDeferred());
}

}  // namespace
}  // namespace Trident::Impl
