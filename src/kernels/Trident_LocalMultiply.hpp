// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LOCALMULTIPLY_HPP
#define TRIDENT_LOCALMULTIPLY_HPP

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spadd.hpp>
#include <KokkosSparse_spgemm.hpp>
#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_Options.hpp"
#include "kernels/cuda/Trident_CudaProduct.hpp"
#include "kernels/cusparse/Trident_CusparseSum.hpp"
#include "kernels/host/Trident_HostProduct.hpp"
#include "kernels/teams/Trident_TeamProduct.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowReading.hpp"

// The product and the sum of one rank's matrices, and the choice of their kernels.

namespace Trident::Impl {

template <class Scalar, class Device>
using KernelHandle = KokkosKernels::Experimental::KokkosKernelsHandle<
    std::size_t, int, Scalar, typename Device::execution_space, typename Device::memory_space,
    typename Device::memory_space>;

/// Multiplies by KokkosKernels. This is the fallback where Trident has no kernel of its own, and
/// serves tests as a comparison.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> kokkosKernelsProduct(const LocalMatrix<Scalar, Device>& A,
                                                 const LocalMatrix<Scalar, Device>& B) {
  KernelHandle<Scalar, Device> handle;
  // KK_LP was never behind the other algorithms on hosts (doc/results/decisions.md).
  handle.create_spgemm_handle(isHost<Device> ? KokkosSparse::SPGEMM_KK_LP
                                             : KokkosSparse::SPGEMM_KK);
  LocalMatrix<Scalar, Device> C;
  KokkosSparse::spgemm_symbolic(handle, A, false, B, false, C);
  if (C.nnz() == 0) return emptyMatrix<Scalar, Device>(A.numRows(), B.numCols());
  KokkosSparse::spgemm_numeric(handle, A, false, B, false, C);
  return C;
}

/// True if the kernel "device" is written in CUDA. Otherwise that kernel uses Kokkos' teams.
template <class Scalar, class Device>
constexpr bool byCudaKernels = isCuda<Device>&& cudaScalar<Scalar>;

/// Returns the reason why this device has no kernel `kind` for the scalar, with a remedy; else "".
template <class Scalar, class Device>
std::string whyNoKernel(KernelKind kind) {
  const bool device = kind == KernelKind::Device;
  if (kind == KernelKind::Host && !isHost<Device>)
    return "\"kernel\" = \"host\" runs on hosts only; use \"auto\"";
  if (device && isHost<Device>) return "\"kernel\" = \"device\" runs on devices only; use \"auto\"";
  if (device && byCudaKernels<Scalar, Device> && !hasCudaProduct())
    return "this Trident was built without CUDA; use \"kernel\" = \"auto\", or configure with "
           "Trident_ENABLE_CUDA=ON";
  if (kind == KernelKind::KokkosKernels && sumsAreWider<Scalar>)
    return "KokkosKernels does not know this scalar; use \"kernel\" = \"auto\"";
  // KokkosKernels 5.0 (GPUTag4) aligns hash tables in shared memory to 8 bytes, not to 16.
  if (kind == KernelKind::KokkosKernels && !isHost<Device> && sizeof(Scalar) > 8)
    return "KokkosKernels misplaces scalars of 16 bytes on devices; use \"kernel\" = \"device\"";
  return "";
}

/// Returns `kind`, or for Auto the kernel that it stands for: Trident's own if this build has one.
template <class Scalar, class Device>
KernelKind chosenKernel(KernelKind kind) {
  if (kind != KernelKind::Auto) return kind;
  for (const KernelKind own : {KernelKind::Host, KernelKind::Device})
    if (whyNoKernel<Scalar, Device>(own).empty()) return own;
  return KernelKind::KokkosKernels;
}

/// Returns the kernel that forms a product. With a mask, or over a semiring other than plus-times,
/// this is Trident's own kernel. It needs no CUDA: it uses a host's threads or Kokkos' teams.
template <class Scalar, class Device>
KernelKind formingKernel(const KernelOptions& options, bool masked = false) {
  if (options.semiring == SemiringKind::PlusTimes && !masked)
    return chosenKernel<Scalar, Device>(options.kernel);
  return isHost<Device> ? KernelKind::Host : KernelKind::Device;
}

