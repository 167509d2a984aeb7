// SPDX-License-Identifier: BSD-3-Clause
// The product by Kokkos' teams, called directly: hosts have a better one. Its entries, their order
// and their bits against a loop over A's entries, and against KokkosKernels.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "Trident_TestSums.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "kernels/teams/Trident_TeamProduct.hpp"
#include "matrix/Trident_SortRows.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::fromDevice;
using TestTools::HostMatrix;
using TestTools::randomMatrix;
using TridentTest::say;

/// Bytes of scratch memory: what the device has, and so few that short rows take windows, too.
const std::size_t scratches[] = {std::numeric_limits<std::size_t>::max(), 6000, 2600};

/// Draws a number whose products and sums are rounded.
template <class Scalar>
Scalar anyNumber(std::mt19937_64& random) {
  const double x = static_cast<double>(random() >> 11) / (1ull << 53) - 0.5;
  if constexpr (std::is_integral<Scalar>::value)
    return static_cast<Scalar>(x * 100);
  else
    return static_cast<Scalar>(x);
}
template <>
Kokkos::complex<double> anyNumber(std::mt19937_64& random) {
  const double real = anyNumber<double>(random);
  return {real, anyNumber<double>(random)};
}
template <>
Kokkos::complex<float> anyNumber(std::mt19937_64& random) {
  const float real = anyNumber<float>(random);
  return {real, anyNumber<float>(random)};
}

template <class Scalar>
void fill(std::mt19937_64& random, HostMatrix<Scalar>& matrix) {
  for (auto& row : matrix.rows)
    for (auto& entry : row) entry.second = anyNumber<Scalar>(random);
}

/// Draws `length` distinct columns, in no order unless they are all there are or `sorted`.
template <class Scalar>
std::vector<std::pair<int, Scalar>> anyRow(std::mt19937_64& random, int columns, int length,
                                           bool sorted) {
  std::map<int, Scalar> row;
  while (static_cast<int>(row.size()) < length)
    row[static_cast<int>(length * 2 < columns ? random() % columns : row.size())] =
        anyNumber<Scalar>(random);
  std::vector<std::pair<int, Scalar>> entries(row.begin(), row.end());
  if (!sorted)
    for (std::size_t e = entries.size(); e > 1; --e)
      std::swap(entries[e - 1], entries[random() % e]);
  return entries;
}

/// @param some how many of the scratches are tried
template <class Scalar>
std::string wrongProduct(const HostMatrix<Scalar>& A, const HostMatrix<Scalar>& B, int some = 3) {
  const auto expected = productInOrder(A, B);
  for (int n = 0; n < some; ++n) {
    const std::size_t scratch = scratches[n];
    const auto C = teamProduct<Scalar, Device>(A.onDevice(), B.onDevice(), scratch);
    const std::string text = differencesInBits(C, expected);
    if (!text.empty()) return say("scratch ", scratch, ": ", text);
  }
  return "";
}

constexpr double densities[] = {0.0, 0.02, 0.1, 0.5, 1.0};

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(TeamProduct, RandomShapes, Scalar) {
  const unsigned seed = 81;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  for (int n = 0; n < 100; ++n) {
    const int rows = static_cast<int>(random() % 40), inner = static_cast<int>(random() % 60),
              columns = 1 + static_cast<int>(random() % 300);
    auto A = randomMatrix<Scalar>(random, rows, inner, densities[n % 5], n % 2 == 0);
    auto B = randomMatrix<Scalar>(random, inner, columns, densities[n / 5 % 5], n % 3 == 0);
    fill(random, A);
    fill(random, B);
    const std::string text = wrongProduct(A, B);
    if (!text.empty()) out << "case " << n << ": " << text << "\n";
    TEST_ASSERT(text.empty());
  }
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(TeamProduct, EmptyAndTiny, Scalar) {
  for (const auto& shape :
       std::vector<std::vector<int>>{{0, 0, 0}, {3, 0, 2}, {0, 4, 5}, {3, 4, 0}})
    TRIDENT_TEST_OK(wrongProduct(HostMatrix<Scalar>(shape[0], shape[1]),
                                 HostMatrix<Scalar>(shape[1], shape[2])));
  HostMatrix<Scalar> one(1, 1), A(3, 4), B(4, 5);
  TRIDENT_TEST_OK(wrongProduct(one, one));
  one.rows[0] = {{0, Scalar(0)}};  // a stored zero keeps its place
  TRIDENT_TEST_OK(wrongProduct(one, one));
  one.rows[0] = {{0, Scalar(3)}};
  TRIDENT_TEST_OK(wrongProduct(one, one));
  A.rows[1] = {{2, Scalar(1)}};
  TRIDENT_TEST_OK(wrongProduct(A, B));
  B.rows[3] = {{4, Scalar(1)}};  // no entry of A meets it
  TRIDENT_TEST_OK(wrongProduct(A, B));
}

/// Rows of A of every number of multiply-adds that some bin takes, and around its limits, all in
/// one product, and each alone; C's rows are as long, or short for many products.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(TeamProduct, RowsOfAllLengths, Scalar) {
  std::mt19937_64 random(82);
  const int inner = 3000;
  for (const int columns : {40, 2000, 60000})
    for (const bool sorted : {true, false}) {
      HostMatrix<Scalar> B(inner, columns), A(0, inner);
      for (int r = 0; r < inner; ++r)
        if (r % 7) B.rows[r] = anyRow<Scalar>(random, columns, 1 + r % 12, sorted);
      for (const int length :
           {0, 1, 2, 7, 8, 9, 15, 16, 33, 64, 120, 128, 250, 300, 512, 600, 1100, 3000})
        A.rows.push_back(anyRow<Scalar>(random, inner, length, sorted));
      TRIDENT_TEST_OK(wrongProduct(A, B));
      for (const int r : {1, 4, 10, 13, 17}) {
        HostMatrix<Scalar> alone(0, inner);
        alone.rows.assign(3, A.rows[r]);
        TRIDENT_TEST_OK(wrongProduct(alone, B));
      }
    }
}

