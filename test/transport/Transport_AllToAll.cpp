// SPDX-License-Identifier: BSD-3-Clause
// The personalized exchange: content, the way back, and its count of bytes.

#include <Kokkos_Core.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Transport_HostIpc.hpp"
#include "Transport_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "transport/Trident_AllToAll.hpp"
#include "transport/Trident_PeerTransfers.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Bytes;
using TestTools::bytesOf;
using TestTools::gridsOf;
using TestTools::oneHost;
using TestTools::worldRank;
using TestTools::worldSize;

/// Draws the elements from grid rank s to grid rank d, at [s·P + d]; alike on all ranks.
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

/// Adds up the traffic as received by `me`, from the table of counts alone.
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

/// Payloads that one rank sends and expects in an exchange, and in the way back.
struct Payloads {
  Bytes send, expected, answers, expectedBack;
  bool alone = true;
};

Payloads payloadsOf(const ProcessGrid& grid, const std::vector<long long>& counts,
                    std::size_t elementBytes) {
  const int P = grid.shape().ranks(), me = grid.rank();
  Payloads p;
  for (int peer = 0; peer < P; ++peer) {
    const long long to = counts[me * P + peer], from = counts[peer * P + me];
    const Bytes out = payload(1, me, peer, to, elementBytes);
    const Bytes in = payload(1, peer, me, from, elementBytes);
    const Bytes answer = payload(2, me, peer, from, elementBytes);
    const Bytes answered = payload(2, peer, me, to, elementBytes);
    p.send.insert(p.send.end(), out.begin(), out.end());
    p.expected.insert(p.expected.end(), in.begin(), in.end());
    p.answers.insert(p.answers.end(), answer.begin(), answer.end());
    p.expectedBack.insert(p.expectedBack.end(), answered.begin(), answered.end());
    p.alone = p.alone && (peer == me || (to == 0 && from == 0));
  }
  return p;
}

std::vector<long long> countsFrom(const ProcessGrid& grid, const std::vector<long long>& counts) {
  const int P = grid.shape().ranks();
  return {counts.begin() + grid.rank() * P, counts.begin() + (grid.rank() + 1) * P};
}

int wrongExchanges(const ProcessGrid& grid, const std::vector<long long>& counts,
                   std::size_t elementBytes, std::size_t messageBytes) {
  const AllToAll all(grid, countsFrom(grid, counts), messageBytes);
  const Payloads p = payloadsOf(grid, counts, elementBytes);
  int wrong = 0;
  wrong += all.sends() * elementBytes != p.send.size();
  wrong += all.receives() * elementBytes != p.expected.size();
  wrong += static_cast<int>(all.sendOffsets().size()) != grid.shape().ranks() + 1;
  wrong += all.onlySelf() != p.alone;

  Bytes received(p.expected.size(), 0xee), back(p.expectedBack.size(), 0xee);
  Traffic there, home;
  all.exchange(p.send.data(), received.data(), elementBytes, there);
  all.exchangeBack(p.answers.data(), back.data(), elementBytes, home);
  wrong += received != p.expected;
  wrong += back != p.expectedBack;
  const auto expectedOf = [&](bool back) {
    return expectedTraffic(grid.shape(), grid.rank(), counts, elementBytes, messageBytes, back);
  };
  return wrong + differ(there, expectedOf(false)) + differ(home, expectedOf(true));
}

