// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PERMUTATION_HPP
#define TRIDENT_PERMUTATION_HPP

#include "Trident_Bits.hpp"
#include "Trident_Types.hpp"

namespace Trident::Impl {

/// A seeded pseudo-random bijection of 0..n-1, computed in both directions, never stored: a
/// four-round Feistel network on the smallest even number of bits that holds n, walked along its
/// cycle until the value falls below n (at most four steps are expected). A default-constructed one
/// is the identity.
class Permutation {
 public:
  Permutation() = default;
  Permutation(Position size, std::uint64_t seed) : size_(size), active_(size > 1) {
    while ((std::uint64_t(1) << (2 * halfBits_)) < std::uint64_t(size)) ++halfBits_;
    for (int r = 0; r < rounds; ++r) keys_[r] = mixBits(seed * rounds + r + 1);
  }

  bool isIdentity() const { return !active_; }

  TRIDENT_FUNCTION Position forward(Position p) const {
    if (!active_) return p;
    std::uint64_t x = p;
    do x = encrypt(x);
    while (x >= std::uint64_t(size_));
    return x;
  }

  TRIDENT_FUNCTION Position inverse(Position p) const {
    if (!active_) return p;
    std::uint64_t x = p;
    do x = decrypt(x);
    while (x >= std::uint64_t(size_));
    return x;
  }

  friend bool operator==(const Permutation& a, const Permutation& b) {
    return a.active_ == b.active_ &&
           (!a.active_ || (a.size_ == b.size_ && a.keys_[0] == b.keys_[0]));
  }

 private:
  static constexpr int rounds = 4;

  TRIDENT_FUNCTION std::uint64_t halfMask() const { return (std::uint64_t(1) << halfBits_) - 1; }
  TRIDENT_FUNCTION std::uint64_t encrypt(std::uint64_t x) const {
    std::uint64_t left = x >> halfBits_, right = x & halfMask();
    for (int r = 0; r < rounds; ++r) {
      const std::uint64_t next = left ^ (mixBits(right ^ keys_[r]) & halfMask());
      left = right;
      right = next;
    }
    return (left << halfBits_) | right;
  }
  TRIDENT_FUNCTION std::uint64_t decrypt(std::uint64_t x) const {
    std::uint64_t left = x >> halfBits_, right = x & halfMask();
    for (int r = rounds - 1; r >= 0; --r) {
      const std::uint64_t previous = right ^ (mixBits(left ^ keys_[r]) & halfMask());
      right = left;
      left = previous;
    }
    return (left << halfBits_) | right;
  }

  Position size_ = 0;
  bool active_ = false;
  int halfBits_ = 1;
  std::uint64_t keys_[rounds] = {};
};

}  // namespace Trident::Impl

#endif
