// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ORDERROWS_HPP
#define TRIDENT_ORDERROWS_HPP

#include <algorithm>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_SortRows.hpp"

namespace Trident::Impl {

/// Matrix whose values are the places that entries had in their rows before sorting.
template <class Device>
using OrderedColumns = LocalMatrix<int, Device>;

template <class Device, class Offsets, class Columns>
OrderedColumns<Device> columnsOfRows(const Offsets& offsets, const Columns& columns, int numColumns,
                                     const Kokkos::View<int*, Device>& from) {
  const int rows = offsets.extent(0) > 0 ? static_cast<int>(offsets.extent(0)) - 1 : 0;
  return OrderedColumns<Device>("Trident::rowOrder", rows, numColumns, columns.extent(0), from,
                                offsets, columns);
}

/// Returns true if columns ascend strictly in every row. Local.
template <class Device, class Offsets, class Columns>
bool columnsAscend(const Offsets& offsets, const Columns& columns, int numColumns) {
  return columns.extent(0) == 0 ||
         rowsAscend(columnsOfRows<Device>(offsets, columns, numColumns, {}));
}

/// The new order of the entries of each row. Values in other arrays must be put in this order, too.
template <class Device>
struct Reordering {
  /// Earlier place of each entry in its row. On hosts, only for entries of rows that change.
  Kokkos::View<int*, Device> from;
  /// Start of each row in `from`, then the end. Used on hosts alone. Rows that do not change have
  /// no elements in `from`.
  Kokkos::View<std::size_t*, Device> begin;

  bool changes() const { return from.extent(0) > 0; }
};

/// Sets each entry's value to the entry's place in its row, from 0.
template <class Device>
void numberEntries(const OrderedColumns<Device>& rows) {
  const auto offsets = rows.graph.row_map;
  const auto from = rows.values;
  forRowEntries<Device>(
      "Trident::numberEntries", rows.numRows(), from.extent(0), offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) { from(e) = static_cast<int>(e - offsets(r)); });
}

/// Sorts the columns of each row that does not ascend, in place. Returns the reordering.
template <class Device, class Offsets>
Reordering<Device> orderOnHost(const Offsets& offsets, const Kokkos::View<int*, Device>& columns) {
  const long long rows = static_cast<long long>(offsets.extent(0)) - 1;
  Reordering<Device> order;
  order.begin = scratch<std::size_t, Device>("Trident::orderBegin", rows + 1);
  Kokkos::parallel_for("Trident::measureRows", Range<Device>(0, rows), [=](long long r) {
    const int* const begin = columns.data() + offsets(r);
    const int* const end = columns.data() + offsets(r + 1);
    order.begin(r) = std::is_sorted(begin, end) ? 0 : end - begin;
  });
  const std::size_t entries = countsToOffsets<std::size_t, Device>(order.begin);
  if (entries == 0) return {};
  order.from = scratch<int, Device>("Trident::rowOrder", entries);
  const HostWorkspaces<RowSorter<int>, Device> sorters(longestRow<Device>(order.begin));
  Kokkos::parallel_for("Trident::orderRows", Range<Device>(0, rows), [=](long long r) {
    const std::size_t length = order.begin(r + 1) - order.begin(r);
    if (length == 0) return;
    int* const from = order.from.data() + order.begin(r);
    for (std::size_t e = 0; e < length; ++e) from[e] = static_cast<int>(e);
    sorters.use(
        [&](RowSorter<int>& sorter) { sorter.sort(columns.data() + offsets(r), from, length); });
  });
  return order;
}

/// Sorts the columns of every row, in place. Returns the reordering. Local.
template <class Device, class Offsets>
Reordering<Device> orderColumns(const Offsets& offsets, const Kokkos::View<int*, Device>& columns,
                                int numColumns) {
  if (columns.extent(0) == 0) return {};
  if constexpr (isHost<Device>) {
    return orderOnHost(offsets, columns);
  } else {
    if (columnsAscend<Device>(offsets, columns, numColumns)) return {};
    Reordering<Device> order;
    order.from = scratch<int, Device>("Trident::rowOrder", columns.extent(0));
    const auto rows = columnsOfRows<Device>(offsets, columns, numColumns, order.from);
    numberEntries(rows);
    sortRows(rows);
    return order;
  }
}

