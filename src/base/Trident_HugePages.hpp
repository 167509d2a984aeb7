// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HUGEPAGES_HPP
#define TRIDENT_HUGEPAGES_HPP

#include <cstddef>

namespace Trident::Impl {

/// Asks the system to back a large new array by huge pages; the first touch of a result page by
/// page took 0.4 s per 600 MB on the host of doc/algorithm.md. A hint: where the system has none,
/// or the array is small, nothing happens.
void adviseHugePages(void* array, std::size_t bytes);

}  // namespace Trident::Impl

#endif
