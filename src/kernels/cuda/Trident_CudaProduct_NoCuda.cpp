// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Error.hpp"
#include "kernels/cuda/Trident_CudaProduct.hpp"

namespace Trident::Impl {

bool hasDeviceProduct() { return false; }

template <class Scalar>
void multiplyRows(const DeviceOperand<Scalar>&, const DeviceOperand<Scalar>&, std::size_t*,
                  const KernelOptions&, const std::function<DeviceEntries<Scalar>(std::size_t)>&) {
  throw Error("Trident::multiplyRows", "this Trident was built without CUDA");
}

TRIDENT_DEVICE_SCALARS(TRIDENT_MULTIPLYROWS_INSTANT)

}  // namespace Trident::Impl
