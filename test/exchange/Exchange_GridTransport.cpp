// SPDX-License-Identifier: BSD-3-Clause
// What a grid moves bytes with, chosen by options and kept.

#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Exchange_TestTools.hpp"
#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "exchange/Trident_GridTransport.hpp"
#include "transport/Trident_GpuAware.hpp"

namespace Trident::Impl {
namespace {

using TestTools::gridsOf;
using TestTools::oneHost;
using TestTools::worldSize;

/// Whether it holds on all ranks.
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

TEUCHOS_UNIT_TEST(GridTransport, GatherFollowsTheOption) {
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    out << shape.name() << "\n";
    const std::string automatic =
        nameOf(transport.gather(withGather(GatherKind::Auto), MemoryKind::Host).kind());
    TEST_EQUALITY(automatic, std::string(shape.lambda > 1 ? "shared" : "mpi"));
    TEST_EQUALITY(
        std::string(nameOf(transport.gather(withGather(GatherKind::Mpi), MemoryKind::Host).kind())),
        std::string("mpi"));
    TEST_EQUALITY(std::string(nameOf(
                      transport.gather(withGather(GatherKind::Shared), MemoryKind::Host).kind())),
                  std::string("shared"));
  }
}

TEUCHOS_UNIT_TEST(GridTransport, GatherOnDevicesIsNcclOrSaysWhyNot) {
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2, 3})) {
    GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    const bool possible = NcclCommunicator::whyNot(transport.grid().nodeComm()).empty();
    const bool nccl = shape.lambda > 1 && agreed(possible);
    const NodeGather& automatic =
        transport.gather(withGather(GatherKind::Auto), MemoryKind::Device);
    out << shape.name() << ": " << nameOf(automatic.kind()) << ", " << transport.gatherReason()
        << "\n";
    TEST_EQUALITY(std::string(nameOf(automatic.kind())), std::string(nccl ? "nccl" : "mpi"));
    TEST_ASSERT(!transport.gatherReason().empty());
    TEST_EQUALITY(transport.nodeNccl() != nullptr, nccl);
    TEST_EQUALITY(automatic.overlaps(), nccl);
    if (shape.lambda == 1) {
      TEST_ASSERT(automatic.memory() == MemoryKind::Device);
    } else if (!nccl) {
      TEST_ASSERT(transport.gatherReason().rfind("no NCCL: ", 0) == 0);
      TEST_ASSERT(automatic.memory() == GridTransport::messageMemory(DeviceMessages::Auto,
                                                                     ExchangeKind::Prefetch,
                                                                     MemoryKind::Device));
      TEST_THROW(transport.gather(withGather(GatherKind::Nccl), MemoryKind::Device), Error);
    }
    TEST_THROW(transport.gather(withGather(GatherKind::Nccl), MemoryKind::Host), Error);
  }
}

TEUCHOS_UNIT_TEST(GridTransport, OnePredicateSaysWhatMpiGets) {
  TEST_EQUALITY(GridTransport::directMessages(DeviceMessages::Auto), mpiTakesDeviceMemory());
  const auto memory = GridTransport::messageMemory;
  const auto staged = DeviceMessages::Staged, direct = DeviceMessages::Direct;
  for (ExchangeKind kind : {ExchangeKind::Prefetch, ExchangeKind::RequestQueue}) {
    TEST_ASSERT(memory(staged, kind, MemoryKind::Device) == MemoryKind::Pinned);
    TEST_ASSERT(memory(direct, kind, MemoryKind::Device) == MemoryKind::Device);
    TEST_ASSERT(memory(direct, kind, MemoryKind::Host) == MemoryKind::Host);
  }
  // NCCL sends no message of MPI's.
  TEST_ASSERT(memory(staged, ExchangeKind::Nccl, MemoryKind::Device) == MemoryKind::Device);
}

TEUCHOS_UNIT_TEST(GridTransport, EqualOptionsGetTheSameObjects) {
  const GridShape shape = squareShape(worldSize(), 1);
  GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  SliceExchange* const a = &transport.exchange(Factor::A, ExchangeKind::Prefetch, 1);
  TEST_ASSERT(a == &transport.exchange(Factor::A, ExchangeKind::Prefetch, 1));
  TEST_ASSERT(a != &transport.exchange(Factor::B, ExchangeKind::Prefetch, 1));
  TEST_EQUALITY(a != &transport.exchange(Factor::A, ExchangeKind::Prefetch, 2), shape.nodes() > 1);
  TEST_EQUALITY(std::string(a->name()), std::string(shape.nodes() > 1 ? "prefetch" : "none"));
  NodeGather* const node = &transport.gather(withGather(GatherKind::Mpi), MemoryKind::Host);
  TEST_ASSERT(node == &transport.gather(withGather(GatherKind::Mpi), MemoryKind::Host));
  TEST_ASSERT(node != &transport.gather(withGather(GatherKind::Shared), MemoryKind::Host));
}

TEUCHOS_UNIT_TEST(GridTransport, ExchangesRunAlongTheirLines) {
  // Each rank sends its number; what comes must come from the line of the factor.
  for (const GridShape& shape : gridsOf(worldSize(), {1, 2})) {
    GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
    const ProcessGrid& grid = transport.grid();
    int wrong = 0;
    for (Factor factor : {Factor::A, Factor::B}) {
      const LineSchedule line(shape, grid.me(), factor);
      SliceExchange& exchange = transport.exchange(factor, ExchangeKind::Prefetch, 1);
      const int mine = grid.rank();
      LineSlices slices;
      slices.bytes.assign(line.rounds(), sizeof(int));
      slices.own.assign(line.ownSegments(), {&mine, sizeof mine});
      Traffic traffic;
      exchange.begin(slices);
      for (int t = 0; t < line.rounds(); ++t) {
        const int owner = line.owner(line.segmentOfRound(t));
        int came = mine;
        if (owner != line.me()) exchange.request(t, &came, traffic);
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
