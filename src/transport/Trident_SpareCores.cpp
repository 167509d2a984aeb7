// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_SpareCores.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <thread>

#include "base/Trident_Mpi.hpp"
#include "base/Trident_Types.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

namespace Trident::Impl {
namespace {

/// Cores by number, a bit for each.
using CoreSet = std::array<Word, 16>;

CoreSet coresOfThisRank() {
  CoreSet cores{};
#if defined(__linux__)
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed)) cores[core / 64] |= Word(1) << (core % 64);
    return cores;
  }
#endif
  const unsigned most = std::min<unsigned>(std::thread::hardware_concurrency(), 64 * cores.size());
  for (unsigned core = 0; core < most; ++core) cores[core / 64] |= Word(1) << (core % 64);
  return cores;
}

int threadsOfThisRank() {
  return Kokkos::is_initialized() ? Kokkos::DefaultHostExecutionSpace().concurrency() : 1;
}

}  // namespace

bool haveSpareCores(const GridRanks& ranks) {
  const MPI_Comm host = ranks.host().get();
  CoreSet cores = coresOfThisRank();
  int wanted = threadsOfThisRank() + 1;
  const char* const what = "the cores of all ranks";
  allReduce(MPI_IN_PLACE, cores.data(), static_cast<int>(cores.size()), MPI_UNSIGNED_LONG_LONG,
            MPI_BOR, host, what);
  allReduce(MPI_IN_PLACE, &wanted, 1, MPI_INT, MPI_SUM, host, what);
  int spare = -wanted;
  for (const Word word : cores) spare += popcount(word);
  allReduce(MPI_IN_PLACE, &spare, 1, MPI_INT, MPI_MIN, ranks.comm(), what);
  return spare >= 0;
}

}  // namespace Trident::Impl
