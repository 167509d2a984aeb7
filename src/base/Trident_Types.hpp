// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TYPES_HPP
#define TRIDENT_TYPES_HPP

#include <cstddef>
#include <cstdint>

/// Marks small functions that kernels call on any execution space. Needs no Kokkos.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define TRIDENT_FUNCTION __host__ __device__ inline
#else
#define TRIDENT_FUNCTION inline
#endif

namespace Trident::Impl {

/// A number or a position in an index space: 0 to n-1. Local indices in tiles are `int`.
using Position = long long;

using Word = unsigned long long;

/// Counts the bits that are set in a word. Without a popcount instruction (plain x86-64) compilers
/// would call a library function, which would slow loops over entries.
TRIDENT_FUNCTION int popcount(Word word) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return __popcll(word);
#elif defined(__POPCNT__) || defined(__aarch64__)
  return __builtin_popcountll(word);
#else
  word -= (word >> 1) & 0x5555555555555555ull;
  word = (word & 0x3333333333333333ull) + ((word >> 2) & 0x3333333333333333ull);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return static_cast<int>((word * 0x0101010101010101ull) >> 56);
#endif
}

/// Returns the number of the lowest bit that is set. The word must not be 0.
TRIDENT_FUNCTION int lowestBit(Word word) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return __ffsll(static_cast<long long>(word)) - 1;
#else
  return __builtin_ctzll(word);
#endif
}

/// Mixes the bits of a number by splitmix64, a bijection. Close numbers get very different results.
TRIDENT_FUNCTION std::uint64_t mixBits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace Trident::Impl

#endif
