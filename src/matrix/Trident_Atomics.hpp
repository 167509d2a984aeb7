// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ATOMICS_HPP
#define TRIDENT_ATOMICS_HPP

#include <Kokkos_Complex.hpp>
#include <Kokkos_Core.hpp>
#include <type_traits>

// Operations of several threads of a kernel on one number. On CUDA these are CUDA's own functions,
// each one instruction of PTX. Kokkos has an instruction for some 64-bit integers alone, and which
// ones depends on its version: `unsigned long long` in 3.4, `unsigned long` in 5. For the others it
// compares and swaps until no other thread came between, which took a hundred milliseconds where
// many threads met at one number. Elsewhere these are Kokkos' functions.
//
// Compare and swap itself is for hash tables alone; the test Ptx_CompareAndSwap looks for it in the
// kernels' PTX. (From PTX on the GPU's own code may differ: fairly surely it adds doubles in shared
// memory by compare and swap, whoever asks.)

namespace Trident::Impl {

/// The integer of CUDA's functions that has the size of T, and its sign where that matters.
template <class T>
using AtomicWord = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
template <class T>
using OrderedWord = std::conditional_t<std::is_unsigned<T>::value, AtomicWord<T>,
                                       std::conditional_t<sizeof(T) == 8, long long, int>>;

/// True if these functions know an integer.
template <class T>
constexpr bool isAtomicInteger = std::is_integral<T>::value && (sizeof(T) == 4 || sizeof(T) == 8);

/// Adds, and returns the number before.
template <class T>
KOKKOS_INLINE_FUNCTION T fetchAdd(T* to, T value) {
  static_assert(isAtomicInteger<T>, "for integers of 32 and 64 bits");
#if defined(__CUDA_ARCH__)
  return static_cast<T>(::atomicAdd(reinterpret_cast<AtomicWord<T>*>(to),  // wraps as signed do
                                    static_cast<AtomicWord<T>>(value)));
#else
  return Kokkos::atomic_fetch_add(to, value);
#endif
}

/// Sets bits, and returns the bits before.
template <class T>
KOKKOS_INLINE_FUNCTION T fetchOr(T* to, T bits) {
  static_assert(isAtomicInteger<T>, "for integers of 32 and 64 bits");
#if defined(__CUDA_ARCH__)
  return static_cast<T>(
      ::atomicOr(reinterpret_cast<AtomicWord<T>*>(to), static_cast<AtomicWord<T>>(bits)));
#else
  return Kokkos::atomic_fetch_or(to, bits);
#endif
}

/// Lowers a number to another, if that is less.
template <class T>
KOKKOS_INLINE_FUNCTION void minShared(T* to, T value) {
  static_assert(isAtomicInteger<T>, "for integers of 32 and 64 bits");
  if (!(value < *to)) return;  // it never rises
#if defined(__CUDA_ARCH__)
  ::atomicMin(reinterpret_cast<OrderedWord<T>*>(to), static_cast<OrderedWord<T>>(value));
#else
  Kokkos::atomic_fetch_min(to, value);
#endif
}

/// Raises a number to another, if that is greater. Neither is negative: so their bits, taken as
/// integers, are in the numbers' order.
KOKKOS_INLINE_FUNCTION void maxShared(double* to, double value) {
  if (!(value > *to)) return;  // it never falls
#if defined(__CUDA_ARCH__)
  ::atomicMax(reinterpret_cast<long long*>(to), __double_as_longlong(value));
#else
  Kokkos::atomic_fetch_max(to, value);
#endif
}

/// Adds to a number. Where all threads of a warp add to the same one, it is added to once.
template <class T>
KOKKOS_INLINE_FUNCTION void addShared(T* to, T value) {
  if constexpr (std::is_integral<T>::value) {
#if defined(__CUDA_ARCH__)
    constexpr unsigned warp = ~0u;
    int same = 0;
    if (__activemask() == warp)
      __match_all_sync(warp, reinterpret_cast<unsigned long long>(to), &same);
    if (same) {
      for (int apart = 16; apart > 0; apart /= 2) value += __shfl_down_sync(warp, value, apart);
      unsigned lane;
      asm("mov.u32 %0, %%laneid;" : "=r"(lane));
      if (lane != 0) return;
    }
#endif
    fetchAdd(to, value);
  } else {
#if defined(__CUDA_ARCH__)
    ::atomicAdd(to, value);
#else
    Kokkos::atomic_add(to, value);
#endif
  }
}
/// Adds a complex number as two numbers. An atomic operation on both at once would take a lock, and
/// nobody reads the number before the end.
template <class T>
KOKKOS_INLINE_FUNCTION void addShared(Kokkos::complex<T>* to, const Kokkos::complex<T>& value) {
  T* const parts = reinterpret_cast<T*>(to);
  addShared(parts, value.real());
  addShared(parts + 1, value.imag());
}

}  // namespace Trident::Impl

#endif
