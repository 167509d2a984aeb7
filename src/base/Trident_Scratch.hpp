// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SCRATCH_HPP
#define TRIDENT_SCRATCH_HPP

#include <cstddef>

namespace Trident::Impl {

/// Blocks of device memory of one type that arrays are lent from (Trident_ScratchArrays.hpp).
class ScratchList {
 public:
  ScratchList();  ///< joins the lists of this process, for good
  virtual ~ScratchList() = default;
  ScratchList(const ScratchList&) = delete;
  ScratchList& operator=(const ScratchList&) = delete;

  /// Bytes of all blocks, lent or not.
  virtual std::size_t bytes() const = 0;
  /// Bytes of the largest block that is not lent; 0 where all are.
  virtual std::size_t largestUnused() const = 0;
  /// Frees that one.
  virtual void freeLargestUnused() noexcept = 0;
  /// Lets all blocks go: those that are lent live as long as what they are lent to.
  virtual void letGo() noexcept = 0;
};

/// Frees what is not lent, the largest blocks first, until all lists of this process hold `keep`
/// bytes or fewer: at the end of each public call. When Kokkos ends, all lists let their blocks go.
void trimScratch(std::size_t keep) noexcept;

/// Bytes of device memory that a process keeps between two calls: less than 1 % of a GPU's.
constexpr std::size_t keptScratchBytes = std::size_t(512) << 20;

}  // namespace Trident::Impl

#endif
