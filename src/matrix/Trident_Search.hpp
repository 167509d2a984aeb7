// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SEARCH_HPP
#define TRIDENT_SEARCH_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace Trident::Impl {

/// Returns the one of `count` intervals that holds x: the i with begins(i) <= x < begins(i + 1).
/// Begins must ascend (intervals may be empty), and begins(0) <= x. For kernels.
template <class Begins, class T>
KOKKOS_INLINE_FUNCTION long long intervalOf(const Begins& begins, long long count, const T& x) {
  long long low = 0, high = count;
  while (high - low > 1) {
    const long long middle = (low + high) / 2;
    if (begins(middle) <= x)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Returns the first index in [begin, end) whose element is not below x; `end` if there is none.
/// Elements must ascend. For kernels.
template <class Elements, class T>
KOKKOS_INLINE_FUNCTION std::size_t firstNotBelow(const Elements& elements, std::size_t begin,
                                                 std::size_t end, const T& x) {
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (elements(middle) < x)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/// A search for a column in a row of CSR arrays. For kernels.
template <class Offsets, class Columns>
struct ColumnSearch {
  Offsets offsets;
  Columns columns;
  bool sorted;  ///< true if rows ascend; else a search looks at all entries

  /// Returns the place of a column in a row, counted from the row's first entry; -1 if the row
  /// lacks the column.
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
