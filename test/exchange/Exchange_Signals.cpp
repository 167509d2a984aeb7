// SPDX-License-Identifier: BSD-3-Clause
// A program's signals come to its own threads, and not to the one that serves slices.

#include <Teuchos_UnitTestHarness.hpp>
#include <csignal>
#include <memory>

#include "Exchange_FakeNetwork.hpp"
#include "exchange/Trident_RequestQueueExchange.hpp"

namespace {

using namespace Trident;
using namespace Trident::Impl;
using TestTools::FakeNetwork;

sigset_t maskNow() {
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return mask;
}

TEUCHOS_UNIT_TEST(Signals, StayWithTheProgram) {
  FakeNetwork network(1, TestTools::Protocol::Eager);
  const GridShape shape{1, 1, 1};
  const LineSchedule schedule(shape, shape.coordinates(0), Factor::A);
  const sigset_t before = maskNow();
  sigset_t serving;
  sigemptyset(&serving);
  RequestQueueExchange exchange(network.line(0, {false}), network.counters(0), schedule,
                                [&] { serving = maskNow(); });
  exchange.start();  // returns when the thread can serve
  const sigset_t after = maskNow();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGPROF, SIGCHLD}) {
    TEST_EQUALITY(sigismember(&serving, signal), 1);
    TEST_EQUALITY(sigismember(&after, signal), sigismember(&before, signal));
  }
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    TEST_EQUALITY(sigismember(&serving, fault), 0);
}

}  // namespace
