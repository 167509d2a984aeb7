// SPDX-License-Identifier: BSD-3-Clause
// Assembling tiles inside a node, by every means there is here. All ranks are one node.

#include <Kokkos_Core.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Transport_HostIpc.hpp"
#include "Transport_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_Names.hpp"
#include "exchange/Trident_NodeGather.hpp"
#include "grid/Trident_Communicator.hpp"
#include "transport/Trident_GpuAware.hpp"
#include "transport/Trident_NcclCommunicator.hpp"
#include "transport/Trident_PeerMemory.hpp"

namespace {

int barriers = 0;

}  // namespace

// Counts the barriers of this process.
extern "C" int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  return PMPI_Barrier(comm);
}

namespace Trident::Impl {
namespace {

using TestTools::Bytes;
using TestTools::bytesOf;
using TestTools::Delay;
using TestTools::worldRank;
using TestTools::worldSize;

constexpr std::size_t messageBytes = 64;

/// All gathers that work here, with the communicators that they need.
struct Gathers {
  Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  std::unique_ptr<NcclCommunicator> nccl;
  TestTools::HostIpc host;  // substitute for a device, on hosts
  std::vector<std::unique_ptr<NodeGather>> all;

  Gathers() {
    all.push_back(makeSharedGather(node.get()));
    all.push_back(makeMpiGather(node.get(), messageBytes));
    all.push_back(makeMpiGather(node.get(), messageBytes, MemoryKind::Pinned));
    const bool onHosts = std::string(Kokkos::DefaultExecutionSpace::name()) != "Cuda";
    if (onHosts || mpiTakesDeviceMemory())
      all.push_back(makeMpiGather(node.get(), messageBytes, MemoryKind::Device));
    if (onHosts) all.push_back(makePeerGather(node.get(), host));
    if (!onHosts && peersAreThere()) all.push_back(makePeerGather(node.get(), cudaIpc()));
    if (!NcclCommunicator::whyNot(node.get()).empty()) return;
    nccl = std::make_unique<NcclCommunicator>(node.get());
    all.push_back(makeNcclGather(node.get(), *nccl));
  }

 private:
  bool peersAreThere() const {
    try {
      const PeerMemory tried(node.get(), 1, "Trident::connect");
      return true;
    } catch (const Error&) {
      return false;
    }
  }
};

std::string textOf(const NodeGather& gather) {
  const char* const memories[] = {"host", "pinned", "device"};
  return std::string(nameOf(gather.kind())) + " in " + memories[static_cast<int>(gather.memory())] +
         " memory";
}

/// One tile on its way: random blocks, one after another, some of them of no bytes; the same on all
/// ranks.
class TestTile {
 public:
  TestTile(std::mt19937_64& random, int number) : number_(number) {
    const int count = static_cast<int>(random() % 12);
    for (int b = 0; b < count; ++b) {
      const std::size_t borders[] = {0, 1, 63, 64, 65, 128};
      const std::size_t bytes = random() % 2 ? borders[random() % 6] : random() % 3000;
      blocks_.push_back({static_cast<int>(random() % worldSize()), size_, bytes});
      size_ += bytes;
    }
  }

  std::size_t size() const { return size_; }

  void start(NodeGather& node, int slot, Delay& delay) {
    slot_ = slot;
    tile_ = static_cast<char*>(node.open(slot));
    delay();
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (blocks_[b].k == worldRank())
        copyBytes(tile_ + blocks_[b].offset, node.memory(), content(b).data(), MemoryKind::Host,
                  blocks_[b].bytes);
    node.start(slot, blocks_, traffic_);
  }

  /// @return how much is wrong
  int finish(NodeGather& node, Delay& delay) {
    node.finish(slot_);
    delay();
    MPI_Barrier(MPI_COMM_WORLD);  // as the contract wants of shared tiles
    delay();  // others may be at the next tile by now, and must not write this one
    int wrong = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Bytes came(blocks_[b].bytes);
      copyBytes(came.data(), MemoryKind::Host, tile_ + blocks_[b].offset, node.memory(),
                came.size());
      wrong += came != content(b);
    }
    return wrong + wrongTraffic(nameOf(node.kind()));
  }

