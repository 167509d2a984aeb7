// SPDX-License-Identifier: BSD-3-Clause
// Entries of rows that rules keep, by one thread and by lanes, against sorting and a loop.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Trident_TestDense.hpp"
#include "Trident_TestFilter.hpp"
#include "matrix/Trident_FilterRows.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::expectedRow;
using TestTools::fromDevice;
using TestTools::HostMatrix;
using TestTools::TestRow;
using TridentTest::say;

/// The way of devices, on every machine.
struct TestTeamLoop {
  template <class Dev, class Work>
  static void run(const std::string& label, long long rows, long long longest, const Work& work) {
    forRowsByTeams<Dev>(label, rows, longest, work);
  }
};

/// Draws a value out of few, so that rows have ties, or any.
template <class Scalar>
Scalar anyValue(std::mt19937_64& random, bool few) {
  const double x = few ? static_cast<int>(random() % 9) - 4.0
                       : (static_cast<double>(random() >> 11) / (1ull << 53) - 0.5) * 1000;
  if constexpr (std::is_integral<Scalar>::value || std::is_floating_point<Scalar>::value) {
    return static_cast<Scalar>(x);
  } else {
    using Real = MagnitudeOf<Scalar>;
    return {static_cast<Real>(x), static_cast<Real>(few ? random() % 3 : random() % 1000)};
  }
}

/// Draws rows of 0 to `longest` entries, columns ascending.
template <class Scalar>
HostMatrix<Scalar> randomRows(std::mt19937_64& random, int rows, int longest) {
  HostMatrix<Scalar> matrix(rows, 3 * longest + 1);
  for (auto& row : matrix.rows) {
    const int length = random() % 6 == 0 ? 0 : static_cast<int>(random() % (longest + 1));
    const bool few = random() % 2;
    for (int e = 0, column = 0; e < length; ++e, ++column) {
      column += static_cast<int>(random() % 3);
      row.emplace_back(column, anyValue<Scalar>(random, few));
    }
  }
  return matrix;
}

template <class Scalar>
std::string difference(const LocalMatrix<Scalar, Device>& found,
                       const std::vector<TestRow<Scalar>>& expected) {
  const HostMatrix<Scalar> rows = fromDevice<Scalar>(found);
  for (std::size_t r = 0; r < expected.size(); ++r)
    if (rows.rows.at(r) != expected[r])
      return say("row ", r, " has ", rows.rows[r].size(), " entries, expected ", expected[r].size(),
                 ", or others");
  return "";
}

template <class Scalar>
std::string checkDrops(std::mt19937_64& random, int longest, int rows = 60) {
  const HostMatrix<Scalar> host = randomRows<Scalar>(random, rows, longest);
  const auto matrix = host.onDevice();
  for (const double tolerance : {0.0, 1.0, 1.5, 2.0, 0.05, 1e9})
    for (const auto relative :
         {DropRelativeTo::Nothing, DropRelativeTo::Largest, DropRelativeTo::Sum})
      for (const long long k : {0, 1, 3, 40, 1000000}) {
        const DropRule<Scalar> rule{static_cast<ToleranceOf<MagnitudeOf<Scalar>>>(tolerance),
                                    relative, k};
        std::vector<TestRow<Scalar>> expected;
        for (const auto& row : host.rows) expected.push_back(expectedRow(rule, row));
        const std::string what =
            say("tolerance ", tolerance, " relative to ", static_cast<int>(relative), ", k ", k);
        std::string problem = difference(filterRows(matrix, rule), expected);
        if (!problem.empty()) return what + ": " + problem;
        problem = difference(filterRows<TestTeamLoop>(matrix, rule), expected);
        if (!problem.empty()) return what + ", by teams: " + problem;
      }
  return "";
}

TEUCHOS_UNIT_TEST(FilterRows, AgainstSorting) {
  const unsigned seed = 5;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (const int longest : {0, 1, 7, 40, 300, 1500}) {
    TRIDENT_TEST_OK(checkDrops<double>(random, longest));
    TRIDENT_TEST_OK(checkDrops<float>(random, longest));
    TRIDENT_TEST_OK(checkDrops<Kokkos::complex<double>>(random, longest));
    TRIDENT_TEST_OK(checkDrops<long long>(random, longest));
    TRIDENT_TEST_OK(checkDrops<int>(random, longest));
  }
  TRIDENT_TEST_OK(checkDrops<double>(random, 2 * leastLongRow, 2));
}