/// Counts the faults of two exchanges whose counts travel together, and with one answer for
/// each rank that asked.
int wrongPair(const ProcessGrid& grid, const std::vector<long long>& first,
              const std::vector<long long>& second, std::size_t messageBytes) {
  const int P = grid.shape().ranks(), me = grid.rank();
  const auto pair =
      AllToAll::pair(grid, countsFrom(grid, first), countsFrom(grid, second), messageBytes);
  const AllToAll one(grid, countsFrom(grid, first), messageBytes);
  const AllToAll other(grid, countsFrom(grid, second), messageBytes);
  int wrong = pair.first.receiveOffsets() != one.receiveOffsets();
  wrong += pair.first.sendOffsets() != one.sendOffsets();
  wrong += pair.second.receiveOffsets() != other.receiveOffsets();
  wrong += pair.second.sendOffsets() != other.sendOffsets();
  std::vector<long long> answers(P), received(P, -1);
  for (int peer = 0; peer < P; ++peer) answers[peer] = 1000 * me + peer;
  Traffic traffic;
  pair.first.answerEach(answers.data(), received.data(), sizeof(long long), traffic);
  long long bytes = 0;
  for (int peer = 0; peer < P; ++peer) {
    const bool asked = peer != me && first[me * P + peer] > 0;
    wrong += received[peer] != (asked ? 1000 * peer + me : -1);
    bytes += asked ? sizeof(long long) : 0;
  }
  return wrong + (traffic.internodeBytes + traffic.intranodeBytes != bytes);
}

/// Counts the faults of an exchange of device memory, by `peers`.
int wrongOnDevice(const ProcessGrid& grid, const std::vector<long long>& counts,
                  std::size_t elementBytes, PeerTransfers& peers, std::size_t chunkBytes) {
  const AllToAll all(grid, countsFrom(grid, counts), chunkBytes);
  const Payloads p = payloadsOf(grid, counts, elementBytes);
  const MemoryKind kind = peers.memory();
  const MemoryBlock send(kind, "send", p.send.size()), receive(kind, "receive", p.expected.size());
  copyBytes(send.data(), kind, p.send.data(), MemoryKind::Host, p.send.size());
  Traffic traffic;
  all.exchange(send.data(), receive.data(), elementBytes, peers, traffic);
  Bytes received(p.expected.size(), 0xee);
  copyBytes(received.data(), MemoryKind::Host, receive.data(), kind, received.size());
  return (received != p.expected) +
         differ(traffic, expectedTraffic(grid.shape(), grid.rank(), counts, elementBytes,
                                         chunkBytes, false));
}

// Counts travel with numbers that are summed, and with the news that a rank has failed.
TEUCHOS_UNIT_TEST(AllToAll, SumsTravelWithCounts) {
  std::mt19937_64 random(68);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    const int P = shape.ranks(), me = grid.rank();
    const std::vector<long long> mine = countsFrom(grid, randomCounts(random, P));
    std::vector<long long> sums{me, 1ll << 40};
    const AllToAll plain(grid, mine, 1000);
    const AllToAll summing = AllToAll::withSums(grid, mine, sums, 1000, LocalFailure());
    TEST_COMPARE_ARRAYS(summing.sendOffsets(), plain.sendOffsets());
    TEST_COMPARE_ARRAYS(summing.receiveOffsets(), plain.receiveOffsets());
    TEST_EQUALITY(sums[0], static_cast<long long>(P) * (P - 1) / 2);
    TEST_EQUALITY(sums[1], static_cast<long long>(P) << 40);
    LocalFailure failure;
    if (me == P - 1) failure.guard([] { throw Error("one has failed"); });
    std::string text;
    try {
      AllToAll::withSums(grid, mine, sums, 1000, failure);
    } catch (const Error& e) {
      text = e.what();
    }
    TEST_ASSERT(text.find("one has failed") == 0);
  }
}

