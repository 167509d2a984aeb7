// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWASSEMBLY_HPP
#define TRIDENT_ROWASSEMBLY_HPP

#include <algorithm>
#include <utility>

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_Search.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "move/Trident_Runs.hpp"

namespace Trident::Impl {

/// Kernel that calls f(0, entry), for an f(run, entry) that ignores the run.
template <class F>
struct IgnoringRun {
  F f;

  KOKKOS_INLINE_FUNCTION void operator()(long long e) const { f(0, static_cast<std::size_t>(e)); }
};

/// Parts of a result's rows, on the rank that owns the rows. A row has a run from each node column
/// that has entries of the row. A run's columns are local indices in its tile. For kernels.
template <class Scalar, class Device>
struct ReceivedRowParts {
  ReceivedRuns<Scalar, Device> runs;
  /// Position of each run's column 0; empty if all positions are 0.
  Kokkos::View<Position*, Device> columnBegin;

  KOKKOS_INLINE_FUNCTION bool oneTile() const { return columnBegin.extent(0) == 0; }

  /// Returns the position of the column of entry e in run r. If there is one tile, r is not used.
  KOKKOS_INLINE_FUNCTION Position position(long long r, std::size_t e) const {
    return (oneTile() ? 0 : columnBegin(r)) + runs.columns(e);
  }

  /// Calls f(run, entry) for all entries. If there is one tile, threads of a device share the
  /// entries evenly, and pass 0 as `run`.
  template <class F>
  void forEntries(const std::string& label, const F& f) const {
    const long long entries = runs.columns.extent(0);
    if (oneTile() && !isHost<Device>)
      Kokkos::parallel_for(label, Range<Device>(0, entries), IgnoringRun<F>{f});
    else
      forRowEntries<Device>(label, runs.count(), entries, runs.begin, f);
  }
};

/// Puts the columns of the parts into the index. Returns the positions of the columns that the rank
/// does not own, ascending. Local.
template <class Scalar, class Device>
Kokkos::View<Position*, Device> indexColumns(const ReceivedRowParts<Scalar, Device>& parts,
                                             ColumnIndex<Device>& index) {
  const ReceivedRowParts<Scalar, Device> p = parts;
  if (index.usesBitmap()) {
    const ColumnIndex<Device> notes = index;
    parts.forEntries(
        "Trident::touchColumns",
        TRIDENT_LAMBDA(long long r, std::size_t e) { notes.touch(p.position(r, e)); });
    return index.finishBitmap();
  }
  const auto touched = scratch<Position, Device>("Trident::touched", parts.runs.columns.extent(0));
  parts.forEntries(
      "Trident::touchColumns",
      TRIDENT_LAMBDA(long long r, std::size_t e) { touched(e) = p.position(r, e); });
  return index.finishList(touched);
}

/// Runs grouped by row.
template <class Device>
struct RunsOfRows {
  Kokkos::View<long long*, Device> offsets;  ///< start of each row's runs; rows + 1
  Kokkos::View<long long*, Device> runs;
};

template <class Device>
RunsOfRows<Device> groupRunsByRow(const Kokkos::View<RunHeader*, Device>& header, int rows) {
  RunsOfRows<Device> byRow{zeroScratch<long long, Device>("Trident::runsOfRow", rows + 1),
                           scratch<long long, Device>("Trident::runs", header.extent(0))};
  const auto offsets = byRow.offsets;
  const auto runs = byRow.runs;
  Kokkos::parallel_for(
      "Trident::countRunsOfRow", Range<Device>(0, header.extent(0)),
      TRIDENT_LAMBDA(long long r) { addShared(&offsets(header(r).row), 1ll); });
  countsToOffsets<long long, Device>(offsets);
  const auto cursor = scratch<long long, Device>("Trident::cursor", rows + 1);
  Kokkos::deep_copy(cursor, offsets);
  Kokkos::parallel_for(
      "Trident::groupRuns", Range<Device>(0, header.extent(0)),
      TRIDENT_LAMBDA(long long r) { runs(fetchAdd(&cursor(header(r).row), 1ll)) = r; });
  return byRow;
}

/// Kernel that copies the parts of a row to the row's place, with local columns; on hosts.
template <class Scalar, class Device>
struct CopyRow {
  ReceivedRowParts<Scalar, Device> parts;
  ColumnIndex<Device> index;
  RunsOfRows<Device> byRow;
  CrsArrays<Scalar, Device> to;

  KOKKOS_INLINE_FUNCTION void operator()(long long row) const {
    std::size_t at = to.offsets(row);
    for (long long m = byRow.offsets(row); m < byRow.offsets(row + 1); ++m) {
      const long long r = byRow.runs(m);
      for (std::size_t e = parts.runs.begin(r); e < parts.runs.begin(r + 1); ++e, ++at) {
        to.columns(at) = index.local(parts.position(r, e));
        to.values(at) = parts.runs.values(e);
      }
    }
  }
};

/// Kernel that replaces the columns of a row by local ones, in place. Run r is row r. On hosts.
template <class Scalar, class Device>
struct RelabelRow {
  ReceivedRowParts<Scalar, Device> parts;
  ColumnIndex<Device> index;
  CrsArrays<Scalar, Device> to;

