// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICPRODUCT_HPP
#define TRIDENT_NUMERICPRODUCT_HPP

#include "kernels/cuda/Trident_CudaProduct.hpp"
#include "kernels/host/Trident_NumericHostProduct.hpp"
#include "kernels/teams/Trident_NumericTeamProduct.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowReading.hpp"

namespace Trident::Impl {

/// Facts about a planned product on this rank that depend on structures alone.
template <class Scalar, class Device>
struct PlannedWork {
  long long multiplyAdds = 0;  ///< multiply-adds of all batches
  // Schedules exist only for products in a single batch. A plan's second product makes one.
  KeptSchedule schedule;                     ///< schedule on CUDA
  HostSchedule<Scalar, Device> onHost = {};  ///< schedule on hosts
};

/// Computes the values of C = A·B, or of C + A·B, in a C of known structure. Further products of a
/// plan use this function, which neither looks for the structure nor sorts. Local. The values are
/// ready on return. But on CUDA, kernels may still run if an earlier product set kept->schedule.
///
/// @param B right factor. Its columns are numbered as C's
/// @param C matrix whose values are written. No row has a column twice. On devices rows must be
///   sorted by column, and terms without an entry are left out and counted. On hosts C must have an
///   entry for each term, because a search would take as long as the sums.
/// @param add true to add to C's values, false to overwrite them
/// @param reading rules for reading A's rows, on hosts; null if rows are as stored
/// @param kept null, or facts about products of the same structures. The caller must ensure that
///   structures are the same. If not null, multiply-adds are not counted on hosts
///
/// On CUDA Trident's own kernels do the work if they know the scalar and if B's columns ascend in
/// each row. Else devices use teams, whose order of sums varies if several threads share a row.
template <class Scalar, class Device>
NumericWork numericProduct(const LocalMatrix<Scalar, Device>& A,
                           const LocalMatrix<Scalar, Device>& B,
                           const LocalMatrix<Scalar, Device>& C, bool add,
                           const RowReading<Scalar, Device>* reading = nullptr,
                           PlannedWork<Scalar, Device>* kept = nullptr) {
  if (isFactorEmpty(A, B, reading)) {
    if (!add) Kokkos::deep_copy(C.values, Scalar(0));
    return {0, 0};
  }
  if constexpr (isHost<Device>) {
    return numericHostProduct(A, B, C, add, reading, kept ? &kept->onHost : nullptr);
  } else {
    if constexpr (isCuda<Device> && cudaScalar<Scalar>)
      if (const auto strays = numericCudaProduct(A, B, C, add, kept ? &kept->schedule : nullptr))
        return {-1, *strays};
    return {-1, numericTeamProduct(A, B, C, add)};
  }
}

}  // namespace Trident::Impl

#endif
