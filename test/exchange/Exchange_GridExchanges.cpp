// SPDX-License-Identifier: BSD-3-Clause
// A grid's means to move bytes, chosen by options and kept.

#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Transport_HostIpc.hpp"
#include "Transport_TestTools.hpp"
#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "transport/Trident_GpuAware.hpp"
#include "transport/Trident_PeerMemory.hpp"

namespace Trident::Impl {
namespace {

using TestTools::gridsOf;
using TestTools::oneHost;
using TestTools::worldSize;

/// Returns true if it holds on all ranks.
bool agreed(bool here) {
  int all = here;
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
  return all != 0;
}

RoundOptions withGather(GatherKind kind) {
  RoundOptions options;
  options.gather = kind;
  return options;
}

TEUCHOS_UNIT_TEST(GridExchanges, GatherFollowsTheOption) {
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    out << shape.name() << "\n";
    const std::string automatic =
        nameOf(exchanges.gather(withGather(GatherKind::Auto), MemoryKind::Host).kind());
    TEST_EQUALITY(automatic, std::string(shape.lambda > 1 ? "shared" : "mpi"));
    TEST_EQUALITY(
        std::string(nameOf(exchanges.gather(withGather(GatherKind::Mpi), MemoryKind::Host).kind())),
        std::string("mpi"));
    TEST_EQUALITY(std::string(nameOf(
                      exchanges.gather(withGather(GatherKind::Shared), MemoryKind::Host).kind())),
                  std::string("shared"));
  }
}

std::string kindOf(GridExchanges& exchanges, GatherKind asked) {
  return nameOf(exchanges.gather(withGather(asked), MemoryKind::Device).kind());
}

/// Returns the error of gather() if this kind is asked for and cannot be had; an empty text if it
/// can.
std::string refusal(GridExchanges& exchanges, GatherKind asked, MemoryKind matrices) {
  try {
    exchanges.gather(withGather(asked), matrices);
    return {};
  } catch (const Error& e) {
    return e.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Returns true if the ranks of the grid's nodes can open each other's device memory.
bool peersArePossible(const GridExchanges& exchanges, IpcDevice& device) {
  bool possible = true;
  try {
    const PeerMemory tried(exchanges.grid().nodeComm(), 1, "Trident::connect", device);
  } catch (const Error&) {
    possible = false;
  }
  return agreed(possible);
}

TEUCHOS_UNIT_TEST(GridExchanges, GatherOnDevicesIsOfPeersOrNcclOrSaysWhyNot) {
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    const bool several = shape.lambda > 1;
    const bool peers = several && peersArePossible(exchanges, cudaIpc());
    const bool nccl =
        several && agreed(NcclCommunicator::whyNot(exchanges.grid().nodeComm()).empty());
    const NodeGather& automatic =
        exchanges.gather(withGather(GatherKind::Auto), MemoryKind::Device);
    const std::string reason = exchanges.gatherReason();
    out << shape.name() << ": " << nameOf(automatic.kind()) << ", " << reason << "\n";
    TEST_EQUALITY(std::string(nameOf(automatic.kind())), std::string(peers  ? "peer"
                                                                     : nccl ? "nccl"
                                                                            : "mpi"));
    TEST_ASSERT(!reason.empty());
    TEST_EQUALITY(exchanges.nodeNccl() != nullptr, nccl);
    TEST_EQUALITY(automatic.overlaps(), peers || nccl);
    if (!several) {
      TEST_ASSERT(automatic.memory() == MemoryKind::Device);
    } else if (!peers) {
      TEST_ASSERT(reason.rfind("no peers: ", 0) == 0);
      const std::string said = refusal(exchanges, GatherKind::Peer, MemoryKind::Device);
      TEST_ASSERT(contains(said, "\"gather\" = \"peer\" is not possible: "));
      TEST_ASSERT(contains(said, "use \"auto\", \"nccl\" or \"mpi\""));
    }
    if (several && !nccl) {
      if (!peers) TEST_ASSERT(contains(reason, "; no NCCL: "));
      if (!peers)
        TEST_ASSERT(automatic.memory() == GridExchanges::messageMemory(DeviceMessages::Auto,
                                                                       ExchangeKind::Prefetch,
                                                                       MemoryKind::Device));
      TEST_ASSERT(contains(refusal(exchanges, GatherKind::Nccl, MemoryKind::Device),
                           "\"gather\" = \"nccl\" is not possible: "));
    }
    for (GatherKind kind : {GatherKind::Nccl, GatherKind::Peer})
      TEST_ASSERT(contains(refusal(exchanges, kind, MemoryKind::Host),
                           "the matrices lie on hosts; use \"auto\", \"shared\" or \"mpi\""));
  }
}

TEUCHOS_UNIT_TEST(GridExchanges, PeersAreTakenWhereEveryNodeHasThem) {
  using Fails = TestTools::HostIpc::Fails;
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3}))
    for (const bool fails : {false, true}) {
      TestTools::HostIpc host;
      ExchangeWrappers wrappers;
      int asked = 0;
      wrappers.ipc = [&]() -> IpcDevice& { return ++asked, host; };
      GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, wrappers);
      const bool several = shape.lambda > 1;
      if (fails && TestTools::worldRank() == worldSize() - 1) host.fails = Fails::Open;
      const std::string kind = kindOf(exchanges, GatherKind::Auto);
      const std::string reason = exchanges.gatherReason();
      host.fails = Fails::Nowhere;
      out << shape.name() << ": " << kind << ", " << reason << "\n";
      TEST_EQUALITY(kind == "peer", several && !fails);
      // What was found is kept, also where it could be had by now.
      TEST_EQUALITY(kindOf(exchanges, GatherKind::Auto), kind);
      TEST_EQUALITY(exchanges.gatherReason(), reason);
      TEST_EQUALITY(asked, several ? (fails ? 1 : 2) : 0);
      const std::string said = refusal(exchanges, GatherKind::Peer, MemoryKind::Device);
      TEST_EQUALITY(said.empty(), !several || !fails);
      if (!several || !fails) continue;
      TEST_ASSERT(contains(reason, "no peers: ") && contains(reason, "out of reach"));
      TEST_ASSERT(contains(said, "out of reach"));
      TEST_EQUALITY_CONST(host.left(), 0);
    }
}

