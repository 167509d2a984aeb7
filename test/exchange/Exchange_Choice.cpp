// SPDX-License-Identifier: BSD-3-Clause
// Which exchange a grid takes, and why, at the thread level that MPI runs with; and that threads
// end with the transport. Registered with several levels.

#include <Kokkos_Core.hpp>
#include <Teuchos_UnitTestHarness.hpp>
#include <cstdlib>
#include <string>

#if defined(__linux__)
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#endif

#include "Exchange_TestProduct.hpp"
#include "Trident_Error.hpp"
#include "Trident_TestNeeds.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_GridTransport.hpp"

#if defined(__linux__)
namespace {
int threadsLeft = -1;  // that this rank can start before one fails; -1: any
}

/// The system's, but for the one that fails.
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

ExchangeChoice choice(GridTransport& transport, ExchangeKind kind, std::size_t bytes = 1000) {
  RoundOptions options;
  options.exchange = kind;
  return transport.chooseExchange(options, bytes, MemoryKind::Host);
}

/// The transport of a grid on hosts that have cores for threads, or have none.
TransportWrappers coresFor(bool threads) {
  TransportWrappers wrappers;
  wrappers.spareCores = [threads](const GridRanks&) { return threads; };
  return wrappers;
}

/// What choosing `kind` says; empty where it is had.
std::string refusal(GridTransport& transport, ExchangeKind kind) {
  try {
    choice(transport, kind);
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
    GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(true));
    for (int repeat = 0; repeat < 2; ++repeat) {
      const ExchangeChoice chosen = choice(transport, ExchangeKind::Auto);
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
    TEST_ASSERT(choice(transport, ExchangeKind::Prefetch).kind == ExchangeKind::Prefetch);
  }
}

TEUCHOS_UNIT_TEST(ChoiceOfThreads, AutoTakesPrefetchWhereCoresAreTooFew) {
  const GridShape shape = squareShape(worldSize(), 1);
  TRIDENT_TEST_NEEDS(multiple() && shape.nodes() > 1,
                     "a thread is started with MPI_THREAD_MULTIPLE on several nodes alone");
  GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(false));
  const ExchangeChoice chosen = choice(transport, ExchangeKind::Auto);
  TEST_ASSERT(chosen.kind == ExchangeKind::Prefetch);
  TEST_ASSERT(contains(chosen.reason, "cores are too few"));
  TEST_ASSERT(choice(transport, ExchangeKind::RequestQueue).kind == ExchangeKind::RequestQueue);
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
  // One core for all ranks has none to spare; all of the cores have where they are two a rank.
  TEST_EQUALITY_CONST(sched_setaffinity(0, sizeof one, &one), 0);
  TEST_ASSERT(!haveSpareCores(ranks));
  TEST_EQUALITY_CONST(sched_setaffinity(0, sizeof before, &before), 0);
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  int cores = CPU_COUNT(&before), alike[] = {cores, -cores};
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, alike, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  if (alike[0] == -alike[1])  // as where nobody is bound
    TEST_EQUALITY(haveSpareCores(ranks), cores >= (threads + 1) * worldSize());
}
#endif

TEUCHOS_UNIT_TEST(Choice, TheQueueIsRefusedEverywhereWithoutThreads) {
  const GridShape shape = squareShape(worldSize(), 1);
  GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  for (int repeat = 0; repeat < 2; ++repeat) {
    const std::string text = refusal(transport, ExchangeKind::RequestQueue);
    out << text << "\n";
    TEST_EQUALITY(text.empty(), multiple() || shape.nodes() == 1);
    if (text.empty()) continue;
    TEST_ASSERT(contains(text, "\"request-queue\" is not possible"));
    TEST_ASSERT(contains(text, levelName() + " only"));
    TEST_ASSERT(contains(text, "use \"auto\" or \"prefetch\""));
  }
  TEST_EQUALITY(refusal(transport, ExchangeKind::Auto), std::string());
}

TEUCHOS_UNIT_TEST(Choice, OneNodeMakesNothing) {
  const GridShape shape{1, 1, worldSize()};
  GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  Delay delay(92, 100);
  for (ExchangeKind kind : {ExchangeKind::Auto, ExchangeKind::RequestQueue, ExchangeKind::Prefetch,
                            ExchangeKind::Nccl}) {
    const ExchangeChoice chosen = choice(transport, kind);
    TEST_EQUALITY(chosen.reason, std::string("one node: nothing travels"));
    SliceExchange& exchange = transport.exchange(Factor::A, chosen.kind, 1);
    TEST_EQUALITY(std::string(exchange.name()), std::string("none"));
    TEST_ASSERT(!exchange.needsProgress());
    TEST_EQUALITY_CONST(runProduct(exchange, shape, transport.grid().me(), Factor::A, 1, 1, delay,
                                   transport.grid().internodeOnLine(Factor::A)),
                        0);
  }
}

TEUCHOS_UNIT_TEST(ChoiceOnSeveral, NcclIsRefusedEverywhereForMatricesOnHosts) {
  const GridShape shape = squareShape(worldSize(), 1);
  TRIDENT_TEST_NEEDS(shape.nodes() > 1, "one node exchanges nothing");
  GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  const std::string text = refusal(transport, ExchangeKind::Nccl);
  out << text << "\n";
  TEST_ASSERT(contains(text, "\"nccl\" is not possible: the matrices lie on hosts"));
  TEST_ASSERT(contains(text, "use \"auto\""));
}

