// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PINNEDMEMORY_HPP
#define TRIDENT_PINNEDMEMORY_HPP

#include <cstddef>

#include "base/Trident_Memory.hpp"

namespace Trident::Impl {

/// Returns at least so many bytes of pinned memory. The process keeps the block, and lends it again
/// when its last copy is gone: to pin a page takes some ten times as long as to copy it to a device
/// (0.4 ms a MB). Throws std::bad_alloc (or Kokkos' exception) where there is not so much. For the
/// one thread that is inside Trident.
MemoryBlock lendPinned(std::size_t bytes);

/// Returns how many bytes of pinned memory a process keeps, beside what is lent: 1/64 of its host's
/// memory, so that the ranks of a host of four GPUs keep a sixteenth of it.
std::size_t keptPinnedBytes();

}  // namespace Trident::Impl

#endif