TEUCHOS_UNIT_TEST(AllToAll, RandomCounts) {
  const unsigned seed = 61;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    int wrong = 0;
    for (std::size_t elementBytes : {1, 3, 8, 12})
      for (std::size_t messageBytes : {64, 1 << 26})
        wrong +=
            wrongExchanges(grid, randomCounts(random, shape.ranks()), elementBytes, messageBytes);
    out << shape.name() << "\n";
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

TEUCHOS_UNIT_TEST(AllToAll, PairsAndAnswers) {
  std::mt19937_64 random(62);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    int wrong = 0;
    for (std::size_t messageBytes : {64, 1 << 26}) {
      const auto first = randomCounts(random, shape.ranks());
      wrong += wrongPair(grid, first, randomCounts(random, shape.ranks()), messageBytes);
    }
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

TEUCHOS_UNIT_TEST(AllToAll, CountsAreSentByThoseWhoHaveAny) {
  // Ranks are late by different times, and calls follow each other: none hears another's counts.
  const int P = worldSize();
  const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(squareShape(P, 1))), squareShape(P, 1));
  std::mt19937_64 random(66);
  TestTools::Delay delay(67, 300);
  int wrong = 0;
  for (int n = 0; n < 60; ++n) {
    const int each = 1 + n % 3;
    std::vector<long long> counts(static_cast<std::size_t>(P) * P * each);  // the same on all
    const unsigned share = 1 + n % 4;
    for (long long& count : counts) count = random() % share ? 0 : 1 + n * 1000ll + random() % 50;
    const auto at = [&](int from, int to) {
      return (static_cast<std::size_t>(from) * P + to) * each;
    };
    const int me = grid.rank();
    const std::vector<long long> mine(counts.begin() + at(me, 0),
                                      counts.begin() + at(me, 0) + P * each);
    delay();
    const std::vector<long long> received = receiveCountsSparse(grid.comm(), mine, each);
    wrong += received != receiveCountsDense(grid.comm(), mine, each);
    for (int from = 0; from < P; ++from)
      wrong += !std::equal(received.begin() + from * each, received.begin() + (from + 1) * each,
                           counts.begin() + at(from, me));
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(AllToAll, DeviceMemoryThroughPinnedBuffers) {
  // Chunks of 16 bytes: transfers of up to 30 chunks go through far fewer buffers.
  std::mt19937_64 random(63);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    for (std::size_t chunkBytes : {16, 1 << 20}) {
      const auto staged = makeStagedTransfers(grid.comm(), chunkBytes);
      TEST_ASSERT(staged->memory() == MemoryKind::Device);
      int wrong = 0;
      for (std::size_t elementBytes : {1, 3, 12})  // one exchange after another
        wrong += wrongOnDevice(grid, randomCounts(random, shape.ranks()), elementBytes, *staged,
                               chunkBytes);
      TEST_EQUALITY_CONST(wrong, 0);
    }
  }
}

TEUCHOS_UNIT_TEST(AllToAll, StagedTransfersAreCutAndBeyondTheEagerLimit) {
  const GridShape shape = squareShape(worldSize(), 1);
  const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  const int P = worldSize();
  std::vector<long long> counts(P * P);
  for (int n = 0; n < P * P; ++n) counts[n] = 20000 + 997 * n;
  counts[0] = 0;
  const auto staged = makeStagedTransfers(grid.comm(), 1 << 16);
  TEST_EQUALITY_CONST(wrongOnDevice(grid, counts, 12, *staged, 1 << 16), 0);
}

/// Counts what passes through it.
class CountingTransfers : public PeerTransfers {
 public:
  CountingTransfers(MPI_Comm comm, std::size_t messageBytes)
      : PeerTransfers(MemoryKind::Host),
        by_(makeMpiTransfers(comm, MemoryKind::Host, messageBytes)) {}
  void start(const std::vector<PeerTransfer>& transfers) override {
    all.insert(all.end(), transfers.begin(), transfers.end());
    by_->start(transfers);
  }
  void wait() override { by_->wait(); }
  long long messages(int peer, std::size_t bytes) const override {
    return by_->messages(peer, bytes);
  }
  std::vector<PeerTransfer> all;

 private:
  std::unique_ptr<PeerTransfers> by_;
};

TEUCHOS_UNIT_TEST(AllToAll, TheNodesOwnTransfersGoTheirOwnWay) {
  std::mt19937_64 random(64);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    auto nearOwner = std::make_unique<CountingTransfers>(grid.comm(), 64);
    auto farOwner = std::make_unique<CountingTransfers>(grid.comm(), 64);
    CountingTransfers &near = *nearOwner, &far = *farOwner;
    const auto split = makeSplitTransfers(std::move(nearOwner), std::move(farOwner),
                                          grid.rank() - grid.me().k, shape.lambda);
    int wrong = wrongOnDevice(grid, randomCounts(random, shape.ranks()), 12, *split, 64);
    for (const PeerTransfer& t : near.all) wrong += !grid.sameNode(t.peer) || t.bytes == 0;
    for (const PeerTransfer& t : far.all) wrong += grid.sameNode(t.peer) || t.bytes == 0;
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

/// Starts and waits, and then throws.
class FailingTransfers : public CountingTransfers {
 public:
  FailingTransfers(MPI_Comm comm, bool atStart) : CountingTransfers(comm, 64), atStart_(atStart) {}
  void start(const std::vector<PeerTransfer>& transfers) override {
    CountingTransfers::start(transfers);
    if (atStart_) throw Error("start", "of the transfers failed");
  }
  void wait() override {
    CountingTransfers::wait();
    if (!atStart_) throw Error("wait", "for the transfers failed");
  }

 private:
  bool atStart_;
};

// Peers would else wait for something that is on none of the two ways.
TEUCHOS_UNIT_TEST(AllToAll, OneOfTwoWaysFailsAndTheOtherIsGone) {
  const int P = worldSize();
  for (const GridShape& shape : gridsOf(P, {1, 2, 3})) {
    const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    for (bool nearFails : {true, false})
      for (bool atStart : {true, false}) {
        std::unique_ptr<PeerTransfers> failing =
            std::make_unique<FailingTransfers>(grid.comm(), atStart);
        std::unique_ptr<PeerTransfers> sound = makeMpiTransfers(grid.comm(), MemoryKind::Host, 64);
        if (!nearFails) std::swap(failing, sound);
        const auto split = makeSplitTransfers(std::move(failing), std::move(sound),
                                              grid.rank() - grid.me().k, shape.lambda);
        std::vector<int> send(P, grid.rank()), received(P, -1);
        std::vector<PeerTransfer> transfers;
        for (int step = 1; step < P; ++step) {
          const int to = (grid.rank() + step) % P, from = (grid.rank() + P - step) % P;
          transfers.push_back({reinterpret_cast<char*>(&send[to]), sizeof(int), to, true});
          transfers.push_back({reinterpret_cast<char*>(&received[from]), sizeof(int), from, false});
        }
        std::string said;
        try {
          split->start(transfers);
        } catch (const Error& e) {
          said = e.what();
        }
        TEST_EQUALITY(said.empty(), !atStart);
        try {
          split->wait();
        } catch (const Error& e) {
          said = e.what();
        }
        TEST_ASSERT(said.find("for the transfers failed") != std::string::npos || atStart);
        int wrong = 0;
        for (int peer = 0; peer < P; ++peer)
          wrong += received[peer] != (peer == grid.rank() ? -1 : peer);
        TEST_EQUALITY_CONST(wrong, 0);
      }
  }
}

TEUCHOS_UNIT_TEST(AllToAll, TheGridsOwnMeans) {
  // Whatever this machine has for device memory: the content is the same.
  std::mt19937_64 random(65);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    const ProcessGrid& grid = exchanges.grid();
    for (MemoryKind kind : {MemoryKind::Host, MemoryKind::Device}) {
      const MessageOptions options{1 << 20, DeviceMessages::Auto};
      const auto peers = exchanges.peerTransfers(kind, options);
      TEST_ASSERT(peers->memory() == kind);
      TEST_EQUALITY_CONST(
          wrongOnDevice(grid, randomCounts(random, shape.ranks()), 8, *peers, 1 << 20), 0);
      // What is dear to make is kept, until it is ended.
      if (kind == MemoryKind::Device) TEST_ASSERT(peers == exchanges.peerTransfers(kind, options));
      exchanges.endTransfers(kind, options);
      TEST_ASSERT(peers != exchanges.peerTransfers(kind, options));
    }
  }
}

TEUCHOS_UNIT_TEST(AllToAllOfPeers, CopiesThroughMemoryThatPeersRead) {
  TRIDENT_TEST_NEEDS(std::string(Kokkos::DefaultExecutionSpace::name()) != "Cuda",
                     "on devices the memory would have to be a device's");
  std::mt19937_64 random(68);
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    TestTools::HostIpc host;
    ExchangeWrappers wrappers;
    wrappers.ipc = [&]() -> IpcDevice& { return host; };
    {
      GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, wrappers);
      const ProcessGrid& grid = exchanges.grid();
      for (std::size_t chunkBytes : {16, 1 << 20}) {  // far more chunks than places, and one
        const MessageOptions options{chunkBytes, DeviceMessages::Auto};
        const auto peers = exchanges.peerTransfers(MemoryKind::Device, options);
        TEST_ASSERT(peers->memory() == MemoryKind::Device);
        int wrong = 0;
        for (std::size_t elementBytes : {1, 3, 12})  // one exchange after another
          wrong += wrongOnDevice(grid, randomCounts(random, shape.ranks()), elementBytes, *peers,
                                 chunkBytes);
        TEST_EQUALITY_CONST(wrong, 0);
      }
      TEST_EQUALITY(host.left() > 0, shape.lambda > 1);
      // A rank that has no memory for it is an exception on all, and later there is some.
      const MessageOptions others{1000, DeviceMessages::Auto};
      const bool fails = worldRank() == worldSize() / 2 && shape.lambda > 1;
      if (fails) host.fails = TestTools::HostIpc::Fails::Allocate;
      bool thrown = false;
      try {
        exchanges.peerTransfers(MemoryKind::Device, others);
      } catch (const Error&) {
        thrown = true;
      }
      host.fails = TestTools::HostIpc::Fails::Nowhere;
      TEST_EQUALITY(thrown, shape.lambda > 1);
      const auto peers = exchanges.peerTransfers(MemoryKind::Device, others);
      TEST_EQUALITY_CONST(wrongOnDevice(grid, randomCounts(random, shape.ranks()), 8, *peers, 1000),
                          0);
    }
    TEST_EQUALITY_CONST(host.left(), 0);
    TEST_EQUALITY_CONST(host.wrong, 0);
  }
}

