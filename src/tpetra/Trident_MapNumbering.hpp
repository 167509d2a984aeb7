// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MAPNUMBERING_HPP
#define TRIDENT_MAPNUMBERING_HPP

#include <algorithm>
#include <vector>

#include "Trident_MpiCheck.hpp"
#include "Trident_NodeLayout.hpp"
#include "Trident_TpetraCompat.hpp"
#include "Trident_Types.hpp"

namespace Trident {

/// Numbers 0..n-1 along a one-to-one Map in grid order: rank by rank of the grid, local index by
/// local index. O(P) numbers on a rank.
template <class LO, class GO, class NO>
struct MapNumbering {
  using map_type = Tpetra::Map<LO, GO, NO>;

  Teuchos::RCP<const map_type> map;
  std::vector<Position> rankBegin;  ///< first number of each grid rank, and the size
  int me = 0;                       ///< grid rank

  Position size() const { return rankBegin.back(); }
  Position begin() const { return rankBegin[me]; }
  /// The grid rank that owns `number`.
  int owner(Position number) const {
    return static_cast<int>(std::upper_bound(rankBegin.begin(), rankBegin.end(), number) -
                            rankBegin.begin()) -
           1;
  }
};

/// Collective over `comm`, which is in the order that `layout` speaks of.
template <class LO, class GO, class NO>
MapNumbering<LO, GO, NO> numberMap(const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& map,
                                   MPI_Comm comm, const NodeLayout& layout) {
  const int P = static_cast<int>(layout.commRank.size());
  long long mine = static_cast<long long>(localSize(*map));
  std::vector<long long> counts(P);
  TRIDENT_MPI_CHECK(MPI_Allgather(&mine, 1, MPI_LONG_LONG, counts.data(), 1, MPI_LONG_LONG, comm));
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  MapNumbering<LO, GO, NO> numbering;
  numbering.map = map;
  numbering.me = layout.gridRank[rank];
  numbering.rankBegin.assign(P + 1, 0);
  for (int g = 0; g < P; ++g)
    numbering.rankBegin[g + 1] = numbering.rankBegin[g] + counts[layout.commRank[g]];
  return numbering;
}

}  // namespace Trident

#endif
