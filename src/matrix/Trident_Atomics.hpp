// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ATOMICS_HPP
#define TRIDENT_ATOMICS_HPP

#include <Kokkos_Complex.hpp>
#include <Kokkos_Core.hpp>
#include <type_traits>

// Atomic operations for kernels. On CUDA an operation calls CUDA's function, which is one
// instruction of PTX. On other devices it calls Kokkos' function. On CUDA, Kokkos' functions are
// one instruction for one 64-bit integer type: `unsigned long long` in Kokkos 3.4, `unsigned long`
// in 5. For other 64-bit integers Kokkos loops over compare-and-swap, which took 100 ms where many
// threads changed one number.
//
// Only hash tables may compare and swap. The test Ptx_CompareAndSwap searches the kernels' PTX for
// that instruction. (A GPU's own code may differ from PTX: it probably adds doubles in shared
// memory by compare-and-swap.)

namespace Trident::Impl {

/// CUDA's integer types of T's size. AtomicWord is unsigned. OrderedWord is signed if T is signed.
template <class T>
using AtomicWord = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
template <class T>
using OrderedWord = std::conditional_t<std::is_unsigned<T>::value, AtomicWord<T>,
                                       std::conditional_t<sizeof(T) == 8, long long, int>>;

/// True if the functions below take integers of type T.
template <class T>
constexpr bool isAtomicInteger = std::is_integral<T>::value && (sizeof(T) == 4 || sizeof(T) == 8);

/// Adds `value` to a number. Returns the number before the addition.
template <class T>
KOKKOS_INLINE_FUNCTION T fetchAdd(T* to, T value) {
  static_assert(isAtomicInteger<T>, "for integers of 32 and 64 bits");
#if defined(__CUDA_ARCH__)
  return static_cast<T>(
      ::atomicAdd(reinterpret_cast<AtomicWord<T>*>(to), static_cast<AtomicWord<T>>(value)));
#else
  return Kokkos::atomic_fetch_add(to, value);
#endif
}

/// Sets bits of a number. Returns the number before the change.
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

/// Lowers a number to `value` if `value` is less.
template <class T>
KOKKOS_INLINE_FUNCTION void minShared(T* to, T value) {
  static_assert(isAtomicInteger<T>, "for integers of 32 and 64 bits");
  if (!(value < *to)) return;  // stays true, because *to never rises
#if defined(__CUDA_ARCH__)
  ::atomicMin(reinterpret_cast<OrderedWord<T>*>(to), static_cast<OrderedWord<T>>(value));
#else
  Kokkos::atomic_fetch_min(to, value);
#endif
}

/// Raises a number to `value` if `value` is greater. Neither may be negative, because the function
/// compares their bits as integers.
KOKKOS_INLINE_FUNCTION void maxShared(double* to, double value) {
  if (!(value > *to)) return;  // stays true, because *to never falls
#if defined(__CUDA_ARCH__)
  ::atomicMax(reinterpret_cast<long long*>(to), __double_as_longlong(value));
#else
  Kokkos::atomic_fetch_max(to, value);
#endif
}

/// Adds `value` to a number. On CUDA, a warp that adds to one integer makes a single addition.
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
/// Adds the real part, then the imaginary part, because one addition of both would take a lock. No
/// thread may read the number before all threads have added.
template <class T>
KOKKOS_INLINE_FUNCTION void addShared(Kokkos::complex<T>* to, const Kokkos::complex<T>& value) {
  T* const parts = reinterpret_cast<T*>(to);
  addShared(parts, value.real());
  addShared(parts + 1, value.imag());
}

}  // namespace Trident::Impl

#endif
