// SPDX-License-Identifier: BSD-3-Clause
// Runs of entries arrive where they are sent, once, each in its order and by source rank.

#include <Teuchos_UnitTestHarness.hpp>
#include <map>
#include <random>
#include <vector>

#include "Move_TestTools.hpp"
#include "move/Trident_MatrixImport.hpp"
#include "move/Trident_RunTransfer.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::everywhere;
using TestTools::gridsOf;
using TestTools::hashOf;
using TestTools::makeExchanges;
using TestTools::toDevice;
using TestTools::toVector;
using TestTools::worldRank;
using TestTools::worldSize;

constexpr int rowsOfARank = 5;

/// A run as its sender knows it.
struct Run {
  int destination, row, length;
  std::size_t source;
};

/// The ways in which runs lie and go.
enum class Way {
  Scattered,  ///< anywhere, to anybody, in any order; entries between them stay
  InOrder,    ///< sorted by destination, one behind the other
  ToSelf,     ///< all to the own rank
  ToOne       ///< all to one rank
};

/// The runs of grid rank g: every rank can draw those of every other. Some ranks have none.
struct RunsOfRank {
  std::vector<Run> runs;
  std::size_t entries = 0;  ///< length of the sender's array

  RunsOfRank(std::uint64_t seed, int g, Way way) {
    std::mt19937_64 random(hashOf(seed, g));
    const int ranks = worldSize(), one = static_cast<int>(hashOf(seed) % ranks);
    const int count = random() % 4 == 0 ? 0 : static_cast<int>(random() % 40);
    std::vector<int> destinations(count);
    for (int& destination : destinations)
      destination = way == Way::ToSelf  ? g
                    : way == Way::ToOne ? one
                                        : static_cast<int>(random() % ranks);
    if (way == Way::InOrder) std::sort(destinations.begin(), destinations.end());
    for (int destination : destinations) {
      if (way == Way::Scattered) entries += random() % 3;
      const int length = 1 + static_cast<int>(random() % 6);
      runs.push_back({destination, static_cast<int>(random() % rowsOfARank), length, entries});
      entries += length;
    }
    if (way == Way::Scattered) TestTools::shuffle(runs, random);
  }

  Runs<Device> onDevice() const {
    std::vector<int> destination;
    std::vector<RunHeader> header;
    std::vector<std::size_t> source;
    for (const Run& run : runs) {
      destination.push_back(run.destination);
      header.push_back({run.row, run.length});
      source.push_back(run.source);
    }
    return {toDevice(destination), toDevice(header), toDevice(source)};
  }
};

/// Names an entry by which entry of which rank it is.
long long nameOfEntry(int g, std::size_t entry) {
  return static_cast<long long>(g) * 1000000 + static_cast<long long>(entry);
}

std::vector<long long> namesOf(int g, const RunsOfRank& drawn) {
  std::vector<long long> names(drawn.entries);
  for (std::size_t e = 0; e < names.size(); ++e) names[e] = nameOfEntry(g, e);
  return names;
}

/// Counts the runs that arrived and should not have, or not so, and those that did not arrive.
int wrongArrivals(const RunTransfer<Device>& exchange, const std::vector<long long>& names,
                  std::uint64_t seed, int me, Way way) {
  const auto header = toVector(exchange.header());
  const auto begin = toVector(exchange.begin());
  const int ranks = worldSize();
  if (exchange.offsets().size() != static_cast<std::size_t>(ranks) + 1 ||
      exchange.offsets().back() != static_cast<long long>(header.size()) ||
      begin.size() != header.size() + 1 || begin.back() != names.size())
    return 1;
  int wrong = 0;
  for (int g = 0; g < ranks; ++g) {
    std::map<long long, Run> expected;  // by the name of its first entry
    for (const Run& run : RunsOfRank(seed, g, way).runs)
      if (run.destination == me) expected[nameOfEntry(g, run.source)] = run;
    long long last = -1;
    for (long long r = exchange.offsets()[g]; r < exchange.offsets()[g + 1]; ++r) {
      const auto run = expected.find(names[begin[r]]);
      if (run == expected.end()) {
        ++wrong;
        continue;
      }
      wrong += header[r].row != run->second.row || header[r].length != run->second.length;
      wrong += begin[r + 1] - begin[r] != static_cast<std::size_t>(run->second.length);
      for (std::size_t e = begin[r]; e < begin[r + 1]; ++e)
        wrong += names[e] != run->first + static_cast<long long>(e - begin[r]);
      wrong += way == Way::InOrder && run->first < last;  // nothing is packed: the order stays
      last = run->first;
      expected.erase(run);
    }
    wrong += static_cast<int>(expected.size());
  }
  return wrong;
}

