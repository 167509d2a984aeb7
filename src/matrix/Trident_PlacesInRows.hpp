// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLACESINROWS_HPP
#define TRIDENT_PLACESINROWS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace Trident::Impl {

/// Finds a column's place in a row of CSR arrays. For kernels.
template <class Offsets, class Columns>
struct PlacesInRows {
  Offsets offsets;
  Columns columns;
  bool sorted;  ///< otherwise rows are searched from end to end

  /// Counted from the row's first entry; -1 where the row lacks the column.
  KOKKOS_INLINE_FUNCTION int operator()(long long row, int column) const {
    const std::size_t first = offsets(row), end = offsets(row + 1);
    std::size_t low = first, high = end;
    while (sorted && low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (columns(middle) < column)
        low = middle + 1;
      else
        high = middle;
    }
    while (!sorted && low < end && columns(low) != column) ++low;
    return low < end && columns(low) == column ? static_cast<int>(low - first) : -1;
  }
};

}  // namespace Trident::Impl

#endif
