// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MAPNUMBERING_HPP
#define TRIDENT_MAPNUMBERING_HPP

#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_Collective.hpp"
#include "Trident_MpiCheck.hpp"
#include "Trident_NodeLayout.hpp"
#include "Trident_Numbering.hpp"
#include "Trident_TpetraCompat.hpp"
#include "Trident_Types.hpp"

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

/// Collective over `comm`, which is in the order that `layout` speaks of. Throws Trident::Error on
/// every rank where one lacks memory for its global indices.
template <class LO, class GO, class NO>
MapNumbering<LO, GO, NO> numberMap(const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& map,
                                   MPI_Comm comm, const NodeLayout& layout) {
  const int P = static_cast<int>(layout.commRank.size());
  const long long size = static_cast<long long>(localSize(*map));
  LocalFailure failure;
  bool follow = false;
  failure.guard([&] { follow = consecutiveHere(*map); });
  // How many indices, the first, whether the others follow it, and whether that is not known.
  const long long mine[4] = {size, size > 0 ? static_cast<long long>(map->getMinGlobalIndex()) : 0,
                             follow, failure.failed()};
  std::vector<long long> all(4 * static_cast<std::size_t>(P));
  allGather(mine, 4, MPI_LONG_LONG, all.data(), comm, "how many indices all ranks own");
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  MapNumbering<LO, GO, NO> numbering;
  numbering.map = map;
  numbering.me = layout.gridRank[rank];
  numbering.rankBegin.assign(P + 1, 0);
  numbering.consecutive = true;
  bool failed = false;
  for (int g = 0; g < P; ++g) {
    const long long* const of = all.data() + 4 * static_cast<std::size_t>(layout.commRank[g]);
    numbering.rankBegin[g + 1] = numbering.rankBegin[g] + of[0];
    numbering.firstGid.push_back(static_cast<GO>(of[1]));
    numbering.consecutive = numbering.consecutive && of[2];
    failed = failed || of[3];
  }
  if (failed) throwEverywhere(comm, failure.text());
  if (!numbering.consecutive) numbering.firstGid.clear();
  return numbering;
}

}  // namespace Trident::Impl

#endif
