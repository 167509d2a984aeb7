// SPDX-License-Identifier: BSD-3-Clause
// The exchange that a grid takes, and why, at the thread level that MPI runs with; and that threads
// end with the exchanges. Registered with several levels.

#include <Kokkos_Core.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <cstdlib>
#include <memory>
#include <string>

#if defined(__linux__)
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#endif

#include "Exchange_FaultyTransport.hpp"
#include "Exchange_TestProduct.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "transport/Trident_ServingThread.hpp"

#if defined(__linux__)
namespace {
int threadsLeft = -1;  // that this rank can start before one fails; -1: any
}

/// Calls the system's, but for the one that fails.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* argument) noexcept {
  if (threadsLeft == 0) return EAGAIN;
  if (threadsLeft > 0) --threadsLeft;
  using Function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const Function system = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_create"));
  return system(thread, attributes, run, argument);
}
#endif

namespace Trident::Impl {
namespace {

using TestTools::Delay;
using TestTools::flatNodes;
using TestTools::oneHost;
using TestTools::worldSize;

std::string levelName() {
  int level = MPI_THREAD_SINGLE;
  TRIDENT_MPI_CHECK(MPI_Query_thread(&level));
  if (level == MPI_THREAD_SINGLE) return "MPI_THREAD_SINGLE";
  if (level == MPI_THREAD_FUNNELED) return "MPI_THREAD_FUNNELED";
  return level == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED" : "MPI_THREAD_MULTIPLE";
}

bool multiple() { return levelName() == "MPI_THREAD_MULTIPLE"; }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ExchangeChoice choice(GridExchanges& exchanges, ExchangeKind kind) {
  RoundOptions options;
  options.exchange = kind;
  return exchanges.chooseExchange(options, MemoryKind::Host, 2);
}

/// Wraps the exchanges of a grid on hosts that have cores for threads, or have none.
ExchangeWrappers coresFor(bool threads) {
  ExchangeWrappers wrappers;
  wrappers.spareCores = [threads](const GridRanks&) { return threads; };
  return wrappers;
}

/// Returns the message with which `kind` is refused; an empty text if it is taken.
std::string refusal(GridExchanges& exchanges, ExchangeKind kind) {
  try {
    choice(exchanges, kind);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEUCHOS_UNIT_TEST(Choice, TheLevelIsTheOneAskedFor) {
  // Else the tests at other levels would test this one again.
  const char* const asked = std::getenv("TRIDENT_TEST_THREADS");
  std::string expected = "MPI_THREAD_MULTIPLE";
  if (asked) {
    expected = "MPI_THREAD_";
    for (const char* c = asked; *c; ++c) expected += static_cast<char>(*c - 'a' + 'A');
  }
  TEST_EQUALITY(levelName(), expected);
}

TEUCHOS_UNIT_TEST(Choice, AutoTakesTheQueueWhereThreadsMayAndElseSaysWhyNot) {
  for (int lambda : {1, 2}) {
    if (worldSize() % lambda) continue;
    const GridShape shape = squareShape(worldSize() / lambda, lambda);
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(true));
    for (int repeat = 0; repeat < 2; ++repeat) {
      const ExchangeChoice chosen = choice(exchanges, ExchangeKind::Auto);
      out << shape.name() << ": " << chosen.reason << "\n";
      if (shape.nodes() == 1) {
        TEST_EQUALITY(chosen.reason, std::string("one node: nothing travels"));
        continue;
      }
      TEST_ASSERT(chosen.kind ==
                  (multiple() ? ExchangeKind::RequestQueue : ExchangeKind::Prefetch));
      TEST_ASSERT(contains(chosen.reason, levelName()));
      TEST_EQUALITY(contains(chosen.reason, "ScopeGuard"), !multiple());  // the remedy
    }
    TEST_ASSERT(choice(exchanges, ExchangeKind::Prefetch).kind == ExchangeKind::Prefetch);
  }
}

TEUCHOS_UNIT_TEST(ChoiceOfThreads, AutoTakesPrefetchWhereCoresAreTooFew) {
  const GridShape shape = squareShape(worldSize(), 1);
  TRIDENT_TEST_NEEDS(multiple() && shape.nodes() > 1,
                     "a thread is started with MPI_THREAD_MULTIPLE on several nodes alone");
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(false));
  const ExchangeChoice chosen = choice(exchanges, ExchangeKind::Auto);
  TEST_ASSERT(chosen.kind == ExchangeKind::Prefetch);
  TEST_ASSERT(contains(chosen.reason, "cores are too few"));
  TEST_ASSERT(choice(exchanges, ExchangeKind::RequestQueue).kind == ExchangeKind::RequestQueue);
}

// Some MPIs have no window between nodes, or one that is mixed up with another.
TEUCHOS_UNIT_TEST(ChoiceOfThreads, RequestsAreMessagesWhereNoWindowCanBeHad) {
  const GridShape shape = squareShape(worldSize(), 1);
  TRIDENT_TEST_NEEDS(multiple() && shape.nodes() > 1,
                     "requests need MPI_THREAD_MULTIPLE and several nodes");
  const unsigned seed = 94;
  out << "seed " << seed << "\n";
  Delay delay(seed, 300);
  for (int number = 0; number < 3; ++number)  // grids, one after another
    for (ExchangeKind kind : {ExchangeKind::Auto, ExchangeKind::RequestQueue}) {
      ExchangeWrappers wrappers =
          TestTools::faultyWrappers(seed + number, 300, TestTools::worldRank(), worldSize());
      wrappers.spareCores = [](const GridRanks&) { return true; };
      wrappers.slots = [](const ProcessGrid&) -> std::unique_ptr<RequestSlots> {
        throw Error("MPI_Win_allocate failed: MPI_ERR_WIN: invalid window");
      };
      GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, wrappers);
      for (int repeat = 0; repeat < 2; ++repeat) {
        const ExchangeChoice chosen = choice(exchanges, kind);
        TEST_ASSERT(chosen.kind == ExchangeKind::RequestQueue);
        TEST_EQUALITY(chosen.reason,
                      std::string(kind == ExchangeKind::Auto ? "MPI_THREAD_MULTIPLE, requests by "
                                                             : "asked for, by ") +
                          "messages (no window can be had: MPI_Win_allocate failed: MPI_ERR_WIN: "
                          "invalid window)");
        for (Factor factor : {Factor::A, Factor::B})
          TEST_EQUALITY_CONST(runProduct(exchanges.exchange(factor, chosen.kind, 0), shape,
                                         exchanges.grid().me(), factor, 10 * number + repeat,
                                         repeat, delay, exchanges.grid().internodeOnLine(factor)),
                              0);
      }
    }
}

#if defined(__linux__)
TEUCHOS_UNIT_TEST(Choice, SpareCoresAreCountedOnEveryHost) {
  const GridRanks ranks(MPI_COMM_WORLD, flatNodes(1));
  cpu_set_t before, one;
  TEST_EQUALITY_CONST(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_SET(first, &one);
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  // One core for all ranks has none to spare; all of the cores have where they are two a rank.
  TEST_EQUALITY_CONST(sched_setaffinity(0, sizeof one, &one), 0);
  TEST_ASSERT(!haveSpareCores(ranks, threads));
  TEST_EQUALITY_CONST(sched_setaffinity(0, sizeof before, &before), 0);
  int cores = CPU_COUNT(&before), alike[] = {cores, -cores};
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, alike, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  if (alike[0] == -alike[1])  // as where nobody is bound
    TEST_EQUALITY(haveSpareCores(ranks, threads), cores >= (threads + 1) * worldSize());
}
#endif

TEUCHOS_UNIT_TEST(Choice, TheQueueIsRefusedEverywhereWithoutThreads) {
  const GridShape shape = squareShape(worldSize(), 1);
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const std::string text = refusal(exchanges, ExchangeKind::RequestQueue);
    out << text << "\n";
    TEST_EQUALITY(text.empty(), multiple() || shape.nodes() == 1);
    if (text.empty()) continue;
    TEST_ASSERT(contains(text, "\"request-queue\" is not possible"));
    TEST_ASSERT(contains(text, levelName() + " only"));
    TEST_ASSERT(contains(text, "use \"auto\" or \"prefetch\""));
  }
  TEST_EQUALITY(refusal(exchanges, ExchangeKind::Auto), std::string());
}

TEUCHOS_UNIT_TEST(Choice, OneNodeMakesNothing) {
  const GridShape shape{1, 1, worldSize()};
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  Delay delay(92, 100);
  for (ExchangeKind kind : {ExchangeKind::Auto, ExchangeKind::RequestQueue, ExchangeKind::Prefetch,
                            ExchangeKind::Nccl}) {
    const ExchangeChoice chosen = choice(exchanges, kind);
    TEST_EQUALITY(chosen.reason, std::string("one node: nothing travels"));
    SliceExchange& exchange = exchanges.exchange(Factor::A, chosen.kind, 1);
    TEST_ASSERT(dynamic_cast<NoExchange*>(&exchange) != nullptr);
    TEST_ASSERT(!exchange.needsProgress());
    TEST_EQUALITY_CONST(runProduct(exchange, shape, exchanges.grid().me(), Factor::A, 1, 1, delay,
                                   exchanges.grid().internodeOnLine(Factor::A)),
                        0);
  }
}

TEUCHOS_UNIT_TEST(ChoiceOnSeveral, NcclIsRefusedEverywhereForMatricesOnHosts) {
  const GridShape shape = squareShape(worldSize(), 1);
  TRIDENT_TEST_NEEDS(shape.nodes() > 1, "one node exchanges nothing");
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  const std::string text = refusal(exchanges, ExchangeKind::Nccl);
  out << text << "\n";
  TEST_ASSERT(contains(text, "\"nccl\" is not possible: the matrices lie on hosts"));
  TEST_ASSERT(contains(text, "use \"auto\""));
}

TEUCHOS_UNIT_TEST(Choice, TheRingIsRefusedOnCannonsGrids) {
  const GridShape shape = squareShape(worldSize(), 1);
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  const std::string text = refusal(exchanges, ExchangeKind::Ring);
  out << text << "\n";
  TEST_ASSERT(contains(text, "\"algorithm\" = \"summa\""));
}

TEUCHOS_UNIT_TEST(ChoiceOnSeveral, SummasGridTakesTheRing) {
  TRIDENT_TEST_NEEDS(worldSize() > 1, "one node exchanges nothing");
  const GridShape square = squareShape(worldSize(), 1);
  GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, flatNodes(2)),
                          summaShape(square.nodeRows, square.nodeCols));
  const ExchangeChoice chosen = choice(exchanges, ExchangeKind::Auto);
  TEST_ASSERT(chosen.kind == ExchangeKind::Ring);
  TEST_ASSERT(contains(chosen.reason, "SUMMA"));
  TEST_ASSERT(choice(exchanges, ExchangeKind::Ring).kind == ExchangeKind::Ring);
  TEST_ASSERT(choice(exchanges, ExchangeKind::Prefetch).kind == ExchangeKind::Prefetch);
}

