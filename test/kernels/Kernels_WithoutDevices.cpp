// SPDX-License-Identifier: BSD-3-Clause
// Refusals of a build without CUDA where a device's library is asked for: its name, and the remedy.
#include <Teuchos_UnitTestHarness.hpp>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Names.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "kernels/cusparse/Trident_CusparseSum.hpp"
#include "matrix/Trident_DeviceSort.hpp"

namespace Trident::Impl {
namespace {

template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEUCHOS_UNIT_TEST(WithoutDevices, Cusparse) {
  const CusparseMatrix none{};
  TEST_ASSERT(!hasCusparse());
  const std::string sum =
      refusal([&] { CusparseSum(CusparseScalar::Double, none, none, nullptr); });
  TEST_ASSERT(mentions(sum, "Trident_ENABLE_CUSPARSE=ON"));
}

TEUCHOS_UNIT_TEST(WithoutDevices, SegmentedSort) {
  TEST_ASSERT(!hasSegmentedSort(sizeof(double)));
  TEST_ASSERT(mentions(refusal([] { sortSegments(RowsToSort{}); }), "without CUDA"));
}

TEUCHOS_UNIT_TEST(WithoutDevices, SortNumbers) {
  TEST_ASSERT(mentions(refusal([] { sortDeviceNumbers(nullptr, 0); }), "without CUDA"));
  TEST_ASSERT(mentions(refusal([] { sortDevicePairs(nullptr, nullptr, 0, 0); }), "without CUDA"));
}

TEUCHOS_UNIT_TEST(WithoutDevices, EveryKernelHasItsName) {
  TEST_EQUALITY(std::string(nameOf(KernelKind::Auto)), "auto");
  TEST_EQUALITY(std::string(nameOf(KernelKind::KokkosKernels)), "kokkos-kernels");
  TEST_EQUALITY(std::string(nameOf(KernelKind::Host)), "host");
  TEST_EQUALITY(std::string(nameOf(KernelKind::Device)), "device");
}

}  // namespace

}  // namespace Trident::Impl
