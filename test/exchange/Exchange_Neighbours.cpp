// SPDX-License-Identifier: BSD-3-Clause
// Nearly all members of a long line on a mesh need nothing of each other: then they say nothing to
// each other. Needs no second rank.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "exchange/Trident_PrefetchExchange.hpp"
#include "exchange/Trident_RequestQueueExchange.hpp"

namespace Trident::Impl {
namespace {

/// Acts of an exchange, by member and bytes; of a request, its number. Two threads write.
class Log {
 public:
  using Entries = std::vector<std::pair<int, std::size_t>>;
  void add(Entries Log::*to, int member, std::size_t number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    (this->*to).emplace_back(member, number);
  }
  Entries sent, received, asked;

 private:
  std::mutex mutex_;
};

/// A line of which nothing is real.
class WrittenLine : public Line {
 public:
  WrittenLine(int members, int me, Log& log) : members_(members), me_(me), log_(log) {}
  std::vector<int> peers() override { return othersFrom(me_, members_); }
  std::unique_ptr<Transfers> open() override { return std::make_unique<Written>(log_); }
  int worldRank(int member) noexcept override { return member; }
  void count(int, std::size_t, Traffic&) const override {}

 private:
  class Written : public Transfers {
   public:
    explicit Written(Log& log) : log_(log) {}
    void send(const void*, std::size_t bytes, int member) override {
      log_.add(&Log::sent, member, bytes);
    }
    void receive(void*, std::size_t bytes, int member) override {
      log_.add(&Log::received, member, bytes);
    }
    bool test() override { return true; }
    void wait() override {}

   private:
    Log& log_;
  };
  int members_, me_;
  Log& log_;
};

/// Members that have asked for very much: who serves them must know what a product has for them.
class GreedyCounters : public RequestCounters {
 public:
  explicit GreedyCounters(Log& log) : log_(log) {}
  void ask(int owner, std::uint64_t count) override { log_.add(&Log::asked, owner, count); }
  void askAgain(int, std::uint64_t) override {}
  void poll() override {}
  std::uint64_t asked(int) const override { return 1000; }

 private:
  Log& log_;
};

constexpr int nodes = 7, me = 2;
constexpr std::size_t length = 5;

bool isNeighbour(int member) { return member == me - 1 || member == me + 1; }

LineSchedule schedule() { return {GridShape{nodes, 1, 1}, {me, 0, 0}, Factor::B}; }

/// Runs a product in which only neighbours need something of each other. Returns whether all slices
/// were sound.
bool runProduct(SliceExchange& exchange) {
  const char slice[length] = {};
  char landing[length];
  LineSlices slices;
  slices.partsOfSlice = nodes;
  for (int member = 0; member < nodes; ++member) {
    slices.bytes.push_back(isNeighbour(member) ? length : 0);
    slices.own.push_back({slice, isNeighbour(member) ? length : 0});
  }
  exchange.begin(slices);
  Traffic traffic;
  bool sound = true;
  for (int t = 0; t < nodes; ++t) {
    if (schedule().owner(schedule().segmentOfRound(t)) != me) exchange.request(t, landing, traffic);
    sound = exchange.wait(t) && sound;
  }
  exchange.end();
  return sound;
}

/// A slice and its mark of each neighbour, in each of two products.
const Log::Entries twiceOfNeighbours{{1, 1}, {1, 1}, {1, length}, {1, length},
                                     {3, 1}, {3, 1}, {3, length}, {3, length}};

Log::Entries sorted(Log::Entries entries) {
  std::sort(entries.begin(), entries.end());
  return entries;
}

TEUCHOS_UNIT_TEST(Neighbours, PrefetchSendsToThemAlone) {
  Log log;
  PrefetchExchange exchange(std::make_unique<WrittenLine>(nodes, me, log), schedule(), 1);
  for (int product = 0; product < 2; ++product) TEST_ASSERT(runProduct(exchange));
  TEST_ASSERT(sorted(log.sent) == twiceOfNeighbours);
  TEST_ASSERT(sorted(log.received) == twiceOfNeighbours);
}

TEUCHOS_UNIT_TEST(Neighbours, RequestQueueAsksAndServesThemAlone) {
  Log log;
  {
    RequestQueueExchange exchange(std::make_unique<WrittenLine>(nodes, me, log),
                                  std::make_unique<GreedyCounters>(log), schedule());
    for (int product = 0; product < 2; ++product) TEST_ASSERT(runProduct(exchange));
  }
  TEST_ASSERT(sorted(log.sent) == twiceOfNeighbours);
  TEST_ASSERT(sorted(log.received) == twiceOfNeighbours);
  const Log::Entries asked{{1, 1}, {1, 2}, {3, 1}, {3, 2}};
  TEST_ASSERT(sorted(log.asked) == asked);
}

/// Returns true if a list has each slice once for each peer, in the round in which the peer needs
/// it, and rounds ascend.
bool isInOrder(const LineSchedule& line, const std::vector<ScheduledSend>& sends) {
  std::vector<int> seen(line.members() * line.ownSegments(), 0);
  for (std::size_t n = 0; n < sends.size(); ++n) {
    const auto& [round, slice, peer] = sends[n];
    if (peer == line.ownMember() || (n > 0 && round < sends[n - 1].round)) return false;
    if (line.segmentOfRound(round, peer) != line.firstOwnSegment() + slice) return false;
    if (++seen[peer * line.ownSegments() + slice] > 1) return false;
  }
  return static_cast<int>(sends.size()) == (line.members() - 1) * line.ownSegments();
}

TEUCHOS_UNIT_TEST(Neighbours, SendsAreInTheOrderOfRounds) {
  for (const GridShape& shape : {GridShape{1, 1, 3}, {7, 1, 2}, {1, 5, 1}, {4, 6, 1}, {3, 3, 2}})
    for (int i = 0; i < shape.nodeRows; ++i)
      for (int j = 0; j < shape.nodeCols; ++j)
        for (Factor factor : {Factor::A, Factor::B}) {
          const LineSchedule line(shape, {i, j, 0}, factor);
          TEST_ASSERT(
              isInOrder(line, sendsInOrder(line, othersFrom(line.ownMember(), line.members()))));
        }
}

}  // namespace

}  // namespace Trident::Impl