/// A rule that is no DropRule: the mean of the row's magnitudes, a few ties, a divisor.
struct HalvesAboveTheMean {
  template <class Lanes>
  KOKKOS_INLINE_FUNCTION RowCut<double> operator()(const Lanes& lanes, const double* values,
                                                   int length) const {
    const auto facts = FindRowFacts<double>()(lanes, values, length);
    return {length > 0 ? facts.largest : 0, 2, 2.0};
  }
};

TEUCHOS_UNIT_TEST(FilterRows, AnyRuleAndItsDivisor) {
  std::mt19937_64 random(6);
  const HostMatrix<double> host = randomRows<double>(random, 80, 50);
  std::vector<TestRow<double>> expected;
  for (const auto& row : host.rows) {
    double largest = 0;
    for (const auto& entry : row) largest = std::max(largest, std::abs(entry.second));
    expected.emplace_back();
    for (const auto& entry : row)
      if (std::abs(entry.second) == largest && expected.back().size() < 2)
        expected.back().emplace_back(entry.first, entry.second / 2);
  }
  const auto matrix = host.onDevice();
  TRIDENT_TEST_OK(difference(filterRows(matrix, HalvesAboveTheMean()), expected));
  TRIDENT_TEST_OK(difference(filterRows<TestTeamLoop>(matrix, HalvesAboveTheMean()), expected));
}

/// A user's functor.
struct KeepSome {
  KOKKOS_INLINE_FUNCTION bool operator()(long long row, long long column, double value,
                                         const RowFacts<double>& facts) const {
    return row == column || (facts.entries > 3 && value * facts.entries >= facts.sum) ||
           value == facts.largest;
  }
};
struct Shifted {
  long long by;
  KOKKOS_INLINE_FUNCTION long long operator()(long long n) const { return n + by; }
};

TEUCHOS_UNIT_TEST(FilterRows, AUsersFunctor) {
  std::mt19937_64 random(7);
  HostMatrix<double> host = randomRows<double>(random, 80, 30);
  for (auto& row : host.rows)
    for (auto& entry : row) entry.second = std::round(entry.second);  // sums are exact
  std::vector<TestRow<double>> expected;
  for (int r = 0; r < host.numRows(); ++r) {
    RowFacts<double> facts{static_cast<long long>(host.rows[r].size()), 0, 0};
    for (const auto& entry : host.rows[r]) {
      facts.largest = std::max(facts.largest, std::abs(entry.second));
      facts.sum += std::abs(entry.second);
    }
    expected.emplace_back();
    for (const auto& entry : host.rows[r])
      if (KeepSome()(r + 5, entry.first + 9, entry.second, facts)) expected.back().push_back(entry);
  }
  const KeepByEntry<double, KeepSome, Shifted, Shifted> keep{{}, {5}, {9}};
  const VerdictByRule<FindRowFacts<double>> facts{};
  const auto matrix = host.onDevice();
  TRIDENT_TEST_OK(difference(keepEntries(matrix, facts, keep), expected));
  TRIDENT_TEST_OK(difference(keepEntries<TestTeamLoop>(matrix, facts, keep), expected));
}

// Sums whose last bits depend on the order have the same bits by one thread and by lanes.
TEUCHOS_UNIT_TEST(FilterRows, SameSums) {
  std::mt19937_64 random(8);
  for (const auto& matrix : {randomRows<double>(random, 200, 400).onDevice(),
                             randomRows<double>(random, 9, 3 * leastLongRow).onDevice()})
    for (const double tolerance : {1e-5, 1e-4, 1e-3, 2e-3, 5e-3}) {
      const DropRule<double> rule{tolerance, DropRelativeTo::Sum};
      const auto one = filterRows(matrix, rule), lanes = filterRows<TestTeamLoop>(matrix, rule);
      TEST_ASSERT(fromDevice<double>(one).rows == fromDevice<double>(lanes).rows);
    }
}

