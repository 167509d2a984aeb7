// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ORDERROWS_HPP
#define TRIDENT_ORDERROWS_HPP

#include "Trident_HostWorkspaces.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_LongestRow.hpp"
#include "Trident_RowEntries.hpp"
#include "Trident_RowSorter.hpp"
#include "Trident_SortRows.hpp"

namespace Trident::Impl {

/// Columns of rows with, in the place of values, which entry of its row each was.
template <class Device>
using OrderedColumns = LocalMatrix<int, Device>;

template <class Device, class Offsets, class Columns>
OrderedColumns<Device> columnsOfRows(const Offsets& offsets, const Columns& columns, int numColumns,
                                     const Kokkos::View<int*, Device>& from) {
  const int rows = offsets.extent(0) > 0 ? static_cast<int>(offsets.extent(0)) - 1 : 0;
  return OrderedColumns<Device>("Trident::rowOrder", rows, numColumns, columns.extent(0), from,
                                offsets, columns);
}

/// Whether the columns of every row ascend, none of them twice. Local.
template <class Device, class Offsets, class Columns>
bool columnsAscend(const Offsets& offsets, const Columns& columns, int numColumns) {
  return columns.extent(0) == 0 ||
         rowsAscend(columnsOfRows<Device>(offsets, columns, numColumns, {}));
}

/// One row on a host, numbered and sorted while it is in cache.
template <class Device>
struct OrderRow {
  OrderedColumns<Device> rows;
  HostWorkspaces<RowSorter<int>, Device> sorters;

  void operator()(long long r) const {
    const std::size_t begin = rows.graph.row_map(r), length = rows.graph.row_map(r + 1) - begin;
    int* const from = rows.values.data() + begin;
    for (std::size_t e = 0; e < length; ++e) from[e] = static_cast<int>(e);
    sorters.use([&](RowSorter<int>& sorter) {
      sorter.sort(rows.graph.entries.data() + begin, from, length);
    });
  }
};

/// Numbers the entries of every row from 0.
template <class Device>
void numberEntries(const OrderedColumns<Device>& rows) {
  const auto offsets = rows.graph.row_map;
  const auto from = rows.values;
  forRowEntries<Device>(
      "Trident::numberEntries", rows.numRows(), from.extent(0), offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) { from(e) = static_cast<int>(e - offsets(r)); });
}

/// Sorts the columns of every row, in place. Local.
/// @return which entry of its row each was, for valuesInOrder()
template <class Device, class Offsets>
Kokkos::View<int*, Device> orderColumns(const Offsets& offsets,
                                        const Kokkos::View<int*, Device>& columns, int numColumns) {
  const auto from = uninitialized<int, Device>("Trident::rowOrder", columns.extent(0));
  const OrderedColumns<Device> rows = columnsOfRows<Device>(offsets, columns, numColumns, from);
  if constexpr (isHost<Device>) {
    Kokkos::parallel_for("Trident::orderRows", Range<Device>(0, rows.numRows()),
                         OrderRow<Device>{rows, HostWorkspaces<RowSorter<int>, Device>(
                                                    longestRow<Device>(offsets))});
  } else {
    numberEntries(rows);
    sortRows(rows);
  }
  return from;
}

/// The values of rows whose columns orderColumns() has sorted, in their order, in an array of their
/// own. Local; waits for nothing.
template <class Device, class Offsets, class Scalar>
Kokkos::View<Scalar*, Device> valuesInOrder(const Offsets& offsets,
                                            const Kokkos::View<Scalar*, Device>& values,
                                            const Kokkos::View<int*, Device>& from) {
  const auto to = uninitialized<Scalar, Device>("Trident::values", values.extent(0));
  forRowEntries<Device>(
      "Trident::orderValues", static_cast<long long>(offsets.extent(0)) - 1, to.extent(0), offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) { to(e) = values(offsets(r) + from(e)); });
  return to;
}

}  // namespace Trident::Impl

#endif
