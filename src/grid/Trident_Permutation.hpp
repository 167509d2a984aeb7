// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PERMUTATION_HPP
#define TRIDENT_PERMUTATION_HPP

#include "base/Trident_Types.hpp"

namespace Trident::Impl {

/// A cyclic distribution of the numbers 0..size-1 over parts, in random order: of each cycle of
/// `parts` consecutive numbers every part gets one, by a pseudo-random permutation of the cycle's
/// own. So parts have sizes that differ by one at most, and numbers of a part ascend. Computed in
/// both directions, never stored.
class CyclicDistribution {
 public:
  CyclicDistribution() = default;
  CyclicDistribution(Position size, int parts, std::uint64_t key)
      : parts_(parts), each_(size / parts), over_(static_cast<int>(size % parts)), key_(key) {}

  /// Returns a distribution of as many numbers, or one more, over the same parts, in other orders.
  TRIDENT_FUNCTION CyclicDistribution like(bool oneMore, std::uint64_t key) const {
    CyclicDistribution other = *this;
    other.key_ = key;
    if (oneMore && ++other.over_ == parts_) {
      ++other.each_;
      other.over_ = 0;
    }
    return other;
  }

  TRIDENT_FUNCTION int parts() const { return parts_; }
  TRIDENT_FUNCTION std::uint64_t key() const { return key_; }

  /// Returns the first position of a part, if parts stand one behind the other, as binBegin() has
  /// them.
  TRIDENT_FUNCTION Position begin(int part) const {
    return each_ * part + (over_ == 0 ? 0 : divided(Position(over_) * part, parts_));
  }
  /// Returns true if a part has one number more than others.
  TRIDENT_FUNCTION bool isLarger(int part) const { return begin(part + 1) - begin(part) > each_; }

  /// Returns the part that holds a position.
  TRIDENT_FUNCTION int partOf(Position position) const {
    int part = static_cast<int>(divided(position, each_ + (over_ > 0)));  // or one behind it
    while (part + 1 < parts_ && begin(part + 1) <= position) ++part;
    return part;
  }

  /// The place of a number.
  struct Location {
    int part;
    Position index;  ///< in the part
  };
  TRIDENT_FUNCTION Location locate(Position number) const {
    if (parts_ == 1) return {0, number};
    const Position cycle = divided(number, parts_);
    const int length = lengthOf(cycle);
    const int slot = forward(length, static_cast<int>(number - cycle * parts_), cycle);
    return {length == parts_ ? slot : largerPart(slot, length), cycle};
  }
  TRIDENT_FUNCTION Position number(int part, Position index) const {
    if (parts_ == 1) return index;
    const int length = lengthOf(index);
    const int slot = length == parts_ ? part : largerBefore(part, length);
    return index * parts_ + inverse(length, slot, index);
  }

  friend bool operator==(const CyclicDistribution& a, const CyclicDistribution& b) {
    return a.parts_ == b.parts_ && a.each_ == b.each_ && a.over_ == b.over_ && a.key_ == b.key_;
  }

 private:
  static constexpr int pairs = 4;  // of steps

  /// Divides; many processors divide numbers of 32 bits several times as fast.
  TRIDENT_FUNCTION static Position divided(Position x, Position by) {
    return (x | by) >> 32 == 0 ? static_cast<std::uint32_t>(x) / static_cast<std::uint32_t>(by)
                               : x / by;
  }

  /// Numbers of a cycle: the last one may have fewer than there are parts. Then those parts get
  /// one that begin() makes larger.
  TRIDENT_FUNCTION int lengthOf(Position cycle) const { return cycle < each_ ? parts_ : over_; }
  TRIDENT_FUNCTION int largerPart(int slot, int length) const {
    return static_cast<int>(divided((slot + Position(1)) * parts_ - 1, length));
  }
  TRIDENT_FUNCTION int largerBefore(int part, int length) const {
    return static_cast<int>(divided(Position(part) * length, parts_));
  }

