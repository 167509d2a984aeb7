// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a node in containers of their own, which do not see each other's processes: the
// script in_containers starts them so. What cannot be shared is refused on all ranks, and the
// gather that is taken is right.

#include <unistd.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <string>
#include <vector>

#include "Transport_HostIpc.hpp"
#include "Transport_TestTools.hpp"
#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Memory.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "exchange/Trident_GridExchanges.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Bytes;
using TestTools::bytesOf;
using TestTools::HostIpc;
using TestTools::oneHost;
using TestTools::worldRank;
using TestTools::worldSize;

/// Returns true if all ranks have this text.
bool alike(const std::string& text) { return firstText(MPI_COMM_WORLD, text) == text; }

/// Counts the blocks of a tile that are wrong, one of each rank.
int wrongBlocks(NodeGather& gather) {
  constexpr std::size_t bytes = 5000;
  gather.reserve(bytes * worldSize(), 1);
  barrier(MPI_COMM_WORLD, "all to have reserved");
  char* const tile = static_cast<char*>(gather.open(0));
  std::vector<GatherBlock> blocks;
  for (int k = 0; k < worldSize(); ++k) blocks.push_back({k, k * bytes, bytes});
  copyBytes(tile + worldRank() * bytes, gather.memory(), bytesOf(worldRank(), bytes).data(),
            MemoryKind::Host, bytes);
  Traffic traffic;
  gather.start(0, blocks, traffic);
  gather.finish(0);
  int wrong = 0;
  for (int k = 0; k < worldSize(); ++k) {
    Bytes came(bytes);
    copyBytes(came.data(), MemoryKind::Host, tile + k * bytes, gather.memory(), bytes);
    wrong += came != bytesOf(k, bytes);
  }
  return wrong;
}

TEUCHOS_UNIT_TEST(Containers, AutoTakesAGatherThatIsRight) {
  const GridShape shape = squareShape(1, worldSize());
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  NodeGather& gather = exchanges.gather(RoundOptions(), MemoryKind::Device);
  const std::string said = std::string(nameOf(gather.kind())) + ": " + exchanges.gatherReason();
  out << said << "\n";
  TEST_ASSERT(alike(said));
  TEST_EQUALITY_CONST(wrongBlocks(gather), 0);
}

// A handle that names a process means another one there, or none.
TEUCHOS_UNIT_TEST(Containers, HandlesOfOtherContainersAreRefusedOnAllRanks) {
  char mine[64] = "";
  TEST_ASSERT(readlink("/proc/self/ns/pid", mine, sizeof mine - 1) > 0);
  const bool first = alike(mine);  // the first rank's
  TEST_EQUALITY(first, worldRank() == 0);
  HostIpc host;
  ExchangeWrappers wrappers;
  wrappers.ipc = [&]() -> IpcDevice& { return host; };
  const GridShape shape = squareShape(1, worldSize());
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, wrappers);
  NodeGather& gather = exchanges.gather(RoundOptions(), MemoryKind::Device);
  const std::string why = exchanges.gatherReason();
  out << why << "\n";
  TEST_ASSERT(gather.kind() != GatherKind::Peer);
  TEST_ASSERT(why.rfind("no peers: ", 0) == 0);
  TEST_ASSERT(why.find("another container") != std::string::npos);
  TEST_ASSERT(alike(why));
  TEST_EQUALITY_CONST(host.left(), 0);
  TEST_EQUALITY_CONST(wrongBlocks(gather), 0);
}

}  // namespace

}  // namespace Trident::Impl
