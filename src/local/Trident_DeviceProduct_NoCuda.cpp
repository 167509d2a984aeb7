// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_DeviceProduct.hpp"
#include "Trident_Error.hpp"

namespace Trident::Impl {

bool hasDeviceProduct() { return false; }

template <class Scalar>
void multiplyRows(const DeviceOperand<Scalar>&, const DeviceOperand<Scalar>&, std::size_t*,
                  const std::function<DeviceEntries<Scalar>(std::size_t)>&) {
  throw Error("Trident::multiplyRows", "this Trident was built without CUDA");
}

#define TRIDENT_MULTIPLYROWS_INSTANT(SCALAR)                                                     \
  template void multiplyRows<SCALAR>(const DeviceOperand<SCALAR>&, const DeviceOperand<SCALAR>&, \
                                     std::size_t*,                                               \
                                     const std::function<DeviceEntries<SCALAR>(std::size_t)>&);

TRIDENT_MULTIPLYROWS_INSTANT(float)
TRIDENT_MULTIPLYROWS_INSTANT(double)
TRIDENT_MULTIPLYROWS_INSTANT(int)
TRIDENT_MULTIPLYROWS_INSTANT(long long)
TRIDENT_MULTIPLYROWS_INSTANT(Kokkos::complex<float>)
TRIDENT_MULTIPLYROWS_INSTANT(Kokkos::complex<double>)

}  // namespace Trident::Impl
