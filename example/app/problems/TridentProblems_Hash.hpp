// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_HASH_HPP
#define TRIDENTPROBLEMS_HASH_HPP

#include <cstdint>

/// \file TridentProblems_Hash.hpp
/// Counter-based random numbers: what is random depends on a seed and an index, never on the
/// rank that asks or on what was asked before, so any number of ranks makes the same matrix.

namespace Trident {
namespace Problems {

/// Does a step of splitmix64, its constant and its finalizer: a bijection of 64-bit numbers whose
/// output looks random.
inline std::uint64_t hash(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// Returns a random number for `index` under `seed`.
inline std::uint64_t hash(std::uint64_t seed, std::uint64_t index) {
  return hash(hash(seed) ^ hash(~index));
}

/// The stream of random numbers that belongs to one (seed, index).
class HashStream {
 public:
  HashStream(std::uint64_t seed, std::uint64_t index) : state_(hash(seed, index)) {}

  std::uint64_t next() { return hash(state_++); }

  /// Draws a number that is uniform in (0, 1], a multiple of 2^-53.
  double unit() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace Problems
}  // namespace Trident

#endif
