// SPDX-License-Identifier: BSD-3-Clause
// Products over semirings and within masks, of one rank, by every way that this build has and by
// Kokkos' teams, against three loops over dense arrays.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "Trident_TestDense.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "kernels/Trident_SemiringProduct_def.hpp"
#include "kernels/teams/Trident_MaskedTeamProduct.hpp"

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
using TridentTest::say;

/// Adds by a semiring, spelled out.
template <class Scalar>
Scalar plus(SemiringKind kind, Scalar a, Scalar b) {
  if (kind == SemiringKind::MinPlus) return std::min(a, b);
  if (kind == SemiringKind::MaxMin) return std::max(a, b);
  if (kind == SemiringKind::OrAnd) return a != 0 || b != 0 ? Scalar(1) : Scalar(0);
  return a + b;
}
template <class Scalar>
Scalar times(SemiringKind kind, Scalar a, Scalar b) {
  if (kind == SemiringKind::MinPlus) return a + b;
  if (kind == SemiringKind::MaxMin) return std::min(a, b);
  if (kind == SemiringKind::OrAnd) return a != 0 && b != 0 ? Scalar(1) : Scalar(0);
  if (kind == SemiringKind::PlusSecond) return b;
  return a * b;
}

/// Choices of the entries of a product that are wanted.
enum class Masked { No, Within, Outside };

template <class Scalar>
Dense<Scalar> expectedProduct(SemiringKind kind, const Dense<Scalar>& A, const Dense<Scalar>& B,
                              Masked masked, const Dense<Scalar>& mask) {
  Dense<Scalar> C(A.rows, B.columns);
  for (int r = 0; r < A.rows; ++r)
    for (int m = 0; m < A.columns; ++m)
      for (int c = 0; c < B.columns; ++c) {
        if (!A.stored[A.at(r, m)] || !B.stored[B.at(m, c)]) continue;
        const std::size_t n = C.at(r, c);
        if (masked != Masked::No && (masked == Masked::Within) != (mask.stored[n] != 0)) continue;
        const Scalar product = times(kind, A.values[A.at(r, m)], B.values[B.at(m, c)]);
        C.values[n] = C.stored[n] ? plus(kind, C.values[n], product) : product;
        C.stored[n] = 1;
      }
  return C;
}

template <class Scalar>
using Local = LocalMatrix<Scalar, Device>;

/// Forms the product by Kokkos' teams, which hosts have for tests alone.
template <class Scalar>
Local<Scalar> byTeams(SemiringKind kind, const Local<Scalar>& A, const Local<Scalar>& B,
                      const LocalMask<Device>* mask, std::size_t scratch) {
  return withSemiring<Scalar>(kind, [&](auto semiring) {
    using Semiring = decltype(semiring);
    return mask ? maskedTeamProduct<Semiring>(A, B, *mask)
                : teamProduct<Scalar, Device, Semiring>(A, B, scratch);
  });
}

/// Returns an empty text if a product is the expected one, and its rows are sorted.
template <class Scalar>
std::string problemOf(const Local<Scalar>& C, const Dense<Scalar>& expected) {
  const HostMatrix<Scalar> found = fromDevice<Scalar>(C);
  if (!isSorted(found)) return "rows are not sorted";
  return differences(dense(found), expected);
}

