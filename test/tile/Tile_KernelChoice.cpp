// SPDX-License-Identifier: BSD-3-Clause
// Which kernel a local product takes, what it knows of the rows, and what follows a kernel's
// failure.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "Trident_LocalMultiply.hpp"
#include "Trident_TestDense.hpp"

namespace Trident::Impl {
namespace {

using TestTools::dense;
using TestTools::Device;
using TestTools::fromDevice;
using TestTools::HostMatrix;
using TestTools::randomMatrix;

constexpr double densities[] = {0.0, 0.02, 0.1, 0.5, 1.0};

/// A matrix with few entries a row, none in every third row, but in row 7 nearly all.
HostMatrix<double> hubMatrix(std::mt19937_64& random, int size) {
  auto A = randomMatrix<double>(random, size, size, 2.0 / size);
  for (int r = 0; r < size; r += 3) A.rows[r].clear();
  A.rows[7].clear();
  for (int c = 1; c < size; ++c) A.rows[7].emplace_back(c, 1.0 + c);
  return A;
}

std::vector<long long> pairsOfRows(const HostMatrix<double>& A, const HostMatrix<double>& B) {
  std::vector<long long> pairs;
  for (const auto& row : A.rows) {
    pairs.push_back(0);
    for (const auto& entry : row)
      pairs.back() += static_cast<long long>(B.rows[entry.first].size());
  }
  return pairs;
}

TEUCHOS_UNIT_TEST(KernelChoice, WorkOfRowsIsThePairsThatMeet) {
  std::mt19937_64 random(51);
  int wrong = 0;
  for (int n = 0; n < 60; ++n) {
    const int rows = static_cast<int>(random() % 50), inner = static_cast<int>(random() % 90);
    const bool hub = n % 3 == 0;
    const auto A = hub ? hubMatrix(random, 100 + n)
                       : randomMatrix<double>(random, rows, inner, densities[n % 5]);
    const auto B = randomMatrix<double>(random, hub ? 100 + n : inner, 30, densities[n / 5 % 5]);
    const auto pairs = pairsOfRows(A, B);
    std::vector<long long> before(1, 0);
    RowWork expected;
    for (long long count : pairs) {
      before.push_back(before.back() + count);
      expected.products += count;
      expected.most = std::max(expected.most, count);
      expected.rows += count > 0;
    }
    const RowWork work = countRowWork<double, Device>(A.onDevice(), B.onDevice());
    wrong += work.products != expected.products || work.most != expected.most ||
             work.rows != expected.rows;
    wrong += TestTools::toVector(productsBeforeRows<double, Device>(A.onDevice(), B.onDevice())) !=
             before;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

/// The kernel is a function of multiply-adds, the heaviest row, rows that have any and cuSPARSE.
TEUCHOS_UNIT_TEST(KernelChoice, HeavyRowsAreForCusparse) {
  const auto kernel = [](long long products, long long most, long long rows, bool cusparse) {
    RowWork work;
    work.products = products;
    work.most = most;
    work.rows = rows;
    return kernelForRows(work, cusparse);
  };
  const KernelKind even = KernelKind::KokkosKernels, heavy = KernelKind::Cusparse;
  TEST_ASSERT(kernel(0, 0, 0, true) == even);
  TEST_ASSERT(kernel(7, 7, 1, true) == even);
  TEST_ASSERT(kernel(1000, 100, 100, true) == even);   // ten times the mean of ten
  TEST_ASSERT(kernel(1000, 101, 100, true) == heavy);  // and one more
  TEST_ASSERT(kernel(1000, 101, 100, false) == even);
  TEST_ASSERT(kernel(1000, 0, 0, true) == even);  // rows that nobody looked at
  // Past 2^53 / 10 by the product of two: no integers that run over.
  TEST_ASSERT(kernel(1ll << 40, 1ll << 30, 1ll << 30, true) == heavy);
  TEST_ASSERT(kernel(1ll << 40, 1ll << 13, 1ll << 30, true) == even);
  // doc/algorithm.md's matrices that decided: A·A of fb-cornell5, er:n=1000000,d=16.
  TEST_ASSERT(kernel(272022302, 402408, 18660, true) == heavy);
  TEST_ASSERT(kernel(255935682, 628, 1000000, true) == even);
}

/// What a product with a heavy row is made by where the kernel is Auto.
KernelKind kernelOfHeavyRows() {
  return choosesByRows<double, Device>(KernelKind::Auto) ? KernelKind::Cusparse
                                                         : chosenKernel<Device>(KernelKind::Auto);
}

TEUCHOS_UNIT_TEST(KernelChoice, AutoMultipliesMatricesWithHeavyRows) {
  std::mt19937_64 random(52);
  const auto A = hubMatrix(random, 300);
  const auto a = A.onDevice();
  const auto expected = product(dense(A), dense(A));
  TEST_COMPARE((countRowWork<double, Device>(a, a)).skew(), >, heavySkew);
  const RowWork work = workOf<double, Device>(a, a, KernelKind::Auto);
  TEST_EQUALITY(work.products, (countFlops<double, Device>(a, a)));
  const auto made = multiplyLocal<double, Device>(a, a, KernelKind::Auto, work);
  TEST_ASSERT(made.kernel == kernelOfHeavyRows());
  TRIDENT_TEST_OK(differences(dense(fromDevice<double>(made.C)), expected));
  const auto uncounted = multiplyLocal<double, Device>(a, a, KernelKind::Auto);
  TRIDENT_TEST_OK(differences(dense(fromDevice<double>(uncounted)), expected));
  // A kernel that was asked for is not exchanged for another.
  for (KernelKind kind : {KernelKind::Host, KernelKind::KokkosKernels, KernelKind::Cusparse})
    if (whyNoKernel<double, Device>(kind).empty())
      TEST_ASSERT((multiplyLocal<double, Device>(a, a, kind, work)).kernel == kind);
}

TEUCHOS_UNIT_TEST(KernelChoice, TheSecondIsForWhereTheFirstThrows) {
  int firsts = 0, seconds = 0;
  const auto one = [&] { return ++firsts, 1; };
  const auto two = [&] { return ++seconds, 2; };
  const auto failing = []() -> int { throw std::bad_alloc(); };
  const auto broken = []() -> int { throw Error("second", "as well"); };
  // Not inside the macros, which evaluate twice.
  const int first = firstElse(one, two), withoutSecond = firstElse(one, broken);
  TEST_EQUALITY_CONST(first, 1);
  TEST_EQUALITY_CONST(withoutSecond, 1);
  TEST_EQUALITY_CONST(firsts, 2);
  TEST_EQUALITY_CONST(seconds, 0);
  const int second = firstElse(failing, two);
  TEST_EQUALITY_CONST(second, 2);
  TEST_EQUALITY_CONST(seconds, 1);
  TEST_THROW(firstElse(failing, broken), Error);
  recoverFromCusparse();  // nothing failed: nothing happens
}

void failInCusparse(Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t) {
  // cuSPARSE's workspaces alone: KokkosKernels' product must find its memory.
  if (std::string(label) == "Trident::cusparseProduct") throw std::bad_alloc();
}

/// Where cuSPARSE has no memory, Auto takes KokkosKernels; who asked for cuSPARSE hears of it.
TEUCHOS_UNIT_TEST(KernelChoice, AutoDoesWithoutCusparsesMemory) {
  std::mt19937_64 random(53);
  const auto A = hubMatrix(random, 200);
  const auto a = A.onDevice();
  const RowWork work = workOf<double, Device>(a, a, KernelKind::Auto);
  const KernelKind expected = isHost<Device> ? KernelKind::Host : KernelKind::KokkosKernels;
  LocalProduct<double, Device> made;
  bool refused = false;
  Kokkos::Tools::Experimental::set_allocate_data_callback(failInCusparse);
  try {
    made = multiplyLocal<double, Device>(a, a, KernelKind::Auto, work);
    multiplyLocal<double, Device>(a, a, KernelKind::Cusparse);
  } catch (const std::exception&) {
    refused = true;
  }
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  TEST_ASSERT(refused);  // on hosts as there is no cuSPARSE
  TEST_ASSERT(made.kernel == expected);
  TRIDENT_TEST_OK(differences(dense(fromDevice<double>(made.C)), product(dense(A), dense(A))));
}

}  // namespace

}  // namespace Trident::Impl
