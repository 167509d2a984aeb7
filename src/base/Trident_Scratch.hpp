// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SCRATCH_HPP
#define TRIDENT_SCRATCH_HPP

#include <cstddef>
#include <new>
#include <stdexcept>

namespace Trident::Impl {

/// A list of memory blocks of one type, from which arrays are lent (Trident_ScratchArrays.hpp).
class ScratchList {
 public:
  ScratchList();  ///< adds the list to those of this process, for good
  virtual ~ScratchList() = default;
  ScratchList(const ScratchList&) = delete;
  ScratchList& operator=(const ScratchList&) = delete;

  /// Returns the bytes of all blocks that are not lent.
  virtual std::size_t unused() const = 0;
  /// Returns the bytes of the largest block that is not lent.
  virtual std::size_t largestUnused() const = 0;
  /// Frees the largest block that is not lent.
  virtual void freeLargestUnused() noexcept = 0;
  /// Forgets all blocks. Lent blocks live as long as their users.
  virtual void letGo() noexcept = 0;
};

/// Frees blocks of this process' ScratchLists that are not lent, the largest first, until at most
/// `keep` bytes of them remain. Called at the end of each public call, and before a list allocates
/// a block. At Kokkos' end all lists forget their blocks.
/// @return true if a block was freed
bool trimScratch(std::size_t keep) noexcept;

/// Returns the limit of unused scratch that a process keeps: 1 % of a GPU's memory, but at least
/// 512 MB. In a build for hosts the limit is 64 MB.
std::size_t scratchPoolBytes() noexcept;

/// Returns the result of `allocate()`. If there is not enough memory, frees all unused scratch and
/// tries once more. If memory lacks, a View throws std::runtime_error (in Kokkos 3.4 and in 5.0),
/// and a memory space throws std::bad_alloc.
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
