// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_METCOLUMNS_HPP
#define TRIDENT_METCOLUMNS_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_HostWorkspaces.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// The columns of the entries that lie outside the index's owned range, ascending. Local.
template <class Device, class Columns>
Kokkos::View<Position*, Device> remoteColumns(const Columns& columns, ColumnIndex<Device>& index) {
  const ColumnIndex<Device> notes = index;
  const Range<Device> entries(0, columns.extent(0));
  if (index.usesBitmap()) {
    Kokkos::parallel_for(
        "Trident::noteColumns", entries, TRIDENT_LAMBDA(long long e) { notes.touch(columns(e)); });
    return index.finishBitmap();
  }
  const auto before =
      uninitialized<long long, Device>("Trident::remotesBefore", columns.extent(0) + 1);
  Kokkos::parallel_for(
      "Trident::markRemotes", entries,
      TRIDENT_LAMBDA(long long e) { before(e) = !notes.owned(columns(e)); });
  const auto touched = uninitialized<Position, Device>("Trident::remoteEntries",
                                                       countsToOffsets<long long, Device>(before));
  Kokkos::parallel_for(
      "Trident::listRemotes", entries, TRIDENT_LAMBDA(long long e) {
        if (!notes.owned(columns(e))) touched(before(e)) = columns(e);
      });
  return index.finishList(touched);
}

/// Where sorted `columns`, which the index has listed, lie along the met space. Columns of the own
/// segment lie there together, behind `ownAt` others.
inline std::vector<int> placesOf(const std::vector<int>& columns, const std::vector<int>& needed,
                                 std::ptrdiff_t ownAt, int ownRows) {
  std::vector<int> places;
  places.reserve(columns.size());
  auto at = needed.begin();
  for (const int column : columns) {
    at = std::lower_bound(at, needed.end(), column);
    const std::ptrdiff_t place = at - needed.begin();
    places.push_back(static_cast<int>(place) + (place >= ownAt ? ownRows : 0));
  }
  return places;
}

/// Columns along the met space: owned ones lie from `ownPlace` on, the m-th remote one that the
/// index has listed at places(m). Local.
template <class Device, class Columns>
Kokkos::View<int*, Device> relabelColumns(const Columns& columns, const ColumnIndex<Device>& index,
                                          int ownPlace, int ownRows,
                                          const Kokkos::View<int*, Device>& places) {
  const ColumnIndex<Device> local = index;
  const auto relabelled = uninitialized<int, Device>("Trident::metColumns", columns.extent(0));
  Kokkos::parallel_for(
      "Trident::metColumns", Range<Device>(0, columns.extent(0)), TRIDENT_LAMBDA(long long e) {
        const int c = local.local(columns(e));
        relabelled(e) = c < ownRows ? ownPlace + c : places(c - ownRows);
      });
  return relabelled;
}

}  // namespace Trident::Impl

#endif