// Infinities are the largest of all; NaNs stay, whatever else does.
TEUCHOS_UNIT_TEST(FilterRows, NoNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  HostMatrix<double> host(4, 5);
  host.rows[0] = {{0, 1}, {1, -infinity}, {2, nan}, {4, 3}};
  host.rows[1] = {{0, -nan}, {2, nan}, {3, 7}};
  host.rows[2] = {{1, -0.0}, {2, 0.0}, {3, 0.0}};
  const auto matrix = host.onDevice();
  const auto counts = [&](const DropRule<double>& rule) {
    std::vector<std::size_t> lengths;
    for (const auto& found : {filterRows(matrix, rule), filterRows<TestTeamLoop>(matrix, rule)})
      for (const auto& row : fromDevice<double>(found).rows) lengths.push_back(row.size());
    return lengths;
  };
  using Counts = std::vector<std::size_t>;
  TEST_ASSERT((counts({0, DropRelativeTo::Nothing, 1}) == Counts{1, 2, 1, 0, 1, 2, 1, 0}));
  TEST_ASSERT((counts({0, DropRelativeTo::Nothing, 2}) == Counts{2, 2, 2, 0, 2, 2, 2, 0}));
  TEST_ASSERT((counts({10, DropRelativeTo::Nothing, 0}) == Counts{2, 2, 0, 0, 2, 2, 0, 0}));
  TEST_ASSERT((counts({0.5, DropRelativeTo::Sum, 0}) == Counts{4, 3, 3, 0, 4, 3, 3, 0}));
}

/// Counts the entries of each row that a rule keeps, in both ways.
template <class Scalar>
std::vector<std::size_t> keptOf(const HostMatrix<Scalar>& host, const DropRule<Scalar>& rule) {
  const auto matrix = host.onDevice();
  std::vector<std::size_t> lengths;
  for (const auto& found : {filterRows(matrix, rule), filterRows<TestTeamLoop>(matrix, rule)})
    for (const auto& row : fromDevice<Scalar>(found).rows) lengths.push_back(row.size());
  return lengths;
}

// A row of numbers whose sum is none of its type: what counts is the share.
TEUCHOS_UNIT_TEST(FilterRows, SumsThatOverflow) {
  using Counts = std::vector<std::size_t>;
  HostMatrix<double> host(2, 40);
  host.rows[0] = {{0, 1e308}, {1, 1e308}, {2, -1e308}, {3, 1}};
  for (int c = 0; c < 40; ++c) host.rows[1].emplace_back(c, c < 30 ? 1.7e308 : 1.0);
  TEST_ASSERT((keptOf<double>(host, {0.1, DropRelativeTo::Sum}) == Counts{3, 0, 3, 0}));
  TEST_ASSERT((keptOf<double>(host, {0.01, DropRelativeTo::Sum}) == Counts{3, 30, 3, 30}));
  TEST_ASSERT((keptOf<double>(host, {0, DropRelativeTo::Sum}) == Counts{4, 40, 4, 40}));
  HostMatrix<float> floats(1, 4);
  floats.rows[0] = {{0, 3e38f}, {1, 3e38f}, {2, -3e38f}, {3, 1.f}};
  TEST_ASSERT((keptOf<float>(floats, {0.1f, DropRelativeTo::Sum}) == Counts{3, 3}));
  HostMatrix<long long> whole(1, 4);
  const long long large = 9000000000000000000;
  whole.rows[0] = {{0, large}, {1, large}, {2, -large}, {3, 1}};
  TEST_ASSERT((keptOf<long long>(whole, {0.1, DropRelativeTo::Sum}) == Counts{3, 3}));
}

// The least whole number has no magnitude of its type.
TEUCHOS_UNIT_TEST(FilterRows, Magnitudes) {
  TEST_EQUALITY(magnitude(std::numeric_limits<int>::min()), std::numeric_limits<int>::max());
  TEST_EQUALITY(magnitude(std::numeric_limits<long long>::min() + 1),
                std::numeric_limits<long long>::max());
  TEST_EQUALITY_CONST(magnitude(7u), 7u);
  TEST_ASSERT(!std::signbit(magnitude(-0.0)));
}

// A rank without rows may have no offsets at all.
TEUCHOS_UNIT_TEST(FilterRows, NoRows) {
  const auto kept = filterRows(LocalMatrix<double, Device>(), DropRule<double>{1});
  TEST_EQUALITY_CONST(kept.numRows(), 0);
  TEST_EQUALITY_CONST(kept.nnz(), 0u);
}

}  // namespace

}  // namespace Trident::Impl