// One side has far more than its peer, several MB, and ranks come late.
TEUCHOS_UNIT_TEST(AllToAllOfPeers, SidesOfDifferentLengthsEnd) {
  TRIDENT_TEST_NEEDS(std::string(Kokkos::DefaultExecutionSpace::name()) != "Cuda",
                     "on devices the memory would have to be a device's");
  const GridShape shape = squareShape(1, worldSize());
  const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  const int P = worldSize();
  TestTools::HostIpc host;
  const auto peers = makePeerCopies(grid.nodeComm(), 0, 5000, host);
  TestTools::Delay delay(69, 500);
  int wrong = 0;
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<long long> counts(P * P);
    for (int n = 0; n < P * P; ++n) counts[n] = (n + turn) % 3 == 0 ? 100000 : (n + turn) % 3 - 1;
    delay();
    wrong += wrongOnDevice(grid, counts, 12, *peers, 5000);
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(AllToAll, SelfAloneAndNothing) {
  const GridShape shape = squareShape(worldSize(), 1);
  const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  const int P = worldSize();
  std::vector<long long> counts(P * P, 0);
  TEST_EQUALITY_CONST(wrongExchanges(grid, counts, 8, 64), 0);
  for (int r = 0; r < P; ++r) counts[r * P + r] = 5 + r;
  TEST_EQUALITY_CONST(wrongExchanges(grid, counts, 8, 64), 0);
}

TEUCHOS_UNIT_TEST(AllToAll, RanksThatTalkToNobodyNeedNotCall) {
  // Ranks 0 and 1 exchange, the others hold what they have.
  const GridShape shape = squareShape(worldSize(), 1);
  const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
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
  const ProcessGrid grid(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
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

}  // namespace Trident::Impl