/// Copies values to `to`, in the new order. Requires order.changes(). Local; does not wait.
template <class Device, class Offsets, class Scalar>
void putInOrder(const Offsets& offsets, const Kokkos::View<Scalar*, Device>& values,
                const Reordering<Device>& order, const Kokkos::View<Scalar*, Device>& to) {
  const long long rows = static_cast<long long>(offsets.extent(0)) - 1;
  if constexpr (isHost<Device>) {
    Kokkos::parallel_for("Trident::orderValues", Range<Device>(0, rows), [=](long long r) {
      const std::size_t begin = offsets(r), length = offsets(r + 1) - begin;
      if (order.begin(r + 1) == order.begin(r)) {
        std::copy_n(values.data() + begin, length, to.data() + begin);
        return;
      }
      const int* const from = order.from.data() + order.begin(r);
      for (std::size_t e = 0; e < length; ++e) to(begin + e) = values(begin + from[e]);
    });
  } else {
    const auto from = order.from;
    forRowEntries<Device>(
        "Trident::orderValues", rows, to.extent(0), offsets,
        TRIDENT_LAMBDA(long long r, std::size_t e) { to(e) = values(offsets(r) + from(e)); });
  }
}
/// Returns a copy of values, in the order that orderColumns() gave the columns.
template <class Device, class Offsets, class Scalar>
Kokkos::View<Scalar*, Device> valuesInOrder(const Offsets& offsets,
                                            const Kokkos::View<Scalar*, Device>& values,
                                            const Reordering<Device>& order) {
  const auto to = uninitialized<Scalar, Device>("Trident::values", values.extent(0));
  putInOrder<Device>(offsets, values, order, to);
  return to;
}

/// Kernel that counts the distinct columns of each sorted row.
template <class Scalar, class Device>
struct CountColumns {
  LocalMatrix<Scalar, Device> sorted;
  Kokkos::View<std::size_t*, Device> counts;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    const auto& columns = sorted.graph.entries;
    const std::size_t begin = sorted.graph.row_map(r), end = sorted.graph.row_map(r + 1);
    std::size_t count = 0;
    for (std::size_t e = begin; e < end; ++e)
      count += e == begin || columns(e - 1) != columns(e) ? 1 : 0;
    counts(r) = count;
  }
};

/// Kernel that writes each sorted row with each column once. Values of the same column are added.
template <class Scalar, class Device>
struct SumDuplicatesOfRow {
  LocalMatrix<Scalar, Device> sorted;
  CrsArrays<Scalar, Device> to;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    const auto& columns = sorted.graph.entries;
    const std::size_t begin = sorted.graph.row_map(r), end = sorted.graph.row_map(r + 1);
    std::size_t next = to.offsets(r);
    for (std::size_t e = begin; e < end; ++e) {
      if (e > begin && columns(e - 1) == columns(e)) {
        to.values(next - 1) += sorted.values(e);
        continue;
      }
      to.columns(next) = columns(e);
      to.values(next++) = sorted.values(e);
    }
  }
};

/// Returns a copy of a matrix in which columns ascend in each row, and entries of the same column
/// are added. Local; waits for its kernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> sumDuplicates(const LocalMatrix<Scalar, Device>& matrix) {
  const auto offsets = matrix.graph.row_map;
  const Kokkos::View<int*, Device> columns =
      uninitialized<int, Device>("Trident::columns", matrix.graph.entries.extent(0));
  Kokkos::deep_copy(columns, matrix.graph.entries);
  const auto order = orderColumns<Device>(offsets, columns, matrix.numCols());
  const Kokkos::View<Scalar*, Device> stored = matrix.values;
  const auto values = order.changes() ? valuesInOrder<Device>(offsets, stored, order) : stored;
  const long long rows = matrix.numRows();
  const LocalMatrix<Scalar, Device> sorted("Trident::sorted", matrix.numRows(), matrix.numCols(),
                                           matrix.nnz(), values, offsets, columns);
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", rows + 1);
  Kokkos::parallel_for("Trident::countColumns", Range<Device>(0, rows),
                       CountColumns<Scalar, Device>{sorted, counts});
  const auto to = arraysForCounts<Scalar, Device>(counts);
  Kokkos::parallel_for("Trident::sumDuplicates", Range<Device>(0, rows),
                       SumDuplicatesOfRow<Scalar, Device>{sorted, to});
  Kokkos::fence();
  return to.matrix(matrix.numCols());
}

}  // namespace Trident::Impl

#endif