  KOKKOS_INLINE_FUNCTION void operator()(long long row) const {
    for (std::size_t e = to.offsets(row); e < to.offsets(row + 1); ++e)
      to.columns(e) = index.local(parts.position(row, e));
  }
};

/// Kernel that makes a row, and sorts it while it is in cache; on hosts.
template <class MakeRow, class Scalar, class Device>
struct ThenSort {
  MakeRow make;
  CrsArrays<Scalar, Device> to;
  HostWorkspaces<RowSorter<Scalar>, Device> sorters;

  void operator()(long long row) const {
    make(row);
    const std::size_t begin = to.offsets(row), end = to.offsets(row + 1);
    sorters.use([&](RowSorter<Scalar>& sorter) {
      sorter.sort(to.columns.data() + begin, to.values.data() + begin, end - begin);
    });
  }
};

/// Replaces the columns of all rows by local ones, in place; on devices.
template <class Scalar, class Device>
void relabelEntries(const ReceivedRowParts<Scalar, Device>& parts, const ColumnIndex<Device>& index,
                    const CrsArrays<Scalar, Device>& to) {
  const ReceivedRowParts<Scalar, Device> p = parts;
  const ColumnIndex<Device> local = index;
  const auto columns = to.columns;
  parts.forEntries(
      "Trident::relabelRows",
      TRIDENT_LAMBDA(long long r, std::size_t e) { columns(e) = local.local(p.position(r, e)); });
}

/// Copies the parts of all rows to the places of the rows, with local columns; on devices.
template <class Scalar, class Device>
void copyParts(const ReceivedRowParts<Scalar, Device>& parts, const ColumnIndex<Device>& index,
               const CrsArrays<Scalar, Device>& to) {
  const ReceivedRowParts<Scalar, Device> p = parts;
  const ColumnIndex<Device> local = index;
  const auto targets = targetsOfRuns<Device>(parts.runs.header, to.offsets);
  const auto columns = to.columns;
  const auto values = to.values;
  forRowEntries<Device>(
      "Trident::assembleRows", parts.runs.count(), columns.extent(0), parts.runs.begin,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        const std::size_t at = targets(r) + (e - p.runs.begin(r));
        columns(at) = local.local(p.position(r, e));
        values(at) = p.runs.values(e);
      });
}

template <class Scalar, class Device>
CrsArrays<Scalar, Device> arraysOf(const LocalMatrix<Scalar, Device>& matrix) {
  CrsArrays<Scalar, Device> arrays{matrix.graph.row_map, matrix.graph.entries, matrix.values};
  if (matrix.numRows() == 0)  // such a matrix may lack its only offset
    arrays.offsets = Kokkos::View<std::size_t*, Device>("Trident::offsets", 1);
  return arrays;
}

/// Replaces columns by local ones and sorts rows, both in place, so that there is no second copy of
/// a result. For rows that stay. Local; the caller must be the only owner of the arrays.
template <class Scalar, class Device>
CrsArrays<Scalar, Device> relabelRows(const LocalMatrix<Scalar, Device>& rows,
                                      const ReceivedRowParts<Scalar, Device>& parts,
                                      const ColumnIndex<Device>& index, int columns) {
  const CrsArrays<Scalar, Device> to = arraysOf(rows);
  if constexpr (isHost<Device>) {
    const RelabelRow<Scalar, Device> relabel{parts, index, to};
    Kokkos::parallel_for(
        "Trident::relabelRows", Range<Device>(0, rows.numRows()),
        ThenSort<RelabelRow<Scalar, Device>, Scalar, Device>{
            relabel, to,
            HostWorkspaces<RowSorter<Scalar>, Device>(longestRow<Device>(to.offsets))});
  } else {
    relabelEntries(parts, index, to);
    sortRows(to.matrix(columns));
  }
  Kokkos::fence();
  return to;
}

/// The part of a run whose columns the rank owns.
struct OwnedPart {
  int begin, end;

  /// Returns the offset that an entry gets in local order. Local order has owned columns first.
  KOKKOS_INLINE_FUNCTION std::size_t localOffset(std::size_t entry) const {
    const std::size_t first = begin, last = end;
    return entry < first ? entry + last - first : entry < last ? entry - first : entry;
  }
};

