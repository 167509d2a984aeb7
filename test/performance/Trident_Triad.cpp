// SPDX-License-Identifier: BSD-3-Clause
// The rate at which this process moves bytes to and from memory: a(i) = b(i) + s·c(i) over arrays
// that no cache holds, by all threads of Kokkos' host. For `measure threads`.
//
//   Trident_Triad.exe [--count=N] [--repeat=N] --json=FILE
//
// "bytes_per_second" counts 24 bytes a step, as STREAM does, in the fastest of the runs. The
// processor may move 32: it reads a line of `a` before it writes it, unless it is told not to.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Array = Kokkos::View<double*, Space>;
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<long long>>;

struct Start {
  Array a, b, c;
  void operator()(long long i) const {
    a(i) = 0;
    b(i) = 1;
    c(i) = 2;
  }
};

struct Triad {
  Array a, b, c;
  double factor;
  void operator()(long long i) const { a(i) = b(i) + factor * c(i); }
};

/// Makes an array that nobody touched: pages are those of the threads that touch them first, which
/// use them then.
Array untouched(const std::string& name, long long count) {
  return Array(Kokkos::view_alloc(Kokkos::WithoutInitializing, name), count);
}

double fastestSeconds(long long count, int repeat) {
  const Array a = untouched("a", count), b = untouched("b", count), c = untouched("c", count);
  Kokkos::parallel_for("start", Range(0, count), Start{a, b, c});
  double fastest = 1e300;
  for (int n = 0; n < repeat; ++n) {
    Kokkos::fence();
    const auto start = std::chrono::steady_clock::now();
    Kokkos::parallel_for("triad", Range(0, count), Triad{a, b, c, 0.5 + n});
    Kokkos::fence();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fastest = std::min(fastest, seconds.count());
  }
  return fastest;
}

bool run(int argc, char** argv) {
  long long count = 1ll << 25;
  int repeat = 10;
  std::string json;
  for (int n = 1; n < argc; ++n) {
    if (std::strncmp(argv[n], "--count=", 8) == 0) count = std::atoll(argv[n] + 8);
    if (std::strncmp(argv[n], "--repeat=", 9) == 0) repeat = std::atoi(argv[n] + 9);
    if (std::strncmp(argv[n], "--json=", 7) == 0) json = argv[n] + 7;
  }
  if (json.empty() || count < 1 || repeat < 1) {
    std::fprintf(stderr, "Trident_Triad: usage: [--count=N] [--repeat=N] --json=FILE\n");
    return false;
  }
  const double seconds = fastestSeconds(count, repeat);
  std::FILE* const file = std::fopen(json.c_str(), "w");
  if (!file) {
    std::fprintf(stderr, "Trident_Triad: %s cannot be written\n", json.c_str());
    return false;
  }
  std::fprintf(file,
               "{\"threads\": %d, \"space\": \"%s\", \"count\": %lld, \"seconds\": %.6g, "
               "\"bytes_per_second\": %.6g}\n",
               static_cast<int>(Space().concurrency()), Space::name(), count, seconds,
               24.0 * static_cast<double>(count) / seconds);
  return std::fclose(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::initialize(argc, argv);
  const bool good = run(argc, argv);
  Kokkos::finalize();
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
