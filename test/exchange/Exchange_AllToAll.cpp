// SPDX-License-Identifier: BSD-3-Clause
// The personalized exchange: content, the way back, and its count of bytes.

#include <Teuchos_UnitTestHarness.hpp>
#include <random>
#include <vector>

#include "Exchange_TestTools.hpp"
#include "Trident_AllToAll.hpp"

namespace Trident {
namespace {

using TestTools::Bytes;
using TestTools::bytesOf;
using TestTools::gridsOf;
using TestTools::oneHost;
using TestTools::worldSize;

/// Elements from grid rank s to grid rank d at [s·P + d]; the same on all ranks.
std::vector<long long> randomCounts(std::mt19937_64& random, int P) {
  std::vector<long long> counts(P * P);
  for (long long& count : counts) count = random() % 3 ? static_cast<long long>(random() % 40) : 0;
  const int silent = static_cast<int>(random() % P);  // a rank that sends nothing at all
  for (int d = 0; d < P; ++d) counts[silent * P + d] = 0;
  return counts;
}

Bytes payload(int salt, int source, int destination, long long elements, std::size_t elementBytes) {
  return bytesOf((salt * 64 + source) * 64 + destination, elements * elementBytes);
}

/// Traffic as received by `me`, added up from the table of counts alone.
Traffic expectedTraffic(const GridShape& shape, int me, const std::vector<long long>& counts,
                        std::size_t elementBytes, std::size_t messageBytes, bool back) {
  const int P = shape.ranks();
  const GridCoordinates here = shape.coordinates(me);
  Traffic traffic;
  for (int peer = 0; peer < P; ++peer) {
    if (peer == me) continue;
    const GridCoordinates there = shape.coordinates(peer);
    const long long bytes = (back ? counts[me * P + peer] : counts[peer * P + me]) *
                            static_cast<long long>(elementBytes);
    const long long messages = bytes / messageBytes + (bytes % messageBytes > 0);
    if (here.i == there.i && here.j == there.j) {
      traffic.intranodeBytes += bytes;
      traffic.intranodeMessages += messages;
    } else {
      traffic.internodeBytes += bytes;
      traffic.internodeMessages += messages;
    }
  }
  return traffic;
}

int differ(const Traffic& a, const Traffic& b) {
  return (a.internodeBytes != b.internodeBytes) + (a.intranodeBytes != b.intranodeBytes) +
         (a.internodeMessages != b.internodeMessages) +
         (a.intranodeMessages != b.intranodeMessages);
}

int wrongExchanges(const ProcessGrid& grid, const std::vector<long long>& counts,
                   std::size_t elementBytes, std::size_t messageBytes) {
  const int P = grid.shape().ranks(), me = grid.rank();
  const std::vector<long long> mine(counts.begin() + me * P, counts.begin() + (me + 1) * P);
  const AllToAll all(grid, mine, messageBytes);
  Bytes send, expected, answers, expectedBack;
  bool alone = true;
  for (int peer = 0; peer < P; ++peer) {
    const long long to = counts[me * P + peer], from = counts[peer * P + me];
    const Bytes out = payload(1, me, peer, to, elementBytes);
    const Bytes in = payload(1, peer, me, from, elementBytes);
    const Bytes answer = payload(2, me, peer, from, elementBytes);
    const Bytes answered = payload(2, peer, me, to, elementBytes);
    send.insert(send.end(), out.begin(), out.end());
    expected.insert(expected.end(), in.begin(), in.end());
    answers.insert(answers.end(), answer.begin(), answer.end());
    expectedBack.insert(expectedBack.end(), answered.begin(), answered.end());
    alone = alone && (peer == me || (to == 0 && from == 0));
  }
  int wrong = 0;
  wrong += all.sends() * elementBytes != send.size();
  wrong += all.receives() * elementBytes != expected.size();
  wrong += static_cast<int>(all.sendOffsets().size()) != P + 1;
  wrong += all.onlySelf() != alone;

  Bytes received(expected.size(), 0xee), back(expectedBack.size(), 0xee);
  Traffic there, home;
  all.exchange(send.data(), received.data(), elementBytes, there);
  all.exchangeBack(answers.data(), back.data(), elementBytes, home);
  wrong += received != expected;
  wrong += back != expectedBack;
  wrong +=
      differ(there, expectedTraffic(grid.shape(), me, counts, elementBytes, messageBytes, false));
  wrong +=
      differ(home, expectedTraffic(grid.shape(), me, counts, elementBytes, messageBytes, true));
  return wrong;
}

TEUCHOS_UNIT_TEST(AllToAll, RandomCounts) {
  const unsigned seed = 61;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    const ProcessGrid grid(MPI_COMM_WORLD, oneHost(shape), shape);
    int wrong = 0;
    for (std::size_t elementBytes : {1, 3, 8, 12})
      for (std::size_t messageBytes : {64, 1 << 26})
        wrong +=
            wrongExchanges(grid, randomCounts(random, shape.ranks()), elementBytes, messageBytes);
    out << shape.name() << "\n";
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

TEUCHOS_UNIT_TEST(AllToAll, SelfAloneAndNothing) {
  const GridShape shape = squareShape(worldSize(), 1);
  const ProcessGrid grid(MPI_COMM_WORLD, oneHost(shape), shape);
  const int P = worldSize();
  std::vector<long long> counts(P * P, 0);
  TEST_EQUALITY_CONST(wrongExchanges(grid, counts, 8, 64), 0);
  for (int r = 0; r < P; ++r) counts[r * P + r] = 5 + r;
  TEST_EQUALITY_CONST(wrongExchanges(grid, counts, 8, 64), 0);
}

TEUCHOS_UNIT_TEST(AllToAll, RanksThatTalkToNobodyNeedNotCall) {
  // Ranks 0 and 1 exchange, the others hold what they have.
  const GridShape shape = squareShape(worldSize(), 1);
  const ProcessGrid grid(MPI_COMM_WORLD, oneHost(shape), shape);
  const int P = worldSize(), me = grid.rank();
  std::vector<long long> mine(P, 0);
  mine[me] = 3;
  if (me < 2 && P > 1) mine[1 - me] = 2;
  const AllToAll all(grid, mine, 1 << 20);
  TEST_EQUALITY(all.onlySelf(), P == 1 || me > 1);
  if (all.onlySelf()) return;
  std::vector<int> send(all.sends(), me), received(all.receives(), -1);
  Traffic traffic;
  all.exchange(send.data(), received.data(), sizeof(int), traffic);
  TEST_COMPARE_ARRAYS(
      received, me == 0 ? std::vector<int>({0, 0, 0, 1, 1}) : std::vector<int>({0, 0, 1, 1, 1}));
  TEST_EQUALITY_CONST(traffic.internodeBytes, 8);
}

TEUCHOS_UNIT_TEST(AllToAll, PayloadsOfOneExchangeDoNotMix) {
  const GridShape shape = squareShape(worldSize(), 1);
  const ProcessGrid grid(MPI_COMM_WORLD, oneHost(shape), shape);
  const int P = worldSize(), me = grid.rank();
  const AllToAll all(grid, std::vector<long long>(P, 7), 16);
  TestTools::Delay delay(62, 500);
  int wrong = 0;
  for (int n = 0; n < 20; ++n) {
    std::vector<long long> send(7 * P), received(7 * P, -1);
    for (int e = 0; e < 7 * P; ++e) send[e] = (n * 100ll + me) * 100 + e / 7;
    delay();
    Traffic traffic;
    all.exchange(send.data(), received.data(), sizeof(long long), traffic);
    for (int e = 0; e < 7 * P; ++e) wrong += received[e] != (n * 100ll + e / 7) * 100 + me;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

}  // namespace
}  // namespace Trident