#if defined(__linux__)
/// Counts the threads of this process.
int threads() {
  DIR* const tasks = opendir("/proc/self/task");
  int count = 0;
  while (const dirent* const task = readdir(tasks)) count += task->d_name[0] != '.';
  closedir(tasks);
  return count;
}

/// Counts the threads once they are as many as expected, or two seconds later: the system lists a
/// thread for a moment after it was joined.
int threadsSoon(int expected) {
  for (int tries = 0; tries < 200 && threads() != expected; ++tries) usleep(10000);
  return threads();
}

TEUCHOS_UNIT_TEST(Choice, ThreadsEndWithTheExchanges) {
  const GridShape shape = squareShape(worldSize(), 1);
  Delay delay(91, 100);
  // MPI may start threads of its own at its first window.
  {
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(true));
    choice(exchanges, ExchangeKind::Auto);
  }
  const int before = threads();
  for (int repeat = 0; repeat < 3; ++repeat) {
    GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(true));
    const ExchangeKind kind = choice(exchanges, ExchangeKind::Auto).kind;
    const int lines = (shape.nodeRows > 1) + (shape.nodeCols > 1);  // those of several nodes
    const int expected = before + (kind == ExchangeKind::RequestQueue ? lines : 0);
    for (Factor factor : {Factor::A, Factor::B}) {
      SliceExchange& exchange = exchanges.exchange(factor, kind, 1);
      for (int number : {1, 2}) {
        const int wrong = runProduct(exchange, shape, exchanges.grid().me(), factor, number, 1,
                                     delay, exchanges.grid().internodeOnLine(factor));
        TEST_EQUALITY_CONST(wrong, 0);
      }
    }
    TEST_EQUALITY(threadsSoon(expected), expected);
  }
  TEST_EQUALITY(threadsSoon(before), before);
}

