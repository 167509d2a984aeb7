// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LOCALMASK_HPP
#define TRIDENT_LOCALMASK_HPP

#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Which entries a product may have: those of a structure, or all others. A handle, for kernels
/// too.
template <class Device>
struct LocalMask {
  Kokkos::View<const std::size_t*, Device> offsets;
  Kokkos::View<int*, Device> columns;  ///< they ascend in each row, none is there twice
  bool complement = false;             ///< the structure says what the product may not have

  LocalMask() = default;
  /// @param matrix whose structure it is; it keeps its values
  template <class Scalar>
  LocalMask(const LocalMatrix<Scalar, Device>& matrix, bool others)
      : offsets(matrix.graph.row_map), columns(matrix.graph.entries), complement(others) {}
};

}  // namespace Trident::Impl

#endif
