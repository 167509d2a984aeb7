// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROUNDSETUP_HPP
#define TRIDENT_ROUNDSETUP_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "exchange/Trident_GridExchanges.hpp"
#include "grid/Trident_SliceShape.hpp"
#include "matrix/Trident_ArrayBytes.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "rounds/Trident_BatchPlan.hpp"
#include "rounds/Trident_FactorLine.hpp"
#include "rounds/Trident_NeededRows.hpp"
#include "rounds/Trident_NodeReferences.hpp"
#include "rounds/Trident_NodeTiles.hpp"
#include "rounds/Trident_ProductSinks.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

/// Facts that a rank learns from others before the rounds of a product. They depend on the
/// structures of A and B alone. So later products of the same structures need not ask again.
template <class Device>
struct SymbolicData {
  std::shared_ptr<const NeededRows<Device>> needed;  ///< null if whole tiles of B travel
  std::vector<SliceShape> shapesA, shapesB;          ///< shapes of the slices of this rank's lines
  std::vector<long long> tileEntries;                ///< number of entries of each slice of B
  /// True for each of this rank's rows of B that goes into the node's tile. Empty if all rows go.
  Kokkos::View<char*, Device> shared;
  std::optional<RoundBytes> largest;        ///< largest round of all ranks, if tiles are not shared
  std::optional<RoundBytes> largestShared;  ///< largest round of all ranks, if tiles are shared

  void countArrays(ArrayBytes& bytes) const {
    bytes.add(shared);
    if (!needed) return;
    bytes.add(needed->columns);
    bytes.add(needed->sent.rows);
    bytes.add(needed->sent.entriesBefore);
  }
};

/// The preparation of Rounds, seen from one rank: the part of B that is fetched, the lines that
/// slices of A and B travel on, the tiles of the node, the batches of rounds, and all memory.
template <class Scalar, class Device>
class RoundSetup {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;
  using Line = FactorLine<Scalar, Device>;

  /// Returns the symbolic data after prepare(), for later products of the same structures.
  const SymbolicData<Device>& symbolic() const { return symbolic_; }

 protected:
  using Sink = ProductSink<Scalar, Device>;

  /// Makes a setup. The caller must then call prepare(). Local.
  /// @param failure failure of this rank. A failure before prepare() counts as one of prepare()
  RoundSetup(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
             const RoundOptions& options, RoundCounters& counters, LocalFailure& failure)
      : A_(A),
        B_(B),
        options_(options),
        counters_(counters),
        failure_(failure),
        grid_(A.grid()),
        exchanges_(*A.exchanges()),
        a_(A.local()),
        sharedB_(B.local()),
        inner_(B.rows().get()),
        lines_{Line(exchanges_, Factor::A, options, counters),
               Line(exchanges_, Factor::B, options, counters)},
        tiles_(grid_) {}

  /// Prepares the rounds. Takes all memory, because other ranks depend on this rank in the rounds.
  /// Collective over the grid. If a rank fails, throws Trident::Error on every rank, or leaves the
  /// failure to the rounds (failsInRounds()).
  /// @param sink sink that gets the number of batches, and the reading of A's rows
  /// @param known symbolic data of a product of the same structures, or null
  void prepare(Sink& sink, const SymbolicData<Device>* known) {
    known_ = known && !(known->needed && options_.fetch == FetchKind::Tiles);
    if (known_) symbolic_ = *known;
    counters_.kernel.clear();
    tiles_.gatherBy(exchanges_.gather(options_, memoryOf<Device>));
    const PhaseScope scope(counters_.seconds, Phase::Setup);
    symbolicPhase();
    failure_.guard([&] {
      for (Line& line : lines_) line.stage();
    });
    const std::string unshared = takeMemory(sink);
    if (!unshared.empty()) {
      tiles_.gatherBy(exchanges_.gatherUnshared(options_, memoryOf<Device>, unshared));
      takeMemory(sink);
    }
    connect();
    if (!A_.reading()) return;
    RowReading<Scalar, Device> reading = *A_.reading();
    reading.right = b();
    sink.readBy(reading);
  }

  // After prepare():

  /// Returns the number of batches that have buffers at once: "prefetch depth", but at least 1.
  std::size_t held() const {
    return std::min<std::size_t>(batches_.size(), std::max(1, options_.prefetchDepth));
  }
  const Matrix& b() const { return B_.local(); }
  Line& lineA() { return lines_[0]; }
  Line& lineB() { return lines_[1]; }

