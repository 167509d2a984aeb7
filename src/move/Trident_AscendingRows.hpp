// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ASCENDINGROWS_HPP
#define TRIDENT_ASCENDINGROWS_HPP

#include <algorithm>
#include <utility>

#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_HostWorkspaces.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_LongestRow.hpp"
#include "matrix/Trident_RowSorter.hpp"
#include "move/Trident_RowAssembly.hpp"

namespace Trident::Impl {

/// Where in a row the columns that its rank owns begin and end. The row ascends, and they are a
/// range of numbers, so they stand together.
struct OwnedRange {
  int *begin, *end;

  /// @param first, last of the owned columns, the last not included
  OwnedRange(Position first, Position last, int* rowBegin, int* rowEnd)
      : begin(rowBegin), end(rowEnd) {
    // On meshes most rows are owned as a whole.
    if (rowBegin == rowEnd || (*rowBegin >= first && rowEnd[-1] < last)) return;
    begin = std::lower_bound(rowBegin, rowEnd, first);
    end = std::lower_bound(begin, rowEnd, last);
  }
};

/// Notes the columns of a row that ascends, which are numbers; on hosts.
template <class Scalar, class Device>
struct TouchAscendingRow {
  LocalMatrix<Scalar, Device> rows;
  ColumnIndex<Device> index;

  void operator()(long long r) const {
    int* const columns = rows.graph.entries.data();
    int* const begin = columns + rows.graph.row_map(r);
    int* const end = columns + rows.graph.row_map(r + 1);
    const OwnedRange owned(index.ownedBegin(), index.ownedEnd(), begin, end);
    for (const int* c = begin; c < owned.begin; ++c) index.touch(*c);
    for (const int* c = owned.end; c < end; ++c) index.touch(*c);
  }
};

/// Turns the columns of a row that ascends, which are numbers less the first owned one, into local
/// ones, and the row into their order: owned columns change places with those before them, and
/// nothing is sorted but, where the column Map asks for it, the others. On hosts.
template <class Scalar, class Device>
struct RelabelAscendingRow {
  CrsArrays<Scalar, Device> to;
  ColumnIndex<Device> index;
  HostWorkspaces<RowSorter<Scalar>, Device> sorters;

  void operator()(long long r) const {
    const std::size_t first = to.offsets(r);
    int* const begin = to.columns.data() + first;
    int* const end = to.columns.data() + to.offsets(r + 1);
    Scalar* const values = to.values.data() + first;
    const Position shift = index.ownedBegin();
    const OwnedRange owned(0, index.ownedEnd() - shift, begin, end);
    if (owned.begin == begin && owned.end == end) return;
    for (int* c = begin; c < owned.begin; ++c) *c = index.local(*c + shift);
    for (int* c = owned.end; c < end; ++c) *c = index.local(*c + shift);
    if (owned.begin > begin && owned.end > owned.begin) {
      std::rotate(begin, owned.begin, owned.end);
      std::rotate(values, values + (owned.begin - begin), values + (owned.end - begin));
    }
    if (index.othersInOrder()) return;
    const std::ptrdiff_t own = owned.end - owned.begin;
    sorters.use([&](RowSorter<Scalar>& sorter) {
      sorter.sort(begin + own, values + own, end - begin - own);
    });
  }
};

/// As indexColumns(), of rows that ascend and whose columns are numbers. Local; on hosts.
template <class Scalar, class Device>
Kokkos::View<Position*, Device> indexAscending(const LocalMatrix<Scalar, Device>& rows,
                                               ColumnIndex<Device>& index) {
  Kokkos::parallel_for("Trident::touchColumns", Range<Device>(0, rows.numRows()),
                       TouchAscendingRow<Scalar, Device>{rows, index});
  return index.finishBitmap();
}

/// As relabelRows(), of such rows. Local; on hosts.
template <class Scalar, class Device>
CrsArrays<Scalar, Device> relabelAscending(const LocalMatrix<Scalar, Device>& rows,
                                           const ColumnIndex<Device>& index) {
  const CrsArrays<Scalar, Device> to = ownArrays(rows);
  const auto columns = to.columns;
  const int shift = static_cast<int>(index.ownedBegin());
  if (shift > 0)
    Kokkos::parallel_for(
        "Trident::shiftColumns", Range<Device>(0, columns.extent(0)),
        TRIDENT_LAMBDA(long long e) { columns(e) -= shift; });
  Kokkos::parallel_for("Trident::relabelRows", Range<Device>(0, rows.numRows()),
                       RelabelAscendingRow<Scalar, Device>{
                           to, index,
                           HostWorkspaces<RowSorter<Scalar>, Device>(
                               index.othersInOrder() ? 0 : longestRow<Device>(to.offsets))});
  return to;
}

}  // namespace Trident::Impl

#endif
