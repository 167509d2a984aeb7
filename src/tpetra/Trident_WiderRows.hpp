// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WIDERROWS_HPP
#define TRIDENT_WIDERROWS_HPP

#include <vector>

#include "matrix/Trident_LocalMatrix.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// The local rows in a Map of those of another; empty where one is missing on this rank, or they
/// lie in another order, or there are none. Local.
template <class Map>
std::vector<int> rowsWithin(const Map& rows, const Map& wider) {
  std::vector<int> places;
  for (const auto gid : localGids(rows)) {
    const auto place = wider.getLocalElement(gid);
    if (!wider.isNodeLocalElement(place) || (!places.empty() && place <= places.back())) return {};
    places.push_back(place);
  }
  return places;
}

/// Gives a matrix rows without entries between its own: row r becomes row places[r] of `count`. Its
/// entries stay where they are. Local.
template <class Scalar, class Device>
void widenRows(CrsArrays<Scalar, Device>& matrix, const std::vector<int>& places, int count) {
  const auto before = matrix.offsets;
  const Kokkos::View<std::size_t*, Device> offsets("Trident::widerOffsets", count + 1);
  const auto placeOf = toDevice<int, Device>(places);
  Kokkos::parallel_for(
      "Trident::widenRows", Range<Device>(0, places.size()),
      TRIDENT_LAMBDA(long long r) { offsets(placeOf(r)) = before(r + 1) - before(r); });
  countsToOffsets<std::size_t, Device>(offsets);
  matrix.offsets = offsets;
}

}  // namespace Trident::Impl

#endif
