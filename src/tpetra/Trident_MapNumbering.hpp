// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MAPNUMBERING_HPP
#define TRIDENT_MAPNUMBERING_HPP

#include <memory>
#include <type_traits>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Types.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_NodeLayout.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Numbers along a one-to-one Map.
template <class LO, class GO, class NO>
struct MapNumbering : Numbering {
  Teuchos::RCP<const Tpetra::Map<LO, GO, NO>> map;
  /// First global index of each grid rank, where consecutive; else empty.
  std::vector<GO> firstGid;
};

/// Whether this rank's global indices are consecutive, in their order. Local.
template <class Map>
bool consecutiveHere(const Map& map) {
  if (map.isContiguous()) return true;
  const auto gids = localGids(map);
  for (long long l = 1; l < static_cast<long long>(gids.size()); ++l)
    if (gids[l] != gids[l - 1] + 1) return false;
  return true;
}

/// What all ranks say of a Map that is numbered. Short, as every rank gets it from all.
struct OwnIndices {
  long long first;  ///< of the indices
  int size;         ///< how many there are
  short follow;     ///< whether the others follow the first
  short failed;     ///< whether that is not known
};

/// Numbers several Maps by one gather. Collective over `comm`, which is in the order that `layout`
/// speaks of. Throws Trident::Error on every rank where one lacks memory for its global indices.
template <class LO, class GO, class NO>
std::vector<MapNumbering<LO, GO, NO>> numberMaps(
    const std::vector<Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>>& maps, MPI_Comm comm,
    const NodeLayout& layout) {
  static_assert(std::is_same<LO, int>::value, "a rank has so many indices at most");
  const int P = static_cast<int>(layout.commRank.size());
  const std::size_t count = maps.size();
  LocalFailure failure;
  std::vector<OwnIndices> mine, all(count * static_cast<std::size_t>(P));
  for (const auto& map : maps) {
    const int size = static_cast<int>(localSize(*map));  // as local indices are int
    bool follow = false;
    failure.guard([&] { follow = consecutiveHere(*map); });
    mine.push_back({size > 0 ? static_cast<long long>(map->getMinGlobalIndex()) : 0, size, follow,
                    failure.failed()});
  }
  static_assert(sizeof(OwnIndices) == 2 * sizeof(long long), "travels as numbers");
  allGather(mine.data(), static_cast<int>(2 * count), MPI_LONG_LONG, all.data(), comm,
            "how many indices all ranks own");
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  std::vector<MapNumbering<LO, GO, NO>> numberings(count);
  bool failed = false;
  for (std::size_t n = 0; n < count; ++n) {
    MapNumbering<LO, GO, NO>& numbering = numberings[n];
    numbering.map = maps[n];
    numbering.me = layout.gridRank[rank];
    numbering.rankBegin.assign(P + 1, 0);
    numbering.firstGid.reserve(P);
    numbering.consecutive = true;
    for (int g = 0; g < P; ++g) {
      const OwnIndices& of = all[count * static_cast<std::size_t>(layout.commRank[g]) + n];
      numbering.rankBegin[g + 1] = numbering.rankBegin[g] + of.size;
      numbering.firstGid.push_back(static_cast<GO>(of.first));
      numbering.consecutive = numbering.consecutive && of.follow;
      failed = failed || of.failed;
    }
    if (!numbering.consecutive) numbering.firstGid.clear();
  }
  if (failed) throwEverywhere(comm, failure.text());
  return numberings;
}

/// An index space that knows its Map. A cheap handle.
template <class LO, class GO, class NO>
struct MapSpace {
  std::shared_ptr<const MapNumbering<LO, GO, NO>> numbering;
  std::shared_ptr<const IndexSpace> space;

  /// Without the Map.
  operator NumberedSpace() const { return {numbering, space}; }  // NOLINT: it is one
  bool rowsStay() const { return NumberedSpace(*this).rowsStay(); }
};

}  // namespace Trident::Impl

#endif
