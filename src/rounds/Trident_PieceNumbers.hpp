// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PIECENUMBERS_HPP
#define TRIDENT_PIECENUMBERS_HPP

#include "grid/Trident_Permutation.hpp"
#include "matrix/Trident_RowPositions.hpp"

namespace Trident::Impl {

/// The numbers of local rows from some row on, and of columns of a tile. For kernels.
template <class Device>
struct NumbersOfRows {
  RowPositions<Device> positions;
  Permutation permutation;
  int first;

  KOKKOS_INLINE_FUNCTION Position operator()(long long row) const {
    return permutation.inverse(positions(first + static_cast<int>(row)));
  }
};
struct NumbersOfColumns {
  Permutation permutation;
  Position corner;  ///< position of the tile's first column

  KOKKOS_INLINE_FUNCTION Position operator()(long long column) const {
    return permutation.inverse(corner + column);
  }
};

}  // namespace Trident::Impl

#endif
