// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTFACTORS_HPP
#define TRIDENT_PRODUCTFACTORS_HPP

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_SliceShape.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_TileAssembly.hpp"
#include "rounds/Trident_FactorWay.hpp"
#include "rounds/Trident_FusePlan.hpp"
#include "rounds/Trident_NeededRows.hpp"
#include "rounds/Trident_NodeTiles.hpp"

namespace Trident::Impl {

/// What a rank learns of others before the rounds of a product. It depends on the structures of A
/// and B alone, so that products of the same structure need not ask again.
template <class Device>
struct KnownProduct {
  std::shared_ptr<const NeededRows<Device>> needed;  ///< of B; null where its tiles travel whole
  std::vector<SliceShape> shapesA, shapesB;          ///< of the slices of this rank's lines
  std::vector<long long> tileEntries;                ///< of B's slices on this rank's node
  std::optional<RoundBytes> largest, largestShared;  ///< of all ranks; where nodes share tiles
};

/// A and B as one rank meets them in a product: what of B is fetched, how both are cut at the
/// segments of the inner space, the ways of their slices, and how slices become operands.
template <class Scalar, class Device>
class ProductFactors {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;
  using Way = FactorWay<Scalar, Device>;
  using Needed = std::shared_ptr<const NeededRows<Device>>;
  using Known = KnownProduct<Device>;

  /// Collective over the grid.
  ProductFactors(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                 const RoundOptions& options, ExchangeKind exchange, RoundCounters& counters)
      : A_(A),
        B_(B),
        options_(options),
        counters_(counters),
        a_(A.local()),
        inner_(B.rows().get()),
        wayA_(*A.transport(), Factor::A, exchange, options, counters),
        wayB_(*A.transport(), Factor::B, exchange, options, counters) {}

  Way& wayA() { return wayA_; }
  Way& wayB() { return wayB_; }
  /// A's slice, its columns along inner().
  const Matrix& a() const { return a_; }
  const Matrix& b() const { return B_.local(); }
  /// The inner space, whole, or as this node meets it.
  const IndexSpace& inner() const { return *inner_; }
  /// Of B; null where tiles travel whole.
  const Needed& neededRows() const { return needed_; }

  /// Whether a slice as it lies is the fused operand, in a product of so many groups: nothing
  /// travels, and one group takes all.
  bool wholeA(std::size_t groups) const { return !wayA_.travels() && groups == 1; }
  bool wholeB(std::size_t groups) const {
    return !wayB_.travels() && A_.grid().shape().lambda == 1 && groups == 1;
  }

  /// Finds what of B is fetched, cuts, and exchanges the shapes of slices. Collective over the
  /// grid; may throw Trident::Error on every rank, for lack of memory.
  /// @param known what was found for other values; null where nothing was
  void share(LocalFailure& failure, const Known* known) {
    chooseFetch(failure, known);
    if (wayA_.travels())
      wayA_.shareSlices(a_, cutsOfA(), failure, known ? &known->shapesA : nullptr);
    if (needed_) {
      failure.guard([&] { wayB_.sendParts(packRows(b(), needed_->sent)); });
      wayB_.expect(needed_->shapes);
    } else {
      wayB_.shareSlices(b(), cutsOfB(), failure, known ? &known->shapesB : nullptr);
    }
  }

  /// The largest of this rank's rounds, but for tiles of B.
  RoundBytes largestRound() const {
    RoundBytes most{0, 0, static_cast<long long>(matrixBytes(a_) + matrixBytes(b()))};
    for (int s = 0; s < inner_->shape().segments(); ++s) {
      // A travelling slice of A stands twice: as it landed and in the fused operand.
      most.sliceA = std::max(most.sliceA, 2 * wayA_.landingBytes(s));
      most.widest = std::max<long long>(most.widest, inner_->segmentSize(s));
    }
    return most;
  }

  /// Takes the memory of the rounds. Local.
  /// @param held how many groups are held at a time
  void allocate(const std::vector<RoundGroup>& groups, std::size_t held) {
    if (!wayA_.travels() && !wholeA(groups.size())) wayA_.cut(a_, cutsOfA());
    wayA_.allocate(groups, held);
    wayB_.allocate(groups, held);
    Kokkos::fence();  // the own slices are there before anybody may send them
  }

  /// The fused operand of A: this rank's slices of the segments of group g side by side. Local.
  Matrix joinA(std::size_t g, const RoundGroup& group) {
    wayA_.toDevice(g);
    std::vector<ColumnSlab<Scalar>> slabs;
    int columns = 0;
    for (int s : group.segments) {
      slabs.push_back({wayA_.slab(g, s), columns});
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
    wayB_.toDevice(g);
    const std::vector<Rectangle> cuts = cutsOfB();
    for (std::size_t m = 0; m < group.segments.size(); ++m) {
      const int s = group.segments[m];
      if (wayB_.comes(s))
        writeSlab<Scalar, Device>(wayB_.slab(g, s), tile.block(m, k), tile.arrays());
      else
        writeRows(b(), cuts[wayB_.ownNumber(s)].rowBegin, tile.block(m, k), tile.arrays());
    }
    if (k == inner_->shape().lambda - 1) tile.close();
    Kokkos::fence();
  }

  // Both ways at once.

  void stage() {
    wayA_.stage();
    wayB_.stage();
  }
  void open(std::size_t g, const RoundGroup& group) {
    wayA_.open(g, group);
    wayB_.open(g, group);
  }
  bool senderFailed() const { return wayA_.senderFailed() || wayB_.senderFailed(); }
  bool needsProgress() const { return wayA_.needsProgress() || wayB_.needsProgress(); }
  void progress() {
    wayA_.progress();
    wayB_.progress();
  }
  void markFailed() {
    wayA_.markFailed();
    wayB_.markFailed();
  }

 private:
  const GridCoordinates& me() const { return A_.grid().me(); }
  std::vector<Rectangle> cutsOfA() const { return segmentColumns(*inner_, me().j, a_.numRows()); }
  std::vector<Rectangle> cutsOfB() const {
    return segmentRows(*inner_, me().i, me().k, b().numCols());
  }

  /// Which rows of B are fetched; A's columns and the inner space are then as this node meets them.
  void chooseFetch(LocalFailure& failure, const Known* known) {
    if (known)
      needed_ = known->needed;
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
  Way wayA_, wayB_;
};

}  // namespace Trident::Impl

#endif
