// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SCRATCH_HPP
#define TRIDENT_SCRATCH_HPP

#include <cstddef>
#include <new>
#include <stdexcept>

namespace Trident::Impl {

/// Blocks of memory of one type that arrays are lent from (Trident_ScratchArrays.hpp).
class ScratchList {
 public:
  ScratchList();  ///< the list is then one of this process, for good
  virtual ~ScratchList() = default;
  ScratchList(const ScratchList&) = delete;
  ScratchList& operator=(const ScratchList&) = delete;

  /// Returns the bytes of all blocks that are not lent, and those of the largest of them.
  virtual std::size_t unused() const = 0;
  virtual std::size_t largestUnused() const = 0;
  /// Frees the largest block that is not lent.
  virtual void freeLargestUnused() noexcept = 0;
  /// Lets all blocks go; lent ones live as long as their users.
  virtual void letGo() noexcept = 0;
};

/// Frees blocks that are not lent, the largest first, until at most `keep` bytes of such blocks are
/// left. It is called at the end of each public call, and before a list gets a block more. When
/// Kokkos ends, all lists let their blocks go.
/// @return whether something was freed
bool trimScratch(std::size_t keep) noexcept;

/// Returns the bytes that a process keeps for arrays to come: 1 % of a GPU's memory, but at least
/// 512 MB. A build for hosts keeps 64 MB, some percent of what a core has.
std::size_t scratchPoolBytes() noexcept;

/// Returns the result of `allocate()`. If memory lacks, it frees the scratch that is kept and tries
/// once more. A View that gets no memory throws std::runtime_error, in Kokkos 3.4 as in 5.0; memory
/// spaces throw std::bad_alloc.
template <class Allocate>
auto allocateForSure(const Allocate& allocate) -> decltype(allocate()) {
  try {
    return allocate();
  } catch (const std::bad_alloc&) {
    if (!trimScratch(0)) throw;
  } catch (const std::runtime_error&) {
    if (!trimScratch(0)) throw;
  }
  return allocate();
}

}  // namespace Trident::Impl

#endif
