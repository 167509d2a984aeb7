// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWSET_HPP
#define TRIDENT_ROWSET_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/Trident_Types.hpp"

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

}  // namespace Trident::Impl

#endif
