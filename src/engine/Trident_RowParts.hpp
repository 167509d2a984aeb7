// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWPARTS_HPP
#define TRIDENT_ROWPARTS_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

#include "Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Rows of a product that one thread forms in their order, one behind the other in arrays that
/// have room for as many entries as are expected. What is not written of them takes no memory: the
/// system gives pages when they are touched.
template <class Scalar, class Device>
struct RowPart {
  long long begin = 0, end = 0;  ///< rows
  long long next = 0;            ///< the first that is not formed
  std::size_t used = 0;          ///< entries
  bool full = false;             ///< whether there is no room for the next row
  Kokkos::View<int*, Device> columns;
  Kokkos::View<Scalar*, Device> values;

  std::size_t room() const { return columns.extent(0) - used; }

  /// Makes room for `entries` in all; keeps what is used.
  void reserve(std::size_t entries) {
    const auto widerColumns = uninitialized<int, Device>("Trident::columns", entries);
    const auto widerValues = uninitialized<Scalar, Device>("Trident::values", entries);
    std::copy_n(columns.data(), used, widerColumns.data());
    std::copy_n(values.data(), used, widerValues.data());
    columns = widerColumns;
    values = widerValues;
  }
};

/// Cuts rows into parts of about as many products each.
/// @param before products of the rows before each, and of all: rows + 1
template <class Scalar, class Device>
std::vector<RowPart<Scalar, Device>> cutRows(const Kokkos::View<std::size_t*, Device>& before,
                                             int parts) {
  const long long rows = static_cast<long long>(before.extent(0)) - 1;
  const std::size_t* const first = before.data();
  std::vector<RowPart<Scalar, Device>> cut(parts);
  long long begin = 0;
  for (int p = 0; p < parts; ++p) {
    // Of products · (p + 1) / parts, which may not fit.
    const std::size_t upto = before(rows) / parts * (p + 1);
    const long long end =
        p + 1 == parts ? rows : std::lower_bound(first + begin, first + rows, upto) - first;
    cut[p].begin = cut[p].next = begin;
    begin = cut[p].end = end;
  }
  return cut;
}

}  // namespace Trident::Impl

#endif
