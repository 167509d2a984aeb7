// SPDX-License-Identifier: BSD-3-Clause
// NCCL between all ranks, where each has a GPU of its own; elsewhere, that it is refused and why.

#include <Kokkos_Core.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "Transport_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "Trident_TestVerdict.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Memory.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "grid/Trident_Communicator.hpp"
#include "transport/Trident_Gpu.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Bytes;
using TestTools::bytesOf;
using TestTools::Delay;
using TestTools::gridsOf;
using TestTools::oneHost;
using TestTools::worldRank;
using TestTools::worldSize;
using TridentTest::say;

bool onHosts() { return std::string(Kokkos::DefaultExecutionSpace::name()) != "Cuda"; }
std::string whyNot() { return NcclCommunicator::whyNot(MPI_COMM_WORLD); }

TEUCHOS_UNIT_TEST(Nccl, FirstTextIsTheLowestRanks) {
  const int last = worldSize() - 1;
  TEST_EQUALITY(firstText(MPI_COMM_WORLD, ""), std::string());
  const std::string mine = worldRank() >= last / 2 ? "rank " + std::to_string(worldRank()) : "";
  TEST_EQUALITY(firstText(MPI_COMM_WORLD, mine), "rank " + std::to_string(last / 2));
}

TEUCHOS_UNIT_TEST(Nccl, WhyNotIsTheSameEverywhereAndRight) {
  const std::string why = whyNot();
  out << "NCCL between " << worldSize() << " ranks: " << (why.empty() ? "possible" : why) << "\n";
  TEST_EQUALITY(firstText(MPI_COMM_WORLD, why), why);
  if (onHosts()) {
    TEST_ASSERT(!why.empty());
  } else if (why.find("built without") == std::string::npos) {
    // Tests run on one machine, whose ranks share GPUs only where they are more than these.
    TEST_EQUALITY(why.empty(), worldSize() <= deviceCount());
    TEST_EQUALITY(why.empty(), whyGpusAreShared(MPI_COMM_WORLD).empty());
  }
}

TEUCHOS_UNIT_TEST(NcclIsNotBuilt, ItIsNotMadeWhereItIsNotThere) {
  TRIDENT_TEST_NEEDS(whyNot().find("built without NCCL") != std::string::npos,
                     "Trident was built with NCCL");
  TEST_THROW(NcclCommunicator{MPI_COMM_WORLD}, Error);
}

/// Everybody sends everybody several slices of several lengths, group after group, waited for late.
TEUCHOS_UNIT_TEST(NcclWorks, GroupsEndInOrderWithTheirBytes) {
  TRIDENT_TEST_NEEDS(whyNot().empty(), "no NCCL: " + whyNot());
  NcclCommunicator nccl(MPI_COMM_WORLD);
  const int P = worldSize(), me = worldRank(), groups = 12;
  const auto lengthOf = [](int group) { return std::size_t(group % 4 ? 1777 * group : 0); };
  const auto keyOf = [&](int group, int from, int to) { return (group * P + from) * P + to; };
  Delay delay(93, 1000);
  std::vector<MemoryBlock> sent, received;
  std::vector<NcclCommunicator::Ticket> tickets;
  for (int group = 0; group < groups; ++group) {
    const std::size_t bytes = lengthOf(group);
    sent.emplace_back(MemoryKind::Device, "sent", P * bytes + 1);
    received.emplace_back(MemoryKind::Device, "received", P * bytes + 1);
    std::vector<NcclTransfer> transfers;
    for (int peer = 0; peer < P; ++peer) {
      copyBytes(sent[group].data() + peer * bytes, MemoryKind::Device,
                bytesOf(keyOf(group, me, peer), bytes).data(), MemoryKind::Host, bytes);
      if (peer == me) continue;
      transfers.push_back({sent[group].data() + peer * bytes, bytes, peer, true});
      transfers.push_back({received[group].data() + peer * bytes, bytes, peer, false});
    }
    delay();
    tickets.push_back(nccl.start(transfers));
  }
  MemoryBlock last(MemoryKind::Pinned, "last", 1);
  last.data()[0] = 0;
  MemoryBlock mark(MemoryKind::Device, "mark", 1);
  const char one = 1;
  copyBytes(mark.data(), MemoryKind::Device, &one, MemoryKind::Host, 1);
  const auto copied = nccl.copyToHost(last.data(), mark.data(), 1);
  nccl.wait(copied);
  TEST_EQUALITY_CONST(last.data()[0], 1);
  int wrong = 0;
  for (int group = 0; group < groups; ++group) {
    wrong += !nccl.test(tickets[group]);  // since a later one is done
    for (int peer = 0; peer < P; ++peer) {
      if (peer == me) continue;
      Bytes came(lengthOf(group));
      copyBytes(came.data(), MemoryKind::Host, received[group].data() + peer * came.size(),
                MemoryKind::Device, came.size());
      wrong += came != bytesOf(keyOf(group, peer, me), came.size());
    }
  }
  TEST_EQUALITY_CONST(wrong, 0);
  TEST_ASSERT(!nccl.failed());
}