 private:
  Bytes content(std::size_t b) const { return bytesOf(100 * number_ + b, blocks_[b].bytes); }

  int wrongTraffic(const std::string& kind) const {
    Traffic expected;
    for (const GatherBlock& block : blocks_) {
      if (block.k == worldRank() || kind == "shared") continue;  // nothing is sent
      const std::size_t most =
          kind == "nccl" || kind == "peer" ? std::max<std::size_t>(block.bytes, 1) : messageBytes;
      expected.count(false, block.bytes, (block.bytes + most - 1) / most);
    }
    return (traffic_.intranodeBytes != expected.intranodeBytes) +
           (traffic_.intranodeMessages != expected.intranodeMessages) +
           (traffic_.internodeBytes != 0);
  }

  int number_;
  std::vector<GatherBlock> blocks_;
  std::size_t size_ = 0;
  int slot_ = 0;
  char* tile_ = nullptr;
  Traffic traffic_;
};

/// Assembles several tiles in turn, as many at a time as there are slots; returns what is wrong.
int wrongTiles(NodeGather& node, unsigned seed, int tiles, int slots) {
  std::mt19937_64 random(seed);  // equal on all ranks
  Delay delay(seed, 1000);
  std::size_t reserved = 0;
  int wrong = 0;
  std::deque<TestTile> open;
  const auto finishUntil = [&](std::size_t left) {
    for (; open.size() > left; open.pop_front()) wrong += open.front().finish(node, delay);
  };
  for (int n = 0; n < tiles; ++n) {
    TestTile tile(random, n);
    if (tile.size() > reserved || n % 4 == 0) {
      finishUntil(0);  // reserving loses what is there
      node.reserve(reserved = std::max(reserved, tile.size()), slots);
      MPI_Barrier(MPI_COMM_WORLD);  // no rank opens a tile before all have reserved
    }
    finishUntil(slots - 1);
    open.push_back(tile);
    open.back().start(node, n % slots, delay);
  }
  finishUntil(0);
  return wrong;
}

TEUCHOS_UNIT_TEST(NodeGather, EveryKindAndNumberOfSlots) {
  unsigned seed = 81;
  for (int slots : {1, 2, 3}) {
    Gathers gathers;
    for (const auto& gather : gathers.all) {
      out << textOf(*gather) << ", " << slots << " slots, seed " << ++seed << "\n";
      TEST_EQUALITY_CONST(wrongTiles(*gather, seed, 20, slots), 0);
    }
  }
}

TEUCHOS_UNIT_TEST(NodeGather, MoreSlotsLater) {
  Gathers gathers;
  for (const auto& gather : gathers.all)
    for (int slots : {1, 3, 2}) {
      out << textOf(*gather) << ", " << slots << " slots\n";
      TEST_EQUALITY_CONST(wrongTiles(*gather, 90 + slots, 6, slots), 0);
    }
}

TEUCHOS_UNIT_TEST(NodeGather, NamesMemoryAndOverlap) {
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  const auto mpi = makeMpiGather(node.get(), messageBytes);
  const auto shared = makeSharedGather(node.get());
  TEST_EQUALITY(textOf(*mpi), std::string("mpi in host memory"));
  TEST_EQUALITY(textOf(*shared), std::string("shared in host memory"));
  TEST_ASSERT(!mpi->overlaps() && !shared->overlaps());
  TestTools::HostIpc host;
  const auto peer = makePeerGather(node.get(), host);
  TEST_EQUALITY(textOf(*peer), std::string("peer in device memory"));
  TEST_ASSERT(peer->overlaps());
  Gathers gathers;
  if (gathers.nccl) {
    TEST_EQUALITY(textOf(*gathers.all.back()), std::string("nccl in device memory"));
    TEST_ASSERT(gathers.all.back()->overlaps());
  }
}

TEUCHOS_UNIT_TEST(NodeGather, SlotsDoNotOverlap) {
  Gathers gathers;
  for (const auto& gather : gathers.all) {
    constexpr std::size_t bytes = 1001;
    gather->reserve(bytes, 3);
    std::vector<char*> tiles;
    for (int slot : {0, 1, 2}) tiles.push_back(static_cast<char*>(gather->open(slot)));
    std::sort(tiles.begin(), tiles.end());
    TEST_ASSERT(tiles[1] - tiles[0] >= static_cast<std::ptrdiff_t>(bytes));
    TEST_ASSERT(tiles[2] - tiles[1] >= static_cast<std::ptrdiff_t>(bytes));
    for (const char* tile : tiles)  // for arrays of any type behind one another
      TEST_EQUALITY_CONST((tile - tiles[0]) % 64, 0);
  }
}

TEUCHOS_UNIT_TEST(NodeGather, SharedIsOneCopy) {
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  const auto gather = makeSharedGather(node.get());
  gather->reserve(sizeof(int) * worldSize(), 1);
  int* tile = static_cast<int*>(gather->open(0));
  tile[worldRank()] = 7 * worldRank();
  Traffic traffic;
  gather->start(0, {}, traffic);  // no block is named, and yet all is there
  gather->finish(0);
  MPI_Barrier(MPI_COMM_WORLD);
  int wrong = 0;
  for (int r = 0; r < worldSize(); ++r) wrong += tile[r] != 7 * r;
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(NodeGather, ReservingLessKeepsTheRoom) {
  Gathers gathers;
  for (const auto& gather : gathers.all) {
    gather->reserve(100000, 2);
    void* const tile = gather->open(1);
    gather->reserve(10, 1);
    TEST_ASSERT(gather->open(1) == tile);
    gather->reserve(100000, 2);
    TEST_ASSERT(gather->open(1) == tile);
  }
}

TEUCHOS_UNIT_TEST(NodeGatherOnHosts, APeersGatherThatWasRefusedCanReserveLess) {
  TRIDENT_TEST_NEEDS(std::string(Kokkos::DefaultExecutionSpace::name()) != "Cuda",
                     "on devices the memory would have to be a device's");
  using Fails = TestTools::HostIpc::Fails;
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  TestTools::HostIpc host;
  {
    const auto gather = makePeerGather(node.get(), host);
    gather->reserve(1000, 1);
    if (worldRank() == worldSize() / 2) host.fails = Fails::Allocate;
    TEST_THROW(gather->reserve(1000000, 2), Error);
    host.fails = Fails::Nowhere;
    TEST_EQUALITY_CONST(host.left(), 0);
    TEST_EQUALITY_CONST(wrongTiles(*gather, 99, 10, 2), 0);
  }
  TEST_EQUALITY_CONST(host.left(), 0);
  TEST_EQUALITY_CONST(host.wrong, 0);
}

// One in start(); a second one before a slot is opened again that nobody has met after.
TEUCHOS_UNIT_TEST(NodeGather, PeersMeetNoMoreThanTheyMust) {
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  TestTools::HostIpc host;
  const auto gather = makePeerGather(node.get(), host);
  constexpr int tiles = 10;
  for (int slots : {2, 1}) {
    gather->reserve(100, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    barriers = 0;
    Traffic traffic;
    for (int n = 0; n < tiles; ++n) {
      gather->open(n % slots);
      gather->start(n % slots, {}, traffic);
      gather->finish(n % slots);
    }
    TEST_EQUALITY(barriers, slots == 2 ? tiles : 2 * tiles - 1);
  }
}

TEUCHOS_UNIT_TEST(NodeGather, EmptyTile) {
  Gathers gathers;
  for (const auto& gather : gathers.all) {
    Traffic traffic;
    TEST_NOTHROW(gather->reserve(0, 2));
    for (int slot : {0, 1}) {
      TEST_NOTHROW(gather->open(slot));
      TEST_NOTHROW(gather->start(slot, {{0, 0, 0}}, traffic));
      TEST_NOTHROW(gather->finish(slot));
    }
    TEST_EQUALITY_CONST(traffic.intranodeBytes, 0);
    TEST_EQUALITY_CONST(traffic.intranodeMessages, 0);
  }
}

}  // namespace

}  // namespace Trident::Impl
