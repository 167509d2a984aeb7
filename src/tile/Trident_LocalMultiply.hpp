// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LOCALMULTIPLY_HPP
#define TRIDENT_LOCALMULTIPLY_HPP

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spadd.hpp>
#include <KokkosSparse_spgemm.hpp>

#include "Trident_HostProduct.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_Options.hpp"

namespace Trident {
namespace Impl {

template <class Scalar, class Device>
using KernelHandle = KokkosKernels::Experimental::KokkosKernelsHandle<
    std::size_t, int, Scalar, typename Device::execution_space, typename Device::memory_space,
    typename Device::memory_space>;

template <class Scalar, class Device>
LocalMatrix<Scalar, Device> kokkosKernelsProduct(const LocalMatrix<Scalar, Device>& A,
                                                 const LocalMatrix<Scalar, Device>& B) {
  KernelHandle<Scalar, Device> handle;
  // On hosts KokkosKernels' algorithms measured alike but for noise (doc/algorithm.md).
  handle.create_spgemm_handle(isHost<Device> ? KokkosSparse::SPGEMM_KK_LP
                                             : KokkosSparse::SPGEMM_KK);
  LocalMatrix<Scalar, Device> C;
  KokkosSparse::spgemm_symbolic(handle, A, false, B, false, C);
  if (C.nnz() == 0) return emptyMatrix<Scalar, Device>(A.numRows(), B.numCols());
  KokkosSparse::spgemm_numeric(handle, A, false, B, false, C);
  return C;
}

}  // namespace Impl

/// The kernel that Auto stands for on a device: the one that measured best there.
template <class Device>
KernelKind chosenKernel(KernelKind kind) {
  if (kind != KernelKind::Auto) return kind;
  return isHost<Device> ? KernelKind::Host : KernelKind::KokkosKernels;
}

/// C = A·B; rows are not sorted. Structure does not depend on values. Local.
/// @param interruption of the host's product; KokkosKernels' is not interrupted
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> multiplyLocal(const LocalMatrix<Scalar, Device>& A,
                                          const LocalMatrix<Scalar, Device>& B, KernelKind kind,
                                          const Interruption& interruption = {}) {
  if (A.nnz() == 0 || B.nnz() == 0) return emptyMatrix<Scalar, Device>(A.numRows(), B.numCols());
  if constexpr (isHost<Device>)
    if (chosenKernel<Device>(kind) == KernelKind::Host) return hostProduct(A, B, interruption);
  return Impl::kokkosKernelsProduct(A, B);
}

/// A + B; the rows of both, and of the result, are sorted. Local.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> addLocal(const LocalMatrix<Scalar, Device>& A,
                                     const LocalMatrix<Scalar, Device>& B) {
  if (A.nnz() == 0) return B;
  if (B.nnz() == 0) return A;
  Impl::KernelHandle<Scalar, Device> handle;
  handle.create_spadd_handle(true);
  LocalMatrix<Scalar, Device> C;
  const Scalar one(1);
  KokkosSparse::spadd_symbolic(&handle, A, B, C);
  KokkosSparse::spadd_numeric(&handle, one, A, one, B, C);
  handle.destroy_spadd_handle();
  // KokkosKernels counts the columns of C before it has any, so its number is arbitrary.
  return LocalMatrix<Scalar, Device>("Trident::sum", A.numRows(), A.numCols(), C.nnz(), C.values,
                                     C.graph.row_map, C.graph.entries);
}

/// Multiply-adds of A·B: the lengths of the rows of B that A's entries meet, summed. Local.
template <class Scalar, class Device>
long long countFlops(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B) {
  const auto columns = A.graph.entries;
  const auto offsets = B.graph.row_map;
  long long flops = 0;
  Kokkos::parallel_reduce(
      "Trident::countFlops", Range<Device>(0, A.nnz()),
      KOKKOS_LAMBDA(long long e, long long& sum) {
        sum += offsets(columns(e) + 1) - offsets(columns(e));
      },
      flops);
  return flops;
}

}  // namespace Trident

#endif