  // The order of a cycle is that of a "swap or not" network (Hoang, Morris, Rogaway 2012): each
  // step pairs the slots by a random sum, and swaps a pair or not by a random bit.
  TRIDENT_FUNCTION static int stepped(int length, int slot, std::uint64_t random) {
    const int sum = static_cast<int>((random & 0xffff) * static_cast<std::uint64_t>(length) >> 16);
    const int other = sum >= slot ? sum - slot : sum - slot + length;
    return random >> (16 + (slot > other ? slot : other) % 16) & 1 ? other : slot;
  }
  /// Numbers for two steps: the lower and the upper half.
  TRIDENT_FUNCTION std::uint64_t randomOf(Position cycle, int pair) const {
    return mixBits(key_ + static_cast<std::uint64_t>(cycle) * pairs + pair);
  }
  TRIDENT_FUNCTION int forward(int length, int slot, Position cycle) const {
    for (int pair = 0; pair < pairs; ++pair) {
      const std::uint64_t random = randomOf(cycle, pair);
      slot = stepped(length, stepped(length, slot, random), random >> 32);
    }
    return slot;
  }
  TRIDENT_FUNCTION int inverse(int length, int slot, Position cycle) const {
    for (int pair = pairs; pair-- > 0;) {
      const std::uint64_t random = randomOf(cycle, pair);
      slot = stepped(length, stepped(length, slot, random >> 32), random);
    }
    return slot;
  }

  int parts_ = 1;
  Position each_ = 0;  // numbers that every part has
  int over_ = 0;       // parts that have one more
  std::uint64_t key_ = 0;
};

/// A seeded pseudo-random bijection of 0..n-1 that scatters neighbours over the slices of a grid,
/// and keeps their order inside a slice. Numbers are distributed over the tiles, and those of a
/// tile over its slices. Computed in both directions, never stored. A default-constructed one is
/// the identity.
class Permutation {
 public:
  Permutation() = default;
  /// @param tiles which stand one behind the other, as do the slices of each
  Permutation(Position size, int tiles, int slicesPerTile, std::uint64_t seed)
      : size_(size),
        slicesPerTile_(slicesPerTile),
        tiles_(size, tiles, mixBits(2 * seed)),
        slices_(size / tiles, slicesPerTile, mixBits(2 * seed + 1)) {}

  TRIDENT_FUNCTION bool isIdentity() const {
    return size_ <= 1 || (tiles_.parts() == 1 && slicesPerTile_ == 1);
  }
  int tiles() const { return tiles_.parts(); }
  /// Returns the first position of a tile.
  Position tileBegin(int tile) const { return tiles_.begin(tile); }
  /// Returns true if numbers ascend with their positions inside each tile.
  bool tilesAscend() const { return slicesPerTile_ == 1; }
  /// Returns a permutation of the same tiles, inside which numbers ascend: each has the same
  /// numbers, in another order.
  Permutation ofTiles() const {
    Permutation ascending = *this;
    ascending.slicesPerTile_ = 1;
    return ascending;
  }

  TRIDENT_FUNCTION Position forward(Position number) const {
    if (isIdentity()) return number;
    const CyclicDistribution::Location inTiles = tiles_.locate(number);
    const Position begin = tiles_.begin(inTiles.part);
    if (slicesPerTile_ == 1) return begin + inTiles.index;
    const CyclicDistribution slices = slicesOf(inTiles.part);
    const CyclicDistribution::Location inSlices = slices.locate(inTiles.index);
    return begin + slices.begin(inSlices.part) + inSlices.index;
  }

  TRIDENT_FUNCTION Position inverse(Position position) const {
    if (isIdentity()) return position;
    const int tile = tiles_.partOf(position);
    return tiles_.number(tile, offsetByNumber(tile, position - tiles_.begin(tile)));
  }

  /// Returns the offset in its tile that an element would have if numbers ascended there, as by
  /// ofTiles().
  TRIDENT_FUNCTION Position offsetByNumber(int tile, Position offset) const {
    if (slicesPerTile_ == 1) return offset;
    const CyclicDistribution slices = slicesOf(tile);
    const int slice = slices.partOf(offset);
    return slices.number(slice, offset - slices.begin(slice));
  }

  friend bool operator==(const Permutation& a, const Permutation& b) {
    return (a.isIdentity() && b.isIdentity()) ||
           (a.tiles_ == b.tiles_ && a.slicesPerTile_ == b.slicesPerTile_ && a.slices_ == b.slices_);
  }

 private:
  TRIDENT_FUNCTION CyclicDistribution slicesOf(int tile) const {
    return slices_.like(tiles_.isLarger(tile),
                        mixBits(slices_.key() + static_cast<std::uint64_t>(tile)));
  }

  Position size_ = 0;
  int slicesPerTile_ = 1;
  CyclicDistribution tiles_;
  CyclicDistribution slices_;  // of a tile that is not larger than others
};

}  // namespace Trident::Impl

#endif
