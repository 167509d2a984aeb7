// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CUDAPRODUCT_HPP
#define TRIDENT_CUDAPRODUCT_HPP

#include <Kokkos_Complex.hpp>
#include <cstddef>
#include <functional>

#include "base/Trident_Options.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// The arrays of a matrix in device memory.
template <class Scalar>
struct DeviceOperand {
  int rows, columns;
  std::size_t entries;
  const std::size_t* offsets;  ///< rows + 1
  const int* entryColumns;
  const Scalar* values;
};

/// Where C's entries go.
template <class Scalar>
struct DeviceEntries {
  int* columns;
  Scalar* values;
};

/// Whether this build multiplies by its own kernels on devices.
bool hasDeviceProduct();

/// The scalars it knows: a macro for each.
#define TRIDENT_DEVICE_SCALARS(MACRO) \
  MACRO(float)                        \
  MACRO(double)                       \
  MACRO(int)                          \
  MACRO(long long)                    \
  MACRO(Kokkos::complex<float>)       \
  MACRO(Kokkos::complex<double>)

template <class Scalar>
inline constexpr bool deviceProductScalar = false;
#define TRIDENT_IS_DEVICE_SCALAR(SCALAR) \
  template <>                            \
  inline constexpr bool deviceProductScalar<SCALAR> = true;
TRIDENT_DEVICE_SCALARS(TRIDENT_IS_DEVICE_SCALAR)
#undef TRIDENT_IS_DEVICE_SCALAR

/// The rows of A·B, sorted by column, on the device whose arrays these are. doc/algorithm.md, "On
/// devices", says how. Local; done when it returns. Throws Trident::Error or std::bad_alloc where
/// it fails, or where this build has none.
///
/// Workspace: 12 bytes a row of A, 8 for each 512 entries of long rows and, where B's columns come
/// in runs, at most 8 bytes a row and 2 an entry of B. With options.workspaceBytes (0: 256 MB and a
/// tenth of B) rows are taken in pieces, and columns one by one, where that would be more. With
/// options.reproducible each sum is in the order of A's entries, where the columns of B's rows
/// ascend. No sum is -0.
/// @param offsets room for A.rows + 1 numbers, which become C's
/// @param make is told how many entries C has, and makes room for them
template <class Scalar>
void multiplyRows(const DeviceOperand<Scalar>& A, const DeviceOperand<Scalar>& B,
                  std::size_t* offsets, const KernelOptions& options,
                  const std::function<DeviceEntries<Scalar>(std::size_t)>& make);

/// For the files that define it.
#define TRIDENT_MULTIPLYROWS_INSTANT(SCALAR)                                                     \
  template void multiplyRows<SCALAR>(const DeviceOperand<SCALAR>&, const DeviceOperand<SCALAR>&, \
                                     std::size_t*, const KernelOptions&,                         \
                                     const std::function<DeviceEntries<SCALAR>(std::size_t)>&);

template <class Scalar, class Device>
DeviceOperand<Scalar> deviceOperand(const LocalMatrix<Scalar, Device>& matrix) {
  return {matrix.numRows(),
          matrix.numCols(),
          matrix.nnz(),
          matrix.graph.row_map.data(),
          matrix.graph.entries.data(),
          matrix.values.data()};
}

/// C = A·B by multiplyRows(). The structure of C does not depend on values.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> deviceProduct(const LocalMatrix<Scalar, Device>& A,
                                          const LocalMatrix<Scalar, Device>& B,
                                          const KernelOptions& options = {}) {
  CrsArrays<Scalar, Device> C;
  C.offsets = uninitialized<std::size_t, Device>("Trident::offsets", A.numRows() + 1);
  multiplyRows<Scalar>(deviceOperand(A), deviceOperand(B), C.offsets.data(), options,
                       [&](std::size_t entries) {
                         C.columns = uninitialized<int, Device>("Trident::columns", entries);
                         C.values = uninitialized<Scalar, Device>("Trident::values", entries);
                         return DeviceEntries<Scalar>{C.columns.data(), C.values.data()};
                       });
  return C.matrix(B.numCols());
}

}  // namespace Trident::Impl

#endif
