// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWASSEMBLY_HPP
#define TRIDENT_ROWASSEMBLY_HPP

#include <vector>

#include "Trident_ColumnIndex.hpp"
#include "Trident_Permutation.hpp"
#include "Trident_RowOrder.hpp"
#include "Trident_RunExchange.hpp"
#include "Trident_SortRows.hpp"

namespace Trident {

/// The pieces of a result's rows on the rank that owns the rows: one run for each node column that
/// has entries of the row, its columns counted from the tile's corner.
template <class Scalar, class Device>
struct RowPieces {
  ReceivedRuns<Scalar, Device> runs;
  Kokkos::View<Position*, Device> columnBegin;  ///< position of the tile's corner, by run
  Permutation permutation;                      ///< of the column space

  /// Number of the column of entry e, which is in run r.
  KOKKOS_INLINE_FUNCTION Position number(long long r, std::size_t e) const {
    return permutation.inverse(columnBegin(r) + runs.columns(e));
  }
};

/// The columns that the pieces touch, and those of them that this rank does not own. Local.
template <class Scalar, class Device>
Kokkos::View<Position*, Device> indexColumns(const RowPieces<Scalar, Device>& pieces,
                                             ColumnIndex<Device>& index) {
  const RowPieces<Scalar, Device> p = pieces;
  const ColumnIndex<Device> notes = index;
  const auto begin = pieces.runs.begin;
  const Range<Device> runs(0, pieces.runs.header.extent(0));
  if (index.usesBitmap()) {
    Kokkos::parallel_for(
        "Trident::touchColumns", runs, KOKKOS_LAMBDA(long long r) {
          for (std::size_t e = begin(r); e < begin(r + 1); ++e) notes.touch(p.number(r, e));
        });
    return index.finishBitmap();
  }
  const auto touched =
      uninitialized<Position, Device>("Trident::touched", pieces.runs.columns.extent(0));
  Kokkos::parallel_for(
      "Trident::touchColumns", runs, KOKKOS_LAMBDA(long long r) {
        for (std::size_t e = begin(r); e < begin(r + 1); ++e) touched(e) = p.number(r, e);
      });
  return index.finishList(touched);
}

namespace Impl {

/// Runs by the row they belong to.
template <class Device>
struct RunsOfRows {
  Kokkos::View<long long*, Device> offsets;  ///< rows + 1
  Kokkos::View<long long*, Device> runs;
};

template <class Device>
RunsOfRows<Device> groupRunsByRow(const Kokkos::View<RunHeader*, Device>& header, int rows) {
  RunsOfRows<Device> byRow{Kokkos::View<long long*, Device>("Trident::runsOfRow", rows + 1),
                           uninitialized<long long, Device>("Trident::runs", header.extent(0))};
  const auto offsets = byRow.offsets;
  const auto runs = byRow.runs;
  Kokkos::parallel_for(
      "Trident::countRunsOfRow", Range<Device>(0, header.extent(0)),
      KOKKOS_LAMBDA(long long r) { Kokkos::atomic_add(&offsets(header(r).row), 1ll); });
  countsToOffsets<long long, Device>(offsets);
  const auto cursor = uninitialized<long long, Device>("Trident::cursor", rows + 1);
  Kokkos::deep_copy(cursor, offsets);
  Kokkos::parallel_for(
      "Trident::groupRuns", Range<Device>(0, header.extent(0)), KOKKOS_LAMBDA(long long r) {
        runs(Kokkos::atomic_fetch_add(&cursor(header(r).row), 1ll)) = r;
      });
  return byRow;
}

template <class Scalar, class Device>
Kokkos::View<std::size_t*, Device> rowOffsets(const RowPieces<Scalar, Device>& pieces, int rows) {
  const Kokkos::View<std::size_t*, Device> offsets("Trident::offsets", rows + 1);
  const auto header = pieces.runs.header;
  Kokkos::parallel_for(
      "Trident::countEntries", Range<Device>(0, header.extent(0)), KOKKOS_LAMBDA(long long r) {
        Kokkos::atomic_add(&offsets(header(r).row), static_cast<std::size_t>(header(r).length));
      });
  countsToOffsets<std::size_t, Device>(offsets);
  return offsets;
}

/// Copies the pieces of a row, columns turned into local ones, to where the row begins.
template <class Scalar, class Device>
struct CopyRow {
  RowPieces<Scalar, Device> pieces;
  ColumnIndex<Device> index;
  RunsOfRows<Device> byRow;
  CrsArrays<Scalar, Device> to;

