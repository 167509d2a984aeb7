// SPDX-License-Identifier: BSD-3-Clause
// One array that all ranks map, or the same exception on all of them. All ranks are one node.

#include <dirent.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <fstream>
#include <memory>
#include <string>

#include "Transport_ScarceMemory.hpp"
#include "Transport_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestLimits.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_NodeGather.hpp"
#include "grid/Trident_Communicator.hpp"
#include "transport/Trident_NodeMemory.hpp"

namespace Trident::Impl {
namespace {

using TestTools::ScarceMemory;
using TestTools::worldRank;
using TestTools::worldSize;

const Communicator& node() {
  static const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  return comm;
}

void barrier() { TRIDENT_MPI_CHECK(MPI_Barrier(node().get())); }

/// Returns the error of NodeMemory if memory cannot be shared; an empty text if it can.
std::string refusal(std::size_t bytes) {
  try {
    const NodeMemory memory(node().get(), bytes);
    return {};
  } catch (const Error& e) {
    return e.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Returns true if all ranks hold this text.
bool sameEverywhere(const std::string& text) {
  const auto hash = static_cast<long long>(std::hash<std::string>()(text));
  long long least = hash, most = hash;
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_LONG_LONG, MPI_MIN, node().get()));
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG_LONG, MPI_MAX, node().get()));
  return least == most;
}

/// Lets every rank write the bytes that are its, and read all. Returns how many are wrong.
long long wrongBytes(const NodeMemory& memory, std::size_t bytes, int salt) {
  const auto byteAt = [&](std::size_t n) { return static_cast<char>(n % 251 + salt); };
  for (std::size_t n = worldRank(); n < bytes; n += worldSize()) memory.data()[n] = byteAt(n);
  barrier();
  long long wrong = 0;
  for (std::size_t n = 0; n < bytes; ++n) wrong += memory.data()[n] != byteAt(n);
  barrier();
  return wrong;
}

int openFiles() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  if (!folder) return 0;
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

int mappings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) count += contains(line, "memfd:Trident");
  return count;
}

TEUCHOS_UNIT_TEST(NodeMemory, AllRanksSeeOneArray) {
  for (std::size_t bytes : {0, 1, 7, 8, 4095, 4096, 100001, 40000000}) {
    const NodeMemory memory(node().get(), bytes);
    TEST_EQUALITY_CONST(wrongBytes(memory, bytes, 3), 0);
  }
}

