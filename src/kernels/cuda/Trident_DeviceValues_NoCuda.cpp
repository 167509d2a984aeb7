// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cuda/Trident_DeviceValues.hpp"

namespace Trident::Impl {

template <class Scalar>
std::optional<long long> computeValues(const DeviceOperand<Scalar>&, const DeviceOperand<Scalar>&,
                                       const DeviceOperand<Scalar>&, Scalar*, bool) {
  return std::nullopt;
}

TRIDENT_DEVICE_SCALARS(TRIDENT_COMPUTEVALUES_INSTANT)

}  // namespace Trident::Impl
