// SPDX-License-Identifier: BSD-3-Clause
// Device memory that the ranks of a node open for each other, or the same exception on all of them.
// All ranks are one node. The tests run with memory of hosts, and with devices where there are any.

#include <Kokkos_Core.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <memory>
#include <string>
#include <vector>

#include "Transport_HostIpc.hpp"
#include "Transport_TestTools.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "grid/Trident_Communicator.hpp"
#include "transport/Trident_PeerMemory.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Bytes;
using TestTools::bytesOf;
using TestTools::HostIpc;
using TestTools::worldRank;
using TestTools::worldSize;
using Fails = HostIpc::Fails;

constexpr const char* label = "Trident::test";

const Communicator& node() {
  static const Communicator comm = Communicator::duplicate(MPI_COMM_WORLD);
  return comm;
}

/// Returns the error of PeerMemory if memory cannot be had; an empty text if it can.
std::string refusal(std::size_t bytes, IpcDevice& device) {
  try {
    const PeerMemory memory(node().get(), bytes, label, device);
    return {};
  } catch (const Error& e) {
    return e.what();
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Returns an empty text if all ranks have one text with these words, else what the first of them
/// has.
std::string wrong(const std::string& text, const std::vector<std::string>& words) {
  bool good = firstText(node().get(), text) == text;
  for (const std::string& word : words) good = good && contains(text, word);
  return firstText(node().get(), good ? "" : "\"" + text + "\"");
}

/// Lets every rank fill its array, and read all. Returns how many are wrong.
int wrongArrays(const PeerMemory& memory, std::size_t bytes, int key, IpcDevice& device) {
  const Bytes mine = bytesOf(100 * key + worldRank(), bytes);
  device.copy(memory.data(), mine.data(), bytes);
  barrier(node().get(), "all to have written");
  int wrong = memory.data() != memory.of(worldRank());
  for (int k = 0; k < worldSize(); ++k) {
    Bytes came(bytes);
    device.copy(came.data(), memory.of(k), bytes);
    wrong += came != bytesOf(100 * key + k, bytes);
  }
  barrier(node().get(), "all to have read");
  return wrong;
}

int wrongArrays(IpcDevice& device) {
  int wrong = 0;
  for (std::size_t bytes : {0, 1, 16, 4097, 3000000}) {
    const PeerMemory one(node().get(), bytes, label, device),
        other(node().get(), 64, label, device);
    wrong += wrongArrays(one, bytes, 1, device) + wrongArrays(other, 64, 2, device);
    wrong += wrongArrays(one, bytes, 3, device);
  }
  return wrong;
}

TEUCHOS_UNIT_TEST(PeerMemory, AllReadAll) {
  HostIpc host;
  TEST_EQUALITY_CONST(wrongArrays(host), 0);
  TEST_EQUALITY_CONST(host.left(), 0);
  TEST_EQUALITY_CONST(host.wrong, 0);
}

TEUCHOS_UNIT_TEST(PeerMemory, WhereOneRankFailsAllThrowAndNothingStays) {
  HostIpc host;
  const struct {
    Fails fails;
    const char* words;
  } ways[] = {{Fails::Allocate, "has no memory"},
              {Fails::Handle, "has no handle"},
              {Fails::Open, "cannot be opened (the test's device is out of reach)"},
              {Fails::Mistaken, "what was opened is not the device memory of rank"}};
  for (const auto& way : ways)
    for (int victim = 0; victim < worldSize(); ++victim) {
      const bool opens = way.fails == Fails::Open || way.fails == Fails::Mistaken;
      if (opens && worldSize() == 1) continue;
      if (worldRank() == victim) host.fails = way.fails;
      const std::string said = refusal(1000, host);
      host.fails = Fails::Nowhere;
      std::vector<std::string> words{way.words};
      if (worldSize() > 1) words.push_back("first seen on rank " + std::to_string(victim));
      TEST_EQUALITY(wrong(said, words), std::string());
      TEST_EQUALITY_CONST(host.left(), 0);
      TEST_EQUALITY_CONST(host.wrong, 0);
      TEST_EQUALITY(refusal(1000, host), std::string());  // and later it can be had
    }
}

TEUCHOS_UNIT_TEST(PeerMemory, RanksThatWantDifferentSizesAreToldSo) {
  HostIpc host;
  const std::string said = refusal(5000 + 8 * (worldRank() == 0), host);
  if (worldSize() > 1) {
    TEST_EQUALITY(wrong(said, {"5008", "5000", "bytes and not"}), std::string());
  } else {
    TEST_EQUALITY(said, std::string());
  }
  TEST_EQUALITY_CONST(host.left(), 0);
}

/// Bytes that Kokkos' tools hear of.
long long noted = 0;
bool refuses = false;
void onAllocate(Kokkos::Tools::SpaceHandle, const char* name, const void*, std::uint64_t bytes) {
  if (std::string(name) != label) return;
  if (refuses) throw std::runtime_error("the tool refuses");
  noted += static_cast<long long>(bytes);
}
void onFree(Kokkos::Tools::SpaceHandle, const char* name, const void*, std::uint64_t bytes) {
  if (std::string(name) == label) noted -= static_cast<long long>(bytes);
}

TEUCHOS_UNIT_TEST(PeerMemory, KokkosToolsSeeIt) {
  HostIpc host;
  Kokkos::Tools::Experimental::set_allocate_data_callback(onAllocate);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(onFree);
  {
    const PeerMemory memory(node().get(), 12345, label, host);
    TEST_EQUALITY_CONST(noted, 12345);
  }
  TEST_EQUALITY_CONST(noted, 0);
  refuses = worldRank() == worldSize() - 1;
  TEST_EQUALITY(wrong(refusal(10, host), {"the tool refuses"}), std::string());
  refuses = false;
  TEST_EQUALITY_CONST(noted, 0);
  TEST_EQUALITY_CONST(host.left(), 0);
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
}

TEUCHOS_UNIT_TEST(PeerMemoryOfDevices, AllReadAll) {
  const std::string why = refusal(1, cudaIpc());
  TRIDENT_TEST_NEEDS(why.empty(), "no device memory for peers: " + why);
  TEST_EQUALITY_CONST(wrongArrays(cudaIpc()), 0);
}

// A device that has less gives memory to no rank, and others can have it.
TEUCHOS_UNIT_TEST(PeerMemoryOfDevices, TooMuchIsAnExceptionOnAllRanks) {
  const std::string why = refusal(1, cudaIpc());
  TRIDENT_TEST_NEEDS(why.empty(), "no device memory for peers: " + why);
  const std::string said = refusal(std::size_t(1) << 50, cudaIpc());
  out << said << "\n";
  TEST_EQUALITY(wrong(said, {"cudaMalloc", "bytes"}), std::string());
  TEST_EQUALITY(refusal(1 << 20, cudaIpc()), std::string());
  Kokkos::View<double*> view("Trident::after", 1000);  // finds no error of ours
  TEST_NOTHROW(Kokkos::deep_copy(view, 1.0));
  TEST_NOTHROW(Kokkos::fence());
}

TEUCHOS_UNIT_TEST(PeerMemoryIsRefused, EverywhereWithTheReason) {
  const std::string why = refusal(1, cudaIpc());
  TRIDENT_TEST_NEEDS(!why.empty(), "device memory can be opened by peers");
  out << why << "\n";
  TEST_EQUALITY(wrong(why, {}), std::string());
  if (std::string(Kokkos::DefaultExecutionSpace::name()) != "Cuda")
    TEST_ASSERT(contains(why, "Trident_ENABLE_CUDA"));
}

}  // namespace

}  // namespace Trident::Impl
