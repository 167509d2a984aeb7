// SPDX-License-Identifier: BSD-3-Clause
// The products of a rank's batches, added up: with a structure that is found, and with a known one.

#include <Teuchos_UnitTestHarness.hpp>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_TestDense.hpp"
#include "rounds/Trident_ProductSinks.hpp"

namespace Trident::Impl {
namespace {

using TestTools::dense;
using TestTools::Dense;
using TestTools::Device;
using TestTools::differences;
using TestTools::fromDevice;
using TestTools::HostMatrix;
using TestTools::isSorted;
using TestTools::randomMatrix;

/// The factors of a product in batches.
struct Factors {
  std::vector<HostMatrix<double>> a, tiles;

  Factors(std::mt19937_64& random, int batches) {
    for (int g = 0; g < batches; ++g) {
      a.push_back(randomMatrix<double>(random, 30, 20, 0.2));
      tiles.push_back(randomMatrix<double>(random, 20, 40, 0.1));
    }
  }
  Dense<double> product() const {
    Dense<double> sum(30, 40);
    for (std::size_t g = 0; g < a.size(); ++g) {
      const Dense<double> part = TestTools::product(dense(a[g]), dense(tiles[g]));
      for (std::size_t n = 0; n < sum.values.size(); ++n) {
        sum.values[n] += part.values[n];
        sum.stored[n] |= part.stored[n];
      }
    }
    return sum;
  }
  /// Counts multiply-adds.
  long long multiplyAdds() const {
    long long count = 0;
    for (std::size_t g = 0; g < a.size(); ++g)
      for (const auto& row : a[g].rows)
        for (const auto& entry : row) count += tiles[g].rows[entry.first].size();
    return count;
  }
  template <class Sums>
  void addTo(Sums& sums, const std::function<void()>& turns = {}) const {
    for (std::size_t g = 0; g < a.size(); ++g)
      sums.add(a[g].onDevice(), tiles[g].onDevice(), turns);
  }
};

TEUCHOS_UNIT_TEST(PartialSums, AddProductsAndCountThem) {
  std::mt19937_64 random(71);
  for (int batches : {1, 2, 5}) {
    const Factors factors(random, batches);
    RoundCounters counters;
    PartialSums<double, Device> sums({KernelKind::Auto}, counters);
    factors.addTo(sums);
    const HostMatrix<double> C = fromDevice<double>(sums.sum());
    TRIDENT_TEST_OK(differences(dense(C), factors.product()));
    TEST_ASSERT(batches == 1 || isSorted(C));
    TEST_EQUALITY(counters.multiplyAdds, factors.multiplyAdds());
    TEST_ASSERT(!counters.kernel.empty());
    TEST_EQUALITY_CONST(counters.kernel.find(" and "), std::string::npos);
  }
}

TEUCHOS_UNIT_TEST(PartialSums, TakeTurnsInLongProducts) {
  if (!isHost<Device>) return;
  std::mt19937_64 random(72);
  const auto a = randomMatrix<double>(random, 400, 300, 1.0).onDevice();
  const auto tile = randomMatrix<double>(random, 300, 10, 1.0).onDevice();
  RoundCounters counters;
  PartialSums<double, Device> sums({KernelKind::Host}, counters);
  int turns = 0;
  sums.add(a, tile, [&] { ++turns; });
  out << turns << " turns in " << counters.multiplyAdds << " multiply-adds\n";
  TEST_ASSERT(turns > 1);
  TEST_EQUALITY_CONST(counters.kernel, "host");
}

TEUCHOS_UNIT_TEST(NumericSums, OverwritesValuesAndRefusesStrays) {
  std::mt19937_64 random(73);
  for (int batches : {1, 3}) {
    const Factors factors(random, batches);
    const Dense<double> expected = factors.product();
    HostMatrix<double> C(expected.rows, expected.columns);
    for (int r = 0; r < expected.rows; ++r)
      for (int c = 0; c < expected.columns; ++c)
        if (expected.stored[expected.at(r, c)]) C.rows[r].emplace_back(c, 1e9);
    RoundCounters counters;
    NumericSums<double, Device> sums(C.onDevice(), counters);
    factors.addTo(sums);
    TRIDENT_TEST_OK(differences(dense(fromDevice<double>(sums.sum())), expected));
    TEST_EQUALITY(counters.multiplyAdds, factors.multiplyAdds());

    for (auto& row : C.rows) row.clear();
    if (isHost<Device>) continue;  // a host must not be given strays
    NumericSums<double, Device> none(C.onDevice(), counters);
    factors.addTo(none);
    TEST_THROW(none.sum(), Error);
  }
}

}  // namespace

}  // namespace Trident::Impl
