// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_PinnedMemory.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <vector>

#include "base/Trident_Ends.hpp"
#include "base/Trident_Lasting.hpp"

namespace Trident::Impl {
namespace {

/// The blocks that are lent and those that are kept.
class PinnedBlocks {
 public:
  MemoryBlock lend(std::size_t bytes) {
    const auto found = smallestThatFits(bytes);
    if (found != blocks_.end()) return *found;
    freeUnused(keptPinnedBytes() - std::min(keptPinnedBytes(), bytes));
    blocks_.push_back(allocate(bytes));
    return blocks_.back();
  }
  void letGo() { blocks_.clear(); }

 private:
  using Blocks = std::vector<MemoryBlock>;

  Blocks::iterator smallestThatFits(std::size_t bytes) {
    auto best = blocks_.end();
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block)
      if (block->isSole() && block->size() >= bytes &&
          (best == blocks_.end() || block->size() < best->size()))
        best = block;
    return best;
  }

  /// Frees blocks that are not lent, the smallest first, as the next product needs one like the
  /// largest, until `keep` bytes of them are left, or fewer.
  void freeUnused(std::size_t keep) {
    std::sort(blocks_.begin(), blocks_.end(),
              [](const MemoryBlock& a, const MemoryBlock& b) { return a.size() > b.size(); });
    std::size_t kept = 0;
    const auto isTooMuch = [&](const MemoryBlock& block) {
      if (!block.isSole()) return false;
      if (block.size() > keep - kept) return true;
      kept += block.size();
      return false;
    };
    blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(), isTooMuch), blocks_.end());
  }

  MemoryBlock allocate(std::size_t bytes) {
    const std::size_t room = bytes + bytes / 8;  // for a product that is a little larger
    const auto take = [&] { return MemoryBlock(MemoryKind::Pinned, "Trident::pinned", room); };
    try {
      return take();
    } catch (const std::bad_alloc&) {
      freeUnused(0);
    } catch (const std::runtime_error&) {
      freeUnused(0);
    }
    return take();
  }

  Blocks blocks_;
};

PinnedBlocks& pinnedBlocks() {
  static Lasting<PinnedBlocks> blocks;
  return *blocks;
}

}  // namespace

std::size_t keptPinnedBytes() {
  static const auto bytes = static_cast<std::size_t>(usableBytes(MemoryKind::Host, 64));
  return bytes;
}

MemoryBlock lendPinned(std::size_t bytes) {
  atKokkosEnd([] { pinnedBlocks().letGo(); });
  return pinnedBlocks().lend(bytes);
}

}  // namespace Trident::Impl
