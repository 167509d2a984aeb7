// SPDX-License-Identifier: BSD-3-Clause
// Local product, sum, sort and flop count against dense matrices.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "Trident_TestSums.hpp"
#include "base/Trident_Names.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_SortRows.hpp"

namespace Trident::Impl {
namespace {

using TestTools::Dense;
using TestTools::dense;
using TestTools::Device;
using TestTools::fromDevice;
using TestTools::HostMatrix;
using TestTools::randomMatrix;

constexpr double densities[] = {0.0, 0.02, 0.1, 0.5, 1.0};

/// Lists the kernels that this device has for a scalar.
template <class Scalar>
std::vector<KernelKind> kernels() {
  std::vector<KernelKind> known;
  for (KernelKind kind : {KernelKind::Host, KernelKind::Device, KernelKind::KokkosKernels})
    if (whyNoKernel<Scalar, Device>(kind).empty()) known.push_back(kind);
  return known;
}

template <class Scalar>
bool columnIsLess(const std::pair<int, Scalar>& a, const std::pair<int, Scalar>& b) {
  return a.first < b.first;
}

template <class Scalar>
HostMatrix<Scalar> productBy(KernelKind kernel, const HostMatrix<Scalar>& A,
                             const HostMatrix<Scalar>& B) {
  return fromDevice<Scalar>(multiplyLocal<Scalar, Device>(A.onDevice(), B.onDevice(), {kernel}).C);
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(LocalMultiply, ProductIsTheDenseProduct, Scalar) {
  const unsigned seed = 41;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 120; ++n) {
    const int rows = static_cast<int>(random() % 40), inner = static_cast<int>(random() % 40),
              columns = static_cast<int>(random() % 60);
    const auto A = randomMatrix<Scalar>(random, rows, inner, densities[n % 5], n % 2 == 0);
    const auto B = randomMatrix<Scalar>(random, inner, columns, densities[n / 5 % 5], n % 3 == 0);
    const auto expected = product(dense(A), dense(B));
    for (KernelKind kernel : kernels<Scalar>()) {
      const bool bad = !differences(dense(productBy(kernel, A, B)), expected).empty();
      if (bad) out << "case " << n << ": " << rows << " x " << inner << " x " << columns << "\n";
      wrong += bad;
    }
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(LocalMultiply, StoredZerosAndCancellationKeepTheirPlace, Scalar) {
  HostMatrix<Scalar> A(2, 2), B(2, 2);
  A.rows[0] = {{0, Scalar(1)}, {1, Scalar(-1)}};  // 1·1 - 1·1 = 0
  A.rows[1] = {{0, Scalar(0)}};
  B.rows[0] = {{0, Scalar(1)}};
  B.rows[1] = {{0, Scalar(1)}, {1, Scalar(0)}};
  for (KernelKind kernel : kernels<Scalar>()) {
    const auto C = productBy(kernel, A, B);
    TEST_EQUALITY_CONST(C.entries(), 3);
    TRIDENT_TEST_OK(differences(dense(C), product(dense(A), dense(B))));
  }
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(LocalMultiply, EmptyOperandsKeepTheShape, Scalar) {
  const HostMatrix<Scalar> none(3, 4);
  HostMatrix<Scalar> A(3, 4), B(4, 5), apart(4, 5);
  A.rows[1] = {{2, Scalar(1)}};
  B.rows[2] = {{4, Scalar(1)}};
  apart.rows[3] = {{0, Scalar(1)}};  // no entry of A meets it
  const auto shapeOf = [&](const HostMatrix<Scalar>& left, const HostMatrix<Scalar>& right,
                           std::size_t entries) {
    bool fits = true;
    for (KernelKind kernel : kernels<Scalar>()) {
      const auto C = multiplyLocal<Scalar, Device>(left.onDevice(), right.onDevice(), {kernel}).C;
      fits = fits && C.numRows() == left.numRows() && C.numCols() == right.columns &&
             C.nnz() == entries &&
             C.graph.row_map.extent(0) == static_cast<std::size_t>(left.numRows()) + 1;
    }
    return fits;
  };
  TEST_ASSERT(shapeOf(A, B, 1));
  TEST_ASSERT(shapeOf(none, B, 0));
  TEST_ASSERT(shapeOf(A, HostMatrix<Scalar>(4, 5), 0));
  TEST_ASSERT(shapeOf(A, apart, 0));
  TEST_ASSERT(shapeOf(HostMatrix<Scalar>(0, 4), B, 0));
  TEST_ASSERT(shapeOf(HostMatrix<Scalar>(3, 0), HostMatrix<Scalar>(0, 5), 0));
  TEST_ASSERT(shapeOf(A, HostMatrix<Scalar>(4, 0), 0));
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(LocalMultiply, LongRows, Scalar) {
  // Rows of C longer than one word of a bitmap or one page of a hash table.
  std::mt19937_64 random(43);
  const auto A = randomMatrix<Scalar>(random, 5, 300, 0.5);
  const auto B = randomMatrix<Scalar>(random, 300, 3000, 0.05, false);
  for (KernelKind kernel : kernels<Scalar>())
    TRIDENT_TEST_OK(differences(dense(productBy(kernel, A, B)), product(dense(A), dense(B))));
}

/// Draws a row of `entries` columns, spread over [0, columns) or consecutive.
template <class Scalar>
std::vector<std::pair<int, Scalar>> someRow(std::mt19937_64& random, int columns, int entries,
                                            int run) {
  std::map<int, Scalar> row;
  while (static_cast<int>(row.size()) < entries) {
    const int begin = static_cast<int>(random() % columns);
    for (int c = begin; c < std::min(begin + run, columns); ++c)
      row[c] = static_cast<Scalar>(static_cast<int>(random() % 7) - 3);
  }
  return {row.begin(), row.end()};
}

/// Checks A·B by a kernel. Of KokkosKernels' rows it does not ask for order.
template <class Scalar>
std::string checkProduct(KernelKind kernel, const HostMatrix<Scalar>& A,
                         const HostMatrix<Scalar>& B) {
  HostMatrix<Scalar> C = productBy(kernel, A, B);
  if (!ownKernel(kernel))
    for (auto& row : C.rows) std::sort(row.begin(), row.end(), columnIsLess<Scalar>);
  return differences(C.onDevice(), productInOrder(A, B));
}

/// Rows of none to a hundred thousand multiply-adds, and of one column to nearly all: every way in
/// which a kernel takes a row. Values are small integers, so that sums are exact.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(LocalMultiply, RowsOfEveryLength, Scalar) {
  std::mt19937_64 random(53);
  const int inner = 4000;
  struct {
    int columns, entriesOfB, run;
    bool ascending;
  } const cases[] = {{300, 6, 1, true},     {30000, 6, 1, true},  {300000, 6, 1, true},
                     {30000, 40, 1, true},  {30000, 40, 5, true}, {500, 40, 8, true},
                     {300000, 40, 5, true}, {30000, 40, 3, false}};
  for (const auto& c : cases) {
    HostMatrix<Scalar> A(0, inner), B(inner, c.columns);
    for (auto& row : B.rows) {
      row = someRow<Scalar>(random, c.columns, static_cast<int>(random() % (2 * c.entriesOfB)),
                            c.run);
      if (!c.ascending) std::reverse(row.begin(), row.end());
    }
    for (const int entries :
         {0, 1, 2, 4, 5, 9, 10, 18, 20, 36, 40, 70, 84, 90, 120, 140, 250, 400, 900, 1100, 2400})
      for (int n = 0; n < 3; ++n)
        A.rows.push_back(someRow<Scalar>(random, inner, entries, n == 1 ? 8 : 1));
    for (KernelKind kernel : kernels<Scalar>()) {
      const std::string wrong = checkProduct(kernel, A, B);
      if (!wrong.empty()) out << nameOf(kernel) << ", " << c.columns << " columns\n";
      TEST_EQUALITY(wrong, "");
    }
  }
}

/// A column that stands twice in a row of B is added twice.
TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(LocalMultiply, ColumnsThatStandTwice, Scalar) {
  std::mt19937_64 random(54);
  HostMatrix<Scalar> A(0, 200), B(200, 1000);
  for (auto& row : B.rows) {
    row = someRow<Scalar>(random, 1000, 30, 4);
    row.push_back(row.front());
  }
  for (const int entries : {1, 3, 15, 40, 190})
    A.rows.push_back(someRow<Scalar>(random, 200, entries, 1));
  for (KernelKind kernel : kernels<Scalar>()) TRIDENT_TEST_OK(checkProduct(kernel, A, B));
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(LocalMultiply, SumIsTheDenseSumAndSorted, Scalar) {
  const unsigned seed = 44;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0, wrongColumns = 0;
  for (int n = 0; n < 120; ++n) {
    const int rows = static_cast<int>(random() % 40), columns = static_cast<int>(random() % 60);
    const auto A = randomMatrix<Scalar>(random, rows, columns, densities[n % 5]);
    const auto B = randomMatrix<Scalar>(random, rows, columns, densities[n / 5 % 5]);
    auto C = fromDevice<Scalar>(addLocal<Scalar, Device>(A.onDevice(), B.onDevice()));
    wrongColumns += C.columns != columns;
    C.columns = columns;  // for the comparison, whatever it was
    Dense<Scalar> expected = dense(A);
    const Dense<Scalar> other = dense(B);
    for (std::size_t e = 0; e < expected.values.size(); ++e) {
      expected.values[e] += other.values[e];
      expected.stored[e] = expected.stored[e] || other.stored[e];
    }
    wrong += !differences(dense(C), expected).empty() || !isSorted(C);
  }
  TEST_EQUALITY_CONST(wrong, 0);
  TEST_EQUALITY_CONST(wrongColumns, 0);
}

TEUCHOS_UNIT_TEST_TEMPLATE_1_DECL(LocalMultiply, SortRowsSortsAndKeepsPairs, Scalar) {
  const unsigned seed = 45;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 60; ++n) {
    const int rows = static_cast<int>(random() % 30), columns = static_cast<int>(random() % 300);
    auto expected = randomMatrix<Scalar>(random, rows, columns, densities[n % 5], false);
    const auto device = expected.onDevice();
    sortRows<Scalar, Device>(device);
    for (auto& row : expected.rows) std::sort(row.begin(), row.end(), columnIsLess<Scalar>);
    wrong += fromDevice<Scalar>(device).rows != expected.rows;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(LocalMultiply, SortersAgreeOnLongRowsAmongShortOnes) {
  std::mt19937_64 random(47);
  auto expected = randomMatrix<double>(random, 300, 30, 0.1, false);
  expected.columns = 40000;
  for (int r : {7, 100})
    for (int c = 0; c < 40000 - r; ++c)
      expected.rows[r].emplace_back(static_cast<int>((c * 7919LL + 40000 - r) % 40000), c);
  std::vector<SortMethod> sorters{SortMethod::Auto, SortMethod::KokkosKernels};
  if (hasSegmentedSort(sizeof(double))) sorters.push_back(SortMethod::Segmented);
  auto sorted = expected;
  for (auto& row : sorted.rows) {
    // A row that had entries before has some columns twice now: keep one of each.
    std::sort(row.begin(), row.end(), columnIsLess<double>);
    row.erase(std::unique(row.begin(), row.end(),
                          [](const auto& a, const auto& b) { return a.first == b.first; }),
              row.end());
  }
  expected.rows = sorted.rows;
  for (auto& row : expected.rows) std::reverse(row.begin(), row.end());
  for (SortMethod sorter : sorters) {
    const auto device = expected.onDevice();
    sortRows<double, Device>(device, sorter);
    TEST_ASSERT(fromDevice<double>(device).rows == sorted.rows);
  }
}

/// Kernels that a device lacks say so and name the remedy; their names are the parameter's.
TEUCHOS_UNIT_TEST(LocalMultiply, KernelsThatAreNotThereAreRefused) {
  HostMatrix<double> A(1, 1);
  A.rows[0] = {{0, 1.0}};
  for (KernelKind kind :
       {KernelKind::Auto, KernelKind::KokkosKernels, KernelKind::Host, KernelKind::Device}) {
    const std::string whyNot = whyNoKernel<double, Device>(kind);
    if (whyNot.empty()) {
      TEST_EQUALITY_CONST(productBy(kind, A, A).entries(), 1);
      continue;
    }
    TEST_ASSERT(whyNot.find("\"auto\"") != std::string::npos);
    TEST_THROW(productBy(kind, A, A), Error);
  }
  TEST_ASSERT((whyNoKernel<double, Device>(KernelKind::Auto).empty()));
  TEST_ASSERT((whyNoKernel<double, Device>(KernelKind::KokkosKernels).empty()));
  TEST_EQUALITY((whyNoKernel<double, Device>(KernelKind::Host).empty()), isHost<Device>);
  using Wide = Kokkos::complex<double>;
  TEST_EQUALITY((whyNoKernel<Wide, Device>(KernelKind::KokkosKernels).empty()), isHost<Device>);
  TEST_EQUALITY(std::string(nameOf(KernelKind::Host)), "host");
  TEST_EQUALITY(std::string(nameOf(KernelKind::KokkosKernels)), "kokkos-kernels");
}

TEUCHOS_UNIT_TEST(LocalMultiply, SumsOfKokkosKernelsAndOfTheDeviceAgree) {
  std::mt19937_64 random(50);
  int wrong = 0;
  for (int n = 0; n < 25; ++n) {
    const auto A = randomMatrix<double>(random, 30, 50, densities[1 + n % 4]).onDevice();
    const auto B = randomMatrix<double>(random, 30, 50, densities[1 + n / 4 % 4]).onDevice();
    if (A.nnz() == 0 || B.nnz() == 0) continue;
    wrong += fromDevice<double>(addLocal<double, Device>(A, B)).rows !=
             fromDevice<double>(kokkosKernelsSum<double, Device>(A, B)).rows;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(LocalMultiply, AutoIsAKernelThatTheDeviceHas) {
  const std::vector<KernelKind> known = kernels<double>();
  const KernelKind chosen = chosenKernel<double, Device>(KernelKind::Auto);
  TEST_ASSERT(std::find(known.begin(), known.end(), chosen) != known.end());
  TEST_ASSERT((chosenKernel<double, Device>(KernelKind::KokkosKernels)) ==
              KernelKind::KokkosKernels);
}

TEUCHOS_UNIT_TEST(LocalMultiply, FlopsAreThePairsThatMeet) {
  std::mt19937_64 random(46);
  int wrong = 0;
  for (int n = 0; n < 50; ++n) {
    const int inner = static_cast<int>(random() % 40);
    const auto A = randomMatrix<double>(random, 20, inner, densities[n % 5]);
    const auto B = randomMatrix<double>(random, inner, 30, densities[n / 5 % 5]);
    long long pairs = 0;
    for (const auto& row : A.rows)
      for (const auto& entry : row) pairs += static_cast<long long>(B.rows[entry.first].size());
    wrong += countMultiplyAdds<double, Device>(A.onDevice(), B.onDevice()) != pairs;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

#define TRIDENT_LOCALMULTIPLY_INSTANT(SCALAR)                                                   \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(LocalMultiply, ProductIsTheDenseProduct, SCALAR)         \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(LocalMultiply, StoredZerosAndCancellationKeepTheirPlace, \
                                       SCALAR)                                                  \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(LocalMultiply, EmptyOperandsKeepTheShape, SCALAR)        \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(LocalMultiply, LongRows, SCALAR)                         \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(LocalMultiply, RowsOfEveryLength, SCALAR)                \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(LocalMultiply, ColumnsThatStandTwice, SCALAR)            \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(LocalMultiply, SumIsTheDenseSumAndSorted, SCALAR)        \
  TEUCHOS_UNIT_TEST_TEMPLATE_1_INSTANT(LocalMultiply, SortRowsSortsAndKeepsPairs, SCALAR)

using ComplexDouble = Kokkos::complex<double>;
TRIDENT_LOCALMULTIPLY_INSTANT(float)
TRIDENT_LOCALMULTIPLY_INSTANT(double)
TRIDENT_LOCALMULTIPLY_INSTANT(ComplexDouble)

}  // namespace

}  // namespace Trident::Impl
