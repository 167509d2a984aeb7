// SPDX-License-Identifier: BSD-3-Clause
//
// A Kokkos tool that slows one node on purpose, to show which other nodes that delays.
//
//   KOKKOS_PROFILE_LIBRARY=.../libtrident_slow_node.so   (KOKKOS_TOOLS_LIBS since Kokkos 4)
//   TRIDENT_SLOW_NODE=2  TRIDENT_SLOW_RANKS_PER_NODE=4  TRIDENT_SLOW_MS=50  mpirun ...
//
// Ranks of node TRIDENT_SLOW_NODE sleep TRIDENT_SLOW_MS milliseconds whenever they begin a local product.
// A sleep leaves the core to the other ranks, as a slow node of a cluster would.

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

constexpr char slowedRegion[] = "Trident: Multiply: local_multiply";

long numberOf(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtol(text, nullptr, 10) : otherwise;
}

/// How long this rank sleeps: nothing on all nodes but one. MPI is not asked, since a tool may be loaded
/// before it is initialized.
std::chrono::milliseconds sleepOfThisRank() {
  const long rank = numberOf("OMPI_COMM_WORLD_RANK", 0);
  const long ranksPerNode = numberOf("TRIDENT_SLOW_RANKS_PER_NODE", 1);
  const bool slow = ranksPerNode > 0 && rank / ranksPerNode == numberOf("TRIDENT_SLOW_NODE", -1);
  return std::chrono::milliseconds(slow ? numberOf("TRIDENT_SLOW_MS", 0) : 0);
}

std::chrono::milliseconds pause{0};

}  // namespace

extern "C" void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {
  pause = sleepOfThisRank();
}

extern "C" void kokkosp_push_profile_region(const char* name) {
  if (pause.count() > 0 && std::strcmp(name, slowedRegion) == 0) std::this_thread::sleep_for(pause);
}
