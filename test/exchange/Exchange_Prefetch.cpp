// SPDX-License-Identifier: BSD-3-Clause
// Slices along lines: every shape, both factors, any look-ahead, ranks shaken by random delays.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <random>
#include <vector>

#include "Exchange_TestTools.hpp"
#include "Trident_PrefetchExchange.hpp"

namespace Trident {
namespace {

using TestTools::Bytes;
using TestTools::bytesOf;
using TestTools::Delay;
using TestTools::gridsOf;
using TestTools::oneHost;
using TestTools::worldSize;

constexpr std::size_t messageBytes = 100;

/// One product on one line: what is sent is known to every rank, by (product, line, segment).
class Product {
 public:
  Product(const ProcessGrid& grid, Factor factor, int number)
      : line_(grid.shape(), grid.me(), factor), slices_(), own_() {
    const GridCoordinates& me = grid.me();
    // All members of a line have the same key, all lines different ones.
    key_ = TestTools::hashOf(number, factor == Factor::A ? 0 : 1, factor == Factor::A ? me.i : me.j,
                             me.k);
    for (int s = 0; s < line_.rounds(); ++s) slices_.bytes.push_back(sizeOf(s));
    for (int n = 0; n < line_.ownSegments(); ++n)
      own_.push_back(content(line_.firstOwnSegment() + n));
    for (const Bytes& slice : own_) slices_.own.push_back(slice.data());
    landings_.resize(line_.rounds());
  }

  const LineSlices& slices() const { return slices_; }
  bool comes(int round) const { return line_.owner(line_.segmentOfRound(round)) != line_.me(); }
  int rounds() const { return line_.rounds(); }

  /// Where the slice of a round lands, with a guard behind it.
  void* landing(int round) {
    landings_[round].assign(sizeOf(line_.segmentOfRound(round)) + 8, 0xee);
    return landings_[round].data();
  }
  bool right(int round) const {
    Bytes expected = content(line_.segmentOfRound(round));
    expected.insert(expected.end(), 8, 0xee);
    return landings_[round] == expected;
  }
  Traffic expectedTraffic() const {
    Traffic traffic;
    for (int s = 0; s < line_.rounds(); ++s)
      if (line_.owner(s) != line_.me())
        traffic.count(true, sizeOf(s), (sizeOf(s) + messageBytes - 1) / messageBytes);
    return traffic;
  }

 private:
  std::size_t sizeOf(int segment) const {
    const std::uint64_t h = TestTools::hashOf(key_, segment);
    const std::size_t borders[] = {0, 1, 99, 100, 101, 200, 777, 0};
    return h % 2 ? borders[h / 2 % 8] : h / 2 % 1500;
  }
  Bytes content(int segment) const { return bytesOf(key_ + segment, sizeOf(segment)); }

  LineSchedule line_;
  LineSlices slices_;
  std::vector<Bytes> own_, landings_;
  std::uint64_t key_ = 0;
};

/// Runs one product, `ahead` rounds requested before each wait; returns what is wrong.
int run(SliceExchange& exchange, Product product, int ahead, Delay& delay) {
  int wrong = 0, requested = 0;
  Traffic traffic;
  exchange.begin(product.slices());
  for (int t = 0; t < product.rounds(); ++t) {
    for (; requested <= std::min(t + ahead, product.rounds() - 1); ++requested) {
      delay();
      if (product.comes(requested))
        exchange.request(requested, product.landing(requested), traffic);
    }
    delay();
    exchange.wait(t);
    if (product.comes(t)) wrong += !product.right(t);
    exchange.progress();
  }
  exchange.end();
  const Traffic expected = product.expectedTraffic();
  wrong += traffic.internodeBytes != expected.internodeBytes;
  wrong += traffic.internodeMessages != expected.internodeMessages;
  wrong += traffic.intranodeBytes != 0 || traffic.intranodeMessages != 0;
  return wrong;
}

TEUCHOS_UNIT_TEST(Prefetch, EveryShapeAndLookAhead) {
  const unsigned seed = 71;
  out << "seed " << seed << "\n";
  Delay delay(seed, 300);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 4})) {
    const ProcessGrid grid(MPI_COMM_WORLD, oneHost(shape), shape);
    int wrong = 0, number = 0;
    for (Factor factor : {Factor::A, Factor::B})
      for (int sendAhead : {0, 1, 2}) {
        const MPI_Comm comm = factor == Factor::A ? grid.rowLine() : grid.colLine();
        PrefetchExchange exchange(
            makeMpiLine(comm, grid.internodeOnLine(factor), messageBytes),
            LineSchedule(shape, grid.me(), factor), sendAhead);
        // Several products on one object, with nothing between them that synchronizes. The
        // look-ahead of requests is not that of sends: fused groups ask for several rounds at once.
        for (int ahead : {sendAhead, 0, 3, shape.segments()})
          wrong += run(exchange, Product(grid, factor, ++number), ahead, delay);
      }
    out << shape.name() << "\n";
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

TEUCHOS_UNIT_TEST(Prefetch, BothFactorsAtOnceRoundByRound) {
  // As a product does it: A and B of a round, then a barrier of the node.
  const unsigned seed = 72;
  out << "seed " << seed << "\n";
  Delay delay(seed, 500);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const ProcessGrid grid(MPI_COMM_WORLD, oneHost(shape), shape);
    int wrong = 0;
    for (int depth : {0, 1}) {
      PrefetchExchange a(makeMpiLine(grid.rowLine(), grid.internodeOnLine(Factor::A), 64),
                         LineSchedule(shape, grid.me(), Factor::A), depth);
      PrefetchExchange b(makeMpiLine(grid.colLine(), grid.internodeOnLine(Factor::B), 64),
                         LineSchedule(shape, grid.me(), Factor::B), depth);
      Product productA(grid, Factor::A, depth), productB(grid, Factor::B, depth);
      Traffic traffic;
      a.begin(productA.slices());
      b.begin(productB.slices());
      int requested = 0;
      for (int t = 0; t < shape.segments(); ++t) {
        for (; requested <= std::min(t + depth, shape.segments() - 1); ++requested) {
          if (productA.comes(requested)) a.request(requested, productA.landing(requested), traffic);
          if (productB.comes(requested)) b.request(requested, productB.landing(requested), traffic);
        }
        delay();
        a.wait(t);
        b.wait(t);
        if (productA.comes(t)) wrong += !productA.right(t);
        if (productB.comes(t)) wrong += !productB.right(t);
        MPI_Barrier(grid.nodeComm());
      }
      a.end();
      b.end();
    }
    out << shape.name() << "\n";
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

}  // namespace
}  // namespace Trident