/// Counts rows, set together, that do not hold what their runs brought, each run in one piece.
int wrongRows(const RunTransfer<Device>& exchange,
              const Kokkos::View<long long*, Device>& received) {
  const auto counts = entriesOfRows<Device>(exchange.header(), rowsOfARank);
  countsToOffsets<std::size_t, Device>(counts);
  const auto targets = targetsOfRuns<Device>(exchange.header(), counts);
  const auto rows =
      toVector(scatterRuns<long long, Device>(exchange.begin(), targets, received, "test"));
  const auto offsets = toVector(counts), begin = toVector(exchange.begin()),
             target = toVector(targets);
  const auto header = toVector(exchange.header());
  const auto names = toVector(received);
  int wrong = offsets.back() != names.size();
  std::vector<int> taken(names.size(), 0);
  for (std::size_t r = 0; r < header.size(); ++r) {
    const std::size_t at = target[r], length = header[r].length;
    if (at < offsets[header[r].row] || at + length > offsets[header[r].row + 1]) {
      ++wrong;
      continue;
    }
    for (std::size_t e = 0; e < length; ++e) {
      ++taken[at + e];
      wrong += rows[at + e] != names[begin[r] + e];
    }
  }
  for (int times : taken) wrong += times != 1;
  return wrong;
}

TEUCHOS_UNIT_TEST(Runs, EveryEntryArrivesOnceAndInItsRun) {
  const std::uint64_t first = 501;
  out << "seed " << first << "\n";
  std::mt19937_64 random(first);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const auto exchanges = makeExchanges(shape);
    const int me = exchanges->grid().rank();
    for (const Way way : {Way::Scattered, Way::InOrder, Way::ToSelf, Way::ToOne})
      for (int round = 0; round < 3; ++round) {
        const std::uint64_t seed = random();
        const RunsOfRank mine(seed, me, way);
        const std::size_t messageBytes = round == 0 ? 64 : 1 << 20;
        Traffic traffic;
        LocalFailure failure;
        RunTransfer<Device> exchange(*exchanges, mine.onDevice(), MessageOptions{messageBytes},
                                     failure);
        const auto sent = toDevice(namesOf(me, mine));
        const auto packed = exchange.pack(sent, failure);
        exchange.agree(failure);
        exchange.receiveRuns(traffic, failure);
        const auto received = exchange.move(packed, traffic, failure);
        out << shape.name() << " way " << static_cast<int>(way) << "\n";
        TEST_EQUALITY_CONST(everywhere(wrongArrivals(exchange, toVector(received), seed, me, way)),
                            0);
        TEST_EQUALITY_CONST(everywhere(wrongRows(exchange, received)), 0);
        // What is sent stays as it is, and a second payload goes the same way.
        TEST_ASSERT(everywhere(toVector(sent) != namesOf(me, mine)) == 0);
        const auto again = exchange.move(exchange.pack(sent, failure), traffic, failure);
        TEST_ASSERT(everywhere(failure.failed()) == 0);
        TEST_ASSERT(everywhere(toVector(again) != toVector(received)) == 0);
      }
  }
}

TEUCHOS_UNIT_TEST(Runs, WhoHasFailedBeforeIsHeardEverywhere) {
  const auto exchanges = makeExchanges(squareShape(worldSize(), 1));
  LocalFailure failure;
  if (worldRank() == worldSize() - 1) failure.guard([] { throw Error("no memory for runs"); });
  try {
    const RunTransfer<Device> exchange(*exchanges, Runs<Device>(), MessageOptions{64}, failure);
    exchange.agree(failure);
    TEST_ASSERT(false);
  } catch (const Error& error) {
    TEST_ASSERT(std::string(error.what()).find("no memory for runs") != std::string::npos);
  }
}

}  // namespace

}  // namespace Trident::Impl