/// Checks all semirings and masks. Returns an empty text if all products are right.
template <class Scalar>
std::string checkAll(const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B,
                     const HostMatrix<Scalar>& mask) {
  const Local<Scalar> a = A.onDevice(), b = B.onDevice(), m = mask.onDevice();
  for (const auto& [kind, name] : NamesOf<SemiringKind>::all)
    for (const Masked masked : {Masked::No, Masked::Within, Masked::Outside}) {
      const auto expected = expectedProduct(kind, dense(A), dense(B), masked, dense(mask));
      const LocalMask<Device> local(m, masked == Masked::Outside);
      const LocalMask<Device>* const given = masked == Masked::No ? nullptr : &local;
      KernelOptions options;
      options.semiring = kind;
      const auto product = semiringProduct<Scalar, Device>(a, b, given, options, {});
      std::string problem = problemOf<Scalar>(product.C, expected);
      if (problem.empty() && product.multiplyAdds != countMultiplyAdds<Scalar, Device>(a, b))
        problem = say(product.multiplyAdds, " multiply-adds");
      for (const std::size_t scratch : {std::numeric_limits<std::size_t>::max(), std::size_t(2600)})
        if (problem.empty() && a.nnz() > 0 && b.nnz() > 0) {
          problem = problemOf<Scalar>(byTeams<Scalar>(kind, a, b, given, scratch), expected);
          if (!problem.empty()) problem = "teams: " + problem;
        }
      if (!problem.empty()) return say(name, ", masked ", static_cast<int>(masked), ": ", problem);
    }
  return "";
}

constexpr double densities[] = {0.0, 0.02, 0.1, 0.5, 1.0};

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Semirings, RandomShapes, Scalar) {
  std::mt19937_64 random(91);
  for (int n = 0; n < 60; ++n) {
    const int rows = static_cast<int>(random() % 40), inner = static_cast<int>(random() % 60),
              columns = 1 + static_cast<int>(random() % 200);
    const auto A = randomMatrix<Scalar>(random, rows, inner, densities[n % 5], n % 2 == 0);
    const auto B = randomMatrix<Scalar>(random, inner, columns, densities[n / 5 % 5], n % 3 == 0);
    const auto mask = randomMatrix<Scalar>(random, rows, columns, densities[random() % 5]);
    const std::string problem = checkAll<Scalar>(A, B, mask);
    if (!problem.empty()) out << "case " << n << "\n";
    TRIDENT_TEST_OK(problem);
  }
}

/// Rows of a few and of many multiply-adds, for all bins of devices and all ways of hosts; hubs.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Semirings, RowsOfAllLengths, Scalar) {
  std::mt19937_64 random(92);
  const int inner = 600, columns = 900;
  HostMatrix<Scalar> A(0, inner);
  for (const double density : {0.002, 0.01, 0.1, 0.9})
    for (const auto& row : randomMatrix<Scalar>(random, 4, inner, density).rows)
      A.rows.push_back(row);
  const auto B = randomMatrix<Scalar>(random, inner, columns, 0.03);
  for (const double density : {0.01, 0.4})
    TRIDENT_TEST_OK(
        checkAll<Scalar>(A, B, randomMatrix<Scalar>(random, A.numRows(), columns, density)));
}

/// The sum of two matrices, as batches of rounds are summed.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Semirings, Sums, Scalar) {
  std::mt19937_64 random(93);
  for (int n = 0; n < 40; ++n) {
    const int rows = static_cast<int>(random() % 30), columns = 1 + static_cast<int>(random() % 90);
    const auto A = randomMatrix<Scalar>(random, rows, columns, densities[n % 5]);
    const auto B = randomMatrix<Scalar>(random, rows, columns, densities[n / 5 % 5]);
    for (const auto& [kind, name] : NamesOf<SemiringKind>::all) {
      const Dense<Scalar> a = dense(A), b = dense(B);
      Dense<Scalar> expected(rows, columns);
      for (std::size_t e = 0; e < a.values.size(); ++e) {
        expected.stored[e] = a.stored[e] || b.stored[e];
        expected.values[e] = !a.stored[e]   ? b.values[e]
                             : !b.stored[e] ? a.values[e]
                                            : plus(kind, a.values[e], b.values[e]);
      }
      KernelOptions options;
      options.semiring = kind;
      TRIDENT_TEST_OK(problemOf<Scalar>(
          semiringSum<Scalar, Device>(A.onDevice(), B.onDevice(), options), expected));
    }
  }
}