  /// Returns true if A's slice is the operand of the only batch, without a copy.
  bool wholeA() const { return !lines_[0].travels() && batches_.size() == 1; }
  bool wholeB() const {
    return !lines_[1].travels() && grid_.shape().lambda == 1 && batches_.size() == 1;
  }
  /// Returns the rectangles of this rank's slice of B, one for each segment.
  std::vector<Rectangle> cutsOfB() const {
    return segmentRows(*inner_, me().i, me().k, b().numCols());
  }
  /// Returns the bytes of operands that are copies. A shared tile counts with 1/λ of its bytes.
  std::size_t bytesBesideFactors(const Matrix& a, const Matrix& tile) const {
    const bool ownA = a.values.data() == a_.values.data();
    const bool ownB = tile.values.data() == b().values.data();
    const int sharers = tiles_.shared() ? grid_.shape().lambda : 1;
    const bool copied = sharedB_.values.data() != b().values.data();
    return (ownA ? 0 : matrixBytes(a)) + (ownB ? 0 : matrixBytes(tile) / sharers) +
           (copied ? matrixBytes(sharedB_) : 0);
  }

  const GridMatrix<Scalar, Device>&A_, &B_;
  const RoundOptions& options_;
  RoundCounters& counters_;
  LocalFailure& failure_;
  const ProcessGrid& grid_;
  GridExchanges& exchanges_;
  SymbolicData<Device> symbolic_;
  Matrix a_;                 // A's slice, with columns numbered along inner_
  Matrix sharedB_;           // b(), where rows that stay out of the node's tile are empty
  const IndexSpace* inner_;  // inner space: whole, or with the needed rows alone
  Line lines_[2];            // lines of A's slices and of B's
  NodeTiles<Scalar, Device> tiles_;
  std::vector<RoundBatch> batches_;

 private:
  static constexpr Position fewRows = 2000;  // limit of B's rows per rank for which none is marked

  const GridCoordinates& me() const { return grid_.me(); }
  std::vector<Rectangle> cutsOfA() const { return segmentColumns(*inner_, me().j, a_.numRows()); }

  /// Chooses the exchange, which depends on the number of batches, and connects the lines.
  /// Collective over the grid. Throws like GridExchanges::chooseExchange().
  void connect() {
    const ExchangeChoice choice =
        exchanges_.chooseExchange(options_, memoryOf<Device>, batches_.size());
    counters_.exchange = grid_.shape().nodes() == 1 ? "none" : nameOf(choice.kind);
    counters_.exchangeReason = choice.reason;
    for (Line& line : lines_) line.connect(exchanges_, choice.kind, options_.prefetchDepth);
  }

  /// Sets the symbolic data, without the largest rounds. If no data are known, exchanges shapes and
  /// sizes with other ranks. This exchange is collective over the grid.
  void symbolicPhase() {
    chooseFetch();
    chooseShared();
    cutAndShareShapes();
    largest_ = largestOfOwn();
    if (known_) return tiles_.knowEntries(symbolic_.tileEntries);
    largest_ = tiles_.shareEntries(lineB().shapes(), largest_, counters_.traffic.setup);
    symbolic_.shapesA = lineA().shapes();
    symbolic_.shapesB = lineB().shapes();
    symbolic_.tileEntries = tiles_.sliceEntries();
  }

  /// Marks the rows of B that go into the node's tile. If there are no marks, all rows go. A row
  /// may stay out if only plain rows of A meet the row. There are no marks if most rows must go in,
  /// if this rank's rows have at most one entry in the mean, or if B has so few rows that a search
  /// takes longer than it saves. A plan keeps the choice of its first product. Collective over the
  /// node unless the choice is known, also for a failed rank.
  void chooseShared() {
    if constexpr (isHost<Device>) {
      auto& shared = symbolic_.shared;
      if (!known_ && A_.reading() && grid_.shape().lambda > 1 && tiles_.shared() &&
          inner_->size() > fewRows * grid_.shape().lambda) {
        shared = rowsMetInTile(A_, *inner_, failure_);
        if (b().nnz() <= static_cast<std::size_t>(b().numRows())) shared = {};
      }
      if (shared.extent(0) > 0) failure_.guard([&] { sharedB_ = withoutOtherRows(b(), shared); });
    }
  }

  /// Chooses the rows of B that travel. Renumbers A's columns and the inner space accordingly.
  void chooseFetch() {
    auto& needed = symbolic_.needed;
    if (!known_ && options_.fetch != FetchKind::Tiles && grid_.shape().canFetchRows())
      needed = findNeededRows(A_, B_, options_, counters_.traffic.setup, failure_);
    if (!needed) return;
    // A failed rank must set this, too, because all ranks of a node reserve tiles of equal size.
    inner_ = needed->met.get();
    if (failure_.failed()) return;
    a_ = Matrix("Trident::met", a_.numRows(), inner_->tileColSize(me().j), a_.nnz(), a_.values,
                a_.graph.row_map, needed->columns);
  }

  /// Cuts the slices that travel, and exchanges the shapes of all slices if they are not known.
  void cutAndShareShapes() {
    if (lineA().travels())
      lineA().shareSlices(a_, cutsOfA(), failure_, known_ ? &symbolic_.shapesA : nullptr);
    if (const auto& needed = symbolic_.needed) {
      failure_.guard([&] { lineB().sendParts(packRows(b(), needed->sent)); });
      lineB().expect(needed->shapes);
    } else {
      lineB().shareSlices(sharedB_, cutsOfB(), failure_, known_ ? &symbolic_.shapesB : nullptr);
    }
  }

