// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PINNEDMEMORY_HPP
#define TRIDENT_PINNEDMEMORY_HPP

#include <cstddef>

#include "base/Trident_Memory.hpp"

namespace Trident::Impl {

/// Lends a block of at least `bytes` of pinned memory. When the last copy of the block is gone, the
/// process keeps the memory and lends it again, because pinning a page takes longer than copying it
/// to a device (doc/results/paper.md, "runtime breakdown"). Throws std::bad_alloc (or Kokkos'
/// exception) if memory lacks. Only the thread that is inside Trident may call this function.
MemoryBlock lendPinned(std::size_t bytes);

/// Returns the limit of the pinned memory that a process keeps from call to call: 1/64 of its
/// host's memory; 0 if that is unknown. So four ranks of a host keep a sixteenth of its memory.
std::size_t keptPinnedBytes() noexcept;

/// Frees blocks that are not lent, the largest first, until at most `keep` bytes of them remain.
/// Returns the bytes that remain. Called at the end of each public call.
std::size_t trimPinned(std::size_t keep) noexcept;

}  // namespace Trident::Impl

#endif
