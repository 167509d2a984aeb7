// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PERMUTATION_HPP
#define TRIDENT_PERMUTATION_HPP

#include "base/Trident_Bits.hpp"
#include "base/Trident_Types.hpp"
#include "grid/Trident_Dealing.hpp"

namespace Trident::Impl {

/// A seeded pseudo-random bijection of 0..n-1 that scatters neighbours over the slices of a grid,
/// and keeps inside a slice the order that they have: numbers are dealt to the tiles, and what a
/// tile gets is dealt to its slices. Computed in both directions, never stored. A
/// default-constructed one is the identity.
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
  /// First position of a tile.
  Position tileBegin(int tile) const { return tiles_.begin(tile); }
  /// Whether numbers ascend with their positions inside each tile.
  bool tilesAscend() const { return slicesPerTile_ == 1; }
  /// The same tiles, inside which numbers ascend: each has the same numbers, in another order.
  Permutation ofTiles() const {
    Permutation ascending = *this;
    ascending.slicesPerTile_ = 1;
    return ascending;
  }

  TRIDENT_FUNCTION Position forward(Position number) const {
    if (isIdentity()) return number;
    const Dealing::Place inTiles = tiles_.place(number);
    const Position begin = tiles_.begin(inTiles.part);
    if (slicesPerTile_ == 1) return begin + inTiles.index;
    const Dealing slices = slicesOf(inTiles.part);
    const Dealing::Place inSlices = slices.place(inTiles.index);
    return begin + slices.begin(inSlices.part) + inSlices.index;
  }

  TRIDENT_FUNCTION Position inverse(Position position) const {
    if (isIdentity()) return position;
    const int tile = tiles_.partOf(position);
    return tiles_.number(tile, placeByNumber(tile, position - tiles_.begin(tile)));
  }

  /// Where in its tile what lies at a place would lie if numbers ascended there, as by ofTiles().
  TRIDENT_FUNCTION Position placeByNumber(int tile, Position place) const {
    if (slicesPerTile_ == 1) return place;
    const Dealing slices = slicesOf(tile);
    const int slice = slices.partOf(place);
    return slices.number(slice, place - slices.begin(slice));
  }

  friend bool operator==(const Permutation& a, const Permutation& b) {
    return (a.isIdentity() && b.isIdentity()) ||
           (a.tiles_ == b.tiles_ && a.slicesPerTile_ == b.slicesPerTile_ && a.slices_ == b.slices_);
  }

 private:
  TRIDENT_FUNCTION Dealing slicesOf(int tile) const {
    return slices_.like(tiles_.isLarger(tile),
                        mixBits(slices_.key() + static_cast<std::uint64_t>(tile)));
  }

  Position size_ = 0;
  int slicesPerTile_ = 1;
  Dealing tiles_;
  Dealing slices_;  // of a tile that is not larger than others
};

}  // namespace Trident::Impl

#endif
