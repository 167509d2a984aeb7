// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SEGMENTEDSORT_HPP
#define TRIDENT_SEGMENTEDSORT_HPP

#include <cstddef>

namespace Trident::Impl {

/// Rows in device memory whose entries are to be sorted by column, in place.
struct SortableRows {
  int rows;
  std::size_t entries;
  const std::size_t* offsets;  ///< rows + 1, from 0 to entries
  int* columns;
  void* values;
  std::size_t valueBytes;
};

/// Whether this build can sort rows with values of so many bytes.
bool hasSegmentedSort(std::size_t valueBytes);

/// Sorts each row by column with a radix sort of CUDA's; a row of any length is sorted by the whole
/// device. Needs workspace for as many entries again, but for no more than a gigabyte or two: long
/// matrices are sorted in pieces. Local; rows are sorted when it returns. Throws Trident::Error
/// where it fails, or where this build has none.
void sortSegments(const SortableRows& rows);

}  // namespace Trident::Impl

#endif