  /// Returns the bytes of this rank's largest round, without B's tiles.
  RoundBytes largestOfOwn() const {
    RoundBytes most{0, 0, static_cast<long long>(matrixBytes(a_) + matrixBytes(b()))};
    for (int s = 0; s < inner_->shape().segments(); ++s) {
      // A slice of A that travels exists twice: as it landed, and in the fused operand.
      most.sliceA = std::max(most.sliceA, 2 * lines_[0].landingBytes(s));
      most.widest = std::max<long long>(most.widest, inner_->segmentSize(s));
    }
    return most;
  }

  /// Plans the rounds for the present gather, and takes their memory. If a rank cannot share tiles,
  /// returns the reason on every rank; else returns an empty text. If a rank lacks other memory,
  /// throws on every rank, unless failsInRounds().
  std::string takeMemory(Sink& sink) {
    planRounds(tiles_.shared() ? symbolic_.largestShared : symbolic_.largest, sink.inOneBatch());
    sink.expect(batches_.size());
    // A failed rank must call reserve(), too. A failure in reserve() is kept apart from failure_,
    // because a node that cannot share tiles can gather them unshared.
    LocalFailure reserving;
    if (!wholeB()) reserving.guard([&] { tiles_.reserve(*inner_, batches_, held()); });
    failure_.guard([&] {
      if (!reserving.failed())
        allocate();
      else if (!tiles_.shared())
        throw Error(reserving.text());
    });
    if (failsInRounds(reserving) && !sink.mayDefer()) return "";
    bool wouldDefer = false;
    // If A has a reading, the sink never puts the product off.
    if (!A_.reading()) failure_.guard([&] { wouldDefer = sink.wouldDefer(sizes()); });
    int any[3] = {failure_.failed(), tiles_.shared() && reserving.failed(), wouldDefer};
    allReduce(MPI_IN_PLACE, any, 3, MPI_INT, MPI_MAX, grid_.comm(),
              "all ranks to prepare a product");
    if (any[0]) throwEverywhere(grid_.comm(), failure_.text());
    if (any[2]) sink.defer();
    return any[1] ? firstText(grid_.comm(), reserving.text()) : std::string();
  }

  /// Returns true if a failed rank may tell the others as late as at the node's first tile. On
  /// hosts with one node that shares tiles, no rank depends on it earlier. Returns false if
  /// symbolic data were known, because ranks may still read tiles of the previous product.
  bool failsInRounds(const LocalFailure& reserving) const {
    return isHost<Device> && grid_.shape().nodes() == 1 && !known_ && tiles_.shared() &&
           !reserving.failed();
  }

  /// Returns the sizes of this rank's operands of all rounds together.
  OperandSizes sizes() {
    OperandSizes sizes{0, static_cast<long long>(inner_->size()), 0};
    if (!lineA().travels()) sizes.entriesA = static_cast<long long>(a_.nnz());
    for (const SliceShape& shape : lineA().shapes()) sizes.entriesA += shape.entries;
    for (const long long entries : tiles_.sliceEntries()) sizes.entriesB += entries;
    return sizes;
  }

  /// Plans the batches of rounds. Collective over the grid if `known` is empty.
  /// @param[in,out] known largest round of all ranks for the present gather; set if empty
  /// @param inOneBatch true to put all rounds into one batch, whatever the options say
  void planRounds(std::optional<RoundBytes>& known, bool inOneBatch) {
    const RoundBytes most = largestWithTiles();
    if (!known) known = maxOverRanks(grid_, most);
    RoundOptions options = options_;
    if (inOneBatch) options.fuseRounds = grid_.shape().segments();
    const BatchPlan plan = planBatches(grid_, *known, options);
    batches_ = plan.batches;
    counters_.rounds = grid_.shape().segments();
    counters_.fusedRounds = plan.perBatch;
  }

  /// Returns the node's largest round, tiles of B included. Notes the bytes of the largest tile.
  RoundBytes largestWithTiles() {
    RoundBytes most = largest_;
    for (int s = 0; s < grid_.shape().segments(); ++s) {
      const long long tile = tiles_.bytesPerSharer(*inner_, s);
      counters_.tileBytes = std::max<std::size_t>(counters_.tileBytes, tile);
      most.tileB = std::max(most.tileB, tile + lineB().landingBytes(s));
    }
    return most;
  }

  /// Takes the memory of the lines, and cuts A if it does not travel. Local.
  void allocate() {
    if (!lineA().travels() && !wholeA()) lineA().cut(a_, cutsOfA());
    for (Line& line : lines_) line.allocate(batches_, held());
    // Kernels that cut slices must end before the slices are sent. Copies of stage() may go on.
    if (lines_[0].travels() || lines_[1].travels()) typename Device::execution_space().fence();
  }

  bool known_ = false;    // true if symbolic_ came from an earlier product
  RoundBytes largest_{};  // the node's or (if known_) own largest round, without tiles of B
};

}  // namespace Trident::Impl

#endif
