// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMBERING_HPP
#define TRIDENT_NUMBERING_HPP

#include <algorithm>
#include <memory>
#include <vector>

#include "base/Trident_Types.hpp"
#include "grid/Trident_IndexSpace.hpp"

namespace Trident::Impl {

/// Numbers 0..n-1 of indices that ranks own, in grid order: rank by rank of the grid, and on a rank
/// in its own order. What of a distributed index set the grid needs. O(P) numbers on a rank.
struct Numbering {
  std::vector<Position> rankBegin;  ///< first number of each grid rank, and the size
  int me = 0;                       ///< grid rank
  /// Whether the global indices of every rank follow each other, so that numbers and global indices
  /// follow from each other without asking.
  bool consecutive = false;

  Position size() const { return rankBegin.back(); }
  int ranks() const { return static_cast<int>(rankBegin.size()) - 1; }
  /// This rank's numbers.
  Position begin() const { return rankBegin[me]; }
  Position end() const { return rankBegin[me + 1]; }
  /// The grid rank that owns `number`.
  int owner(Position number) const {
    return static_cast<int>(std::upper_bound(rankBegin.begin(), rankBegin.end(), number) -
                            rankBegin.begin()) -
           1;
  }
};

/// An index space and which rank owns which of its indices off the grid: what takes a matrix onto
/// the grid and back. A cheap handle.
struct NumberedSpace {
  std::shared_ptr<const Numbering> numbering;
  std::shared_ptr<const IndexSpace> space;

  /// Whether every rank's indices are, in their order, its local rows on the grid: then rows
  /// neither move nor change their order. The same on every rank.
  bool rowsStay() const { return space->isOneTileWide() && space->cuts() == numbering->rankBegin; }
};

}  // namespace Trident::Impl

#endif
