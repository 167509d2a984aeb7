// SPDX-License-Identifier: BSD-3-Clause
// Every kind of exchange on every grid: right bytes, right counts and right marks, however ranks
// and exchanges are shaken.

#include <Teuchos_UnitTestHarness.hpp>
#include <memory>
#include <string>
#include <vector>

#include "Exchange_FaultyTransport.hpp"
#include "Exchange_TestProduct.hpp"
#include "base/Trident_Mpi.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Delay;
using TestTools::flatNodes;
using TestTools::gridsOf;
using TestTools::oneHost;
using TestTools::TestRun;
using TestTools::worldRank;
using TestTools::worldSize;

bool threadsMultiple() {
  int level = MPI_THREAD_SINGLE;
  TRIDENT_MPI_CHECK(MPI_Query_thread(&level));
  return level == MPI_THREAD_MULTIPLE;
}

std::vector<ExchangeKind> kindsOn(const GridShape& shape) {
  std::vector<ExchangeKind> kinds{ExchangeKind::Prefetch};
  if (threadsMultiple()) kinds.push_back(ExchangeKind::RequestQueue);
  if (shape.order == RoundOrder::Summa) kinds.push_back(ExchangeKind::Ring);
  return kinds;
}

RoundOptions optionsOf(ExchangeKind kind, int depth) {
  RoundOptions options;
  options.exchange = kind;
  options.prefetchDepth = depth;
  return options;
}

/// Makes grids in both orders, the latter on machines with nodes of two sizes.
std::vector<std::unique_ptr<GridExchanges>> makeAllExchanges(const ExchangeWrappers& wrappers) {
  std::vector<std::unique_ptr<GridExchanges>> all;
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 4}))
    all.push_back(std::make_unique<GridExchanges>(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape,
                                                  wrappers));
  for (const GridShape& shape : allShapes(worldSize(), 1))
    all.push_back(
        std::make_unique<GridExchanges>(GridRanks(MPI_COMM_WORLD, flatNodes(1 + all.size() % 4)),
                                        summaShape(shape.nodeRows, shape.nodeCols), wrappers));
  return all;
}

std::string nameOf(const GridExchanges& exchanges) {
  const GridShape& shape = exchanges.grid().shape();
  return shape.name() +
         (shape.order == RoundOrder::Summa
              ? " in SUMMA's order, nodes of " + std::to_string(exchanges.grid().layout().nodeSize)
              : "");
}

/// Runs one product as the algorithm does it: A and B of a round, then a barrier of the node.
int runBoth(GridExchanges& exchanges, const RoundOptions& options, int number, int ahead,
            Delay& delay) {
  const ProcessGrid& grid = exchanges.grid();
  const ExchangeKind kind = exchanges.chooseExchange(options, MemoryKind::Host, 2).kind;
  TestRun a(exchanges.exchange(Factor::A, kind, options.prefetchDepth), grid.shape(), grid.me(),
            Factor::A, number, ahead);
  TestRun b(exchanges.exchange(Factor::B, kind, options.prefetchDepth), grid.shape(), grid.me(),
            Factor::B, number, ahead);
  for (int t = 0; t < a.rounds(); ++t) {
    a.request(t, delay);
    b.request(t, delay);
    delay();
    a.wait(t);
    b.wait(t);
    TRIDENT_MPI_CHECK(MPI_Barrier(grid.nodeComm()));
  }
  return a.end(grid.internodeOnLine(Factor::A)) + b.end(grid.internodeOnLine(Factor::B));
}

TEUCHOS_UNIT_TEST(Kinds, EveryShapeAndLookAhead) {
  const unsigned seed = 81;
  out << "seed " << seed << "\n";
  Delay delay(seed, 300);
  for (const auto& exchanges : makeAllExchanges({}))
    for (ExchangeKind kind : kindsOn(exchanges->grid().shape())) {
      int wrong = 0, number = 0;
      // Several products on one object, with nothing between them that synchronizes the line.
      const RoundOptions options = optionsOf(kind, 1);
      for (int ahead : {1, 0, 3, exchanges->grid().shape().segments(), 1})
        wrong += runBoth(*exchanges, options, ++number, ahead, delay);
      out << nameOf(*exchanges) << " kind " << static_cast<int>(kind) << "\n";
      TEST_EQUALITY_CONST(wrong, 0);
    }
}

