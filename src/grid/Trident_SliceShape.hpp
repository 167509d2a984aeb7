// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICESHAPE_HPP
#define TRIDENT_SLICESHAPE_HPP

#include <cstddef>

#include "base/Trident_Types.hpp"

namespace Trident::Impl {

/// The shape of a slice, and the layout of the packed slice (Trident_PackedSlice), in this order:
/// values [entries] | offsets [rows + 1] | row list [rows, if listed] | columns [entries]. The
/// receiver knows the shape before the slice travels. A slice with fewer entries than rows lists
/// only its non-empty rows, else memory would grow as segments × rows. Offsets have 32 bits, or 64
/// from 2^32 entries on. Columns have 16 bits if the slice has at most 65,536 of them, else 32.
struct SliceShape {
  long long rows = 0;  ///< number of stored rows: all rows, or only the non-empty ones if listed
  long long entries = 0;
  long long listed = 0;  ///< 1 if rows are listed, else 0; no bool, as shapes travel as numbers
  long long narrow = 0;  ///< 1 if columns have 16 bits, else 0

  /// Returns the shape of a slice that is cut out of `rows` rows, of which `nonEmpty` have entries.
  /// The slice lists only its non-empty rows if listsRows() is true.
  static SliceShape ofCut(long long rows, long long nonEmpty, long long entries,
                          long long columns) {
    const bool listed = listsRows(entries, rows);
    return {listed ? nonEmpty : rows, entries, listed ? 1 : 0, narrowFor(columns)};
  }
  /// Returns the shape of a slice that stores all of its `rows` rows.
  static SliceShape ofRows(long long rows, long long entries, long long columns) {
    return {rows, entries, 0, narrowFor(columns)};
  }
  /// Returns true if a slice with these numbers lists its rows. The numbers may be means, with
  /// fractions.
  template <class Number>
  static bool listsRows(Number entries, Number rows) {
    return entries < rows;
  }
  /// Returns the value of `narrow` for a slice with this number of columns.
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
  /// Returns the bytes of the packed slice; 0 for an empty slice, which does not travel.
  std::size_t bytes(std::size_t scalarBytes) const {
    return entries == 0 ? 0 : columnsAt(scalarBytes) + entries * (narrow ? 2 : 4);
  }

 private:
  static std::size_t alignUp(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
};

}  // namespace Trident::Impl

#endif
