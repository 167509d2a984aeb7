// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTFACTORS_HPP
#define TRIDENT_PRODUCTFACTORS_HPP

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_SliceShape.hpp"
#include "matrix/Trident_ArrayBytes.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_TileAssembly.hpp"
#include "rounds/Trident_FactorLine.hpp"
#include "rounds/Trident_FusePlan.hpp"
#include "rounds/Trident_NeededRows.hpp"
#include "rounds/Trident_NodeTiles.hpp"

namespace Trident::Impl {

/// What a rank learns of others before the rounds of a product. It depends on the structures of A
/// and B alone, so that products of the same structure need not ask again.
template <class Device>
struct LearntFromPeers {
  std::shared_ptr<const NeededRows<Device>> needed;  ///< of B; null where its tiles travel whole
  std::vector<SliceShape> shapesA, shapesB;          ///< of the slices of this rank's lines
  std::vector<long long> tileEntries;                ///< of B's slices on this rank's node
  std::optional<RoundBytes> largest, largestShared;  ///< of all ranks; where nodes share tiles

  /// Adds the arrays that are kept. Local.
  void countArrays(ArrayBytes& bytes) const {
    if (!needed) return;
    bytes.add(needed->columns);
    bytes.add(needed->sent.rows);
    bytes.add(needed->sent.entriesBefore);
  }
};

/// A and B as one rank meets them in a product: what of B is fetched, how both are cut at the
/// segments of the inner space, the lines of their slices, and how slices become operands.
template <class Scalar, class Device>
class ProductFactors {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;
  using Line = FactorLine<Scalar, Device>;
  using Needed = std::shared_ptr<const NeededRows<Device>>;
  using Learnt = LearntFromPeers<Device>;

  /// Collective over the grid.
  ProductFactors(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                 const RoundOptions& options, ExchangeKind exchange, RoundCounters& counters)
      : A_(A),
        B_(B),
        options_(options),
        counters_(counters),
        a_(A.local()),
        inner_(B.rows().get()),
        lineA_(*A.exchanges(), Factor::A, exchange, options, counters),
        lineB_(*A.exchanges(), Factor::B, exchange, options, counters) {}

  Line& lineA() { return lineA_; }
  Line& lineB() { return lineB_; }
  /// A's slice, its columns along inner().
  const Matrix& a() const { return a_; }
  const Matrix& b() const { return B_.local(); }
  /// The inner space, whole, or as this node meets it.
  const IndexSpace& inner() const { return *inner_; }
  /// Of B; null where tiles travel whole.
  const Needed& neededRows() const { return needed_; }

  /// Whether a slice as it lies is the fused operand, in a product of so many groups: nothing
  /// travels, and one group takes all.
  bool wholeA(std::size_t groups) const { return !lineA_.travels() && groups == 1; }
  bool wholeB(std::size_t groups) const {
    return !lineB_.travels() && A_.grid().shape().lambda == 1 && groups == 1;
  }

  /// Finds what of B is fetched, cuts, and exchanges the shapes of slices. Collective over the
  /// grid; may throw Trident::Error on every rank, for lack of memory.
  /// @param learnt in a product of the same structures; null where nothing was
  void share(LocalFailure& failure, const Learnt* learnt) {
    chooseFetch(failure, learnt);
    if (lineA_.travels())
      lineA_.shareSlices(a_, cutsOfA(), failure, learnt ? &learnt->shapesA : nullptr);
    if (needed_) {
      failure.guard([&] { lineB_.sendParts(packRows(b(), needed_->sent)); });
      lineB_.expect(needed_->shapes);
    } else {
      lineB_.shareSlices(b(), cutsOfB(), failure, learnt ? &learnt->shapesB : nullptr);
    }
  }

  /// The largest of this rank's rounds, but for tiles of B.
  RoundBytes largestRound() const {
    RoundBytes most{0, 0, static_cast<long long>(matrixBytes(a_) + matrixBytes(b()))};
    for (int s = 0; s < inner_->shape().segments(); ++s) {
      // A travelling slice of A stands twice: as it landed and in the fused operand.
      most.sliceA = std::max(most.sliceA, 2 * lineA_.landingBytes(s));
      most.widest = std::max<long long>(most.widest, inner_->segmentSize(s));
    }
    return most;
  }

