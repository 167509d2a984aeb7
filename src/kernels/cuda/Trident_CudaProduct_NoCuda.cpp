// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Error.hpp"
#include "kernels/cuda/Trident_CudaProduct.hpp"

namespace Trident::Impl {

bool hasCudaProduct() { return false; }

template <class Scalar>
long long multiplyRows(const CudaMatrix<Scalar>&, const CudaMatrix<Scalar>&, std::size_t*,
                       const KernelOptions&,
                       const std::function<CudaEntries<Scalar>(std::size_t)>&) {
  throw Error("Trident::multiplyRows", "this Trident was built without CUDA");
}

template <class Scalar>
std::optional<long long> multiplyValues(const CudaMatrix<Scalar>&, const CudaMatrix<Scalar>&,
                                        const CudaMatrix<Scalar>&, Scalar*, bool, KeptSchedule*) {
  return std::nullopt;
}

TRIDENT_CUDA_SCALARS(TRIDENT_MULTIPLYROWS_INSTANT)
TRIDENT_CUDA_SCALARS(TRIDENT_MULTIPLYVALUES_INSTANT)

}  // namespace Trident::Impl
