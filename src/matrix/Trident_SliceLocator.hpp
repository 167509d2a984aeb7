// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICELOCATOR_HPP
#define TRIDENT_SLICELOCATOR_HPP

#include <vector>

#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

/// Positions of a rank's local rows: the rows of its slices, one slice after another. For kernels.
template <class Device>
struct RowPositions {
  Kokkos::View<int*, Device> rowBegin;            ///< first local row of each slice, then the end
  Kokkos::View<Position*, Device> positionBegin;  ///< position of the first row of each slice

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

/// An IndexSpace for kernels: finds a number's place on the grid. Takes O(P) device memory.
template <class Device>
class SliceLocator {
 public:
  explicit SliceLocator(const IndexSpace& space)
      : lambda_(space.shape().lambda),
        perTileRow_(space.shape().segmentsPerTileRow()),
        perTileCol_(space.shape().segmentsPerTileCol()),
        slices_(static_cast<int>(space.cuts().size()) - 1) {
    std::vector<int> rowBegin(slices_);
    for (int s = 0; s < space.shape().segments(); ++s)
      for (int k = 0; k < lambda_; ++k)
        rowBegin[s * lambda_ + k] =
            s % perTileRow_ == 0 ? 0 : rowBegin[(s - 1) * lambda_ + k] + space.sliceSize(s - 1, k);
    cuts_ = toDevice<Position, Device>(space.cuts());
    rowBegin_ = toDevice<int, Device>(rowBegin);
  }

  /// Place of a row. Each rank (i, j, k), for all j, holds a part of the row as its row `local`.
  struct Row {
    int i, k, local;
  };
  KOKKOS_INLINE_FUNCTION Row row(Position number) const {
    const int slice = sliceOf(number);
    return {slice / lambda_ / perTileRow_, slice % lambda_,
            rowBegin_(slice) + static_cast<int>(number - cuts_(slice))};
  }

  /// Place of a column: node column j, and the local column in the tiles of that node column.
  struct Column {
    int j, local;
  };
  KOKKOS_INLINE_FUNCTION Column column(Position number) const {
    const int perTile = perTileCol_ * lambda_;
    const int j = perTile == slices_ ? 0 : sliceOf(number) / perTile;
    return {j, static_cast<int>(number - cuts_(j * perTile))};
  }

 private:
  KOKKOS_INLINE_FUNCTION int sliceOf(Position number) const {
    return static_cast<int>(intervalOf(cuts_, slices_, number));
  }

  int lambda_, perTileRow_, perTileCol_, slices_;
  Kokkos::View<Position*, Device> cuts_;
  Kokkos::View<int*, Device> rowBegin_;  // first local row of each slice
};

/// Place on the grid of each local column of a matrix.
template <class Device>
struct ColumnLocations {
  Kokkos::View<int*, Device> j;      ///< node column
  Kokkos::View<int*, Device> local;  ///< local column in the tiles
};

template <class Device>
ColumnLocations<Device> locateColumns(const IndexNumbers<Device>& numbers,
                                      const IndexSpace& space) {
  const SliceLocator<Device> locator(space);
  ColumnLocations<Device> locations{scratch<int, Device>("Trident::columnNode", numbers.size()),
                                    scratch<int, Device>("Trident::columnLocal", numbers.size())};
  const auto j = locations.j;
  const auto local = locations.local;
  Kokkos::parallel_for(
      "Trident::locateColumns", Range<Device>(0, numbers.size()), TRIDENT_LAMBDA(long long l) {
        const auto column = locator.column(numbers(l));
        j(l) = column.j;
        local(l) = column.local;
      });
  return locations;
}

}  // namespace Trident::Impl

#endif
