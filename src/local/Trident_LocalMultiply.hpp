// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LOCALMULTIPLY_HPP
#define TRIDENT_LOCALMULTIPLY_HPP

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spadd.hpp>
#include <KokkosSparse_spgemm.hpp>
#include <exception>
#include <string>

#include "Trident_CountFlops.hpp"
#include "Trident_CusparseKernels.hpp"
#include "Trident_Error.hpp"
#include "Trident_HostProduct.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_Options.hpp"

namespace Trident::Impl {

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

/// The kernel that Auto stands for on a device where nothing is known of the rows of a product.
template <class Device>
KernelKind chosenKernel(KernelKind kind) {
  if (kind != KernelKind::Auto) return kind;
  return isHost<Device> ? KernelKind::Host : KernelKind::KokkosKernels;
}

/// The skew from which Auto takes cuSPARSE on CUDA: KokkosKernels leaves a heavy row to one team
/// while the others have nothing to do. doc/algorithm.md has the matrices it is chosen by.
constexpr double heavySkew = 10;

/// The kernel that Auto stands for on CUDA. A function of its arguments alone.
/// @param cusparse whether cuSPARSE is there and knows the scalar
inline KernelKind kernelForRows(const RowWork& work, bool cusparse) {
  return cusparse && work.skew() > heavySkew ? KernelKind::Cusparse : KernelKind::KokkosKernels;
}

/// Why a device has no such kernel for a scalar, and the remedy; empty where it has.
template <class Scalar, class Device>
std::string whyNoKernel(KernelKind kind) {
  if (kind == KernelKind::Host && !isHost<Device>)
    return "\"kernel\" = \"host\" runs on hosts only; use \"auto\"";
  if (kind != KernelKind::Cusparse) return "";
  if (!isCuda<Device>) return "\"kernel\" = \"cusparse\" runs on CUDA only; use \"auto\"";
  if (!hasCusparse())
    return "this Trident was built without cuSPARSE; use \"kernel\" = \"auto\", or configure with "
           "Trident_ENABLE_CUSPARSE=ON";
  if (cusparseScalar<Scalar> == CusparseScalar::None)
    return "cuSPARSE does not know this scalar; use \"kernel\" = \"auto\"";
  return "";
}

/// Whether the kernel of a product depends on its rows.
template <class Scalar, class Device>
bool choosesByRows(KernelKind kind) {
  return kind == KernelKind::Auto && isCuda<Device> &&
         whyNoKernel<Scalar, Device>(KernelKind::Cusparse).empty();
}

/// The multiply-adds of A·B, and of its rows where a kernel is chosen by them. Local.
template <class Scalar, class Device>
RowWork workOf(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
               KernelKind kind) {
  if (choosesByRows<Scalar, Device>(kind)) return countRowWork(A, B);
  RowWork work;
  work.products = countFlops(A, B);
  return work;
}

/// A product, and the kernel that made it.
template <class Scalar, class Device>
struct LocalProduct {
  LocalMatrix<Scalar, Device> C;
  KernelKind kernel = KernelKind::Auto;
};

/// What `first` returns; where that throws, what `second` returns, once all of `first` is gone.
template <class First, class Second>
auto firstElse(First&& first, Second&& second) {
  try {
    return first();
  } catch (const std::exception&) {
  }
  return second();
}

/// By cuSPARSE; by KokkosKernels where cuSPARSE fails, which is for memory or for its integers.
/// What else may be wrong stays wrong, and surfaces before or in KokkosKernels' product. (By their
/// type exceptions cannot be told apart: Kokkos' views throw the same for memory and the rest.)
template <class Scalar, class Device>
LocalProduct<Scalar, Device> cusparseElseKokkosKernels(const LocalMatrix<Scalar, Device>& A,
                                                       const LocalMatrix<Scalar, Device>& B) {
  using Product = LocalProduct<Scalar, Device>;
  return firstElse(
      [&] {
        return Product{cusparseProduct(A, B), KernelKind::Cusparse};
      },
      [&] {
        recoverFromCusparse();
        return Product{kokkosKernelsProduct(A, B), KernelKind::KokkosKernels};
      });
}

/// C = A·B; rows are not sorted. Structure does not depend on values. Local. Throws Trident::Error
/// where whyNoKernel(), and where cuSPARSE was asked for and has not the memory or the integers.
/// @param work workOf() the product
/// @param interruption of the host's product; the others are not interrupted
template <class Scalar, class Device>
LocalProduct<Scalar, Device> multiplyLocal(const LocalMatrix<Scalar, Device>& A,
                                           const LocalMatrix<Scalar, Device>& B, KernelKind kind,
                                           const RowWork& work,
                                           const Interruption& interruption = {}) {
  const std::string whyNot = whyNoKernel<Scalar, Device>(kind);
  if (!whyNot.empty()) throw Error("Trident::multiplyLocal", whyNot);
  const KernelKind kernel = chosenKernel<Device>(kind);
  if (A.nnz() == 0 || B.nnz() == 0)
    return {emptyMatrix<Scalar, Device>(A.numRows(), B.numCols()), kernel};
  if constexpr (isHost<Device>)
    if (kernel == KernelKind::Host) return {hostProduct(A, B, interruption), kernel};
  if constexpr (isCuda<Device>) {
    if (kernel == KernelKind::Cusparse) return {cusparseProduct(A, B), kernel};
    if (kernelForRows(work, choosesByRows<Scalar, Device>(kind)) == KernelKind::Cusparse)
      return cusparseElseKokkosKernels(A, B);
  }
  return {kokkosKernelsProduct(A, B), KernelKind::KokkosKernels};
}

/// The same, where nothing is known of the product yet.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> multiplyLocal(const LocalMatrix<Scalar, Device>& A,
                                          const LocalMatrix<Scalar, Device>& B, KernelKind kind) {
  const bool byRows = choosesByRows<Scalar, Device>(kind);
  return multiplyLocal(A, B, kind, byRows ? countRowWork(A, B) : RowWork()).C;
}

template <class Scalar, class Device>
LocalMatrix<Scalar, Device> kokkosKernelsSum(const LocalMatrix<Scalar, Device>& A,
                                             const LocalMatrix<Scalar, Device>& B) {
  KernelHandle<Scalar, Device> handle;
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

/// A + B; the rows of both, and of the result, are sorted. Local. By cuSPARSE where it can, else by
/// KokkosKernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> addLocal(const LocalMatrix<Scalar, Device>& A,
                                     const LocalMatrix<Scalar, Device>& B) {
  if (A.nnz() == 0) return B;
  if (B.nnz() == 0) return A;
  if constexpr (isCuda<Device>)
    if (cusparseCanAdd(A, B)) return cusparseSum(A, B);
  return kokkosKernelsSum(A, B);
}

}  // namespace Trident::Impl

#endif
