// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEVICESORT_HPP
#define TRIDENT_DEVICESORT_HPP

#include <algorithm>
#include <cstddef>

#include "base/Trident_Types.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Sorts `count` numbers in device memory, ascending, by CUDA's radix sort. Takes memory for a copy
/// of the numbers. Local; waits for the sort. Throws Trident::Error, or Kokkos' exception if memory
/// runs out.
void sortDeviceNumbers(Position* numbers, std::size_t count);

/// Sorts `count` pairs in device memory by key, as sortDeviceNumbers() sorts numbers. Keys must be
/// below 2^bits. Pairs with the same key keep their order.
void sortDevicePairs(unsigned* keys, unsigned* values, std::size_t count, int bits);

/// Sorts numbers, ascending. (Kokkos' own sort takes m² steps if m numbers are equal.) Local.
template <class Device>
void sortNumbers(const Kokkos::View<Position*, Device>& numbers) {
  if constexpr (isHost<Device>)
    std::sort(numbers.data(), numbers.data() + numbers.extent(0));
  else
    sortDeviceNumbers(numbers.data(), numbers.extent(0));
}

/// Rows in device memory, for sortSegments().
struct RowsToSort {
  int rows;
  std::size_t entries;
  const std::size_t* offsets;  ///< rows + 1 offsets, from 0 to `entries`
  int* columns;
  void* values;
  std::size_t valueBytes;
};

/// Returns true if sortSegments() of this build can sort values of `valueBytes` bytes.
bool hasSegmentedSort(std::size_t valueBytes);

/// Sorts each row by column, in place, by CUDA's segmented sort, which is fast for rows of any
/// length. Takes memory for a copy of the entries, but at most a gigabyte or two, because long
/// matrices are sorted in chunks. Local; waits for the sort. Throws Trident::Error if the sort
/// fails, or if this build cannot sort such values.
void sortSegments(const RowsToSort& rows);

}  // namespace Trident::Impl

#endif