/// Ways that do not exist stay so, whatever is added to their length.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Semirings, NoWay, Scalar) {
  const Scalar none = MinPlus<Scalar>::zero();
  HostMatrix<Scalar> A(2, 2), B(2, 1);
  A.rows = {{{0, none}, {1, Scalar(5)}}, {{0, none}}};
  B.rows = {{{0, Scalar(3)}}, {{0, Scalar(4)}}};
  KernelOptions options;
  options.semiring = SemiringKind::MinPlus;
  const auto C = fromDevice<Scalar>(
      semiringProduct<Scalar, Device>(A.onDevice(), B.onDevice(), nullptr, options, {}).C);
  TEST_EQUALITY_CONST(C.rows[0].at(0).second, Scalar(9));
  TEST_EQUALITY_CONST(C.rows[1].at(0).second, none);
}

/// No semiring's zero changes a product that is added to it.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Semirings, ZerosAreNeutral, Scalar) {
  for (const auto& named : NamesOf<SemiringKind>::all)
    withSemiring<Scalar>(named.value, [&](auto semiring) {
      using Semiring = decltype(semiring);
      using Limits = std::numeric_limits<Scalar>;
      for (const Scalar x : {Limits::lowest(), Limits::max(), Scalar(0), Scalar(1), Scalar(-3)}) {
        const Scalar product = Semiring::times(Scalar(1), x);
        TEST_EQUALITY(Semiring::plus(Semiring::zero(), product), product);
      }
      return 0;
    });
}

// Infinities, NaNs and zeros with a sign. What a place of C has is said by all its products at
// once, in whatever order these come.

constexpr bool isMinimum(SemiringKind kind) {
  return kind == SemiringKind::MinPlus || kind == SemiringKind::MaxMin;
}