  KOKKOS_INLINE_FUNCTION void operator()(long long row) const {
    std::size_t at = to.offsets(row);
    for (long long m = byRow.offsets(row); m < byRow.offsets(row + 1); ++m) {
      const long long r = byRow.runs(m);
      for (std::size_t e = pieces.runs.begin(r); e < pieces.runs.begin(r + 1); ++e, ++at) {
        to.columns(at) = index.local(pieces.number(r, e));
        to.values(at) = pieces.runs.values(e);
      }
    }
  }
};

/// The same with the row put in order on the way; on hosts, with room for each thread.
template <class Scalar, class Device>
struct OrderRow {
  static constexpr std::size_t shortRow = 32;  // up to here insertion is faster
  using Token = Kokkos::Experimental::UniqueToken<typename Device::execution_space>;

  CopyRow<Scalar, Device> copy;
  Token token;
  std::vector<RowOrder<Scalar>> room;

  void operator()(long long row) const {
    const std::size_t begin = copy.to.offsets(row), end = copy.to.offsets(row + 1);
    if (end - begin <= shortRow) {
      copy(row);
      sortShortRow(&copy.to.columns(0) + begin, &copy.to.values(0) + begin,
                   static_cast<int>(end - begin));
      return;
    }
    const int thread = token.acquire();
    const RowOrder<Scalar>& order = room[thread];
    const auto& pieces = copy.pieces;
    for (long long m = copy.byRow.offsets(row); m < copy.byRow.offsets(row + 1); ++m) {
      const long long r = copy.byRow.runs(m);
      for (std::size_t e = pieces.runs.begin(r); e < pieces.runs.begin(r + 1); ++e)
        order.drop(copy.index.local(pieces.number(r, e)), pieces.runs.values(e));
    }
    order.collect(&copy.to.columns(begin), &copy.to.values(begin));
    token.release(thread);
  }
};

}  // namespace Impl

/// Sets the rows together from their pieces, sorted by local column. A column comes from one node
/// column, so entries are distinct and the result does not depend on the order of the pieces. Local.
/// @param columns local columns: owned and remote
template <class Scalar, class Device>
CrsArrays<Scalar, Device> assembleRows(const RowPieces<Scalar, Device>& pieces,
                                       const ColumnIndex<Device>& index, int rows, int columns) {
  constexpr bool host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Device::memory_space>::accessible &&
      Kokkos::SpaceAccessibility<typename Device::execution_space, Kokkos::HostSpace>::accessible;
  CrsArrays<Scalar, Device> to;
  to.offsets = Impl::rowOffsets(pieces, rows);
  const std::size_t entries = pieces.runs.columns.extent(0);
  to.columns = uninitialized<int, Device>("Trident::C::columns", entries);
  to.values = uninitialized<Scalar, Device>("Trident::C::values", entries);
  if (entries == 0) return to;
  const Impl::CopyRow<Scalar, Device> copy{
      pieces, index, Impl::groupRunsByRow<Device>(pieces.runs.header, rows), to};
  if constexpr (host) {
    typename Impl::OrderRow<Scalar, Device>::Token token;
    std::vector<RowOrder<Scalar>> room;
    for (int t = 0; t < token.size(); ++t) room.emplace_back(columns);
    Kokkos::parallel_for("Trident::assembleRows", Range<Device>(0, rows),
                         Impl::OrderRow<Scalar, Device>{copy, token, room});
  } else {
    Kokkos::parallel_for("Trident::assembleRows", Range<Device>(0, rows), copy);
    sortRows(to.matrix(columns));
  }
  Kokkos::fence();
  return to;
}

}  // namespace Trident

#endif
