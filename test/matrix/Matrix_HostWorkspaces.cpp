// SPDX-License-Identifier: BSD-3-Clause
// Workspaces of a host's threads: no two threads share one, and what a constructor throws arrives.
#include <Teuchos_UnitTestHarness.hpp>
#include <stdexcept>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace {

using Device = Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;

/// Counts without atomics: two threads at one would lose some.
struct Counter {
  explicit Counter(long long start) : count(start) {}
  long long count;
};

using Counters = Trident::Impl::HostWorkspaces<Counter, Device>;

struct CountRow {
  Counters workspaces;
  void operator()(long long) const {
    workspaces.use([](Counter& mine) { ++mine.count; });
  }
};

/// The sum of a counter. Each thread gives up its own, in a loop with a step for each thread.
struct TakeCounter {
  Counters workspaces;
  void operator()(long long, long long& sum) const {
    workspaces.use([&](Counter& mine) {
      sum += mine.count;
      mine.count = 0;
    });
  }
};

TEUCHOS_UNIT_TEST(HostWorkspaces, EachThreadHasItsOwn) {
  constexpr long long rows = 300000;
  const Counters workspaces(0ll);
  Kokkos::parallel_for(Trident::Impl::Range<Device>(0, rows), CountRow{workspaces});
  long long sum = 0;
  const int threads = Device::execution_space().concurrency();
  Kokkos::parallel_reduce(Trident::Impl::Range<Device>(0, threads), TakeCounter{workspaces}, sum);
  TEST_EQUALITY(sum, rows);
}

struct Refuses {
  explicit Refuses(int) { throw std::length_error("no room here"); }
};

TEUCHOS_UNIT_TEST(HostWorkspaces, AConstructorMayThrow) {
  TEST_THROW((Trident::Impl::HostWorkspaces<Refuses, Device>(1)), std::length_error);
}

}  // namespace
