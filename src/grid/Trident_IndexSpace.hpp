// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_INDEXSPACE_HPP
#define TRIDENT_INDEXSPACE_HPP

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Options.hpp"
#include "base/Trident_Types.hpp"
#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {

/// Numbers 0..n-1 of indices that ranks own, in grid order: rank by rank of the grid, and on a rank
/// in its own order. O(P) numbers on a rank.
struct Numbering {
  std::vector<Position> rankBegin;  ///< first number of each grid rank, and the size
  int me = 0;                       ///< grid rank
  /// True if the global indices of every rank follow each other, so that numbers and global indices
  /// follow from each other without asking.
  bool consecutive = false;

  Position size() const { return rankBegin.back(); }
  int ranks() const { return static_cast<int>(rankBegin.size()) - 1; }
  /// Returns the first of this rank's numbers, and where they end.
  Position begin() const { return rankBegin[me]; }
  Position end() const { return rankBegin[me + 1]; }
  /// Returns the grid rank that owns `number`.
  int owner(Position number) const {
    return static_cast<int>(std::upper_bound(rankBegin.begin(), rankBegin.end(), number) -
                            rankBegin.begin()) -
           1;
  }
};

/// A grid on whose tiles local indices do not fit; thrown alike by all ranks with equal cuts.
class TileTooLarge : public Error {
 public:
  explicit TileTooLarge(const std::string& what) : Error("Trident::IndexSpace", what) {}
};

/// An index space of a matrix and how it is cut on a grid: S segments, each in λ slices.
///
/// As row space: node row i holds the segments of tile row i, its rank k the k-th slice of each.
/// As column space: node column j holds the segments of tile column j, a range of positions. So the
/// same space serves either factor. Two matrices can be multiplied on the grid when the columns of
/// the first and the rows of the second are the same IndexSpace *object*.
///
/// One that lies along a Map knows the owners of its indices off the grid: so matrices find their
/// way onto the grid and back.
class IndexSpace {
 public:
  /// @param cuts numbers 0 = cuts[0] ≤ … ≤ cuts[S·λ] = size: slice k of segment s is
  ///             [cuts[s·λ+k], cuts[s·λ+k+1]); equal on all ranks
  /// @param numbering null where nobody asks for it
  /// Throws TileTooLarge where a tile would have more rows or columns than `largestTile`.
  IndexSpace(const GridShape& shape, std::vector<Position> cuts,
             int largestTile = GridOptions().largestTile,
             std::shared_ptr<const Numbering> numbering = nullptr);

  const GridShape& shape() const { return shape_; }
  const std::vector<Position>& cuts() const { return cuts_; }
  Position size() const { return cuts_.back(); }
  /// Returns the owners of the indices, for a space that lies along a Map.
  const Numbering& numbering() const { return *numbering_; }
  /// Returns true if on every rank the Map's indices are the rank's local rows on the grid, in the
  /// same order. Then rows neither move nor change their order. Local; all ranks return the same.
  /// Call it only for a space with a numbering().
  bool rowsStay() const { return isOneTileWide() && cuts_ == numbering_->rankBegin; }

  Position sliceBegin(int segment, int k) const { return cuts_[segment * shape_.lambda + k]; }
  int sliceSize(int segment, int k) const {
    return static_cast<int>(sliceBegin(segment, k + 1) - sliceBegin(segment, k));
  }
  Position segmentBegin(int segment) const { return cuts_[segment * shape_.lambda]; }
  int segmentSize(int segment) const {
    return static_cast<int>(segmentBegin(segment + 1) - segmentBegin(segment));
  }
  /// Returns true if each index is, as a column, at its number in its tile.
  bool isOneTileWide() const { return shape_.nodeCols == 1; }
  /// Returns the first column of a matrix on node column j, and the number of its columns.
  Position tileColBegin(int j) const { return segmentBegin(j * shape_.segmentsPerTileCol()); }
  int tileColSize(int j) const { return static_cast<int>(tileColBegin(j + 1) - tileColBegin(j)); }
  /// Returns the number of a matrix's rows on rank (i, *, k): its slices of the tile row, one after
  /// another.
  int localRows(int i, int k) const;

 private:
  GridShape shape_;
  std::vector<Position> cuts_;
  std::shared_ptr<const Numbering> numbering_;
};

}  // namespace Trident::Impl

#endif