TEUCHOS_UNIT_TEST(NodeMemory, SeveralAtOnceAreDistinct) {
  constexpr std::size_t bytes = 10000;
  const NodeMemory one(node().get(), bytes);
  {
    const NodeMemory other(node().get(), bytes);
    wrongBytes(one, bytes, 1);
    TEST_EQUALITY_CONST(wrongBytes(other, bytes, 2), 0);
  }
  barrier();
  long long wrong = 0;
  for (std::size_t n = 0; n < bytes; ++n) wrong += one.data()[n] != static_cast<char>(n % 251 + 1);
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(NodeMemory, PartsOfTheWorldAtTheSameTime) {
  MPI_Comm part = MPI_COMM_NULL;
  const int color = worldRank() % 2;
  TRIDENT_MPI_CHECK(MPI_Comm_split(MPI_COMM_WORLD, color, worldRank(), &part));
  int wrong = 0;
  for (int n = 0; n < 20 + 10 * color; ++n) {
    const NodeMemory memory(part, 5000);
    int me = 0, size = 1;
    TRIDENT_MPI_CHECK(MPI_Comm_rank(part, &me));
    TRIDENT_MPI_CHECK(MPI_Comm_size(part, &size));
    reinterpret_cast<int*>(memory.data())[me] = 100 * color + me;
    TRIDENT_MPI_CHECK(MPI_Barrier(part));
    for (int k = 0; k < size; ++k)
      wrong += reinterpret_cast<int*>(memory.data())[k] != 100 * color + k;
    TRIDENT_MPI_CHECK(MPI_Barrier(part));
  }
  TEST_EQUALITY_CONST(wrong, 0);
  TRIDENT_MPI_CHECK(MPI_Comm_free(&part));
}

TEUCHOS_UNIT_TEST(NodeMemory, WhereOneRankGetsTooLittleAllThrow) {
  constexpr std::size_t bytes = 1000000;
  for (int victim = 0; victim < worldSize(); ++victim) {
    std::string problem;
    {
      const ScarceMemory scarce(worldRank() == victim ? 1000 : ScarceMemory::unlimited);
      problem = refusal(bytes);
    }
    out << problem << "\n";
    TEST_ASSERT(contains(problem, "1000000 bytes"));
    TEST_ASSERT(contains(problem, "No space left on device"));
    TEST_ASSERT(sameEverywhere(problem));
    TEST_EQUALITY(refusal(bytes), std::string());  // and later there is enough
  }
}

TEUCHOS_UNIT_TEST(NodeMemory, SaysHowMuchThereWas) {
  constexpr long long chunk = 1 << 24, there = 2 * chunk;
  std::string problem;
  {
    const ScarceMemory scarce(there);
    problem = refusal(static_cast<std::size_t>(3 * chunk * worldSize()));
  }
  out << problem << "\n";
  TEST_ASSERT(contains(problem, " " + std::to_string(there * worldSize()) + " could be reserved"));
}

TEUCHOS_UNIT_TEST(NodeMemory, SignalsDoNotCount) {
  ScarceMemory::interruptions() = 3;
  TEST_EQUALITY(refusal(100000), std::string());
  TEST_EQUALITY_CONST(ScarceMemory::interruptions(), 0);
}

// A file that is larger than the limit would end the process by a signal.
TEUCHOS_UNIT_TEST(NodeMemory, AFileSizeLimitIsARefusal) {
  std::string problem;
  {
    const TridentTest::FileSizeLimit limit(50000);
    problem = refusal(50001);
  }
  out << problem << "\n";
  TEST_ASSERT(contains(problem, "50001 bytes"));
  TEST_ASSERT(contains(problem, "50000 bytes at most (ulimit -f)"));
  TEST_ASSERT(sameEverywhere(problem));
  TEST_EQUALITY(refusal(50001), std::string());
}

TEUCHOS_UNIT_TEST(NodeMemory, MoreThanTheHostHasIsARefusal) {
  const ScarceMemory counter(ScarceMemory::unlimited);
  const std::string problem = refusal(std::size_t(1) << 50);
  out << problem << "\n";
  TEST_ASSERT(contains(problem, "the host has "));
  TEST_ASSERT(sameEverywhere(problem));
  TEST_EQUALITY_CONST(ScarceMemory::calls(), 0);
}

TEUCHOS_UNIT_TEST(NodeMemory, NothingStays) {
  const int files = openFiles();
  TEST_EQUALITY_CONST(mappings(), 0);
  {
    const NodeMemory memory(node().get(), 100000);
    TEST_EQUALITY_CONST(mappings(), 1);
    TEST_EQUALITY(openFiles(), files);
    // In no folder.
    TEST_ASSERT(!std::ifstream("/dev/shm/Trident::tile"));
  }
  {
    const ScarceMemory scarce(worldRank() == worldSize() - 1 ? 10 : ScarceMemory::unlimited);
    TEST_ASSERT(!refusal(100000).empty());
  }
  TEST_EQUALITY_CONST(mappings(), 0);
  TEST_EQUALITY(openFiles(), files);
}

TEUCHOS_UNIT_TEST(NodeMemory, AGatherThatWasRefusedCanReserveLess) {
  const auto gather = makeSharedGather(node().get());
  gather->reserve(1000, 1);
  {
    const ScarceMemory scarce(100000);
    TEST_THROW(gather->reserve(1000000 * worldSize(), 1), Error);
    TEST_NOTHROW(gather->reserve(2000, 1));
  }
  char* const tile = static_cast<char*>(gather->open(0));
  if (worldRank() == 0) tile[1999] = 'x';
  Traffic traffic;
  gather->start(0, {}, traffic);
  gather->finish(0);
  MPI_Barrier(node().get());
  TEST_EQUALITY(tile[1999], 'x');
}

}  // namespace

}  // namespace Trident::Impl
