// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_INTERVAL_HPP
#define TRIDENT_INTERVAL_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

namespace Trident::Impl {

/// Which of `count` consecutive intervals holds `x`: begins(i) <= x < begins(i + 1). Empty
/// intervals hold nothing; begins ascend, and begins(0) <= x. For kernels.
template <class Begins, class T>
KOKKOS_INLINE_FUNCTION long long intervalOf(const Begins& begins, long long count, const T& x) {
  long long low = 0, high = count;
  while (high - low > 1) {
    const long long middle = (low + high) / 2;
    if (begins(middle) <= x)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// The first of the places [begin, end) whose element is not below `x`; end where there is none.
/// Elements ascend. For kernels.
template <class Elements, class T>
KOKKOS_INLINE_FUNCTION std::size_t firstNotBelow(const Elements& elements, std::size_t begin,
                                                 std::size_t end, const T& x) {
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (elements(middle) < x)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

}  // namespace Trident::Impl

#endif
