// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODETILES_HPP
#define TRIDENT_NODETILES_HPP

#include <algorithm>
#include <optional>
#include <vector>

#include "base/Trident_Collective.hpp"
#include "exchange/Trident_NodeGather.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "grid/Trident_SliceShape.hpp"
#include "rounds/Trident_FusePlan.hpp"
#include "rounds/Trident_FusedTile.hpp"

namespace Trident::Impl {

/// The fused tiles of B in one product, one group after another: two stand at a time where one can
/// be gathered while the other is multiplied.
template <class Scalar, class Device>
class NodeTiles {
 public:
  using Tile = FusedTile<Scalar, Device>;

  NodeTiles(const ProcessGrid& grid, NodeGather& gather) : grid_(grid), gather_(&gather) {}

  /// Takes another gather from now on; reserve() follows.
  void gatherBy(NodeGather& gather) { gather_ = &gather; }
  const NodeGather& gather() const { return *gather_; }
  bool shared() const { return gather_->kind() == GatherKind::Shared; }
  /// Whether a tile can be started before the product with the one before it.
  bool overlap() const { return slots_ > 1; }

  /// Tells the ranks of the node the entries of this rank's slices, and the largest of its rounds.
  /// Collective over the node.
  /// @param shapes of B's slices on this rank's line, by segment
  /// @return the largest of the node
  RoundBytes shareEntries(const std::vector<SliceShape>& shapes, RoundBytes most,
                          Traffic& traffic) {
    constexpr int more = sizeof most / sizeof(long long);
    const int S = grid_.shape().segments(), lambda = grid_.shape().lambda, each = S + more;
    std::vector<long long> mine{most.sliceA, most.tileB, most.own, most.widest};
    for (int s = 0; s < S; ++s) mine.push_back(shapes[s].entries);
    std::vector<long long> all(static_cast<std::size_t>(each) * lambda);
    allGather(mine.data(), each, MPI_LONG_LONG, all.data(), grid_.nodeComm(),
              "the entries of the slices of a node");
    traffic.count(false, static_cast<long long>(sizeof(long long)) * each * (lambda - 1));
    sliceEntries_.resize(static_cast<std::size_t>(S) * lambda);
    for (int k = 0; k < lambda; ++k) {
      const long long* const of = all.data() + static_cast<std::size_t>(each) * k;
      for (int s = 0; s < S; ++s) sliceEntries_[s * lambda + k] = of[more + s];
      most = {std::max(most.sliceA, of[0]), std::max(most.tileB, of[1]), std::max(most.own, of[2]),
              std::max(most.widest, of[3])};
    }
    return most;
  }
  /// All of them on the node, [s·λ + k]: as they were found, or are known.
  const std::vector<long long>& sliceEntries() const { return sliceEntries_; }
  void knowEntries(const std::vector<long long>& sliceEntries) { sliceEntries_ = sliceEntries; }

  /// Bytes of the tile of one segment that this rank pays for.
  long long paidBytes(const IndexSpace& inner, int segment) const {
    const long long bytes = Tile(inner, {0, 1, {segment}}, sliceEntries_).bytes();
    return bytes / (shared() ? grid_.shape().lambda : 1);
  }

  /// As NodeGather::reserve(), for the largest tile. Collective over the node.
  void reserve(const IndexSpace& inner, const std::vector<RoundGroup>& groups) {
    std::size_t largest = 0;
    for (const RoundGroup& group : groups)
      largest = std::max(largest, Tile(inner, group, sliceEntries_).bytes());
    slots_ = gather_->overlaps() && groups.size() > 1 ? 2 : 1;
    gather_->reserve(largest, slots_);
  }

  /// Opens the tile of group g. Collective over the node; so are start() and finish().
  /// @return its storage, for attach()
  void* open(std::size_t g, const IndexSpace& inner, const RoundGroup& group) {
    tiles_[slot(g)].emplace(inner, group, sliceEntries_);
    return gather_->open(slot(g));
  }
  /// The tile of group g, in its storage, for this rank's slices to be written to. Local.
  const Tile& attach(std::size_t g, void* storage) {
    tiles_[slot(g)]->open(storage, gather_->memory());
    return *tiles_[slot(g)];
  }
  void start(std::size_t g, Traffic& traffic) {
    tiles_[slot(g)]->start(*gather_, slot(g), grid_.me().k, traffic);
  }
  void finish(std::size_t g) { gather_->finish(slot(g)); }
  /// Brings the tile of group g, which all ranks of the node have finished, to where it is read.
  /// Local.
  void toDevice(std::size_t g) const { tiles_[slot(g)]->toDevice(); }
  /// The tile of group g, which is there.
  LocalMatrix<Scalar, Device> matrix(std::size_t g, int columns) const {
    return tiles_[slot(g)]->matrix(columns);
  }

 private:
  int slot(std::size_t g) const { return static_cast<int>(g % slots_); }

  const ProcessGrid& grid_;
  NodeGather* gather_;
  std::vector<long long> sliceEntries_;  // on this node column, [s·λ + k]
  int slots_ = 1;
  std::optional<Tile> tiles_[2];  // by slot
};

}  // namespace Trident::Impl

#endif
