// SPDX-License-Identifier: BSD-3-Clause
// The kernel that a local product takes, and the multiply-adds of its rows.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <random>
#include <vector>

#include "Trident_TestDense.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"

namespace Trident::Impl {
namespace {

using TestTools::dense;
using TestTools::Device;
using TestTools::fromDevice;
using TestTools::HostMatrix;
using TestTools::randomMatrix;

constexpr double densities[] = {0.0, 0.02, 0.1, 0.5, 1.0};

/// Makes a matrix with few entries a row, none in every third row, but in row 7 nearly all.
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

TEUCHOS_UNIT_TEST(KernelChoice, MultiplyAddsOfRowsArePairsThatMeet) {
  std::mt19937_64 random(51);
  int wrong = 0;
  for (int n = 0; n < 60; ++n) {
    const int rows = static_cast<int>(random() % 50), inner = static_cast<int>(random() % 90);
    const bool hub = n % 3 == 0;
    const auto A = hub ? hubMatrix(random, 100 + n)
                       : randomMatrix<double>(random, rows, inner, densities[n % 5]);
    const auto B = randomMatrix<double>(random, hub ? 100 + n : inner, 30, densities[n / 5 % 5]);
    auto pairs = pairsOfRows(A, B);
    pairs.push_back(0);
    wrong += TestTools::toVector(multiplyAddsOfRows<double, Device>(A.onDevice(), B.onDevice())) !=
             pairs;
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

/// Trident's own kernel, whatever the scalar.
TEUCHOS_UNIT_TEST(KernelChoice, AutoIsTridentsOwn) {
  const KernelKind own = isHost<Device> ? KernelKind::Host : KernelKind::Device;
  TEST_ASSERT((chosenKernel<double, Device>(KernelKind::Auto)) == own);
  TEST_ASSERT((chosenKernel<float, Device>(KernelKind::Auto)) == own);
  TEST_ASSERT((chosenKernel<short, Device>(KernelKind::Auto)) == own);  // by teams, on CUDA too
  for (KernelKind kind : {KernelKind::Host, KernelKind::Device, KernelKind::KokkosKernels})
    TEST_ASSERT((chosenKernel<double, Device>(kind)) == kind);
}

TEUCHOS_UNIT_TEST(KernelChoice, KernelsThatAreNotHereAreRefusedWithAReason) {
  const auto why = [](KernelKind kind) { return whyNoKernel<double, Device>(kind); };
  TEST_EQUALITY(why(KernelKind::Host).empty(), isHost<Device>);
  TEST_EQUALITY(why(KernelKind::Device).empty(), !isHost<Device>);
  TEST_EQUALITY_CONST(why(KernelKind::KokkosKernels), "");
  TEST_EQUALITY((whyNoKernel<short, Device>(KernelKind::Device)).empty(), !isHost<Device>);
  const auto a = HostMatrix<double>(2, 2).onDevice();
  for (KernelKind kind : {KernelKind::Host, KernelKind::Device})
    if (!why(kind).empty())
      TEST_THROW((multiplyLocal<double, Device>(a, a, KernelOptions{kind})), Error);
}

TEUCHOS_UNIT_TEST(KernelChoice, EveryKernelMultipliesMatricesWithHeavyRows) {
  std::mt19937_64 random(52);
  const auto A = hubMatrix(random, 300);
  const auto a = A.onDevice();
  const auto expected = product(dense(A), dense(A));
  for (KernelKind kind :
       {KernelKind::Auto, KernelKind::Host, KernelKind::Device, KernelKind::KokkosKernels}) {
    if (!whyNoKernel<double, Device>(kind).empty()) continue;
    const auto C = multiplyLocal<double, Device>(a, a, {kind}).C;
    TRIDENT_TEST_OK(differences(dense(fromDevice<double>(C)), expected));
  }
}

}  // namespace

}  // namespace Trident::Impl