/// Rows of 1 to 10^6 multiply-adds: hubs of A, whose rows of B are short; hubs of B, whose rows are
/// long; and both.
TEUCHOS_UNIT_TEST(TeamProduct, Hubs) {
  std::mt19937_64 random(83);
  const int size = 120000;
  HostMatrix<double> A(0, size), B(size, size);
  for (int r = 0; r < size; ++r)
    if (r % 5) B.rows[r] = anyRow<double>(random, size, r % 3 == 0 ? 1 : 3, r % 2 == 0);
  B.rows[1] = anyRow<double>(random, size, 100000, true);
  B.rows[2] = anyRow<double>(random, size, 50000, false);
  for (const int length : {1, 10, 1000, 30000})
    A.rows.push_back(anyRow<double>(random, size, length, true));
  A.rows.push_back({{1, 2.0}});
  A.rows.push_back({});
  A.rows.push_back({{2, 2.0}, {1, 3.0}, {4, 0.3}});
  A.rows.push_back(anyRow<double>(random, size, size, true));  // dense
  for (int n = 0; n < 8; ++n) A.rows.back().emplace_back(1 + n % 2, anyNumber<double>(random));
  TRIDENT_TEST_OK(wrongProduct(A, B, 1));  // each window reads all of rows that are not sorted
  for (auto& row : B.rows) std::sort(row.begin(), row.end());
  TRIDENT_TEST_OK(wrongProduct(A, B, 2));
}

/// A million multiply-adds that meet in few columns.
TEUCHOS_UNIT_TEST(TeamProduct, ManyProductsFewEntries) {
  std::mt19937_64 random(84);
  const int inner = 50000, columns = 9000;
  HostMatrix<double> A(2, inner), B(inner, columns);
  for (int r = 0; r < inner; ++r)
    for (int c = 0; c < 20; ++c)
      B.rows[r].emplace_back((r % 7 * 11 + c * 3) * 50 % columns, anyNumber<double>(random));
  for (int r = 0; r < inner; ++r) {
    std::map<int, double> distinct(B.rows[r].begin(), B.rows[r].end());
    B.rows[r].assign(distinct.begin(), distinct.end());
  }
  A.rows[1] = anyRow<double>(random, inner, inner, true);
  TRIDENT_TEST_OK(wrongProduct(A, B));
}

/// The last columns that an int can number: in tables, and in the last windows of the last chunk.
TEUCHOS_UNIT_TEST(TeamProduct, LastColumns) {
  const int last = std::numeric_limits<int>::max() - 1, columns = last + 1;
  HostMatrix<double> A(0, 400), B(400, columns);
  for (int r = 0; r < 400; ++r)
    for (int n = 7; n >= 0; --n) B.rows[r].emplace_back(last - n * (1 + r), 0.1 * r + n);
  B.rows[0].insert(B.rows[0].begin(), {0, 1.5});
  for (const int length : {3, 400}) {
    A.rows.emplace_back();
    for (int a = 0; a < length; ++a) A.rows.back().emplace_back(a, 1.0 + 0.3 * a);
  }
  TRIDENT_TEST_OK(wrongProduct(A, B, 1));
}

/// Entry (r, c) of A·B is 1 + (length - 1)·2^-25 where B's rows all have column c: no sum of floats
/// that begins with 1 gets beyond it. Lengths are such that it is a float.
struct TinyTerms {
  HostMatrix<Single> A, B;
  std::vector<int> lengths{1, 5, 9, 33, 129, 513, 2049};

