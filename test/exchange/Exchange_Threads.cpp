// SPDX-License-Identifier: BSD-3-Clause
// The exchanges between threads of one process, for ThreadSanitizer (test/stress/thread_sanitizer):
// all ranks of several grids, both factors, many products on the same objects, everything delayed
// at random. Neither MPI nor Kokkos nor Teuchos runs here, since none of them is instrumented.
//
// Usage: [products on each grid] [seed]

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "Exchange_FakeNetwork.hpp"
#include "Exchange_FaultyTransport.hpp"
#include "Exchange_TestProduct.hpp"
#include "exchange/Trident_PrefetchExchange.hpp"
#include "exchange/Trident_RequestQueueExchange.hpp"
#include "exchange/Trident_RingExchange.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Delay;
using TestTools::FakeNetwork;
using TestTools::Protocol;
using TestTools::TestRun;

struct Setting {
  GridShape shape;
  int nodeSize;  ///< ranks in a node of the machine
  ExchangeKind kind;
  Protocol protocol;
  unsigned seed;
  int products;
};

/// The networks of all lines of a grid, and what its ranks are to each other.
class World {
 public:
  explicit World(const Setting& setting) : setting_(setting) {
    const GridShape& shape = setting.shape;
    for (int line = 0; line < shape.nodeRows * shape.lambda; ++line)
      lines_[0].push_back(std::make_unique<FakeNetwork>(shape.nodeCols, setting.protocol));
    for (int line = 0; line < shape.nodeCols * shape.lambda; ++line)
      lines_[1].push_back(std::make_unique<FakeNetwork>(shape.nodeRows, setting.protocol));
  }

  std::vector<bool> internode(const GridCoordinates& me, Factor factor) const {
    const GridShape& shape = setting_.shape;
    std::vector<bool> internode;
    for (int m = 0; m < LineSchedule(shape, me, factor).members(); ++m) {
      const int other = factor == Factor::A ? shape.rank(me.i, m, me.k) : shape.rank(m, me.j, me.k);
      internode.push_back(other / setting_.nodeSize !=
                          shape.rank(me.i, me.j, me.k) / setting_.nodeSize);
    }
    return internode;
  }

  std::unique_ptr<SliceExchange> exchange(const GridCoordinates& me, Factor factor) {
    const GridShape& shape = setting_.shape;
    const LineSchedule schedule(shape, me, factor);
    const bool a = factor == Factor::A;
    FakeNetwork& network = *lines_[a ? 0 : 1][(a ? me.i : me.j) * shape.lambda + me.k];
    constexpr int microseconds = 100;
    const ExchangeWrappers faulty =
        TestTools::faultyWrappers(setting_.seed + (a ? 0 : 1), microseconds,
                                  shape.rank(me.i, me.j, me.k), schedule.members());
    auto line = faulty.line(network.line(schedule.ownMember(), internode(me, factor)));
    if (setting_.kind == ExchangeKind::Ring)
      return std::make_unique<RingExchange>(std::move(line), schedule, 50);
    if (setting_.kind == ExchangeKind::Prefetch)
      return std::make_unique<PrefetchExchange>(std::move(line), schedule, 1);
    return std::make_unique<RequestQueueExchange>(
        std::move(line), faulty.counters(network.counters(schedule.ownMember())), schedule);
  }

  bool idle() {
    bool idle = true;
    for (auto& lines : lines_)
      for (const auto& line : lines) idle = idle && line->idle();
    return idle;
  }

 private:
  Setting setting_;
  std::vector<std::unique_ptr<FakeNetwork>> lines_[2];
};

/// Runs the products of one rank, one after the other. Returns the number of faults.
int beRank(const Setting& setting, World& world, int rank) {
  const GridShape& shape = setting.shape;
  const GridCoordinates me = shape.coordinates(rank);
  Delay delay(setting.seed, 100, rank);
  const auto exchangeA = world.exchange(me, Factor::A), exchangeB = world.exchange(me, Factor::B);
  int wrong = 0;
  for (int number = 1; number <= setting.products; ++number) {
    const int aheads[] = {1, 0, 2, shape.segments()};
    const int ahead = aheads[number % 4];
    TestRun a(*exchangeA, shape, me, Factor::A, number, ahead);
    TestRun b(*exchangeB, shape, me, Factor::B, number, ahead);
    // One rank in turn falls behind where nobody asks ahead: what was passed on to it must still
    // be there when it comes.
    if (ahead == 0 && rank == shape.ranks() - 1 - number / 4 % shape.ranks())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (int t = 0; t < shape.segments(); ++t) {
      a.request(t, delay);
      b.request(t, delay);
      delay();
      a.wait(t);
      b.wait(t);
    }
    wrong += a.end(world.internode(me, Factor::A));
    wrong += b.end(world.internode(me, Factor::B));
  }
  return wrong;
}

int runSetting(const Setting& setting) {
  World world(setting);
  std::atomic<int> wrong{0};
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < setting.shape.ranks(); ++rank)
    ranks.emplace_back([&, rank] { wrong += beRank(setting, world, rank); });
  for (std::thread& rank : ranks) rank.join();
  wrong += !world.idle();  // every message found its receive
  const char* const kinds[] = {"auto", "request-queue", "prefetch", "ring"};
  std::printf("%s%s nodes of %d, %s, %s: %d products, %d wrong\n", setting.shape.name().c_str(),
              setting.shape.order == RoundOrder::Summa ? " in SUMMA's order," : ",",
              setting.nodeSize, kinds[static_cast<int>(setting.kind)],
              setting.protocol == Protocol::Eager ? "eager" : "rendezvous", setting.products,
              wrong.load());
  std::fflush(stdout);
  return wrong;
}

int runAll(int products, unsigned seed) {
  std::printf("%d products on each grid, seed %u\n", products, seed);
  int wrong = 0;
  const auto run = [&](const GridShape& shape, int nodeSize, ExchangeKind kind) {
    for (Protocol protocol : {Protocol::Eager, Protocol::Rendezvous})
      wrong += runSetting({shape, nodeSize, kind, protocol, ++seed, products});
  };
  for (ExchangeKind kind : {ExchangeKind::RequestQueue, ExchangeKind::Prefetch}) {
    for (const GridShape& shape : {GridShape{1, 1, 1}, GridShape{3, 1, 1}, GridShape{1, 4, 1},
                                   GridShape{2, 2, 2}, GridShape{2, 3, 1}, GridShape{4, 4, 1}})
      run(shape, shape.lambda, kind);
    run(summaShape(2, 3), 2, kind);
  }
  for (const GridShape& shape :
       {summaShape(1, 2), summaShape(4, 1), summaShape(3, 3), summaShape(2, 3), summaShape(4, 4)})
    run(shape, 2, ExchangeKind::Ring);
  return wrong;
}

}  // namespace

}  // namespace Trident::Impl

int main(int argc, char* argv[]) {
  const int products = argc > 1 ? std::atoi(argv[1]) : 20;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 61;
  const int wrong = Trident::Impl::runAll(products, seed);
  std::printf(wrong == 0 ? "all right\n" : "FAILED\n");
  return wrong != 0;
}
