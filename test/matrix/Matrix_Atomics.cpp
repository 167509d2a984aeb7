// SPDX-License-Identifier: BSD-3-Clause
// Atomic changes of few numbers by many threads, against a loop on the host.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <limits>
#include <vector>

#include "Trident_TestDense.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;

constexpr int threads = 10007;  // the last warp is not full

/// Meetings of threads: all at one number; warps at one each; each thread at another than its
/// neighbour.
enum class Meet { AtOne, ByWarps, Apart };
struct TargetOf {
  Meet meet;
  KOKKOS_INLINE_FUNCTION int operator()(long long t) const {
    return meet == Meet::AtOne ? 0 : static_cast<int>(meet == Meet::ByWarps ? t / 32 % 7 : t % 7);
  }
};

/// Returns values of both signs, some of which need more than 32 bits, as far as T has them.
template <class T>
KOKKOS_INLINE_FUNCTION T valueOf(long long t) {
  const long long mixed = (t * 2654435761ll) % 1000003 - 500000;
  return static_cast<T>(sizeof(T) == 8 ? mixed * 100003 : mixed);
}

template <class T>
std::vector<T> onHost(const Kokkos::View<T*, Device>& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<T>(host.data(), host.data() + host.extent(0));
}

template <class T>
struct Numbers {
  Kokkos::View<T*, Device> sums, fetched, bits, least;

  explicit Numbers(T most)
      : sums("sums", 7), fetched("fetched", 7), bits("bits", 7), least("least", 7) {
    Kokkos::deep_copy(least, most);
  }
};

template <class T>
void changeAll(const Numbers<T>& numbers, Meet meet) {
  const TargetOf target{meet};
  const auto sums = numbers.sums, fetched = numbers.fetched, bits = numbers.bits,
             least = numbers.least;
  Kokkos::parallel_for(
      "changeAll", Range<Device>(0, threads), TRIDENT_LAMBDA(long long t) {
        const T value = valueOf<T>(t);
        if (t % 3 != 1) addShared(&sums(target(t)), value);  // some lanes of a warp stay out
        addShared(&sums(target(t)), value);
        fetchAdd(&fetched(target(t)), value);
        fetchOr(&bits(target(t)), value);
        minShared(&least(target(t)), value);
      });
}

template <class T>
std::string wrongOf(Meet meet) {
  const Numbers<T> numbers(std::numeric_limits<T>::max());
  changeAll(numbers, meet);
  std::vector<T> sums(7), fetched(7), bits(7), least(7, std::numeric_limits<T>::max());
  for (long long t = 0; t < threads; ++t) {
    const int at = TargetOf{meet}(t);
    const T value = valueOf<T>(t);
    sums[at] += static_cast<T>(value * (t % 3 != 1 ? 2 : 1));
    fetched[at] += value;
    bits[at] |= value;
    least[at] = std::min(least[at], value);
  }
  std::string wrong;
  if (onHost(numbers.sums) != sums) wrong += " addShared";
  if (onHost(numbers.fetched) != fetched) wrong += " fetchAdd";
  if (onHost(numbers.bits) != bits) wrong += " fetchOr";
  if (onHost(numbers.least) != least) wrong += " minShared";
  return wrong;
}

TEUCHOS_UNIT_TEST(Atomics, Integers) {
  for (const Meet meet : {Meet::AtOne, Meet::ByWarps, Meet::Apart}) {
    TEST_EQUALITY(wrongOf<long long>(meet), "");
    TEST_EQUALITY(wrongOf<unsigned long long>(meet), "");
    TEST_EQUALITY(wrongOf<long>(meet), "");
    TEST_EQUALITY(wrongOf<unsigned long>(meet), "");
    TEST_EQUALITY(wrongOf<unsigned>(meet), "");
  }
}

TEUCHOS_UNIT_TEST(Atomics, EachFetchesAnother) {
  const Kokkos::View<long long*, Device> next("next", 1), seen("seen", threads);
  Kokkos::parallel_for(
      "fetch", Range<Device>(0, threads),
      TRIDENT_LAMBDA(long long) { fetchAdd(&seen(fetchAdd(&next(0), 1ll)), 1ll); });
  TEST_ASSERT(onHost(seen) == std::vector<long long>(threads, 1));
}

TEUCHOS_UNIT_TEST(Atomics, FloatingPoint) {
  const Kokkos::View<double*, Device> sum("sum", 1), most("most", 1);
  const Kokkos::View<Kokkos::complex<double>*, Device> both("both", 1);
  Kokkos::parallel_for(
      "floating", Range<Device>(0, threads), TRIDENT_LAMBDA(long long t) {
        addShared(&sum(0), 0.5 * t);
        addShared(&both(0), Kokkos::complex<double>(1, -2));
        maxShared(&most(0), t == 4711 ? 1e300 : 1e-300 * t);
      });
  TEST_EQUALITY(onHost(sum)[0], 0.25 * threads * (threads - 1));
  TEST_EQUALITY(onHost(most)[0], 1e300);
  TEST_EQUALITY(onHost(both)[0].real(), threads);
  TEST_EQUALITY(onHost(both)[0].imag(), -2.0 * threads);
}

}  // namespace

}  // namespace Trident::Impl
