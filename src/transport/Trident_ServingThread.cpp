// SPDX-License-Identifier: BSD-3-Clause
#include "transport/Trident_ServingThread.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <thread>

#include "base/Trident_Mpi.hpp"
#include "base/Trident_Types.hpp"

#if defined(__linux__)
#include <sched.h>
#include <sys/prctl.h>
#endif

namespace Trident::Impl {
namespace {

/// A set of cores: one bit for each core's number.
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

constexpr double share = 0.03;  // limit of a waiting thread's share of a core
constexpr double shortest = 10e-6, whileTransferring = 20e-6, idle = 140e-6, longest = 2e-3;
constexpr int yields = 16, doublings = 8;
// Number of pauses between two looks at the thread's clock. A look costs as much as a poll of MPI.
constexpr int sampled = 16;

double threadCpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

bool haveSpareCores(const GridRanks& ranks, int threads) {
  const MPI_Comm host = ranks.host().get();
  CoreSet cores = coresOfThisRank();
  int wanted = threads + 1;
  const char* const what = "the cores of all ranks";
  allReduce(MPI_IN_PLACE, cores.data(), static_cast<int>(cores.size()), MPI_UNSIGNED_LONG_LONG,
            MPI_BOR, host, what);
  allReduce(MPI_IN_PLACE, &wanted, 1, MPI_INT, MPI_SUM, host, what);
  int spare = -wanted;
  for (const Word word : cores) spare += popcount(word);
  allReduce(MPI_IN_PLACE, &spare, 1, MPI_INT, MPI_MIN, ranks.comm(), what);
  return spare >= 0;
}

Backoff::Backoff() : cpuSeconds_(threadCpuSeconds()) {
#if defined(__linux__)
  // By default Linux may end a sleep 50 µs late. If this call fails, sleeps stay that late.
  constexpr unsigned long nanoseconds = 1000;
  static_cast<void>(prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0));
#endif
}

double Backoff::next(bool transferring) {
  const int pause = pauses_++;
  if (pause < yields) return 0;
  if ((pause - yields) % sampled == 0) {
    const double cpu = threadCpuSeconds();
    const double each = (cpu - cpuSeconds_) / sampled;
    if (pause > yields) pollSeconds_ += (pollSeconds_ > 0 ? 0.2 : 1) * (each - pollSeconds_);
    cpuSeconds_ = cpu;
  }
  const double affordable = std::min(std::max(idle, pollSeconds_ / share), longest);
  const double most = transferring ? whileTransferring : affordable;
  const double doubled = shortest * static_cast<double>(1 << std::min(pause - yields, doublings));
  return std::min(doubled, most);
}

}  // namespace Trident::Impl