TEUCHOS_UNIT_TEST(Kinds, FaultyTransports) {
  const unsigned seed = 82;
  out << "seed " << seed << "\n";
  Delay delay(seed, 300);
  auto wrappers = TestTools::faultyWrappers(seed, 300, worldRank(), worldSize());
  auto all = makeAllExchanges(wrappers);
  wrappers.slots = makeRequestMessages;
  for (auto& exchanges : makeAllExchanges(wrappers)) all.push_back(std::move(exchanges));
  for (const auto& exchanges : all)
    for (ExchangeKind kind : kindsOn(exchanges->grid().shape())) {
      int wrong = 0, number = 100;
      for (int depth : {0, 2})
        for (int repeat = 0; repeat < 2; ++repeat)
          wrong += runBoth(*exchanges, optionsOf(kind, depth), ++number, depth, delay);
      out << nameOf(*exchanges) << " kind " << static_cast<int>(kind) << "\n";
      TEST_EQUALITY_CONST(wrong, 0);
    }
}

/// Runs rounds in lockstep. The victim marks itself after round `last`; whether its slices of each
/// round came marked says the rest. Returns how many rounds say something else.
int wrongMarks(GridExchanges& exchanges, Factor factor, const RoundOptions& options, int victim,
               int last) {
  const ProcessGrid& grid = exchanges.grid();
  const ExchangeKind kind = exchanges.chooseExchange(options, MemoryKind::Host, 2).kind;
  SliceExchange& exchange = exchanges.exchange(factor, kind, options.prefetchDepth);
  const LineSchedule line(grid.shape(), grid.me(), factor);
  const int marked = last + 1 + (kind == ExchangeKind::Prefetch ? options.prefetchDepth : 0);
  TestTools::TestProduct product(grid.shape(), grid.me(), factor, victim, 1);
  int wrong = 0;
  Traffic traffic;
  exchange.begin(product.slices());
  for (int t = 0; t < line.rounds(); ++t) {
    if (product.comes(t)) exchange.request(t, product.landing(t), traffic);
    const bool sound = exchange.wait(t);
    if (product.comes(t)) {
      wrong += !product.right(t);  // who fails goes on sending
      const bool expected = product.owner(t) != victim || t < marked;
      wrong += sound != expected && !(sound && product.isEmpty(t));
    }
    TRIDENT_MPI_CHECK(MPI_Barrier(grid.line(factor)));
    if (line.ownMember() == victim && t == last) exchange.markFailed();
    TRIDENT_MPI_CHECK(MPI_Barrier(grid.line(factor)));
  }
  exchange.end();
  return wrong;
}

TEUCHOS_UNIT_TEST(Kinds, AMarkComesWithLaterSlicesOfThatProductAlone) {
  for (const auto& exchanges : makeAllExchanges({})) {
    const GridShape& shape = exchanges->grid().shape();
    for (ExchangeKind kind : kindsOn(shape)) {
      int wrong = 0;
      for (Factor factor : {Factor::A, Factor::B}) {
        const int members = LineSchedule(shape, exchanges->grid().me(), factor).members();
        const RoundOptions options = optionsOf(kind, 0);
        // A victim that does not exist: the product after a failure has no marks.
        for (const int victim : {0, members / 2, -1, members - 1, -1})
          wrong += wrongMarks(*exchanges, factor, options, victim, shape.segments() / 3);
        wrong += wrongMarks(*exchanges, factor, optionsOf(kind, 1), members - 1, 0);
      }
      out << nameOf(*exchanges) << " kind " << static_cast<int>(kind) << "\n";
      TEST_EQUALITY_CONST(wrong, 0);
    }
  }
}

}  // namespace

}  // namespace Trident::Impl
