// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_HASHPERMUTATION_HPP
#define TRIDENTPROBLEMS_HASHPERMUTATION_HPP

#include <cstdint>
#include <utility>

#include "TridentProblems_Hash.hpp"

namespace Trident {
namespace Problems {

/// A random permutation of 0..size-1 that is evaluated at one number at a time, there and back, and
/// stores nothing: a Feistel network on the next power of four. What leaves 0..size-1 goes through
/// it again until it is back, fewer than four times in the mean.
class HashPermutation {
 public:
  HashPermutation(std::uint64_t seed, std::int64_t size) : seed_(seed), size_(size) {
    while ((std::int64_t{1} << (2 * bits_)) < size) ++bits_;
    mask_ = (std::uint64_t{1} << bits_) - 1;
  }

  /// Returns the new number of `number`.
  std::int64_t operator()(std::int64_t number) const {
    do number = once(number, 0, 1);
    while (number >= size_);
    return number;
  }
  /// Returns the number whose new number is `number`.
  std::int64_t inverse(std::int64_t number) const {
    do number = once(number, rounds - 1, -1);
    while (number >= size_);
    return number;
  }

 private:
  static constexpr int rounds = 4;

  /// Runs the network; its inverse has halves swapped and rounds backwards.
  std::int64_t once(std::int64_t number, int firstRound, int step) const {
    std::uint64_t left = static_cast<std::uint64_t>(number) >> bits_;
    std::uint64_t right = static_cast<std::uint64_t>(number) & mask_;
    if (step < 0) std::swap(left, right);
    for (int done = 0, round = firstRound; done < rounds; ++done, round += step) {
      const std::uint64_t mixed =
          left ^ (hash(seed_ + static_cast<std::uint64_t>(round), right) & mask_);
      left = right;
      right = mixed;
    }
    if (step < 0) std::swap(left, right);
    return static_cast<std::int64_t>((left << bits_) | right);
  }

  std::uint64_t seed_;
  std::int64_t size_;
  int bits_ = 0;  // bits of half a number
  std::uint64_t mask_ = 0;
};

}  // namespace Problems
}  // namespace Trident

#endif
