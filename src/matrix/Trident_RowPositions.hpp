// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWPOSITIONS_HPP
#define TRIDENT_ROWPOSITIONS_HPP

#include <vector>

#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_Interval.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Positions of a rank's local rows: its slices of the tile row, one after another. For kernels.
template <class Device>
struct RowPositions {
  Kokkos::View<int*, Device> rowBegin;            ///< first local row of each slice; slices + 1
  Kokkos::View<Position*, Device> positionBegin;  ///< its position

  RowPositions(const IndexSpace& space, int i, int k) {
    const int slices = space.shape().segmentsPerTileRow();
    std::vector<int> rows(slices + 1, 0);
    std::vector<Position> positions(slices);
    for (int m = 0; m < slices; ++m) {
      rows[m + 1] = rows[m] + space.sliceSize(i * slices + m, k);
      positions[m] = space.sliceBegin(i * slices + m, k);
    }
    rowBegin = toDevice<int, Device>(rows);
    positionBegin = toDevice<Position, Device>(positions);
  }
  KOKKOS_INLINE_FUNCTION Position operator()(int row) const {
    const long long m = intervalOf(rowBegin, positionBegin.extent(0), row);
    return positionBegin(m) + (row - rowBegin(m));
  }
};

}  // namespace Trident::Impl

#endif
