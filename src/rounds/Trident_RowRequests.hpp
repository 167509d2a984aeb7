// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWREQUESTS_HPP
#define TRIDENT_ROWREQUESTS_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/Trident_Traffic.hpp"
#include "base/Trident_Types.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// Rows of a slice as ranks tell each other of them: in 32-bit words, as a list where that has
/// fewer of them, else as a bitmap. Who knows the slice and how many rows there are knows which of
/// the two it is, and its length.
using SetWord = std::uint32_t;

/// Words of the bitmap of a slice.
inline int bitmapWords(int sliceRows) { return sliceRows / 32 + (sliceRows % 32 != 0); }

/// Words of so many rows of a slice.
inline int setWords(int count, int sliceRows) { return std::min(count, bitmapWords(sliceRows)); }

/// Appends a set. Local.
/// @param first, last ascending rows, all of the slice
/// @param sliceBegin the slice's first row, in the same numbers
template <class Iterator>
void appendSet(Iterator first, Iterator last, Position sliceBegin, int sliceRows,
               std::vector<SetWord>& words) {
  const auto count = static_cast<int>(last - first);
  const std::size_t at = words.size();
  words.resize(at + setWords(count, sliceRows), 0);
  const bool listed = count < bitmapWords(sliceRows);
  for (int n = 0; n < count; ++n) {
    const auto row = static_cast<SetWord>(first[n] - sliceBegin);
    if (listed)
      words[at + n] = row;
    else
      words[at + row / 32] |= SetWord(1) << (row % 32);
  }
}

/// Appends the rows of a set, ascending and counted from `firstRow`. Local.
/// @param words of the set
inline void readSet(const SetWord* words, int count, int sliceRows, int firstRow,
                    std::vector<int>& rows) {
  if (count < bitmapWords(sliceRows)) {
    for (int n = 0; n < count; ++n) rows.push_back(firstRow + static_cast<int>(words[n]));
    return;
  }
  for (int row = 0; row < sliceRows; ++row)
    if (words[row / 32] >> (row % 32) & 1) rows.push_back(firstRow + row);
}

/// Lists of rows of this rank's part of B that others ask for: of each of its slices, one for each
/// member of the line, one list after another.
struct AskedRows {
  std::vector<int> rows;
  std::vector<long long> begin{0};  ///< of each list, and the end
};

/// What the nodes of a grid row need of B, seen from one rank. They multiply by the same tiles of
/// A, and so need the same rows of each segment: node (i, j), which has tile A_ij, finds those of
/// its segments and tells them along the grid row. Then each rank asks in its column of nodes for
/// the rows that it will get. Segments of tile row i of B are at home in the grid row: of them
/// nothing is asked.
class RowRequests {
 public:
  /// Both outlive this. Local.
  RowRequests(const ProcessGrid& grid, const IndexSpace& inner);

  /// Notes what this node needs by its own tile of A. Local.
  /// @param rows of B, ascending, counted from the corner of the tile; none of tile row i
  void note(const std::vector<int>& rows);

  // Where there are several node columns, the other nodes of the grid row are told.

  /// Tells them how many rows, and learns how many they need. Collective over the row line.
  void shareSizes(Traffic& traffic);
  /// Takes memory for what they will tell. Local.
  void makeRoom();
  /// Tells them which rows, and learns which they need; all ranks have made room. Collective over
  /// the row line.
  void shareSets(Traffic& traffic);

  /// The inner space as the nodes of this grid row meet it: tile row i whole, of all other slices
  /// the needed rows. Local; so is all that follows.
  std::shared_ptr<const IndexSpace> metSpace() const;

  /// How many words of questions() each member of the line of B gets; none where nothing is needed
  /// of it.
  std::vector<long long> questionCounts() const;
  /// For each member, by its segments: how many rows of the slice with this rank's k are needed;
  /// then the sets of these rows.
  std::vector<SetWord> questions() const;
  /// Reads what others ask of this rank.
  /// @param words by member; `offsets` of each member's, and the end
  AskedRows readQuestions(const std::vector<SetWord>& words,
                          const std::vector<long long>& offsets) const;

 private:
  /// Rows needed of slice k of a segment.
  int needed(int segment, int k) const { return sizes_[segment * lambda() + k]; }
  /// Words of the set of them, where k is this rank's.
  int words(int segment) const {
    return setWords(needed(segment, me_.k), inner_.sliceSize(segment, me_.k));
  }
  int lambda() const { return shape_.lambda; }

  const ProcessGrid& grid_;
  const IndexSpace& inner_;
  const GridShape& shape_;
  const GridCoordinates& me_;
  std::vector<int> sizes_;      // [s·λ + k]: rows needed of the slice
  std::vector<SetWord> own_;    // sets of the slices with this rank's k: of this node
  std::vector<SetWord> words_;  // and of the whole grid row, by segment
};

}  // namespace Trident::Impl

#endif