/// Returns true if a kernel is Trident's own. Products of such a kernel have sorted rows, and sums
/// in the order of A's entries.
inline bool ownKernel(KernelKind kernel) {
  return kernel == KernelKind::Host || kernel == KernelKind::Device;
}

/// Returns true if a product can read the rows of its left factor by a RowReading.
template <class Scalar, class Device>
bool readsRows(const KernelOptions& options) {
  return isHost<Device> && options.semiring == SemiringKind::PlusTimes &&
         formingKernel<Scalar, Device>(options) == KernelKind::Host;
}

/// Returns true if the terms of an entry of C must be added in ascending order of the inner index
/// (doc/algorithm.md, "The same bits"). Then A's columns must ascend, because Trident's own kernels
/// add in the order of a row of A. Returns false for other kernels: they promise no order.
template <class Scalar, class Device>
bool addsInOrder(const KernelOptions& options) {
  return options.reproducible && ownKernel(formingKernel<Scalar, Device>(options));
}

/// Returns true if the columns of a right factor must ascend, so that terms are added in order.
/// Only kernels of devices need ascending columns, to find the threads that add to one sum.
template <class Scalar, class Device>
bool rightFactorsAscend(const KernelOptions& options) {
  return !isHost<Device> && addsInOrder<Scalar, Device>(options);
}

/// Forms A·B by the kernel that the options choose. Rows are sorted if ownKernel(). Multiply-adds
/// are -1 if the kernel does not count them. C has an entry wherever there is a term, even if the
/// sum is 0. Local. Throws Trident::Error if there is no such kernel (whyNoKernel()).
/// @param progressHook hook of the host's product; other kernels are not interrupted
/// @param kept,reading as in hostProduct(); other kernels ignore both
template <class Scalar, class Device>
CountedProduct<Scalar, Device> multiplyLocal(const LocalMatrix<Scalar, Device>& A,
                                             const LocalMatrix<Scalar, Device>& B,
                                             const KernelOptions& options,
                                             const ProgressHook& progressHook = {},
                                             ProductMemory<Scalar, Device>* kept = nullptr,
                                             const RowReading<Scalar, Device>* reading = nullptr) {
  const KernelKind kernel = chosenKernel<Scalar, Device>(options.kernel);
  const std::string whyNot = whyNoKernel<Scalar, Device>(kernel);
  if (!whyNot.empty()) throw Error("Trident::multiplyLocal", whyNot);
  if (isFactorEmpty(A, B, reading))
    return {emptyMatrix<Scalar, Device>(A.numRows(), B.numCols()), 0};
  if constexpr (isHost<Device>) {
    if (kernel == KernelKind::Host) return hostProduct(A, B, progressHook, kept, reading);
  } else if constexpr (byCudaKernels<Scalar, Device>) {
    if (kernel == KernelKind::Device) {
      CountedProduct<Scalar, Device> product;
      product.C = cudaProduct(A, B, options, &product.multiplyAdds);
      return product;
    }
  } else {
    if (kernel == KernelKind::Device) return {teamProduct(A, B)};
  }
  if constexpr (sumsAreWider<Scalar>)
    throw Error("Trident::multiplyLocal", "no kernel forms products of this scalar");
  else
    return {kokkosKernelsProduct(A, B)};
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
  // C's own number of columns is wrong, because KokkosKernels sets it before C has columns.
  return LocalMatrix<Scalar, Device>("Trident::sum", A.numRows(), A.numCols(), C.nnz(), C.values,
                                     C.graph.row_map, C.graph.entries);
}

/// Forms A + B. The rows of A, of B and of the result are sorted. Local. Uses cuSPARSE if possible,
/// else KokkosKernels. Both merge rows, whereas semiringSum() would search a row for each entry.
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
