// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_PinnedMemory.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <stdexcept>
#include <vector>

#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"

namespace Trident::Impl {
namespace {

/// All blocks of pinned memory: those that are lent, and those that are kept to be lent again.
class PinnedBlocks {
 public:
  /// Returns the smallest block that is large enough and not lent; a new one if there is none.
  MemoryBlock lend(std::size_t bytes) {
    const auto fits = [bytes](const MemoryBlock& block) {
      return block.isSole() && block.size() >= bytes;
    };
    const auto found = std::find_if(blocks_.begin(), blocks_.end(), fits);
    if (found != blocks_.end()) return *found;
    const MemoryBlock made = allocate(bytes + bytes / 8);  // spare bytes for a larger product
    const auto larger = [&](const MemoryBlock& block) { return block.size() >= made.size(); };
    blocks_.insert(std::find_if(blocks_.begin(), blocks_.end(), larger), made);
    return made;
  }

  std::size_t trim(std::size_t keep) {
    std::size_t unused = this->unused();
    for (std::size_t b = blocks_.size(); b-- > 0 && unused > keep;) {
      if (!blocks_[b].isSole()) continue;
      unused -= blocks_[b].size();
      blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(b));
    }
    return unused;
  }
  /// Forgets all blocks. Lent blocks live as long as their users.
  void letGo() { blocks_.clear(); }

 private:
  /// Returns the bytes of the blocks that are not lent.
  std::size_t unused() const {
    std::size_t bytes = 0;
    for (const MemoryBlock& block : blocks_)
      if (block.isSole()) bytes += block.size();
    return bytes;
  }

  /// Returns a new block. If memory lacks, frees the blocks that are not lent, and tries again.
  MemoryBlock allocate(std::size_t bytes) {
    const auto take = [&] { return MemoryBlock(MemoryKind::Pinned, "Trident::pinned", bytes); };
    try {
      return take();
    } catch (const std::bad_alloc&) {
      if (unused() == 0) throw;
    } catch (const std::runtime_error&) {
      if (unused() == 0) throw;
    }
    trim(0);
    return take();
  }

  std::vector<MemoryBlock> blocks_;  // ordered by size, the smallest first
};

PinnedBlocks& pinnedBlocks() {
  static Lasting<PinnedBlocks> blocks;
  return *blocks;
}

}  // namespace

std::size_t keptPinnedBytes() noexcept {
  static const std::size_t bytes = [] {
    try {
      return static_cast<std::size_t>(usableBytes(MemoryKind::Host, 64));
    } catch (const std::exception&) {
      return std::size_t(0);
    }
  }();
  return bytes;
}

std::size_t trimPinned(std::size_t keep) noexcept { return pinnedBlocks().trim(keep); }

MemoryBlock lendPinned(std::size_t bytes) {
  atKokkosEnd([] { pinnedBlocks().letGo(); });
  return pinnedBlocks().lend(bytes);
}

}  // namespace Trident::Impl
