// SPDX-License-Identifier: BSD-3-Clause
// The bits of products by Trident's own kernels on CUDA, and of values of a known structure on
// hosts and CUDA: each sum starts from +0 and is in the order of A's entries, whatever the kernel.
// Rows of none to a million multiply-adds, hubs, dense rows; and little workspace.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Trident_TestSums.hpp"
#include "kernels/Trident_NumericProduct.hpp"
#include "kernels/cuda/Trident_CudaProduct.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Device;
using TestTools::HostMatrix;

template <class Scalar>
struct SomeValue {
  static Scalar of(std::mt19937_64& random) {
    const long long number = static_cast<long long>(random() % 2001) - 1000;
    if constexpr (std::is_floating_point<Scalar>::value)
      return static_cast<Scalar>(number) / 7;  // so that sums round
    else
      return static_cast<Scalar>(number);
  }
};
template <class T>
struct SomeValue<Kokkos::complex<T>> {
  static Kokkos::complex<T> of(std::mt19937_64& random) {
    const T real = SomeValue<T>::of(random);
    return {real, SomeValue<T>::of(random)};
  }
};

/// Draws a row of `entries` columns, spread over [0, columns), each with the next run - 1 of them.
template <class Scalar>
std::vector<std::pair<int, Scalar>> someRow(std::mt19937_64& random, int columns, int entries,
                                            int run) {
  std::vector<bool> has(columns, entries >= columns);  // all: drawn, most would come many times
  std::vector<std::pair<int, Scalar>> row;
  for (int c = 0; c < columns && has[c]; ++c) row.emplace_back(c, SomeValue<Scalar>::of(random));
  while (static_cast<int>(row.size()) < std::min(entries, columns)) {
    const int begin = static_cast<int>(random() % columns);
    for (int c = begin; c < std::min(begin + run, columns); ++c) {
      if (!has[c]) row.emplace_back(c, SomeValue<Scalar>::of(random));
      has[c] = true;
    }
  }
  std::sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  return row;
}

/// Draws rows of B of about `mean` entries, some of them long, and one that is dense.
template <class Scalar>
HostMatrix<Scalar> someB(std::mt19937_64& random, int rows, int columns, int mean, int run) {
  HostMatrix<Scalar> B(rows, columns);
  for (int r = 0; r < rows; ++r) {
    const int entries = r == 7           ? columns
                        : r % 200 == 199 ? 3000
                                         : static_cast<int>(random() % (2 * mean));
    B.rows[r] = someRow<Scalar>(random, columns, entries, run);
  }
  return B;
}

/// Draws rows of A of none to all entries, and some that meet the dense row of B.
template <class Scalar>
HostMatrix<Scalar> someA(std::mt19937_64& random, int inner) {
  HostMatrix<Scalar> A(0, inner);
  for (const int entries : {0, 1, 2, 3, 5, 9, 16, 24, 36, 60, 90, 140, 300, 520, 1100, 2100, inner})
    for (int n = 0; n < 2; ++n) A.rows.push_back(someRow<Scalar>(random, inner, entries, 1));
  for (const int entries : {1, 30, 600}) {
    auto row = someRow<Scalar>(random, inner, entries, 1);
    row.insert(row.begin(), {7, SomeValue<Scalar>::of(random)});
    A.rows.push_back(row);  // an entry may stand twice
    A.rows.emplace_back();
  }
  return A;
}

template <class Scalar>
struct Case {
  HostMatrix<Scalar> A, B, C;
  LocalMatrix<Scalar, Device> a, b;

  Case(const HostMatrix<Scalar>& left, const HostMatrix<Scalar>& right)
      : A(left), B(right), C(productInOrder(A, B)), a(A.onDevice()), b(B.onDevice()) {}

  /// Checks the kernels of CUDA, run twice, with much workspace and with little.
  std::string checkProducts() const {
    std::string wrong;
    if constexpr (isCuda<Device>)
      for (const std::size_t bytes : {0, 0, 1}) {
        KernelOptions options;
        options.workspaceBytes = bytes;
        if (wrong.empty()) wrong = differencesInBits(cudaProduct(a, b, options), C);
      }
    return wrong;
  }
  /// Checks values that are overwritten, then added to.
  std::string checkValues() const {
    if (!isHost<Device> && !isCuda<Device>) return "";  // elsewhere sums are in no certain order
    using Local = LocalMatrix<Scalar, Device>;
    const auto form = [](const Local& a, const Local& b, const Local& c, bool add) {
      return numericProduct<Scalar, Device>(a, b, c, add).strays;
    };
    return wrongValues(A, B, C, true, form);
  }
};

