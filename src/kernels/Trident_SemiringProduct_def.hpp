// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SEMIRINGPRODUCT_DEF_HPP
#define TRIDENT_SEMIRINGPRODUCT_DEF_HPP

#include "kernels/Trident_SemiringProduct_decl.hpp"
#include "kernels/Trident_SemiringSum.hpp"
#include "kernels/host/Trident_MaskedHostProduct.hpp"
#include "kernels/teams/Trident_MaskedTeamProduct.hpp"
#include "kernels/teams/Trident_TeamProduct.hpp"
#include "matrix/Trident_MultiplyAdds.hpp"
#include "matrix/Trident_Semiring.hpp"

namespace Trident::Impl {

template <class Semiring, class Scalar, class Device>
CountedProduct<Scalar, Device> productOver(const LocalMatrix<Scalar, Device>& A,
                                           const LocalMatrix<Scalar, Device>& B,
                                           const LocalMask<Device>* mask,
                                           const Interruption& interruption) {
  if constexpr (isHost<Device>) {
    return mask ? maskedHostProduct<Semiring>(A, B, *mask, interruption)
                : hostProduct<Scalar, Device, Semiring>(A, B, interruption);
  } else {
    return {mask ? maskedTeamProduct<Semiring>(A, B, *mask)
                 : teamProduct<Scalar, Device, Semiring>(A, B),
            countMultiplyAdds(A, B)};
  }
}

template <class Scalar, class Device>
CountedProduct<Scalar, Device> semiringProduct(const LocalMatrix<Scalar, Device>& A,
                                               const LocalMatrix<Scalar, Device>& B,
                                               const LocalMask<Device>* mask,
                                               const KernelOptions& options,
                                               const Interruption& interruption) {
  if (A.nnz() == 0 || B.nnz() == 0)
    return {emptyMatrix<Scalar, Device>(A.numRows(), B.numCols()), 0};
  return withSemiring<Scalar>(options.semiring, [&](auto semiring) {
    return productOver<decltype(semiring)>(A, B, mask, interruption);
  });
}

template <class Scalar, class Device>
LocalMatrix<Scalar, Device> semiringSum(const LocalMatrix<Scalar, Device>& A,
                                        const LocalMatrix<Scalar, Device>& B,
                                        const KernelOptions& options) {
  return withSemiring<Scalar>(
      options.semiring, [&](auto semiring) { return semiringSumOf<decltype(semiring)>(A, B); });
}

}  // namespace Trident::Impl

// EXTERN is nothing, or `extern` where they are instantiated elsewhere.
#define TRIDENT_SEMIRINGPRODUCT_INSTANT(EXTERN, SCALAR, DEVICE)                                   \
  EXTERN template ::Trident::Impl::CountedProduct<SCALAR, DEVICE>                                 \
  Trident::Impl::semiringProduct<SCALAR, DEVICE>(                                                 \
      const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&,                                        \
      const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&,                                        \
      const ::Trident::Impl::LocalMask<DEVICE>*, const ::Trident::Impl::KernelOptions&,           \
      const ::Trident::Impl::Interruption&);                                                      \
  EXTERN template ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>                                    \
  Trident::Impl::semiringSum<SCALAR, DEVICE>(const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&, \
                                             const ::Trident::Impl::LocalMatrix<SCALAR, DEVICE>&, \
                                             const ::Trident::Impl::KernelOptions&);

#endif
