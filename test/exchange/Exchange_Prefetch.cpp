// SPDX-License-Identifier: BSD-3-Clause
// The prefetch exchange where sends run ahead otherwise than requests: fused groups ask for several
// rounds at once.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "Exchange_TestProduct.hpp"
#include "Trident_PrefetchExchange.hpp"
#include "Trident_ProcessGrid.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Delay;
using TestTools::gridsOf;
using TestTools::oneHost;
using TestTools::worldSize;

TEUCHOS_UNIT_TEST(Prefetch, EveryShapeAndLookAhead) {
  const unsigned seed = 71;
  out << "seed " << seed << "\n";
  Delay delay(seed, 300);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 4})) {
    const ProcessGrid grid(MPI_COMM_WORLD, oneHost(shape), shape);
    int wrong = 0, number = 0;
    for (Factor factor : {Factor::A, Factor::B})
      for (int sendAhead : {0, 1, 2}) {
        const std::vector<bool> internode = grid.internodeOnLine(factor);
        PrefetchExchange exchange(makeMpiLine(grid.line(factor), internode),
                                  LineSchedule(shape, grid.me(), factor), sendAhead);
        // Several products on one object, with nothing between them that synchronizes.
        for (int ahead : {sendAhead, 0, 3, shape.segments()})
          wrong +=
              runProduct(exchange, shape, grid.me(), factor, ++number, ahead, delay, internode);
      }
    out << shape.name() << "\n";
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

/// A line of which nothing is real; it writes down who was sent how much.
class WrittenLine : public Line {
 public:
  using Sent = std::vector<std::pair<int, std::size_t>>;
  WrittenLine(int members, int me, Sent& sent) : members_(members), me_(me), sent_(sent) {}
  int members() const override { return members_; }
  int me() const override { return me_; }
  std::vector<int> peers() override {
    std::vector<int> peers;
    for (int step = 1; step < members_; ++step) peers.push_back((me_ + step) % members_);
    return peers;
  }
  std::unique_ptr<Transfers> open() override { return std::make_unique<Written>(sent_); }
  void limitMessages(std::size_t) override {}
  int worldRank(int member) const override { return member; }
  void count(int, std::size_t, Traffic&) const override {}

 private:
  class Written : public Transfers {
   public:
    explicit Written(Sent& sent) : sent_(sent) {}
    void send(const void*, std::size_t bytes, int member) override {
      sent_.emplace_back(member, bytes);
    }
    void receive(void*, std::size_t bytes, int member) override {
      sent_.emplace_back(-1 - member, bytes);
    }
    bool test() override { return true; }
    void wait() override {}

   private:
    Sent& sent_;
  };
  int members_, me_;
  Sent& sent_;
};

// On a mesh nearly all members of a long line need nothing of each other.
TEUCHOS_UNIT_TEST(Prefetch, WhoNeedsNothingGetsNothing) {
  const int nodes = 7, me = 2;
  const GridShape shape{nodes, 1, 1};
  WrittenLine::Sent sent;
  PrefetchExchange exchange(std::make_unique<WrittenLine>(nodes, me, sent),
                            LineSchedule(shape, {me, 0, 0}, Factor::B), 1);
  const char slice[5] = {};
  char landing[5];
  LineSlices slices;
  slices.partsOfSlice = nodes;
  for (int member = 0; member < nodes; ++member) {
    const bool neighbour = member == me - 1 || member == me + 1;
    slices.bytes.push_back(neighbour ? 5 : 0);
    slices.own.push_back({slice, neighbour ? std::size_t(5) : 0});
  }
  exchange.begin(slices);
  Traffic traffic;
  const LineSchedule schedule(shape, {me, 0, 0}, Factor::B);
  for (int t = 0; t < nodes; ++t) {
    if (schedule.owner(schedule.segmentOfRound(t)) != me) exchange.request(t, landing, traffic);
    TEST_ASSERT(exchange.wait(t));
  }
  exchange.end();
  // A slice and its mark to each neighbour, and from each.
  std::sort(sent.begin(), sent.end());
  const WrittenLine::Sent expected = {{-4, 1}, {-4, 5}, {-2, 1}, {-2, 5},
                                      {1, 1},  {1, 5},  {3, 1},  {3, 5}};
  TEST_ASSERT(sent == expected);
}

}  // namespace

}  // namespace Trident::Impl
