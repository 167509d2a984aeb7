// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LONGESTROW_HPP
#define TRIDENT_LONGESTROW_HPP

#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Entries of the longest of the rows that have these offsets. Local.
template <class Device, class Offsets>
long long longestRow(const Offsets& offsets) {
  long long longest = 0;
  Kokkos::parallel_reduce(
      "Trident::longestRow", afterFirst<Device>(static_cast<long long>(offsets.extent(0))),
      TRIDENT_LAMBDA(long long r, long long& most) {
        const long long length = static_cast<long long>(offsets(r) - offsets(r - 1));
        if (length > most) most = length;
      },
      Kokkos::Max<long long>(longest));
  return longest > 0 ? longest : 0;  // Max begins with the least number
}

}  // namespace Trident::Impl

#endif