/// Short rows of B that warps take several of, long ones, and consecutive columns.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(OrderOfSums, OfRowsOfEveryLength, Scalar) {
  struct {
    int inner, columns, mean, run;
  } const cases[] = {{2500, 40000, 5, 1},  {2500, 2500, 12, 1},   {2500, 70000, 40, 1},
                     {2500, 40000, 40, 6}, {5000, 60000, 300, 3}, {2500, 300000, 60, 1}};
  std::mt19937_64 random(61);
  for (const auto& c : cases) {
    const Case<Scalar> product(someA<Scalar>(random, c.inner),
                               someB<Scalar>(random, c.inner, c.columns, c.mean, c.run));
    out << c.columns << " columns, " << product.C.entries() << " entries\n";
    TRIDENT_TEST_OK(product.checkProducts());
    TRIDENT_TEST_OK(product.checkValues());
  }
}

/// Windows of rows are so many that a warp of CUDA takes two of a row, one after the other.
TEUCHOS_UNIT_TEST(OrderOfSums, OfWindowsInTasks) {
  std::mt19937_64 random(64);
  const int rows = 20000, inner = 2000, columns = 100000;
  HostMatrix<double> A(rows, inner), B(inner, columns);
  for (auto& row : B.rows) row = someRow<double>(random, columns, 260, 1);
  for (auto& row : A.rows)
    row = someRow<double>(random, inner, random() % 20 ? 2 + random() % 2 : 7, 1);
  const Case<double> product(A, B);
  TEST_COMPARE(product.C.entries(), >, 20000 * 513ll);
  TRIDENT_TEST_OK(product.checkProducts());
  TRIDENT_TEST_OK(product.checkValues());
}

/// More rows than a chunk has, and a hub: all of its entries of A, in few columns.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(OrderOfSums, OfManyRowsAndAHub, Scalar) {
  std::mt19937_64 random(62);
  const int inner = 20000;
  HostMatrix<Scalar> A(5000, inner), B(inner, 300);
  for (auto& row : B.rows) row = someRow<Scalar>(random, 300, random() % 7, 1);
  for (auto& row : A.rows) row = someRow<Scalar>(random, inner, random() % 40, 1);
  A.rows[3000] = someRow<Scalar>(random, inner, inner, 1);
  A.rows[3001].clear();
  const Case<Scalar> product(A, B);
  TRIDENT_TEST_OK(product.checkProducts());
  TRIDENT_TEST_OK(product.checkValues());
}

/// A sum starts from +0, and so is never -0.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(OrderOfSums, NeverGiveMinusZero, Scalar) {
  HostMatrix<Scalar> A(2, 2), B(2, 2);
  A.rows[0] = {{0, Scalar(-1)}, {1, Scalar(-1)}};
  A.rows[1] = {{0, -Scalar(0)}};
  B.rows[0] = {{0, Scalar(0)}, {1, Scalar(0)}};
  B.rows[1] = {{1, Scalar(0)}};
  const Case<Scalar> product(A, B);
  TRIDENT_TEST_OK(product.checkProducts());
  TRIDENT_TEST_OK(product.checkValues());
}

/// Sums are right even if no order is asked for: sums of whole numbers, to the bit.
TEUCHOS_UNIT_TEST(OrderOfSums, IsNoCondition) {
  std::mt19937_64 random(63);
  for (const int columns : {40000, 300000}) {
    HostMatrix<double> A = someA<double>(random, 2500);
    HostMatrix<double> B = someB<double>(random, 2500, columns, 5, 1);
    for (HostMatrix<double>* matrix : {&A, &B})
      for (auto& row : matrix->rows)
        for (auto& entry : row) entry.second = std::floor(entry.second);
    if constexpr (isCuda<Device>) {
      KernelOptions options;
      options.reproducible = false;
      TRIDENT_TEST_OK(differencesInBits(cudaProduct(A.onDevice(), B.onDevice(), options),
                                        productInOrder(A, B)));
    }
    TEST_ASSERT(A.entries() > 0);
  }
}

#define TRIDENT_ORDEROFSUMS_INSTANT(SCALAR)                                      \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(OrderOfSums, OfRowsOfEveryLength, SCALAR) \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(OrderOfSums, OfManyRowsAndAHub, SCALAR)   \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(OrderOfSums, NeverGiveMinusZero, SCALAR)

using LongLong = long long;
using ComplexFloat = Kokkos::complex<float>;
using ComplexDouble = Kokkos::complex<double>;
TRIDENT_ORDEROFSUMS_INSTANT(float)
TRIDENT_ORDEROFSUMS_INSTANT(double)
TRIDENT_ORDEROFSUMS_INSTANT(int)
TRIDENT_ORDEROFSUMS_INSTANT(LongLong)
TRIDENT_ORDEROFSUMS_INSTANT(ComplexFloat)
TRIDENT_ORDEROFSUMS_INSTANT(ComplexDouble)

}  // namespace

}  // namespace Trident::Impl
