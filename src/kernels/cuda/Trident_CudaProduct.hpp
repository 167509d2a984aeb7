// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUDAPRODUCT_HPP
#define TRIDENT_CUDAPRODUCT_HPP

#include <Kokkos_Complex.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "base/Trident_Memory.hpp"
#include "base/Trident_Options.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Single.hpp"

// A·B by CUDA kernels: the whole product, or its values alone if its structure is known. For other
// devices and scalars, see teams/Trident_TeamProduct.hpp.

namespace Trident::Impl {

/// The arrays of a matrix in device memory.
template <class Scalar>
struct CudaMatrix {
  int rows, columns;
  std::size_t entries;
  const std::size_t* offsets;  ///< array of rows + 1 offsets
  const int* entryColumns;
  const Scalar* values;

  template <class Device>
  explicit CudaMatrix(const LocalMatrix<Scalar, Device>& matrix)
      : rows(matrix.numRows()),
        columns(matrix.numCols()),
        entries(matrix.nnz()),
        offsets(matrix.graph.row_map.data()),
        entryColumns(matrix.graph.entries.data()),
        values(matrix.values.data()) {}
};

/// The arrays of C's entries.
template <class Scalar>
struct CudaEntries {
  int* columns;
  Scalar* values;
};

struct NumericSchedule;  // Trident_NumericBins_Cuda.hpp

/// A schedule that the caller of multiplyValues() keeps: the kernel of each row, and the blocks of
/// alike rows. Depends on structure alone. Memory: 12 bytes for each 512 entries of long rows. If
/// rows have several kernels, 4 for each row of A. If rows are alike, 1 for each row of A and of B.
struct KeptSchedule {
  std::shared_ptr<const NumericSchedule> found;  ///< null: nothing is known yet
  MemoryBlock arrays;                            ///< device memory of the schedule
};

bool hasCudaProduct();

/// Applies MACRO to each scalar that these kernels know.
#define TRIDENT_CUDA_SCALARS(MACRO) \
  MACRO(float)                      \
  MACRO(Single)                     \
  MACRO(double)                     \
  MACRO(int)                        \
  MACRO(long long)                  \
  MACRO(Kokkos::complex<float>)     \
  MACRO(Kokkos::complex<double>)

template <class Scalar>
inline constexpr bool cudaScalar = false;
#define TRIDENT_IS_CUDA_SCALAR(SCALAR) \
  template <>                          \
  inline constexpr bool cudaScalar<SCALAR> = true;
TRIDENT_CUDA_SCALARS(TRIDENT_IS_CUDA_SCALAR)
#undef TRIDENT_IS_CUDA_SCALAR

/// Forms the rows of A·B, sorted by column, on the device of these arrays (doc/algorithm.md, "On
/// devices"). Local. C is complete on return. Throws Trident::Error or std::bad_alloc on failure,
/// or if this build has no such kernels. Sums are formed in SumOf<Scalar>; no sum is -0. With
/// options.reproducible, each sum is in the order of A's entries if the columns of B's rows ascend.
///
/// Bytes of the workspace: 12 for each row of A, and 12 for each 512 entries of long rows. More:
/// - if B's columns may be consecutive: 8 for each row of B; if they are, <= 2 for each entry of B
/// - if rows of A are alike: 10 for each row of A, 2 for each row of B, <= 4 for each entry of A
/// - if few rows of A are long and B is wide: <= 64 for each row of A
/// The bound is options.workspaceBytes; 0 means 256 MiB and a tenth of A and B. If the bound is too
/// small, rows are taken in chunks, and tables hold single columns.
/// @param offsets gets the A.rows + 1 offsets of C
/// @param make make(entries) returns room for C's entries
/// @return the number of multiply-adds
template <class Scalar>
long long multiplyRows(const CudaMatrix<Scalar>& A, const CudaMatrix<Scalar>& B,
                       std::size_t* offsets, const KernelOptions& options,
                       const std::function<CudaEntries<Scalar>(std::size_t)>& make);

/// Computes the values of C = A·B, or of C + A·B if `add`, on the device of these arrays. C's rows
/// are known and sorted. All runs give equal bits, because each sum is in the order of A's entries.
/// Local. Waits for the kernels, unless an earlier product has set `kept`. Workspace: 4 bytes for
/// each row of C, and 12 for each 512 entries of rows with more than 512. If rows are alike, 2 for
/// each row of A and of B.
/// @param C the structure of C
/// @param kept null, or a schedule for several products. The first product sets the schedule,
///   unless multiply-adds are outside of C's structure. Later products must have equal structures.
///   They count nothing and do not wait, so only later work in Kokkos' stream may read the values
/// @return the number of multiply-adds outside of C's structure. Empty if B's rows do not ascend,
///   or if this build has no such kernels; then nothing was written
template <class Scalar>
std::optional<long long> multiplyValues(const CudaMatrix<Scalar>& A, const CudaMatrix<Scalar>& B,
                                        const CudaMatrix<Scalar>& C, Scalar* values, bool add,
                                        KeptSchedule* kept);

/// Instantiations, for the files that define these functions.
#define TRIDENT_MULTIPLYROWS_INSTANT(SCALAR)                                                    \
  template long long multiplyRows<SCALAR>(const CudaMatrix<SCALAR>&, const CudaMatrix<SCALAR>&, \
                                          std::size_t*, const KernelOptions&,                   \
                                          const std::function<CudaEntries<SCALAR>(std::size_t)>&);
#define TRIDENT_MULTIPLYVALUES_INSTANT(SCALAR)                                                  \
  template std::optional<long long> multiplyValues<SCALAR>(                                     \
      const CudaMatrix<SCALAR>&, const CudaMatrix<SCALAR>&, const CudaMatrix<SCALAR>&, SCALAR*, \
      bool, KeptSchedule*);

/// Forms A·B by multiplyRows(). The structure of C does not depend on values.
/// @param multiplyAdds gets the number of multiply-adds; may be null
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> cudaProduct(const LocalMatrix<Scalar, Device>& A,
                                        const LocalMatrix<Scalar, Device>& B,
                                        const KernelOptions& options = {},
                                        long long* multiplyAdds = nullptr) {
  CrsArrays<Scalar, Device> C;
  const auto offsets = uninitialized<std::size_t, Device>("Trident::offsets", A.numRows() + 1);
  C.offsets = offsets;
  const long long count =
      multiplyRows<Scalar>(CudaMatrix<Scalar>(A), CudaMatrix<Scalar>(B), offsets.data(), options,
                           [&](std::size_t entries) {
                             C.columns = uninitialized<int, Device>("Trident::columns", entries);
                             C.values = uninitialized<Scalar, Device>("Trident::values", entries);
                             return CudaEntries<Scalar>{C.columns.data(), C.values.data()};
                           });
  if (multiplyAdds) *multiplyAdds = count;
  return C.matrix(B.numCols());
}

/// Returns the result of multiplyValues() for local matrices.
template <class Scalar, class Device>
std::optional<long long> numericCudaProduct(const LocalMatrix<Scalar, Device>& A,
                                            const LocalMatrix<Scalar, Device>& B,
                                            const LocalMatrix<Scalar, Device>& C, bool add,
                                            KeptSchedule* kept) {
  return multiplyValues<Scalar>(CudaMatrix<Scalar>(A), CudaMatrix<Scalar>(B), CudaMatrix<Scalar>(C),
                                C.values.data(), add, kept);
}

}  // namespace Trident::Impl

#endif
