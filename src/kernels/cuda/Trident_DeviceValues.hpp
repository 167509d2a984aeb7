// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEVICEVALUES_HPP
#define TRIDENT_DEVICEVALUES_HPP

#include <optional>

#include "kernels/cuda/Trident_CudaProduct.hpp"

namespace Trident::Impl {

/// The values of C = A·B, or of C + A·B, where C's rows are known and sorted, on the device whose
/// arrays these are. Each sum is in the order of A's entries: the same bits every time. Local; done
/// when it returns. Workspace: 4 bytes a row of C, and 8 for each 512 entries of longer rows.
/// @param C only its values are written
/// @return products whose column is not in C's row; none where B's rows do not ascend, or where
///   this build has no such kernels: nothing was written then
template <class Scalar>
std::optional<long long> computeValues(const DeviceOperand<Scalar>& A,
                                       const DeviceOperand<Scalar>& B,
                                       const DeviceOperand<Scalar>& C, Scalar* values, bool add);

#define TRIDENT_COMPUTEVALUES_INSTANT(SCALAR)                                                   \
  template std::optional<long long> computeValues<SCALAR>(                                      \
      const DeviceOperand<SCALAR>&, const DeviceOperand<SCALAR>&, const DeviceOperand<SCALAR>&, \
      SCALAR*, bool);

}  // namespace Trident::Impl

#endif
