// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPROBLEMS_PARTITION_HPP
#define TRIDENTPROBLEMS_PARTITION_HPP

#include <algorithm>
#include <cstdint>

namespace Trident {
namespace Problems {

/// `0..size-1` cut into one contiguous block a rank, the first `size % ranks` blocks one longer:
/// the numbers of Tpetra's uniform contiguous Map, computed without one.
class UniformPartition {
 public:
  UniformPartition(std::int64_t size, int ranks)
      : quotient_(size / ranks), remainder_(size % ranks) {}

  std::int64_t begin(int rank) const {
    return rank * quotient_ + std::min<std::int64_t>(rank, remainder_);
  }
  std::int64_t count(int rank) const { return begin(rank + 1) - begin(rank); }

  /// Returns the rank whose block holds `index`.
  int owner(std::int64_t index) const {
    const std::int64_t longBlocks = remainder_ * (quotient_ + 1);
    if (index < longBlocks) return static_cast<int>(index / (quotient_ + 1));
    return static_cast<int>(remainder_ + (index - longBlocks) / quotient_);
  }

 private:
  std::int64_t quotient_, remainder_;
};

}  // namespace Problems
}  // namespace Trident

#endif