  /// Takes the memory of the rounds. Local.
  /// @param held how many groups are held at a time
  void allocate(const std::vector<RoundGroup>& groups, std::size_t held) {
    if (!lineA_.travels() && !wholeA(groups.size())) lineA_.cut(a_, cutsOfA());
    lineA_.allocate(groups, held);
    lineB_.allocate(groups, held);
    Kokkos::fence();  // the own slices are there before anybody may send them
  }

  /// The fused operand of A: this rank's slices of the segments of group g side by side. Local.
  Matrix joinA(std::size_t g, const RoundGroup& group) {
    lineA_.toDevice(g);
    std::vector<ColumnSlab<Scalar>> slabs;
    int columns = 0;
    for (int s : group.segments) {
      slabs.push_back({lineA_.slab(g, s), columns});
      columns += inner_->segmentSize(s);
    }
    const Matrix fused = concatenateColumns<Scalar, Device>(slabs, a_.numRows(), columns);
    Kokkos::fence();
    return fused;
  }

  /// Writes this rank's slices of the segments of group g to their rows of the fused operand of
  /// B. Local.
  void writeB(std::size_t g, const RoundGroup& group, const FusedTile<Scalar, Device>& tile) {
    const int k = me().k;
    lineB_.toDevice(g);
    const std::vector<Rectangle> cuts = cutsOfB();
    for (std::size_t m = 0; m < group.segments.size(); ++m) {
      const int s = group.segments[m];
      if (lineB_.comes(s))
        writeSlab<Scalar, Device>(lineB_.slab(g, s), tile.block(m, k), tile.arrays());
      else
        writeRows(b(), cuts[lineB_.ownNumber(s)].rowBegin, tile.block(m, k), tile.arrays());
    }
    if (k == inner_->shape().lambda - 1) tile.close();
    Kokkos::fence();
  }

  // Both lines at once.

  void stage() {
    lineA_.stage();
    lineB_.stage();
  }
  void open(std::size_t g, const RoundGroup& group) {
    lineA_.open(g, group);
    lineB_.open(g, group);
  }
  bool senderFailed() const { return lineA_.senderFailed() || lineB_.senderFailed(); }
  bool needsProgress() const { return lineA_.needsProgress() || lineB_.needsProgress(); }
  void progress() {
    lineA_.progress();
    lineB_.progress();
  }
  void markFailed() {
    lineA_.markFailed();
    lineB_.markFailed();
  }

 private:
  const GridCoordinates& me() const { return A_.grid().me(); }
  std::vector<Rectangle> cutsOfA() const { return segmentColumns(*inner_, me().j, a_.numRows()); }
  std::vector<Rectangle> cutsOfB() const {
    return segmentRows(*inner_, me().i, me().k, b().numCols());
  }

  /// Which rows of B are fetched; A's columns and the inner space are then as this node meets them.
  void chooseFetch(LocalFailure& failure, const Learnt* learnt) {
    if (learnt)
      needed_ = learnt->needed;
    else if (options_.fetch != FetchKind::Tiles && A_.grid().shape().canFetchRows())
      needed_ = findNeededRows(A_, B_, options_, counters_.traffic.setup, failure);
    if (!needed_) return;
    // Also where this rank has failed: the ranks of a node reserve a tile of one size together.
    inner_ = needed_->met.get();
    if (failure.failed()) return;
    a_ = Matrix("Trident::met", a_.numRows(), inner_->tileColSize(me().j), a_.nnz(), a_.values,
                a_.graph.row_map, needed_->columns);
  }

  const GridMatrix<Scalar, Device>& A_;
  const GridMatrix<Scalar, Device>& B_;
  const RoundOptions& options_;
  RoundCounters& counters_;
  Matrix a_;                 // A's slice, its columns along inner_
  const IndexSpace* inner_;  // whole, or as this node meets it
  Needed needed_;            // of B; null where tiles travel whole
  Line lineA_, lineB_;
};

}  // namespace Trident::Impl

#endif