// Peers wait for the slices of a rank that has no thread to send them.
TEUCHOS_UNIT_TEST(ChoiceOfThreads, AutoTakesPrefetchWhereARankCannotStartItsThread) {
  const GridShape shape = squareShape(worldSize(), 1);
  TRIDENT_TEST_NEEDS(multiple() && shape.nodes() > 1,
                     "a thread is started with MPI_THREAD_MULTIPLE on several nodes alone");
  Delay delay(93, 100);
  for (int failing : {0, 1})  // the thread of A's exchange, that of B's
    for (ExchangeKind kind : {ExchangeKind::Auto, ExchangeKind::RequestQueue}) {
      GridExchanges exchanges(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(true));
      // A line of one member starts none.
      threadsLeft =
          TestTools::worldRank() == worldSize() / 2
              ? failing * (LineSchedule(shape, exchanges.grid().me(), Factor::A).members() > 1)
              : -1;
      const std::string text = refusal(exchanges, kind);
      threadsLeft = -1;
      TEST_EQUALITY(text.empty(), kind == ExchangeKind::Auto);
      const ExchangeChoice chosen = choice(exchanges, ExchangeKind::Auto);
      out << text << "\n" << chosen.reason << "\n";
      TEST_ASSERT(chosen.kind == ExchangeKind::Prefetch);
      TEST_ASSERT(contains(chosen.reason, "its thread cannot be started"));
      for (Factor factor : {Factor::A, Factor::B})
        TEST_EQUALITY_CONST(
            runProduct(exchanges.exchange(factor, chosen.kind, 1), shape, exchanges.grid().me(),
                       factor, 1, 1, delay, exchanges.grid().internodeOnLine(factor)),
            0);
    }
}
#endif

}  // namespace

}  // namespace Trident::Impl
