// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FETCHADD_HPP
#define TRIDENT_FETCHADD_HPP

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace Trident::Impl {

/// Kokkos::atomic_fetch_add for 64-bit integers as the GPU's own instruction: Kokkos 3.4 adds
/// signed and `unsigned long` ones by compare and swap, which takes seconds where many threads meet
/// at one counter. For kernels.
template <class T>
KOKKOS_INLINE_FUNCTION T fetchAdd(T* to, T value) {
  static_assert(std::is_integral<T>::value && sizeof(T) == sizeof(unsigned long long),
                "for 64-bit integers");
  return static_cast<T>(Kokkos::atomic_fetch_add(reinterpret_cast<unsigned long long*>(to),
                                                 static_cast<unsigned long long>(value)));
}

}  // namespace Trident::Impl

#endif
