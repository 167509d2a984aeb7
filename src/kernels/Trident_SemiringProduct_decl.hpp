// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SEMIRINGPRODUCT_DECL_HPP
#define TRIDENT_SEMIRINGPRODUCT_DECL_HPP

#include "base/Trident_Options.hpp"
#include "kernels/host/Trident_HostProduct.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Forms A·B over options.semiring, or the entries of it that a mask lets through. Rows come out
/// sorted, and sums are in the order of A's entries. Threads do it on hosts, Kokkos' teams on
/// devices. Local; done when it returns. To be called only if whyNoSemiring() is empty.
/// @param mask null: all entries. Otherwise as many rows as A's, and columns of B's numbers
/// @param progressHook of a host's product
template <class Scalar, class Device>
CountedProduct<Scalar, Device> semiringProduct(const LocalMatrix<Scalar, Device>& A,
                                               const LocalMatrix<Scalar, Device>& B,
                                               const LocalMask<Device>* mask,
                                               const KernelOptions& options,
                                               const ProgressHook& progressHook);

/// Forms A + B by that semiring's plus; rows of both, and of the result, are sorted. Local.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> semiringSum(const LocalMatrix<Scalar, Device>& A,
                                        const LocalMatrix<Scalar, Device>& B,
                                        const KernelOptions& options);

/// Forms the entrywise product by that semiring's times, of entries that both have; rows of both,
/// and of the result, are sorted. Local.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> semiringEntries(const LocalMatrix<Scalar, Device>& A,
                                            const LocalMatrix<Scalar, Device>& B,
                                            const KernelOptions& options);

}  // namespace Trident::Impl

#endif
