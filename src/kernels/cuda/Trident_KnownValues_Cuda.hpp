// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_KNOWNVALUES_CUDA_HPP
#define TRIDENT_KNOWNVALUES_CUDA_HPP

#include "kernels/cuda/Trident_KernelQueue_Cuda.hpp"
#include "kernels/cuda/Trident_NumericRows_Cuda.hpp"

namespace Trident::Impl {

/// Values of rows of C whose columns are known and sorted, each sum in the order of A's entries.
/// Puts kernels in the queue, and waits for the first of them only.
/// @param rowsB of B, whose columns are looked at: they have to ascend in each row. Negative: they
///   are known to.
/// @param entriesB at least one
/// @return false where they do not ascend; nothing was written then
template <class Scalar>
bool computeKnownValues(const KernelQueue& queue, DeviceWorkspace& workspace, const RowList& rows,
                        const DeviceRows<Scalar>& A, const DeviceRows<Scalar>& B, int rowsB,
                        std::size_t entriesB, const KnownRows<Scalar>& C);

}  // namespace Trident::Impl

#endif
