// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICELOCATOR_HPP
#define TRIDENT_SLICELOCATOR_HPP

#include "Trident_IndexSpace.hpp"
#include "Trident_LocalMatrix.hpp"

namespace Trident {

/// An IndexSpace for kernels: where on the grid a number lies. O(P) device memory.
template <class Device>
class SliceLocator {
 public:
  explicit SliceLocator(const IndexSpace& space)
      : permutation_(space.permutation()),
        lambda_(space.shape().lambda),
        perTileRow_(space.shape().segmentsPerTileRow()),
        perTileCol_(space.shape().segmentsPerTileCol()),
        slices_(static_cast<int>(space.cuts().size()) - 1) {
    const Kokkos::View<Position*, Kokkos::HostSpace> cuts("Trident::cuts", slices_ + 1);
    const Kokkos::View<int*, Kokkos::HostSpace> rowBegin("Trident::rowBegin", slices_ + 1);
    for (int c = 0; c <= slices_; ++c) cuts(c) = space.cuts()[c];
    for (int s = 0; s < space.shape().segments(); ++s)
      for (int k = 0; k < lambda_; ++k)
        rowBegin(s * lambda_ + k) =
            s % perTileRow_ == 0
                ? 0
                : rowBegin((s - 1) * lambda_ + k) + space.sliceSize(s - 1, k);
    cuts_ = Kokkos::create_mirror_view_and_copy(typename Device::memory_space(), cuts);
    rowBegin_ = Kokkos::create_mirror_view_and_copy(typename Device::memory_space(), rowBegin);
  }

  /// As a row: node row i, rank k in each of its nodes, and the local row there.
  struct Row {
    int i, k, local;
  };
  KOKKOS_INLINE_FUNCTION Row row(Position number) const {
    const Position position = permutation_.forward(number);
    const int slice = sliceOf(position);
    return {slice / lambda_ / perTileRow_, slice % lambda_,
            rowBegin_(slice) + static_cast<int>(position - cuts_(slice))};
  }

  /// As a column: node column j, and the local column in its tiles.
  struct Column {
    int j, local;
  };
  KOKKOS_INLINE_FUNCTION Column column(Position number) const {
    const Position position = permutation_.forward(number);
    const int j = sliceOf(position) / lambda_ / perTileCol_;
    return {j, static_cast<int>(position - cuts_(j * perTileCol_ * lambda_))};
  }

 private:
  /// The slice that holds `position`; empty slices hold nothing.
  KOKKOS_INLINE_FUNCTION int sliceOf(Position position) const {
    int low = 0, high = slices_;  // cuts(low) <= position < cuts(high)
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (cuts_(middle) <= position ? low : high) = middle;
    }
    return low;
  }

  Permutation permutation_;
  int lambda_, perTileRow_, perTileCol_, slices_;
  Kokkos::View<Position*, typename Device::memory_space> cuts_;
  Kokkos::View<int*, typename Device::memory_space> rowBegin_;  // of each slice, in its tile row
};

}  // namespace Trident

#endif
