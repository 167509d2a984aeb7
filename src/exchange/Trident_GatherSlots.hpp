// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GATHERSLOTS_HPP
#define TRIDENT_GATHERSLOTS_HPP

#include <algorithm>
#include <cstddef>

#include "base/Trident_Memory.hpp"

namespace Trident::Impl {

/// The bytes from one slot of a gather to the next, for tiles of up to `bytes`: aligned for any
/// array and for whole cache lines of a device.
inline std::size_t slotStride(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// One rank's own storage for the tiles of a gather, a slot after the other.
class GatherSlots {
 public:
  explicit GatherSlots(MemoryKind memory) : memory_(memory) {}

  MemoryKind memory() const { return memory_; }
  char* at(int slot) const { return block_.data() + slot * stride_; }

  /// As NodeGather::reserve. Local.
  void reserve(std::size_t bytes, int slots) {
    const std::size_t stride = std::max(stride_, slotStride(bytes));
    const int most = std::max(slots_, slots);
    stride_ = 0;  // where there is no memory
    slots_ = 0;
    if (most * stride > block_.size()) {
      block_ = MemoryBlock();  // first, so that two of them never stand side by side
      block_ = MemoryBlock(memory_, "Trident::tile", most * stride);
    }
    stride_ = stride;
    slots_ = most;
  }

 private:
  MemoryKind memory_;
  MemoryBlock block_;
  std::size_t stride_ = 0;
  int slots_ = 0;
};

}  // namespace Trident::Impl

#endif
