// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICESHAPE_HPP
#define TRIDENT_SLICESHAPE_HPP

#include <cstddef>

#include "base/Trident_Types.hpp"

namespace Trident::Impl {

/// The shape of a slice, which is known before it travels, and the layout of its wire form
/// (Trident_PackedSlice): values [entries] | offsets [rows + 1] | row list [rows, if listed] |
/// columns [entries] A slice with fewer entries than rows lists only its non-empty rows, so that
/// nothing on a rank grows with segments × rows. Offsets have 32 bits where the entries allow it,
/// columns 16 where the slice has at most 65,536 columns.
struct SliceShape {
  long long rows = 0;  ///< rows stored: all of the slice, or the non-empty ones if listed
  long long entries = 0;
  long long listed = 0;  ///< 1 if the rows are listed (a number: shapes are exchanged as numbers)
  long long narrow = 0;  ///< 1 if columns have 16 bits

  /// Returns the shape of a slice that is cut out of so many rows: lists those that are not empty
  /// where that is shorter.
  static SliceShape ofCut(long long rows, long long nonEmpty, long long entries,
                          long long columns) {
    const bool listed = listsRows(entries, rows);
    return {listed ? nonEmpty : rows, entries, listed ? 1 : 0, narrowFor(columns)};
  }
  /// Returns the shape of a slice that has all of so many rows.
  static SliceShape ofRows(long long rows, long long entries, long long columns) {
    return {rows, entries, 0, narrowFor(columns)};
  }
  /// Returns true if a cut of so many entries lists its rows. Numbers are whole, or means.
  template <class Number>
  static bool listsRows(Number entries, Number rows) {
    return entries < rows;
  }
  /// Returns the value of `narrow` for a slice of so many columns.
  static long long narrowFor(long long columns) { return columns <= (1ll << 16) ? 1 : 0; }
  bool wideOffsets() const { return entries >= (1ll << 32); }

  std::size_t valuesAt() const { return 0; }
  std::size_t offsetsAt(std::size_t scalarBytes) const { return alignUp(entries * scalarBytes); }
  std::size_t rowListAt(std::size_t scalarBytes) const {
    return offsetsAt(scalarBytes) + (rows + 1) * (wideOffsets() ? 8 : 4);
  }
  std::size_t columnsAt(std::size_t scalarBytes) const {
    return rowListAt(scalarBytes) + (listed ? rows * sizeof(int) : 0);
  }
  /// Returns the bytes on the wire; an empty slice does not travel.
  std::size_t bytes(std::size_t scalarBytes) const {
    return entries == 0 ? 0 : columnsAt(scalarBytes) + entries * (narrow ? 2 : 4);
  }

 private:
  static std::size_t alignUp(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
};

}  // namespace Trident::Impl

#endif
