// SPDX-License-Identifier: BSD-3-Clause
// Assembling a tile inside a node, by messages and in shared memory. All ranks are one node.

#include <Teuchos_UnitTestHarness.hpp>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "Exchange_TestTools.hpp"
#include "Trident_Communicator.hpp"
#include "Trident_NodeGather.hpp"

namespace Trident {
namespace {

using TestTools::Bytes;
using TestTools::bytesOf;
using TestTools::Delay;
using TestTools::worldRank;
using TestTools::worldSize;

constexpr std::size_t messageBytes = 64;

/// Random blocks, one after another, some of them of no bytes; the same on all ranks.
std::vector<GatherBlock> randomBlocks(std::mt19937_64& random, std::size_t& tileBytes) {
  std::vector<GatherBlock> blocks;
  tileBytes = 0;
  const int count = static_cast<int>(random() % 12);
  for (int b = 0; b < count; ++b) {
    const std::size_t borders[] = {0, 1, 63, 64, 65, 128};
    const std::size_t bytes = random() % 2 ? borders[random() % 6] : random() % 3000;
    blocks.push_back({static_cast<int>(random() % worldSize()), tileBytes, bytes});
    tileBytes += bytes;
  }
  return blocks;
}

/// Assembles several tiles in a row; returns what is wrong.
int wrongTiles(NodeGather& node, unsigned seed, int tiles) {
  std::mt19937_64 random(seed);  // equal on all ranks
  Delay delay(seed, 1000);
  std::size_t reserved = 0;
  int wrong = 0;
  for (int n = 0; n < tiles; ++n) {
    std::size_t tileBytes = 0;
    const std::vector<GatherBlock> blocks = randomBlocks(random, tileBytes);
    if (tileBytes > reserved || n % 4 == 0) node.reserve(reserved = std::max(reserved, tileBytes));
    char* tile = static_cast<char*>(node.open());
    delay();
    Traffic expected;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (blocks[b].k != worldRank()) {
        expected.count(false, blocks[b].bytes, (blocks[b].bytes + messageBytes - 1) / messageBytes);
        continue;
      }
      const Bytes own = bytesOf(100 * n + b, blocks[b].bytes);
      if (!own.empty()) std::memcpy(tile + blocks[b].offset, own.data(), own.size());
    }
    Traffic traffic;
    node.gather(blocks, traffic);
    delay();  // others may be at the next tile by now, and must not write this one
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Bytes block = bytesOf(100 * n + b, blocks[b].bytes);
      wrong += !block.empty() && std::memcmp(tile + blocks[b].offset, block.data(), block.size());
    }
    if (std::string(node.name()) == "shared") expected = Traffic();  // nothing is sent
    wrong += traffic.intranodeBytes != expected.intranodeBytes;
    wrong += traffic.intranodeMessages != expected.intranodeMessages;
    wrong += traffic.internodeBytes != 0;
  }
  return wrong;
}

TEUCHOS_UNIT_TEST(NodeGather, Mpi) {
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  for (unsigned seed : {81, 82, 83}) {
    out << "seed " << seed << "\n";
    const auto gather = makeMpiGather(node.get(), messageBytes);
    TEST_EQUALITY(std::string(gather->name()), std::string("mpi"));
    TEST_EQUALITY_CONST(wrongTiles(*gather, seed, 20), 0);
  }
}

TEUCHOS_UNIT_TEST(NodeGather, Shared) {
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  for (unsigned seed : {84, 85, 86}) {
    out << "seed " << seed << "\n";
    const auto gather = makeSharedGather(node.get());
    TEST_EQUALITY(std::string(gather->name()), std::string("shared"));
    TEST_EQUALITY_CONST(wrongTiles(*gather, seed, 20), 0);
  }
}

TEUCHOS_UNIT_TEST(NodeGather, SharedIsOneCopy) {
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  const auto gather = makeSharedGather(node.get());
  gather->reserve(sizeof(int) * worldSize());
  int* tile = static_cast<int*>(gather->open());
  tile[worldRank()] = 7 * worldRank();
  Traffic traffic;
  gather->gather({}, traffic);  // no block is named, and yet all is there
  int wrong = 0;
  for (int r = 0; r < worldSize(); ++r) wrong += tile[r] != 7 * r;
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(NodeGather, ReservingLessKeepsTheRoom) {
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  for (bool shared : {false, true}) {
    const auto gather = shared ? makeSharedGather(node.get()) : makeMpiGather(node.get(), 64);
    gather->reserve(100000);
    void* const tile = gather->open();
    gather->reserve(10);
    TEST_ASSERT(gather->open() == tile);
    gather->reserve(100000);
    TEST_ASSERT(gather->open() == tile);
  }
}

TEUCHOS_UNIT_TEST(NodeGather, EmptyTile) {
  const Communicator node = Communicator::duplicate(MPI_COMM_WORLD);
  for (bool shared : {false, true}) {
    const auto gather = shared ? makeSharedGather(node.get()) : makeMpiGather(node.get(), 64);
    Traffic traffic;
    TEST_NOTHROW(gather->reserve(0));
    TEST_NOTHROW(gather->open());
    TEST_NOTHROW(gather->gather({{0, 0, 0}}, traffic));
    TEST_EQUALITY_CONST(traffic.intranodeBytes, 0);
  }
}

TEUCHOS_UNIT_TEST(NodeGather, OneHostCanShareMemory) {
  TEST_ASSERT(canShareMemory(MPI_COMM_WORLD));  // tests run on one machine
  TEST_ASSERT(canShareMemory(MPI_COMM_SELF));
}

}  // namespace
}  // namespace Trident
