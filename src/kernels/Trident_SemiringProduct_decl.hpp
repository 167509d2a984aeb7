// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SEMIRINGPRODUCT_DECL_HPP
#define TRIDENT_SEMIRINGPRODUCT_DECL_HPP

#include "base/Trident_Options.hpp"
#include "kernels/host/Trident_HostProduct.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Forms A·B over options.semiring, or the entries of A·B that a mask lets through. The result's
/// rows are sorted. Sums are in the order of A's entries. Hosts use threads, devices use Kokkos'
/// teams. Local. The result is ready on return. whyNoSemiring() must be empty.
/// @param mask null for all entries, else a mask with A's rows, and with columns numbered as B's
/// @param progressHook hook of the host's product; not used on devices
template <class Scalar, class Device>
CountedProduct<Scalar, Device> semiringProduct(const LocalMatrix<Scalar, Device>& A,
                                               const LocalMatrix<Scalar, Device>& B,
                                               const LocalMask<Device>* mask,
                                               const KernelOptions& options,
                                               const ProgressHook& progressHook);

/// Forms A + B over options.semiring. Rows of A, of B and of the result are sorted. Local.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> semiringSum(const LocalMatrix<Scalar, Device>& A,
                                        const LocalMatrix<Scalar, Device>& B,
                                        const KernelOptions& options);

/// Forms the entrywise product over options.semiring. The result has an entry where both A and B
/// have one. Rows of A, of B and of the result are sorted. Local.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> semiringEntries(const LocalMatrix<Scalar, Device>& A,
                                            const LocalMatrix<Scalar, Device>& B,
                                            const KernelOptions& options);

}  // namespace Trident::Impl

#endif