/// Returns true if these are the same to the bit; all NaNs count as one.
template <class Scalar>
bool alike(Scalar a, Scalar b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// Returns the least of the numbers, or the largest, -0 before 0; a NaN if one is among them.
template <class Scalar>
Scalar extremeOf(std::vector<Scalar> numbers, bool largest) {
  for (const Scalar x : numbers)
    if (std::isnan(x)) return x;
  std::sort(numbers.begin(), numbers.end(), [](Scalar a, Scalar b) {
    return a != b ? a < b : std::signbit(a) && !std::signbit(b);
  });
  return largest ? numbers.back() : numbers.front();
}

template <class Scalar>
Scalar edgeTimes(SemiringKind kind, Scalar a, Scalar b) {
  const Scalar infinity = std::numeric_limits<Scalar>::infinity();
  if (isMinimum(kind) && (std::isnan(a) || std::isnan(b))) return std::nan("");
  if (kind == SemiringKind::MinPlus) return a == infinity || b == infinity ? infinity : a + b;
  if (kind == SemiringKind::MaxMin) return extremeOf<Scalar>({a, b}, false);
  return times(kind, a, b);
}

template <class Scalar>
Scalar edgeSum(SemiringKind kind, const std::vector<Scalar>& products) {
  if (isMinimum(kind)) return extremeOf(products, kind == SemiringKind::MaxMin);
  Scalar sum = 0;  // so none is -0
  for (const Scalar x : products) sum = plus(kind, sum, x);
  return sum;
}

/// Draws entries of random columns, half of them of numbers at the edge.
template <class Scalar>
HostMatrix<Scalar> edgyMatrix(std::mt19937_64& random, int rows, int columns, double density) {
  using Limits = std::numeric_limits<Scalar>;
  const std::array<Scalar, 6> edges{Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                                    Scalar(0),          -Scalar(0),          -Limits::infinity()};
  auto matrix = randomMatrix<Scalar>(random, rows, columns, density);
  // A NaN in few places, as it sticks.
  for (auto& row : matrix.rows)
    for (auto& entry : row)
      if (random() % 2 == 0) {
        const std::size_t edge = random() % edges.size();
        if (edge != 2 || random() % 4 == 0) entry.second = edges[edge];
      }
  return matrix;
}

/// Returns an empty text if C has the entries of A·B that the mask lets through.
template <class Scalar>
std::string problemAtEdges(SemiringKind kind, const HostMatrix<Scalar>& A,
                           const HostMatrix<Scalar>& B, const Local<Scalar>& product, Masked masked,
                           const Dense<Scalar>& mask) {
  const HostMatrix<Scalar> C = fromDevice<Scalar>(product);
  for (int r = 0; r < A.numRows(); ++r) {
    std::vector<std::vector<Scalar>> products(B.columns);
    for (const auto& [m, a] : A.rows[r])
      for (const auto& [c, b] : B.rows[m])
        if (masked == Masked::No || (masked == Masked::Within) == (mask.stored[mask.at(r, c)] != 0))
          products[c].push_back(edgeTimes(kind, a, b));
    std::size_t entries = 0;
    for (const auto& [c, value] : C.rows[r]) {
      if (products[c].empty()) return say("(", r, ", ", c, ") is stored");
      const Scalar expected = edgeSum(kind, products[c]);
      if (!alike(value, expected))
        return say("(", r, ", ", c, ") is ", value, ", expected ", expected);
      ++entries;
    }
    for (const auto& list : products) entries -= list.empty() ? 0 : 1;
    if (entries != 0) return say("row ", r, " has other entries");
  }
  return "";
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Semirings, NumbersAtTheEdge, Scalar) {
  std::mt19937_64 random(95);
  for (int n = 0; n < 60; ++n) {
    const int rows = 12, inner = 1 + static_cast<int>(random() % 80), columns = 150;
    const auto A = edgyMatrix<Scalar>(random, rows, inner, densities[1 + n % 4]);
    const auto B = edgyMatrix<Scalar>(random, inner, columns, densities[1 + n / 4 % 4]);
    const auto mask = randomMatrix<Scalar>(random, rows, columns, 0.5);
    const Local<Scalar> a = A.onDevice(), b = B.onDevice(), m = mask.onDevice();
    if (a.nnz() == 0 || b.nnz() == 0) continue;
    for (const auto& [kind, name] : NamesOf<SemiringKind>::all)
      for (const Masked masked : {Masked::No, Masked::Within, Masked::Outside}) {
        const LocalMask<Device> local(m, masked == Masked::Outside);
        const LocalMask<Device>* const given = masked == Masked::No ? nullptr : &local;
        KernelOptions options;
        options.semiring = kind;
        std::vector<Local<Scalar>> products{
            semiringProduct<Scalar, Device>(a, b, given, options, {}).C};
        for (const std::size_t scratch :
             {std::numeric_limits<std::size_t>::max(), std::size_t(2600)})
          products.push_back(byTeams<Scalar>(kind, a, b, given, scratch));
        for (std::size_t p = 0; p < products.size(); ++p) {
          const std::string problem = problemAtEdges(kind, A, B, products[p], masked, dense(mask));
          if (!problem.empty()) out << name << ", way " << p << ", case " << n << "\n";
          TRIDENT_TEST_OK(problem);
        }
      }
  }
}

/// The sum of batches of rounds, too, has one result whichever comes first.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(Semirings, SumsAtTheEdge, Scalar) {
  std::mt19937_64 random(96);
  for (int n = 0; n < 10; ++n) {
    const auto A = edgyMatrix<Scalar>(random, 20, 90, 0.5);
    const auto B = edgyMatrix<Scalar>(random, 20, 90, 0.5);
    for (const SemiringKind kind : {SemiringKind::MinPlus, SemiringKind::MaxMin}) {
      KernelOptions options;
      options.semiring = kind;
      for (const bool turned : {false, true}) {
        const auto& first = turned ? B : A;
        const auto& second = turned ? A : B;
        const auto C = fromDevice<Scalar>(
            semiringSum<Scalar, Device>(first.onDevice(), second.onDevice(), options));
        int wrong = 0;
        for (int r = 0; r < A.numRows(); ++r)
          for (const auto& [column, value] : C.rows[r]) {
            std::vector<Scalar> terms;
            for (const auto* matrix : {&A, &B})
              for (const auto& entry : matrix->rows[r])
                if (entry.first == column) terms.push_back(entry.second);
            wrong += !alike(value, extremeOf(terms, kind == SemiringKind::MaxMin));
          }
        TEST_EQUALITY_CONST(wrong, 0);
      }
    }
  }
}

