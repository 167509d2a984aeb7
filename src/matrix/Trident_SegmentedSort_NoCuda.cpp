// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Error.hpp"
#include "matrix/Trident_SegmentedSort.hpp"

namespace Trident::Impl {

bool hasSegmentedSort(std::size_t) { return false; }

void sortSegments(const SortableRows&) {
  throw Error("Trident::sortSegments",
              "this Trident was built without CUDA; sort by RowSort::KokkosKernels");
}

}  // namespace Trident::Impl
