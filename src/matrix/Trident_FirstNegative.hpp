// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FIRSTNEGATIVE_HPP
#define TRIDENT_FIRSTNEGATIVE_HPP

#include <algorithm>

#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Place of the first negative number, or how many numbers there are. Local.
template <class T, class Device>
long long firstNegative(const Kokkos::View<T*, Device>& numbers) {
  const long long count = numbers.extent(0);
  long long first = count;
  Kokkos::parallel_reduce(
      "Trident::firstNegative", Range<Device>(0, count),
      TRIDENT_LAMBDA(long long e, long long& least) {
        if (numbers(e) < 0 && e < least) least = e;
      },
      Kokkos::Min<long long>(first));
  return std::min(first, count);
}

}  // namespace Trident::Impl

#endif
