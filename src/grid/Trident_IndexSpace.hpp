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

/// The numbers 0 .. n-1 of the indices that ranks own. Grid rank 0 has the first numbers, grid rank
/// 1 the next, and so on. A rank's indices keep their order. Each rank stores P + 1 numbers.
struct Numbering {
  std::vector<Position> rankBegin;  ///< first number of each grid rank, and then the size
  int me = 0;                       ///< number of this rank in the grid
  /// True if each rank's global indices are consecutive. Then any rank can compute numbers from
  /// global indices, and global indices from numbers, without asking the owner.
  bool consecutive = false;

  Position size() const { return rankBegin.back(); }
  int ranks() const { return static_cast<int>(rankBegin.size()) - 1; }
  /// Returns the first of this rank's numbers; end() returns the number behind its last one.
  Position begin() const { return rankBegin[me]; }
  Position end() const { return rankBegin[me + 1]; }
  /// Returns the grid rank that owns `number`.
  int owner(Position number) const {
    return static_cast<int>(std::upper_bound(rankBegin.begin(), rankBegin.end(), number) -
                            rankBegin.begin()) -
           1;
  }
};

/// The error of a tile that is too large for local indices. All ranks with equal cuts throw it, so
/// they can catch it without communication.
class TileTooLarge : public Error {
 public:
  explicit TileTooLarge(const std::string& what) : Error("Trident::IndexSpace", what) {}
};

/// An index space of a matrix, and its cuts for a grid: S segments, each in λ slices.
///
/// If the indices are rows, node row i has the segments of tile row i, and rank k of a node has
/// slice k of each of these segments. If they are columns, node column j has the segments of tile
/// column j, a range of positions. A space can be used for rows and for columns. Matrices A and B
/// can be multiplied on the grid if A's columns and B's rows are the same IndexSpace *object*.
///
/// A space that lies along a Map has a numbering(), which knows the ranks that own its indices in
/// the Map. Import and export need the numbering.
class IndexSpace {
 public:
  /// @param cuts positions 0 = cuts[0] ≤ … ≤ cuts[S·λ] = size, equal on all ranks. Slice k of
  ///   segment s is [cuts[s·λ+k], cuts[s·λ+k+1])
  /// @param numbering may be null if numbering() and rowsStay() are never called
  /// @throws TileTooLarge if a tile would have more than `largestTile` rows or columns
  IndexSpace(const GridShape& shape, std::vector<Position> cuts,
             int largestTile = GridOptions().largestTile,
             std::shared_ptr<const Numbering> numbering = nullptr);

  const GridShape& shape() const { return shape_; }
  const std::vector<Position>& cuts() const { return cuts_; }
  Position size() const { return cuts_.back(); }
  /// Returns the numbering of the space's Map. The space must lie along a Map.
  const Numbering& numbering() const { return *numbering_; }
  /// Returns true if no row moves: each rank's indices of the Map are its local rows on the grid,
  /// in the same order. Local; all ranks get the same. The space must have a numbering().
  bool rowsStay() const { return isOneTileWide() && cuts_ == numbering_->rankBegin; }

  Position sliceBegin(int segment, int k) const { return cuts_[segment * shape_.lambda + k]; }
  int sliceSize(int segment, int k) const {
    return static_cast<int>(sliceBegin(segment, k + 1) - sliceBegin(segment, k));
  }
  Position segmentBegin(int segment) const { return cuts_[segment * shape_.lambda]; }
  int segmentSize(int segment) const {
    return static_cast<int>(segmentBegin(segment + 1) - segmentBegin(segment));
  }
  /// Returns true if the grid has one tile column. Then a column's local index is its number.
  bool isOneTileWide() const { return shape_.nodeCols == 1; }
  /// Returns the first column on node column j. tileColSize() returns the number of columns there.
  Position tileColBegin(int j) const { return segmentBegin(j * shape_.segmentsPerTileCol()); }
  int tileColSize(int j) const { return static_cast<int>(tileColBegin(j + 1) - tileColBegin(j)); }
  /// Returns the number of a matrix's rows on rank (i, j, k), which is the same for all j. These
  /// rows are slice k of each segment of tile row i, one slice after another.
  int localRows(int i, int k) const;

 private:
  GridShape shape_;
  std::vector<Position> cuts_;
  std::shared_ptr<const Numbering> numbering_;
};

}  // namespace Trident::Impl

#endif
