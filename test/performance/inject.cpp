// SPDX-License-Identifier: BSD-3-Clause
//
// A Kokkos tool that disturbs a program on purpose, to show whom that concerns.
//
//   KOKKOS_PROFILE_LIBRARY=.../libtrident_inject.so   (KOKKOS_TOOLS_LIBS since Kokkos 4)
//   TRIDENT_SLOW_MS=50 TRIDENT_SLOW_NODE=2 TRIDENT_SLOW_RANKS_PER_NODE=4    one node is slow (-1:
//   all are) TRIDENT_FAIL_RANK=5 TRIDENT_FAIL_PRODUCT=0                              one rank runs
//   out of memory
//
// Ranks of a slow node sleep whenever they begin a local product. A sleep leaves the core to the
// other ranks, as a slow node of a cluster would. The rank that fails throws std::bad_alloc in
// local product TRIDENT_FAIL_PRODUCT, and says when, in seconds since 1970.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

namespace {

constexpr char productRegion[] = ": local_multiply";  // the end of "Trident: <function>: ..."
constexpr char productKernel[] = "Trident::countMultiplyAdds";  // of a host's product

long numberOf(const char* variable, long otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtol(text, nullptr, 10) : otherwise;
}

struct Disturbance {
  std::chrono::milliseconds pause{0};
  long productsUntilFailure = -1;  // negative: none fails
};

/// Regions that are open, and which of them is a product: Teuchos' timer opens one of the same name
/// inside.
int depth = 0, productDepth = 0;
bool inProduct = false;

/// Plans the disturbance of this rank. MPI is not asked, since a tool may be loaded before it is
/// initialized.
Disturbance planned() {
  const long rank = numberOf("OMPI_COMM_WORLD_RANK", 0);
  const long node = rank / numberOf("TRIDENT_SLOW_RANKS_PER_NODE", 1);
  const long slowNode = numberOf("TRIDENT_SLOW_NODE", -1);
  Disturbance plan;
  if (slowNode < 0 || node == slowNode)
    plan.pause = std::chrono::milliseconds(numberOf("TRIDENT_SLOW_MS", 0));
  if (rank == numberOf("TRIDENT_FAIL_RANK", -1))
    plan.productsUntilFailure = numberOf("TRIDENT_FAIL_PRODUCT", 0);
  return plan;
}

Disturbance disturbance;

double secondsSince1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

extern "C" void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {
  disturbance = planned();
}

extern "C" void kokkosp_push_profile_region(const char* name) {
  ++depth;
  if (productDepth > 0 || !std::strstr(name, productRegion)) return;
  productDepth = depth;
  inProduct = true;
  if (disturbance.pause.count() > 0) std::this_thread::sleep_for(disturbance.pause);
}

extern "C" void kokkosp_pop_profile_region() {
  if (depth-- == productDepth) productDepth = 0;
}

extern "C" void kokkosp_begin_parallel_for(const char* name, std::uint32_t, std::uint64_t*) {
  if (!inProduct || std::strcmp(name, productKernel) != 0) return;
  inProduct = false;  // once a product, however often the kernel is begun in it
  if (disturbance.productsUntilFailure < 0 || disturbance.productsUntilFailure-- > 0) return;
  std::fprintf(stderr, "trident_inject: fails at %.3f\n", secondsSince1970());
  throw std::bad_alloc();
}
