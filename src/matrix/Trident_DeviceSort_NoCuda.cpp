// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Error.hpp"
#include "matrix/Trident_DeviceSort.hpp"

namespace Trident::Impl {

void sortDeviceNumbers(Position*, std::size_t) {
  throw Error("Trident::sortNumbers", "this Trident was built without CUDA");
}

void sortDevicePairs(unsigned*, unsigned*, std::size_t, int) {
  throw Error("Trident::sortPairs", "this Trident was built without CUDA");
}

bool hasSegmentedSort(std::size_t) { return false; }

void sortSegments(const RowsToSort&) {
  throw Error("Trident::sortSegments",
              "this Trident was built without CUDA; sort by SortMethod::KokkosKernels");
}

}  // namespace Trident::Impl
