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

/// The work of a planned product on this rank, as far as structure decides it.
template <class Scalar, class Device>
struct PlannedWork {
  long long multiplyAdds = 0;  ///< work of all batches
  // Schedules are for products in one batch, from the second one on.
  KeptSchedule schedule;                     ///< schedule on CUDA
  HostSchedule<Scalar, Device> onHost = {};  ///< schedule on hosts
};

/// Computes the values of C = A·B, or of C + A·B, where C's structure is known. A reused plan runs
/// this, without the hash tables of a product that looks for its structure and without the sort.
/// Local; the values are there when it returns, but by a kept schedule.
///
/// @param B its columns are numbered as C's
/// @param C rows sorted by column, on hosts in any order, no column twice; only its values are
///   written. On a host it must have an entry for each product: to look for others would take as
///   long as to add them. On devices multiply-adds without one are left out and counted.
/// @param add true to add to C's values, rather than overwrite them
/// @param reading of A's rows, on hosts; null: as they are stored
/// @param kept null, or of these structures, whose caller has made sure of them; then hosts do not
///   count multiply-adds
///
/// On CUDA Trident's own kernels do it, if they know the scalar and the columns of B's rows ascend.
/// Else teams do it on devices: the order of their additions varies for rows that several threads
/// share.
template <class Scalar, class Device>
NumericWork numericProduct(const LocalMatrix<Scalar, Device>& A,
                           const LocalMatrix<Scalar, Device>& B,
                           const LocalMatrix<Scalar, Device>& C, bool add,
                           const RowReading<Scalar, Device>* reading = nullptr,
                           PlannedWork<Scalar, Device>* kept = nullptr) {
  if (hasNoProducts(A, B, reading)) {
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