TEUCHOS_UNIT_TEST(GridExchanges, OnePredicateSaysWhatMpiGets) {
  TEST_EQUALITY(GridExchanges::directMessages(DeviceMessages::Auto), mpiTakesDeviceMemory());
  const auto memory = GridExchanges::messageMemory;
  const auto staged = DeviceMessages::Staged, direct = DeviceMessages::Direct;
  for (ExchangeKind kind : {ExchangeKind::Prefetch, ExchangeKind::RequestQueue}) {
    TEST_ASSERT(memory(staged, kind, MemoryKind::Device) == MemoryKind::Pinned);
    TEST_ASSERT(memory(direct, kind, MemoryKind::Device) == MemoryKind::Device);
    TEST_ASSERT(memory(direct, kind, MemoryKind::Host) == MemoryKind::Host);
  }
  // NCCL sends no message of MPI's.
  TEST_ASSERT(memory(staged, ExchangeKind::Nccl, MemoryKind::Device) == MemoryKind::Device);
}

TEUCHOS_UNIT_TEST(GridExchanges, EqualOptionsGetTheSameObjects) {
  const GridShape shape = squareShape(worldSize(), 1);
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  SliceExchange* const a = &exchanges.exchange(Factor::A, ExchangeKind::Prefetch, 1);
  TEST_ASSERT(a == &exchanges.exchange(Factor::A, ExchangeKind::Prefetch, 1));
  TEST_EQUALITY(a != &exchanges.exchange(Factor::B, ExchangeKind::Prefetch, 1), shape.nodes() > 1);
  // Slices of A travel along a row of nodes; there is one exchange for all that a line of one
  // lacks.
  TEST_EQUALITY(a != &exchanges.exchange(Factor::A, ExchangeKind::Prefetch, 2), shape.nodeCols > 1);
  NodeGather* const node = &exchanges.gather(withGather(GatherKind::Mpi), MemoryKind::Host);
  TEST_ASSERT(node == &exchanges.gather(withGather(GatherKind::Mpi), MemoryKind::Host));
  TEST_ASSERT(node != &exchanges.gather(withGather(GatherKind::Shared), MemoryKind::Host));
}

TEUCHOS_UNIT_TEST(GridExchanges, ALineOfOneMemberHasNoExchange) {
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    for (Factor factor : {Factor::A, Factor::B}) {
      SliceExchange& exchange = exchanges.exchange(factor, ExchangeKind::Prefetch, 1);
      const bool alone = LineSchedule(shape, exchanges.grid().me(), factor).members() == 1;
      TEST_EQUALITY(dynamic_cast<NoExchange*>(&exchange) != nullptr, alone);
    }
  }
}

TEUCHOS_UNIT_TEST(GridExchanges, ExchangesRunAlongTheirLines) {
  // Each rank sends its number; what comes must come from the line of the factor.
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    const ProcessGrid& grid = exchanges.grid();
    int wrong = 0;
    for (Factor factor : {Factor::A, Factor::B}) {
      const LineSchedule line(shape, grid.me(), factor);
      SliceExchange& exchange = exchanges.exchange(factor, ExchangeKind::Prefetch, 1);
      const int mine = grid.rank();
      LineSlices slices;
      slices.bytes.assign(line.rounds(), sizeof(int));
      slices.own.assign(line.ownSegments(), {&mine, sizeof mine});
      Traffic traffic;
      exchange.begin(slices);
      for (int t = 0; t < line.rounds(); ++t) {
        const int owner = line.owner(line.segmentOfRound(t));
        int came = mine;
        if (owner != line.ownMember()) exchange.request(t, &came, traffic);
        exchange.wait(t);
        wrong += came != (factor == Factor::A ? shape.rank(grid.me().i, owner, grid.me().k)
                                              : shape.rank(owner, grid.me().j, grid.me().k));
      }
      exchange.end();
    }
    out << shape.name() << "\n";
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

}  // namespace

}  // namespace Trident::Impl
