// SPDX-License-Identifier: BSD-3-Clause
// The cost of the request queue's communication threads while nobody asks, and the time until they
// answer a request. Two ranks, which act as two nodes:
//
//   mpirun -n 2 Trident_RequestLatency.exe [requests of a rank and size] [seconds of idling]
//
// A request is timed from request() to the slice's landing, after its owner's thread has had
// nothing to do for 5 to 25 ms, and while the owner's main thread sleeps. It needs a core for each
// rank.

#include <dirent.h>
#include <mpi.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_GridExchanges.hpp"

namespace {

constexpr double affordableShare = 0.03, soon = 200e-6;  // what the threads must keep to

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void sleepFor(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

std::set<std::string> threads() {
  std::set<std::string> ids;
  DIR* folder = opendir("/proc/self/task");
  if (!folder) throw Trident::Error("threads", "/proc/self/task cannot be read: this needs Linux");
  while (const dirent* entry = readdir(folder))
    if (entry->d_name[0] != '.') ids.insert(entry->d_name);
  closedir(folder);
  return ids;
}

/// Linux's counts of a thread: seconds on a core, seconds ready but without one, times it ran.
struct Usage {
  double running = 0, ready = 0, wakeUps = 0;
};

Usage usageOf(const std::set<std::string>& threads) {
  Usage sum;
  for (const std::string& thread : threads) {
    std::ifstream file("/proc/self/task/" + thread + "/schedstat");
    double running = 0, ready = 0, wakeUps = 0;
    if (!(file >> running >> ready >> wakeUps))
      throw Trident::Error("usageOf", "this Linux keeps no schedstat of threads");
    sum.running += 1e-9 * running;
    sum.ready += 1e-9 * ready;
    sum.wakeUps += wakeUps;
  }
  return sum;
}

/// Measures the part of a core that a thread takes which does nothing but sleep `pause` again and
/// again: no thread that looks so often can take less.
double shareOfSleeping(double pause, double seconds) {
  double share = 0;
  std::thread([&] {
    prctl(PR_SET_TIMERSLACK, 1000ul, 0, 0,
          0);  // as Trident's threads; without it sleeps are longer
    const auto cpuSeconds = [] {
      timespec used{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
      return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
    };
    const double before = cpuSeconds(), start = now();
    while (now() < start + seconds) sleepFor(pause);
    share = (cpuSeconds() - before) / (now() - start);
  }).join();
  return share;
}

/// Products of two ranks in which each asks the other once, for a slice of B.
class Products {
 public:
  Products()
      : exchanges_(Trident::Impl::GridRanks(MPI_COMM_WORLD, Trident::Impl::layoutNodes({0, 1}, 1)),
                   Trident::GridShape{2, 1, 1}),
        schedule_(exchanges_.grid().shape(), exchanges_.grid().me(), Trident::Impl::Factor::B) {
    options_.exchange = Trident::Impl::ExchangeKind::RequestQueue;
    const Trident::Impl::ExchangeKind kind =
        exchanges_.chooseExchange(options_, Trident::Impl::MemoryKind::Host, 2).kind;
    exchange_ = &exchanges_.exchange(Trident::Impl::Factor::B, kind, 0);
    for (int t = 0; t < schedule_.rounds(); ++t)
      if (schedule_.owner(schedule_.segmentOfRound(t)) != me()) remoteRound_ = t;
  }

  int me() const { return schedule_.ownMember(); }

  void begin(std::size_t bytes) {
    own_.resize(bytes);
    landing_.resize(bytes);
    Trident::Impl::LineSlices slices;
    slices.bytes.assign(schedule_.rounds(), bytes);
    slices.own.assign(schedule_.ownSegments(), {own_.data(), bytes});
    TRIDENT_MPI_CHECK(MPI_Barrier(exchanges_.grid().comm()));
    exchange_->begin(slices);
  }
  /// @return seconds from the request to the landing
  double ask() {
    Trident::Traffic uncounted;
    const double asked = now();
    exchange_->request(remoteRound_, landing_.data(), uncounted);
    exchange_->wait(remoteRound_);
    return now() - asked;
  }
  void end() { exchange_->end(); }

 private:
  Trident::Impl::GridExchanges exchanges_;
  Trident::Impl::LineSchedule schedule_;
  Trident::Impl::RoundOptions options_;
  Trident::Impl::SliceExchange* exchange_ = nullptr;
  int remoteRound_ = 0;
  std::vector<char> own_, landing_;
};

std::vector<double> gather(const std::vector<double>& mine) {
  std::vector<double> all(2 * mine.size());
  const int count = static_cast<int>(mine.size());
  TRIDENT_MPI_CHECK(
      MPI_Gather(mine.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD));
  return all;
}

/// Prints, from rank 0, what the communication thread of each rank used in this time.
void printUsage(const char* what, const Usage& before, const Usage& after, double seconds, int me) {
  const auto all =
      gather({(after.running - before.running) / seconds, (after.ready - before.ready) / seconds,
              (after.wakeUps - before.wakeUps) / seconds});
  for (int rank = 0; me == 0 && rank < 2; ++rank)
    std::printf("%-24s rank %d  %7.2f%% %16.2f%% %12.0f%s\n", what, rank, 100 * all[3 * rank],
                100 * all[3 * rank + 1], all[3 * rank + 2],
                all[3 * rank] > affordableShare ? "  OVER 3%" : "");
}

void measureIdling(Products& products, double seconds) {
  if (products.me() == 0)
    std::printf("%-32s %7s %17s %12s   communication thread, %g s\n", "", "core",
                "waits for a core", "wake-ups/s", seconds);
  const std::set<std::string> others = threads();
  products.begin(8);
  std::set<std::string> communication;
  for (const std::string& thread : threads())
    if (others.count(thread) == 0) communication.insert(thread);
  const auto idle = [&](const char* what) {
    sleepFor(0.1);  // the beginning, with its short pauses, is not idling
    const Usage before = usageOf(communication);
    const double start = now();
    sleepFor(seconds);
    printUsage(what, before, usageOf(communication), now() - start, products.me());
  };
  idle("in a product, unasked");
  products.ask();
  products.end();
  idle("between products");
  const double share = shareOfSleeping(soon, 1);
  if (products.me() == 0)
    std::printf("%-24s rank 0  %7.2f%%   what any thread takes that looks so often\n",
                "sleeping 200 us only", 100 * share);
}

void printTimes(std::size_t bytes, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto quantile = [&](double q) {
    return 1e6 * times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
  };
  const auto late = times.end() - std::upper_bound(times.begin(), times.end(), soon);
  std::printf("%10zu bytes %8zu %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f%%\n", bytes, times.size(),
              quantile(0), quantile(0.5), quantile(0.9), quantile(0.99), quantile(1),
              100.0 * static_cast<double>(late) / static_cast<double>(times.size()));
}

void measureRequests(Products& products, std::size_t bytes, int requests) {
  // The ranks ask one after the other: the second sleeps while the first asks, and the first waits
  // in end(), without MPI, while the second does.
  std::mt19937 random(static_cast<unsigned>(products.me()));
  std::uniform_real_distribution<double> idle(5e-3, 25e-3);
  std::vector<double> times;
  for (int n = 0; n < requests; ++n) {
    products.begin(bytes);
    sleepFor(idle(random) + 30e-3 * products.me());
    times.push_back(products.ask());
    products.end();
  }
  const std::vector<double> all = gather(times);
  if (products.me() == 0) printTimes(bytes, all);
}

void run(int requests, double seconds) {
  Products products;
  measureIdling(products, seconds);
  if (products.me() == 0)
    std::printf("%16s %8s %8s %8s %8s %8s %8s %9s   microseconds\n", "slice", "requests", "min",
                "median", "p90", "p99", "max", ">200");
  for (std::size_t bytes : {std::size_t(8), std::size_t(1) << 16})
    measureRequests(products, bytes, requests);
  double load[3] = {-1, -1, -1};
  static_cast<void>(getloadavg(load, 3));  // -1 then says that nobody knows
  if (products.me() == 0)
    std::printf("load average %.2f on %u cores\n", load[0], std::thread::hardware_concurrency());
}

}  // namespace

int main(int argc, char* argv[]) {
  int level = MPI_THREAD_SINGLE, ranks = 0, code = EXIT_SUCCESS;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) return 1;
  try {
    TRIDENT_MPI_CHECK(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    if (ranks != 2) throw Trident::Error("Trident_RequestLatency", "this needs 2 ranks");
    run(argc > 1 ? std::atoi(argv[1]) : 500, argc > 2 ? std::atof(argv[2]) : 5);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    code = EXIT_FAILURE;
  }
  // Where one rank failed alone the other would wait for ever.
  if (code != EXIT_SUCCESS) static_cast<void>(MPI_Abort(MPI_COMM_WORLD, code));
  return MPI_Finalize() == MPI_SUCCESS ? code : EXIT_FAILURE;
}
