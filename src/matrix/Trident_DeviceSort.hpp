// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_DEVICESORT_HPP
#define TRIDENT_DEVICESORT_HPP

#include <algorithm>
#include <cstddef>

#include "base/Trident_Types.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Sorts `count` numbers in device memory by a radix sort of CUDA's, with room for as many again.
/// Local; they are sorted when it returns. Throws Trident::Error, or Kokkos' exception if there is
/// not enough memory.
void sortDeviceNumbers(Position* numbers, std::size_t count);

/// Sorts `count` pairs in device memory by their keys, which are below 2^bits, by a radix sort of
/// CUDA's, with room for as many again. Pairs of one key keep their order. Local, as
/// sortDeviceNumbers().
void sortDevicePairs(unsigned* keys, unsigned* values, std::size_t count, int bits);

/// Sorts numbers, ascending. Kokkos' own sort puts equal ones into one bin and compares them in
/// pairs, so that m of them take m² steps; here it does not matter how many are equal. Local.
template <class Device>
void sortNumbers(const Kokkos::View<Position*, Device>& numbers) {
  if constexpr (isHost<Device>)
    std::sort(numbers.data(), numbers.data() + numbers.extent(0));
  else
    sortDeviceNumbers(numbers.data(), numbers.extent(0));
}

/// Rows in device memory whose entries are to be sorted by column, in place.
struct SortableRows {
  int rows;
  std::size_t entries;
  const std::size_t* offsets;  ///< rows + 1, from 0 to entries
  int* columns;
  void* values;
  std::size_t valueBytes;
};

/// Returns true if this build can sort rows with values of so many bytes.
bool hasSegmentedSort(std::size_t valueBytes);

/// Sorts each row by column with a radix sort of CUDA's; a row of any length is sorted by the whole
/// device. Needs workspace for as many entries again, but for no more than a gigabyte or two: long
/// matrices are sorted in chunks. Local; rows are sorted when it returns. Throws Trident::Error
/// where it fails, or where this build has none.
void sortSegments(const SortableRows& rows);

}  // namespace Trident::Impl

#endif