  /// @param width of B's rows; @param step from one of their columns to the next
  TinyTerms(int width, int step) : A(7, 2049), B(2049, width * step) {
    for (int r = 0; r < A.numRows(); ++r)
      for (int a = 0; a < lengths[r]; ++a)
        A.rows[r].emplace_back(a, Single(a == 0 ? 1.0 : std::ldexp(1.0, -25)));
    for (auto& row : B.rows)
      for (int c = 0; c < width; ++c) row.emplace_back(c * step, Single(1.0));
  }
  /// Counts the entries of a product that differ, and those that are missing.
  long long wrongIn(const LocalMatrix<Single, Device>& product) const {
    const auto C = fromDevice<Single>(product);
    long long wrong = static_cast<long long>(A.numRows() * B.rows[0].size()) - C.entries();
    for (int r = 0; r < C.numRows(); ++r)
      for (std::size_t e = 0; e < C.rows[r].size(); ++e)
        wrong += C.rows[r][e].first != B.rows[0][e].first ||
                 C.rows[r][e].second != 1 + std::ldexp(lengths[r] - 1.0, -25);
    return wrong;
  }
};

/// Every kernel sums such products in double: short rows, tables, blocks of columns, windows.
TEUCHOS_UNIT_TEST(SinglePrecision, IsSummedInDouble) {
  const std::pair<int, int> shapes[] = {{1, 1}, {3, 5}, {300, 1}, {300, 11}, {9000, 2}};
  for (const auto& shape : shapes) {
    const TinyTerms terms(shape.first, shape.second);
    const auto A = terms.A.onDevice(), B = terms.B.onDevice();
    KernelOptions options;
    for (const bool reproducible : {false, true}) {
      options.reproducible = reproducible;
      TEST_EQUALITY_CONST(terms.wrongIn(multiplyLocal(A, B, options).C), 0);
    }
    TEST_EQUALITY_CONST(terms.wrongIn(teamProduct(A, B)), 0);
    options.kernel = KernelKind::KokkosKernels;
    TEST_THROW(multiplyLocal(A, B, options), Error);
  }
}

/// The product's rows are those of KokkosKernels, and its values nearly so.
TEUCHOS_UNIT_TEST(TeamProduct, AgreesWithKokkosKernels) {
  std::mt19937_64 random(85);
  HostMatrix<double> A(700, 500), B(500, 900);
  for (int r = 0; r < 700; ++r) A.rows[r] = anyRow<double>(random, 500, r % 60, true);
  for (int r = 0; r < 500; ++r) B.rows[r] = anyRow<double>(random, 900, r % 40, true);
  const auto a = A.onDevice(), b = B.onDevice();
  const auto other = kokkosKernelsProduct<double, Device>(a, b);
  sortRows<double, Device>(other);
  const auto expected = fromDevice<double>(other);
  const auto found = fromDevice<double>(teamProduct<double, Device>(a, b));
  TEST_EQUALITY(found.entries(), expected.entries());
  TEST_ASSERT(isSorted(found));
  int wrong = 0;
  for (int r = 0; r < 700 && found.entries() == expected.entries(); ++r)
    for (std::size_t e = 0; e < found.rows[r].size() && e < expected.rows[r].size(); ++e)
      wrong += found.rows[r][e].first != expected.rows[r][e].first ||
               std::abs(found.rows[r][e].second - expected.rows[r][e].second) > 1e-13;
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(TeamProduct, SameBitsOnEveryRun) {
  std::mt19937_64 random(86);
  HostMatrix<double> A(200, 3000), B(3000, 5000);
  for (int r = 0; r < 200; ++r) A.rows[r] = anyRow<double>(random, 3000, r * 10, false);
  for (int r = 0; r < 3000; ++r) B.rows[r] = anyRow<double>(random, 5000, r % 30, true);
  const auto a = A.onDevice(), b = B.onDevice();
  const auto first = fromDevice<double>(teamProduct<double, Device>(a, b));
  for (int run = 0; run < 9; ++run)
    TRIDENT_TEST_OK(differencesInBits(teamProduct<double, Device>(a, b), first));
}

#define TRIDENT_TEAMPRODUCT_INSTANT(SCALAR)                               \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(TeamProduct, RandomShapes, SCALAR) \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(TeamProduct, EmptyAndTiny, SCALAR) \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(TeamProduct, RowsOfAllLengths, SCALAR)

using ComplexDouble = Kokkos::complex<double>;
using ComplexFloat = Kokkos::complex<float>;
using LongLong = long long;
TRIDENT_TEAMPRODUCT_INSTANT(int)
TRIDENT_TEAMPRODUCT_INSTANT(LongLong)
TRIDENT_TEAMPRODUCT_INSTANT(short)  // CUDA's kernels do not know it
TRIDENT_TEAMPRODUCT_INSTANT(float)
TRIDENT_TEAMPRODUCT_INSTANT(double)
TRIDENT_TEAMPRODUCT_INSTANT(ComplexFloat)
TRIDENT_TEAMPRODUCT_INSTANT(ComplexDouble)

}  // namespace

}  // namespace Trident::Impl