TEUCHOS_UNIT_TEST(Choice, BroadcastsAreRefusedOnCannonsGrids) {
  const GridShape shape = squareShape(worldSize(), 1);
  GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape);
  for (ExchangeKind kind : {ExchangeKind::Ibcast, ExchangeKind::Ring}) {
    const std::string text = refusal(transport, kind);
    out << text << "\n";
    TEST_ASSERT(contains(text, "\"algorithm\" = \"summa\""));
  }
}

TEUCHOS_UNIT_TEST(ChoiceOnSeveral, SummasGridMeasuresItsBroadcasts) {
  TRIDENT_TEST_NEEDS(worldSize() > 1, "one node exchanges nothing");
  const GridShape square = squareShape(worldSize(), 1);
  GridTransport transport(GridRanks(MPI_COMM_WORLD, flatNodes(2)),
                          summaShape(square.nodeRows, square.nodeCols));
  for (std::size_t bytes : {0, 1, 1000, 300000}) {
    // Ranks with slices of different sizes must still choose alike.
    const ExchangeChoice chosen =
        choice(transport, ExchangeKind::Auto, transport.grid().rank() == 0 ? bytes : bytes / 2);
    out << chosen.reason << "\n";
    int kinds[] = {static_cast<int>(chosen.kind), -static_cast<int>(chosen.kind)};
    TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, kinds, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    TEST_EQUALITY(kinds[0], -kinds[1]);
    TEST_ASSERT(chosen.kind == ExchangeKind::Ring || chosen.kind == ExchangeKind::Ibcast);
    TEST_ASSERT(contains(chosen.reason, "by a ring") && contains(chosen.reason, "by MPI_Ibcast"));
    const std::size_t first = chosen.reason.find(" ms"), second = chosen.reason.rfind(" ms");
    TEST_ASSERT(first != std::string::npos && first != second);  // both times
    // Measured once: the same reason, to the digit.
    TEST_EQUALITY(choice(transport, ExchangeKind::Auto, bytes).reason, chosen.reason);
  }
  TEST_ASSERT(choice(transport, ExchangeKind::Ring).kind == ExchangeKind::Ring);
  TEST_ASSERT(choice(transport, ExchangeKind::Ibcast).kind == ExchangeKind::Ibcast);
  TEST_ASSERT(choice(transport, ExchangeKind::Prefetch).kind == ExchangeKind::Prefetch);
}

#if defined(__linux__)
/// Threads of this process.
int threads() {
  DIR* const tasks = opendir("/proc/self/task");
  int count = 0;
  while (const dirent* const task = readdir(tasks)) count += task->d_name[0] != '.';
  closedir(tasks);
  return count;
}

/// Threads, once there are as many as expected, or two seconds later: the system lists a thread for
/// a moment after it was joined.
int threadsSoon(int expected) {
  for (int tries = 0; tries < 200 && threads() != expected; ++tries) usleep(10000);
  return threads();
}

TEUCHOS_UNIT_TEST(Choice, ThreadsEndWithTheTransport) {
  const GridShape shape = squareShape(worldSize(), 1);
  Delay delay(91, 100);
  // MPI may start threads of its own at its first window.
  {
    GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(true));
    choice(transport, ExchangeKind::Auto);
  }
  const int before = threads();
  for (int repeat = 0; repeat < 3; ++repeat) {
    GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(true));
    const ExchangeKind kind = choice(transport, ExchangeKind::Auto).kind;
    const int expected = before + (kind == ExchangeKind::RequestQueue ? 2 : 0);
    for (Factor factor : {Factor::A, Factor::B}) {
      SliceExchange& exchange = transport.exchange(factor, kind, 1);
      for (int number : {1, 2}) {
        const int wrong = runProduct(exchange, shape, transport.grid().me(), factor, number, 1,
                                     delay, transport.grid().internodeOnLine(factor));
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
      GridTransport transport(GridRanks(MPI_COMM_WORLD, oneHost(shape)), shape, coresFor(true));
      // A line of one member starts none.
      threadsLeft =
          TestTools::worldRank() == worldSize() / 2
              ? failing * (LineSchedule(shape, transport.grid().me(), Factor::A).members() > 1)
              : -1;
      const std::string text = refusal(transport, kind);
      threadsLeft = -1;
      TEST_EQUALITY(text.empty(), kind == ExchangeKind::Auto);
      const ExchangeChoice chosen = choice(transport, ExchangeKind::Auto);
      out << text << "\n" << chosen.reason << "\n";
      TEST_ASSERT(chosen.kind == ExchangeKind::Prefetch);
      TEST_ASSERT(contains(chosen.reason, "its thread cannot be started"));
      for (Factor factor : {Factor::A, Factor::B})
        TEST_EQUALITY_CONST(
            runProduct(transport.exchange(factor, chosen.kind, 1), shape, transport.grid().me(),
                       factor, 1, 1, delay, transport.grid().internodeOnLine(factor)),
            0);
    }
}
#endif

}  // namespace

}  // namespace Trident::Impl