/// A turn for others between chunks of rows does not change a masked product.
TEUCHOS_UNIT_TEST(Semirings, MaskedInChunks) {
  std::mt19937_64 random(94);
  const auto A = randomMatrix<double>(random, 200, 150, 0.3);
  const auto B = randomMatrix<double>(random, 150, 170, 0.3);
  const auto mask = randomMatrix<double>(random, 200, 170, 0.2);
  const auto m = mask.onDevice();
  for (const bool complement : {false, true}) {
    const LocalMask<Device> local(m, complement);
    int turns = 0;
    const auto C = semiringProduct<double, Device>(A.onDevice(), B.onDevice(), &local, {},
                                                   {1000, [&] { ++turns; }});
    TRIDENT_TEST_OK(problemOf<double>(
        C.C, expectedProduct(SemiringKind::PlusTimes, dense(A), dense(B),
                             complement ? Masked::Outside : Masked::Within, dense(mask))));
    if (isHost<Device>) TEST_COMPARE(turns, >, 1);
  }
}

/// A kind without a semiring is an error, not a product over plus-times. The static_assert below
/// withSemiring() finds those that have a name.
TEUCHOS_UNIT_TEST(Semirings, UnknownKind) {
  const auto sizeOf = [](auto semiring) { return sizeof(semiring); };
  const auto unknown = static_cast<SemiringKind>(-1);
  TEST_THROW(withSemiring<double>(unknown, sizeOf), Error);
  TEST_THROW(withSemiring<Kokkos::complex<double>>(SemiringKind::MinPlus, sizeOf), Error);
  TEST_NOTHROW(withSemiring<Kokkos::complex<double>>(SemiringKind::PlusTimes, sizeOf));
}

/// Scalars and kernels that have only the ordinary product say so, with a remedy.
TEUCHOS_UNIT_TEST(Semirings, Refusals) {
  KernelOptions options;
  TEST_ASSERT(whyNoSemiring<Kokkos::complex<double>>(options, true).empty());
  options.semiring = SemiringKind::MinPlus;
  TEST_ASSERT(whyNoSemiring<double>(options, true).empty());
  const std::string complex = whyNoSemiring<Kokkos::complex<double>>(options, false);
  TEST_ASSERT(complex.find("use \"plus-times\"") != std::string::npos);
  options.kernel = KernelKind::KokkosKernels;
  TEST_ASSERT(whyNoSemiring<double>(options, false).find("use \"auto\"") != std::string::npos);
  options.semiring = SemiringKind::PlusTimes;
  TEST_ASSERT(whyNoSemiring<double>(options, false).empty());
  TEST_ASSERT(!whyNoSemiring<double>(options, true).empty());
}

#define TRIDENT_SEMIRINGS_INSTANT(SCALAR)                                   \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Semirings, RandomShapes, SCALAR)     \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Semirings, RowsOfAllLengths, SCALAR) \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Semirings, Sums, SCALAR)             \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Semirings, NoWay, SCALAR)            \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Semirings, ZerosAreNeutral, SCALAR)

#define TRIDENT_SEMIRINGS_EDGES_INSTANT(SCALAR)                             \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Semirings, NumbersAtTheEdge, SCALAR) \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(Semirings, SumsAtTheEdge, SCALAR)

TRIDENT_SEMIRINGS_INSTANT(int)
TRIDENT_SEMIRINGS_INSTANT(double)
TRIDENT_SEMIRINGS_EDGES_INSTANT(float)
TRIDENT_SEMIRINGS_EDGES_INSTANT(double)

}  // namespace

}  // namespace Trident::Impl
