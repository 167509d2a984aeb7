// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SCRATCHARRAYS_HPP
#define TRIDENT_SCRATCHARRAYS_HPP

#include <Kokkos_Core.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/Trident_Lasting.hpp"
#include "base/Trident_Scratch.hpp"
#include "matrix/Trident_Device.hpp"

namespace Trident::Impl {

/// Blocks of memory for scratch arrays of one type. A block is lent as long as a View of it lives.
/// Blocks have few sizes, so that a later array often finds one that fits. Not for several threads.
template <class T, class Device>
class ScratchBlocks : public ScratchList {
  using Array = Kokkos::View<T*, Device>;

 public:
  static ScratchBlocks& ofProcess() {
    static Lasting<ScratchBlocks> blocks;
    return *blocks;
  }

  Array lend(std::size_t size) {
    const std::size_t room = roomFor(size);
    for (const Array& block : blocks_)
      if (block.extent(0) == room && block.use_count() == 1) return part(block, size);
    trimScratch(scratchPoolBytes());
    blocks_.push_back(allocateForSure([room] {
      return Array(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Trident::scratch"), room);
    }));
    return part(blocks_.back(), size);
  }

  std::size_t unused() const override {
    std::size_t sum = 0;
    for (const Array& block : blocks_)
      if (block.use_count() == 1) sum += block.extent(0) * sizeof(T);
    return sum;
  }
  std::size_t largestUnused() const override {
    const int block = indexOfLargestUnused();
    return block < 0 ? 0 : blocks_[block].extent(0) * sizeof(T);
  }
  void freeLargestUnused() noexcept override {
    const int block = indexOfLargestUnused();
    if (block < 0) return;
    std::swap(blocks_[block], blocks_.back());
    blocks_.pop_back();
  }
  void letGo() noexcept override { blocks_.clear(); }

 private:
  /// Returns the length of an array's block: at least 1024. A longer one is at most 5/4 of `size`.
  static std::size_t roomFor(std::size_t size) {
    std::size_t room = 1024;
    while (room < size) room *= 2;
    for (const std::size_t quarters : {5, 6, 7})
      if (room > 1024 && size <= room / 8 * quarters) return room / 8 * quarters;
    return room;
  }
  /// Returns the index of the largest unused block; -1 if all are lent.
  int indexOfLargestUnused() const {
    int largest = -1;
    for (int b = 0; b < static_cast<int>(blocks_.size()); ++b)
      if (blocks_[b].use_count() == 1 &&
          (largest < 0 || blocks_[b].extent(0) > blocks_[largest].extent(0)))
        largest = b;
    return largest;
  }
  static Array part(const Array& block, std::size_t size) {
    return Kokkos::subview(block, std::make_pair(std::size_t(0), size));
  }

  std::vector<Array> blocks_;
};

/// Returns true if an array of `bytes` bytes is taken from a block. On a device, an allocation
/// takes some tenths of a millisecond, which matters little for arrays above 256 MB. On a host,
/// malloc() gets arrays of 128 KB and more from the system, page by page: 4 MB take about a
/// millisecond. Arrays above 16 MB need no block, as huge pages come faster (adviseHugePages).
template <class Device>
constexpr bool isWorthABlock(std::size_t bytes) {
  return isHost<Device> ? bytes >= std::size_t(128) << 10 && bytes <= std::size_t(16) << 20
                        : bytes <= std::size_t(256) << 20;
}

/// Limit of the bytes of entries that sortRows() copies to merge two sequences on a device.
constexpr std::size_t roomForCopy = std::size_t(256) << 20;

}  // namespace Trident::Impl

#endif
