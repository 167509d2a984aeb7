// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PINNEDMEMORY_HPP
#define TRIDENT_PINNEDMEMORY_HPP

#include <cstddef>

#include "base/Trident_Memory.hpp"

namespace Trident::Impl {

/// Returns at least so many bytes of pinned memory. The process keeps the block, and lends it again
/// when its last copy is gone: to pin a page takes longer than to copy it to a device
/// (doc/results/paper.md, "runtime breakdown"). Throws std::bad_alloc (or Kokkos' exception) where
/// there is not so much. For the one thread that is inside Trident.
MemoryBlock lendPinned(std::size_t bytes);

/// Returns the bytes of pinned memory that a process keeps from call to call: 1/64 of its host's
/// memory; 0 if that is not known. So the ranks of a host of four GPUs keep a sixteenth of it.
std::size_t keptPinnedBytes() noexcept;

/// Frees blocks that are not lent, the largest first, until those that stay have at most `keep`
/// bytes. It is called at the end of each public call, and when an allocation fails. Returns the
/// bytes that they still have.
std::size_t trimPinned(std::size_t keep) noexcept;

}  // namespace Trident::Impl

#endif
