// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_BITS_HPP
#define TRIDENT_BITS_HPP

#include "Trident_Types.hpp"

namespace Trident {

using Word = unsigned long long;

/// Bits set in a word. Without a popcount instruction (plain x86-64) the compiler would call a
/// library function, which a loop over entries feels.
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

}  // namespace Trident

#endif