/// Returns the owned part of each run or row. Columns must be numbers and ascend.
/// @param offsets start of each run or row, and then the end of the last one
template <class Device, class Offsets, class Columns>
Kokkos::View<OwnedPart*, Device> ownedParts(const Offsets& offsets, const Columns& columns,
                                            const ColumnIndex<Device>& index) {
  const auto parts = scratch<OwnedPart, Device>("Trident::ownedParts", offsets.extent(0) - 1);
  const Position first = index.ownedBegin(), last = index.ownedEnd();
  Kokkos::parallel_for(
      "Trident::ownedParts", Range<Device>(0, parts.extent(0)), TRIDENT_LAMBDA(long long r) {
        const std::size_t begin = offsets(r), end = offsets(r + 1);
        parts(r) = {static_cast<int>(firstNotBelow(columns, begin, end, first) - begin),
                    static_cast<int>(firstNotBelow(columns, begin, end, last) - begin)};
      });
  return parts;
}

/// Forms rows of one part each, with local columns. Columns of the parts must be numbers and
/// ascend. Owned columns move to the front of their row. Rows are sorted only if the column Map has
/// the other columns in another order. Local.
/// @param columns number of local columns, owned and remote
template <class Scalar, class Device>
CrsArrays<Scalar, Device> assembleAscending(const ReceivedRowParts<Scalar, Device>& parts,
                                            const ColumnIndex<Device>& index, int rows,
                                            int columns) {
  const auto to = arraysForCounts<Scalar, Device>(entriesOfRows<Device>(parts.runs.header, rows));
  if (to.columns.extent(0) == 0) return to;
  const auto runs = parts.runs;
  const ColumnIndex<Device> local = index;
  const auto owned = ownedParts<Device>(runs.begin, runs.columns, index);
  forRowEntries<Device>(
      "Trident::assembleRows", runs.count(), to.columns.extent(0), runs.begin,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        const std::size_t at =
            to.offsets(runs.header(r).row) + owned(r).localOffset(e - runs.begin(r));
        to.columns(at) = local.local(runs.columns(e));
        to.values(at) = runs.values(e);
      });
  if (!index.othersInOrder()) sortRows(to.matrix(columns));
  Kokkos::fence();
  return to;
}

/// Forms rows from their parts, sorted by local column. Each column lies in one node column, so no
/// two parts of a row have the same column. So the order of the parts does not matter. Local.
/// @param columns number of local columns, owned and remote
template <class Scalar, class Device>
CrsArrays<Scalar, Device> assembleRows(const ReceivedRowParts<Scalar, Device>& parts,
                                       const ColumnIndex<Device>& index, int rows, int columns) {
  const auto to = arraysForCounts<Scalar, Device>(entriesOfRows<Device>(parts.runs.header, rows));
  if (to.columns.extent(0) == 0) return to;
  if constexpr (isHost<Device>) {
    const CopyRow<Scalar, Device> copy{parts, index,
                                       groupRunsByRow<Device>(parts.runs.header, rows), to};
    Kokkos::parallel_for(
        "Trident::assembleRows", Range<Device>(0, rows),
        ThenSort<CopyRow<Scalar, Device>, Scalar, Device>{
            copy, to, HostWorkspaces<RowSorter<Scalar>, Device>(longestRow<Device>(to.offsets))});
  } else {
    copyParts(parts, index, to);
    sortRows(to.matrix(columns));
  }
  Kokkos::fence();
  return to;
}

/// The part of a row whose columns the rank owns. The row ascends, and the rank owns a range of
/// numbers. So these columns lie one behind the other.
struct OwnedRange {
  int *begin, *end;

  /// @param first, last the rank owns the columns in [first, last)
  OwnedRange(Position first, Position last, int* rowBegin, int* rowEnd)
      : begin(rowBegin), end(rowEnd) {
    // Most rows of meshes have owned columns alone, so they need no search.
    if (rowBegin == rowEnd || (*rowBegin >= first && rowEnd[-1] < last)) return;
    begin = std::lower_bound(rowBegin, rowEnd, first);
    end = std::lower_bound(begin, rowEnd, last);
  }
};

/// Kernel that marks a row's columns in the index. Columns must be numbers and ascend. On hosts.
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

/// Kernel that replaces the columns of a sorted row by local ones. The kernel gets each column as
/// its number minus the first owned number. Owned columns move to the front of the row. Other
/// columns are sorted only if the column Map has them in another order. On hosts.
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

/// Does the work of indexColumns() for rows whose columns are numbers and ascend. Local; on hosts.
template <class Scalar, class Device>
Kokkos::View<Position*, Device> indexAscending(const LocalMatrix<Scalar, Device>& rows,
                                               ColumnIndex<Device>& index) {
  Kokkos::parallel_for("Trident::touchColumns", Range<Device>(0, rows.numRows()),
                       TouchAscendingRow<Scalar, Device>{rows, index});
  return index.finishBitmap();
}

/// Does the work of relabelRows() for rows whose columns are numbers and ascend. Local; on hosts.
template <class Scalar, class Device>
CrsArrays<Scalar, Device> relabelAscending(const LocalMatrix<Scalar, Device>& rows,
                                           const ColumnIndex<Device>& index) {
  const CrsArrays<Scalar, Device> to = arraysOf(rows);
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