/// Runs one factor's product on a line, slices on the device. Returns what is wrong first; an empty
/// text if nothing is.
std::string wrongProduct(GridExchanges& exchanges, Factor factor, int number, int ahead,
                         int victim) {
  const ProcessGrid& grid = exchanges.grid();
  const LineSchedule line(grid.shape(), grid.me(), factor);
  SliceExchange& exchange = exchanges.exchange(factor, ExchangeKind::Nccl, 0);
  Delay delay(94 + number, 300);
  const auto content = [&](int segment) {
    const int k = grid.me().k, place = factor == Factor::A ? grid.me().i : grid.me().j;
    const int key = ((number * 64 + segment) * 64 + place) * 64 + k;
    return bytesOf(key, segment % 3 == 1 ? 0 : 1000 + 7 * segment);
  };
  LineSlices slices;
  std::vector<MemoryBlock> own, landings;
  for (int s = 0; s < line.rounds(); ++s) {
    const Bytes bytes = content(s);
    slices.bytes.push_back(bytes.size());
    landings.emplace_back(MemoryKind::Device, "landing", 2000);
    if (line.owner(s) != line.ownMember()) continue;
    own.emplace_back(MemoryKind::Device, "own", bytes.size());
    copyBytes(own.back().data(), MemoryKind::Device, bytes.data(), MemoryKind::Host, bytes.size());
    slices.own.push_back({own.back().data(), bytes.size()});
  }
  // The rounds that the victim starts in begin(), because they are its own, go out sound.
  int startedBefore = 0;
  while (victim >= 0 && startedBefore < line.rounds() &&
         line.owner(line.segmentOfRound(startedBefore, victim)) == victim)
    ++startedBefore;
  std::string wrong;
  int requested = 0;
  Traffic traffic;
  exchange.begin(slices);
  if (line.ownMember() == victim) exchange.markFailed();
  long long expected = 0;
  for (int t = 0; t < line.rounds(); ++t) {
    for (; requested <= std::min(t + ahead, line.rounds() - 1); ++requested) {
      delay();
      if (line.owner(line.segmentOfRound(requested)) != line.ownMember())
        exchange.request(requested, landings[requested].data(), traffic);
    }
    const int segment = line.segmentOfRound(t), owner = line.owner(segment);
    while (t % 2 && !exchange.landed(t)) std::this_thread::yield();
    const bool sound = exchange.wait(t);
    if (owner == line.ownMember()) continue;
    Bytes came(slices.bytes[segment]);
    copyBytes(came.data(), MemoryKind::Host, landings[t].data(), MemoryKind::Device, came.size());
    if (wrong.empty() && came != content(segment))
      wrong = say("round ", t, ": other bytes than segment ", segment, " has");
    if (wrong.empty() && sound != (owner != victim || t < startedBefore))
      wrong = say("round ", t, ": the slice is ", sound ? "" : "not ", "sound");
    expected += static_cast<long long>(came.size());
  }
  exchange.end();
  const long long counted = traffic.internodeBytes + traffic.intranodeBytes;
  if (wrong.empty() && counted != expected)
    wrong = say("counted ", counted, " bytes, expected ", expected);
  return wrong;
}

TEUCHOS_UNIT_TEST(NcclWorks, ExchangeOnEveryShapeAndLookAhead) {
  TRIDENT_TEST_NEEDS(whyNot().empty(), "no NCCL: " + whyNot());
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    if (shape.nodes() == 1) continue;
    RoundOptions options;
    options.exchange = ExchangeKind::Nccl;
    TEST_ASSERT(exchanges.chooseExchange(options, MemoryKind::Device, 2).kind ==
                ExchangeKind::Nccl);
    int number = 0;
    for (int ahead : {1, 0, 3, shape.segments()})
      for (Factor factor : {Factor::A, Factor::B})
        for (int victim : {-1, 0})
          TRIDENT_TEST_OK(wrongProduct(exchanges, factor, ++number, ahead, victim));
    out << shape.name() << "\n";
  }
}

TEUCHOS_UNIT_TEST(NcclIsRefused, ExchangeIsRefusedEverywhereWithTheReason) {
  const GridShape shape = squareShape(worldSize(), 1);
  const std::string why = whyNot();
  TRIDENT_TEST_NEEDS(!why.empty() && shape.nodes() > 1,
                     "NCCL works, or there is one node, which exchanges nothing");
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  RoundOptions options;
  options.exchange = ExchangeKind::Nccl;
  std::string text;
  try {
    exchanges.chooseExchange(options, MemoryKind::Device, 2);
  } catch (const Error& e) {
    text = e.what();
  }
  TEST_ASSERT(text.find("\"nccl\" is not possible: " + why) != std::string::npos);
}

}  // namespace

}  // namespace Trident::Impl
