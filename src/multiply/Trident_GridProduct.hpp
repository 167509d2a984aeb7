// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDPRODUCT_HPP
#define TRIDENT_GRIDPRODUCT_HPP

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_Collective.hpp"
#include "Trident_Error.hpp"
#include "Trident_FactorSlices.hpp"
#include "Trident_FusePlan.hpp"
#include "Trident_FusedTile.hpp"
#include "Trident_Holder.hpp"
#include "Trident_LocalMultiply.hpp"
#include "Trident_Names.hpp"
#include "Trident_NeededRows.hpp"
#include "Trident_NumericProduct.hpp"
#include "Trident_RoundCounters.hpp"
#include "Trident_SortRows.hpp"

namespace Trident {
namespace Impl {

/// One product on the grid, seen from one rank. Its steps are the methods, in their order.
///
/// Schedule invariant: every rank of a line requests, waits and serves in round order, and every
/// rank of a node opens, gathers and agrees upon the same tiles in the same order, whether or not
/// it failed. Tile g + 1 is opened after the node agreed on tile g, before or after its product.
template <class Scalar, class Device>
class GridProduct {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  using Needed = std::shared_ptr<const NeededRows<Device>>;

  /// @param needed of B, where it is known
  GridProduct(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
              const Matrix* structure, const Needed& needed, const RoundOptions& options,
              ExchangeKind exchange, RoundCounters& counters)
      : A_(A),
        B_(B),
        a_(A.local()),
        structure_(structure),
        needed_(needed),
        options_(options),
        counters_(counters),
        grid_(A.grid()),
        shape_(grid_.shape()),
        me_(grid_.me()),
        inner_(B.rows().get()),
        lineA_(shape_, me_, Factor::A),
        lineB_(shape_, me_, Factor::B),
        internodeA_(grid_.internodeOnLine(Factor::A)),
        internodeB_(grid_.internodeOnLine(Factor::B)),
        exchangeA_(A.transport()->exchange(Factor::A, exchange, options.prefetchDepth)),
        exchangeB_(A.transport()->exchange(Factor::B, exchange, options.prefetchDepth)),
        node_(&A.transport()->gather(options, memoryOf<Device>)),
        messages_(
            A.transport()->messageMemory(options.deviceMessages, exchange, memoryOf<Device>)) {}

  Matrix run() {
    prepare();
    runRounds();
    failure_.guard([&] { requireStructure(); });
    throwEverywhere(grid_.comm(), "Trident::multiply", failure_.text());
    return C_;
  }
  /// Of B; null where tiles travelled whole.
  const Needed& neededRows() const { return needed_; }
  /// What has assembled the tiles.
  const NodeGather& gather() const { return *node_; }

 private:
  using HolderType = Holder<Scalar>;
  using Tile = FusedTile<Scalar, Device>;

  bool travelsA() const { return shape_.nodeCols > 1; }
  bool travelsB() const { return shape_.nodeRows > 1; }
  /// The own slices as they lie are the fused operand: nothing travels, and one group takes all.
  bool wholeA() const { return !travelsA() && groups_.size() == 1; }
  bool wholeB() const { return !travelsB() && shape_.lambda == 1 && groups_.size() == 1; }

  /// Everything that may fail for lack of memory, before anybody depends on this rank's rounds.
  void prepare() {
    const PhaseScope scope(counters_.seconds, Phase::Setup);
    chooseFetch();
    shareShapesA();
    shareShapesB();
    failure_.guard([&] { stage(); });
    const std::string unshared = takeMemory();
    if (unshared.empty()) return;
    node_ = &A_.transport()->gatherUnshared(options_, memoryOf<Device>, unshared);
    takeMemory();
  }

  /// Plans the rounds for the present gather, and takes their memory. Throws on every rank where
  /// one lacks it; but where it was to be shared and could not be, says why, on every rank.
  std::string takeMemory() {
    planRounds();
    // Collective over the node, so also for a rank that has failed; it throws on all of the node.
    LocalFailure reserving;
    if (!wholeB()) reserving.guard([&] { node_->reserve(largestTile(), slots()); });
    failure_.guard([&] {
      if (!reserving.failed())
        allocate();
      else if (!shared())
        throw Error("Trident::multiply", reserving.text());
    });
    int any[2] = {failure_.failed(), shared() && reserving.failed()};
    allReduce(MPI_IN_PLACE, any, 2, MPI_INT, MPI_MAX, grid_.comm(),
              "all ranks to prepare a product");
    if (any[0]) throwEverywhere(grid_.comm(), "Trident::multiply", failure_.text());
    return any[1] ? firstText(grid_.comm(), reserving.text()) : std::string();
  }
  bool shared() const { return node_->kind() == GatherKind::Shared; }

  /// Which rows of B are fetched; A's columns and the inner space are then as this node meets them.
  void chooseFetch() {
    if (options_.fetch == FetchKind::Tiles || !shape_.canFetchRows()) {
      needed_.reset();
      return;
    }
    if (!needed_) needed_ = findNeededRows(A_, B_, options_, counters_.traffic.setup, failure_);
    if (!needed_) return;
    // Also where this rank has failed: the ranks of a node reserve a tile of one size together.
    inner_ = needed_->met.get();
    if (failure_.failed()) return;
    a_ = Matrix("Trident::met", a_.numRows(), inner_->tileColSize(0), a_.nnz(), a_.values,
                a_.graph.row_map, needed_->columns);
  }

  void shareShapesA() {
    if (!travelsA()) return;
    const auto cuts = segmentColumns(*inner_, me_.j, a_.numRows());
    failure_.guard([&] { slicesA_.own = cutSlices<Scalar, Device>(a_, cuts); });
    slicesA_.own.shapes.resize(cuts.size());
    slicesA_.shapes = allShapesOfLine(grid_.rowLine(), slicesA_.own.shapes, shape_.segments());
    countShapes(internodeA_, lineA_);
  }

  void shareShapesB() {
    if (needed_)
      packNeededRows();
    else
      cutTilesOfB();
    shareSliceEntries();
  }

  void packNeededRows() {
    failure_.guard([&] { slicesB_.own = packRows(B_.local(), needed_->sent); });
    slicesB_.partsOfSlice = lineB_.members();
    slicesB_.shapes = needed_->shapes;
  }

  void cutTilesOfB() {
    const auto cuts = segmentRows(*inner_, me_.i, me_.k, B_.local().numCols());
    std::vector<SliceShape> own;
    failure_.guard([&] {
      if (travelsB()) {
        slicesB_.own = cutSlices<Scalar, Device>(B_.local(), cuts);
        own = slicesB_.own.shapes;
      } else {
        own = shapesOfRows(B_.local(), cuts);
      }
    });
    own.resize(cuts.size());
    slicesB_.shapes = allShapesOfLine(grid_.colLine(), own, shape_.segments());
    countShapes(internodeB_, lineB_);
  }

  void countShapes(const std::vector<bool>& internode, const LineSchedule& line) {
    for (int m = 0; m < line.members(); ++m)
      if (m != line.me())
        counters_.traffic.setup.count(
            internode[m], static_cast<long long>(sizeof(SliceShape)) * line.ownSegments());
  }

  /// Entries of slice k of every segment of B on this node column, for all k of the node.
  void shareSliceEntries() {
    const int S = shape_.segments(), lambda = shape_.lambda;
    std::vector<long long> mine(S), all(static_cast<std::size_t>(S) * lambda);
    for (int s = 0; s < S; ++s) mine[s] = slicesB_.shapes[s].entries;
    allGather(mine.data(), S, MPI_LONG_LONG, all.data(), grid_.nodeComm(),
              "the entries of the slices of a node");
    counters_.traffic.setup.count(false,
                                  static_cast<long long>(sizeof(long long)) * S * (lambda - 1));
    sliceEntries_.resize(all.size());
    for (int k = 0; k < lambda; ++k)
      for (int s = 0; s < S; ++s) sliceEntries_[s * lambda + k] = all[k * S + s];
  }

  void planRounds() {
    const int S = shape_.segments();
    struct {
      RoundBytes bytes;
      long long widest;  // of the segments, as nodes meet them
    } most{{0, 0, static_cast<long long>(matrixBytes(a_) + matrixBytes(B_.local()))}, 1};
    RoundBytes& bytes = most.bytes;
    // A travelling slice of A stands twice: as it landed and in the fused operand.
    for (const SliceShape& shape : slicesA_.shapes)
      bytes.sliceA = std::max<long long>(bytes.sliceA, 2 * shape.bytes(sizeof(Scalar)));
    for (int s = 0; s < S; ++s) {
      const RoundGroup one{0, 1, {s}};
      const long long tile = Tile(*inner_, one, sliceEntries_).bytes();
      const long long landed = travelsB() ? slicesB_.shapes[s].bytes(sizeof(Scalar)) : 0;
      const long long paid = tile / (shared() ? shape_.lambda : 1);
      counters_.tileBytes = std::max<std::size_t>(counters_.tileBytes, paid);
      bytes.tileB = std::max(bytes.tileB, paid + landed);
    }
    for (int s = 0; s < S; ++s)
      most.widest = std::max<long long>(most.widest, inner_->segmentSize(s));
    static_assert(sizeof most == 4 * sizeof(long long), "travels as numbers");
    allReduce(MPI_IN_PLACE, &most, 4, MPI_LONG_LONG, MPI_MAX, grid_.comm(),
              "the largest slices and tiles");
    // The rows of a fused tile are local indices too.
    const int countable =
        static_cast<int>(std::max(1ll, std::numeric_limits<int>::max() / most.widest - 1));
    const int perGroup = std::min(roundsPerGroup(S, bytes, options_), countable);
    groups_ = groupRounds(shape_, me_.i, me_.j, perGroup);
    counters_.rounds = S;
    counters_.fusedRounds = perGroup;
  }

  void stage() {
    if (travelsA()) stageOwn(slicesA_, messages_);
    if (travelsB()) stageOwn(slicesB_, messages_);
  }

  void allocate() {
    if (!travelsA() && !wholeA())
      slicesA_.own = cutSlices<Scalar, Device>(a_, segmentColumns(*inner_, me_.j, a_.numRows()));
    // One holder for each group that is asked for ahead; without any, for the present one.
    const std::size_t count =
        std::min<std::size_t>(groups_.size(), std::max(1, options_.prefetchDepth));
    holdersA_.resize(count);
    holdersB_.resize(count);
    std::size_t bytesA = 0, bytesB = 0;
    for (const RoundGroup& group : groups_) {
      if (travelsA())
        bytesA = std::max(bytesA, HolderType::bytesFor(group, lineA_, slicesA_.shapes));
      if (travelsB())
        bytesB = std::max(bytesB, HolderType::bytesFor(group, lineB_, slicesB_.shapes));
    }
    for (HolderType& holder : holdersA_) holder.allocate(messages_, bytesA);
    for (HolderType& holder : holdersB_) holder.allocate(messages_, bytesB);
    Kokkos::fence();  // the own slices are there before anybody may send them
  }

  std::size_t largestTile() const {
    std::size_t bytes = 0;
    for (const RoundGroup& group : groups_)
      bytes = std::max(bytes, Tile(*inner_, group, sliceEntries_).bytes());
    return bytes;
  }
  /// Two tiles where one can be gathered while the other is multiplied.
  int slots() const { return node_->overlaps() && groups_.size() > 1 ? 2 : 1; }
  int slotOf(std::size_t g) const { return static_cast<int>(g % slots()); }

  void runRounds() {
    if (options_.synchronize) barrier(grid_.comm(), "all ranks, as \"synchronize\" asks");
    counters_.roundsBegan = steadySeconds();
    counters_.times.assign(shape_.segments(), RoundTimes());
    for (int t = 0; t < shape_.segments(); ++t) counters_.times[t].round = t;
    if (travelsA()) attempt([&] { exchangeA_.begin(lineSlices(slicesA_, options_.messageBytes)); });
    if (travelsB()) attempt([&] { exchangeB_.begin(lineSlices(slicesB_, options_.messageBytes)); });
    requestBefore(holdersA_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      requestBefore(g + 1);
      startTile(g);
      const Matrix tile = finishTile(g), a = assembleA(g);
      note(g, &RoundTimes::gathered);
      // The operands are copies, so the holders are free: later groups travel during the product.
      requestBefore(g + 1 + options_.prefetchDepth);
      if (nextLanded_) startTile(g + 1);
      if (!nodeFailed_) addProduct(g, a, tile);
      note(g, &RoundTimes::multiplied);
    }
    const PhaseScope scope(counters_.seconds, Phase::ExchangeWait);
    if (travelsA()) attempt([&] { exchangeA_.end(); });
    if (travelsB()) attempt([&] { exchangeB_.end(); });
  }

  /// A step of the schedule, taken also after a failure; where it fails, so has this rank, which
  /// keeps up with the rest of the schedule.
  template <class Step>
  void attempt(Step&& step) {
    LocalFailure now;
    now.guard(step);
    if (now.failed()) failure_.guard([&] { throw Error("Trident::multiply", now.text()); });
  }

  /// Asks for all groups before `end` that have not been asked for.
  void requestBefore(std::size_t end) {
    for (; requested_ < std::min(groups_.size(), end); ++requested_) request(requested_);
  }

  void note(std::size_t g, double RoundTimes::*what) {
    const double now = steadySeconds() - counters_.roundsBegan;
    for (int t = groups_[g].firstRound; t < groups_[g].endRound; ++t)
      counters_.times[t].*what = now;
  }

  void request(std::size_t g) {
    note(g, &RoundTimes::requested);
    const RoundGroup& group = groups_[g];
    HolderType& holderA = holdersA_[g % holdersA_.size()];
    HolderType& holderB = holdersB_[g % holdersB_.size()];
    if (travelsA()) holderA.open(group, lineA_, slicesA_.shapes);
    if (travelsB()) holderB.open(group, lineB_, slicesB_.shapes);
    for (int t = group.firstRound; t < group.endRound; ++t) {
      const int s = lineA_.segmentOfRound(t);
      if (holderA.expects(s)) {
        attempt([&] { exchangeA_.request(t, holderA.landing(s), counters_.traffic.rounds); });
        countEntries(internodeA_[lineA_.owner(s)], slicesA_.shapes[s]);
      }
      if (holderB.expects(s)) {
        attempt([&] { exchangeB_.request(t, holderB.landing(s), counters_.traffic.rounds); });
        countEntries(internodeB_[lineB_.owner(s)], slicesB_.shapes[s]);
      }
    }
  }

  void countEntries(bool internode, const SliceShape& shape) {
    if (internode) counters_.internodeEntries += shape.entries;
  }

  void wait(std::size_t g) {
    const PhaseScope scope(counters_.seconds, Phase::ExchangeWait);
    note(g, &RoundTimes::awaited);
    for (int t = groups_[g].firstRound; t < groups_[g].endRound; ++t) {
      standing_.at(t);
      if (travelsA()) attempt([&] { failureSeen_ |= !exchangeA_.wait(t); });
      if (travelsB()) attempt([&] { failureSeen_ |= !exchangeB_.wait(t); });
      counters_.times[t].landed = steadySeconds() - counters_.roundsBegan;
    }
  }

  /// The ranks of the node agree, after the tile of group g, whether one of them has failed: from
  /// then on the node multiplies nothing, as a tile that one rank did not write is no matrix for
  /// any, and tells those it sends to. And whether all of them can start the next tile before the
  /// product of this one. Collective over the node.
  void agree(std::size_t g) {
    int no[2] = {nodeFailed_ || failureSeen_ || failure_.failed(), !overlapsTile(g + 1)};
    if (shape_.lambda > 1)
      allReduce(MPI_IN_PLACE, no, 2, MPI_INT, MPI_MAX, grid_.nodeComm(),
                "the ranks of the node to agree on a tile");
    nodeFailed_ = no[0];
    nextLanded_ = !no[1];
    if (nodeFailed_) markFailed();
  }

  void markFailed() {
    if (travelsA()) exchangeA_.markFailed();
    if (travelsB()) exchangeB_.markFailed();
  }

  /// Whether the tile of a later group can be gathered while this rank multiplies: the gather does
  /// not need the host, and the slices are there.
  bool overlapsTile(std::size_t g) {
    if (g >= requested_ || slots() < 2) return false;
    bool landed = true;
    for (int t = groups_[g].firstRound; landed && t < groups_[g].endRound; ++t) {
      if (travelsA()) attempt([&] { landed &= exchangeA_.landed(t); });
      if (travelsB()) attempt([&] { landed &= exchangeB_.landed(t); });
    }
    return landed;
  }

  /// Begins the fused operand of B, once; every rank of the node takes part, also one that failed.
  void startTile(std::size_t g) {
    if (started_ > g) return;
    started_ = g + 1;
    wait(g);
    if (wholeB()) return;
    const PhaseScope scope(counters_.seconds, Phase::Gather);
    Tile& tile = tiles_[slotOf(g)].emplace(*inner_, groups_[g], sliceEntries_);
    void* const storage = node_->open(slotOf(g));
    failure_.guard([&] {
      tile.open(storage, node_->memory());
      placeOwnSlices(g, tile);
    });
    attempt([&] { tile.start(*node_, slotOf(g), me_.k, counters_.traffic.rounds); });
  }

  /// The fused operand of B; nothing where it will not be multiplied.
  Matrix finishTile(std::size_t g) {
    const PhaseScope scope(counters_.seconds, Phase::Gather);
    if (!wholeB()) attempt([&] { tiles_[slotOf(g)]->finish(*node_, slotOf(g)); });
    agree(g);
    if (nodeFailed_) return Matrix();
    return wholeB() ? B_.local() : tiles_[slotOf(g)]->matrix(B_.local().numCols());
  }

  void placeOwnSlices(std::size_t g, const Tile& tile) {
    const RoundGroup& group = groups_[g];
    HolderType& holder = holdersB_[g % holdersB_.size()];
    if (travelsB()) holder.toDevice();
    const auto cuts = segmentRows(*inner_, me_.i, me_.k, B_.local().numCols());
    for (std::size_t m = 0; m < group.segments.size(); ++m) {
      const int s = group.segments[m];
      if (holder.expects(s))
        placeSlab<Scalar, Device>(holder.slab(s, slicesB_.shapes[s]), tile.place(m, me_.k),
                                  tile.arrays());
      else
        placeRows(B_.local(), cuts[s - lineB_.firstOwnSegment()].rowBegin, tile.place(m, me_.k),
                  tile.arrays());
    }
    if (me_.k == shape_.lambda - 1) tile.close();
    Kokkos::fence();
  }

  /// The fused operand of A: this rank's slices of the group's segments side by side. Nothing where
  /// it will not be multiplied.
  Matrix assembleA(std::size_t g) {
    if (nodeFailed_ || wholeA()) return a_;
    const PhaseScope scope(counters_.seconds, Phase::Gather);
    Matrix fused;
    failure_.guard([&] { fused = joinSlicesOfA(g); });
    if (failure_.failed()) {
      nodeFailed_ = true;  // the others of the node hear of it before their next product
      markFailed();
    }
    return fused;
  }

  Matrix joinSlicesOfA(std::size_t g) {
    const RoundGroup& group = groups_[g];
    HolderType& holder = holdersA_[g % holdersA_.size()];
    if (travelsA()) holder.toDevice();
    std::vector<ColumnSlab<Scalar>> slabs;
    int columns = 0;
    for (int s : group.segments) {
      const Slab<Scalar> slab = holder.expects(s) ? holder.slab(s, slicesA_.shapes[s])
                                                  : slicesA_.own.slab(s - lineA_.firstOwnSegment());
      slabs.push_back({slab, columns});
      columns += inner_->segmentSize(s);
    }
    const Matrix fused = concatenateColumns<Scalar, Device>(slabs, a_.numRows(), columns);
    Kokkos::fence();
    return fused;
  }

  void addProduct(std::size_t g, const Matrix& a, const Matrix& tile) {
    if (structure_)
      addValues(g, a, tile);
    else
      addPartial(g, a, tile);
    if (failure_.failed()) markFailed();
  }

  /// Adds the product's values to C, whose structure is known.
  void addValues(std::size_t g, const Matrix& a, const Matrix& tile) {
    const PhaseScope scope(counters_.seconds, Phase::LocalMultiply);
    failure_.guard([&] {
      C_ = *structure_;
      counters_.flops += countFlops(a, tile);
      strayProducts_ += numericProduct(a, tile, C_, g > 0);
      Kokkos::fence();
    });
  }
  void requireStructure() const {
    if (strayProducts_ > 0)
      throw Error("Trident::multiply",
                  std::to_string(strayProducts_) +
                      " products fall outside the planned structure of C; make a new plan for "
                      "factors of another structure");
  }

  void addPartial(std::size_t g, const Matrix& a, const Matrix& tile) {
    Matrix partial;
    {
      const PhaseScope scope(counters_.seconds, Phase::LocalMultiply);
      failure_.guard([&] {
        const RowWork work = workOf(a, tile, options_.kernel);
        counters_.flops += work.products;
        const auto product = multiplyLocal(a, tile, options_.kernel, work,
                                           interruption(g, a.numRows(), work.products));
        partial = product.C;
        if (work.products > 0) nameKernel(nameOf(product.kernel));
        Kokkos::fence();
      });
    }
    const PhaseScope scope(counters_.seconds, Phase::Accumulate);
    failure_.guard([&] { accumulate(g, partial); });
  }

  /// Each kernel is named once, in the order they ran in.
  void nameKernel(const std::string& name) {
    std::string& names = counters_.kernel;
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : " and ") + name;
  }

  /// Turns for MPI during a local product, where later groups are under way and need them.
  Interruption interruption(std::size_t g, long long rows, long long flops) {
    const bool needed =
        (travelsA() && exchangeA_.needsProgress()) || (travelsB() && exchangeB_.needsProgress());
    if (!needed || g + 1 == groups_.size()) return {};
    constexpr long long flopsAtOnce = 50000;  // about a millisecond of a core
    const long long pieces = 1 + flops / flopsAtOnce;
    return {std::max(1ll, rows / pieces), [this] {
              if (travelsA()) exchangeA_.progress();
              if (travelsB()) exchangeB_.progress();
            }};
  }

  void accumulate(std::size_t g, const Matrix& partial) {
    // A single product stays unsorted: what needs sorted rows sorts them, once.
    if (groups_.size() > 1) sortRows(partial);
    C_ = g == 0 ? partial : addLocal(C_, partial);
    Kokkos::fence();
  }

  const GridMatrix<Scalar, Device>& A_;
  const GridMatrix<Scalar, Device>& B_;
  Matrix a_;                 // A's slice, its columns along inner_
  const Matrix* structure_;  // of C, where it is known
  Needed needed_;            // of B; null where tiles travel whole
  const RoundOptions& options_;
  RoundCounters& counters_;
  const ProcessGrid& grid_;
  const GridShape& shape_;
  const GridCoordinates& me_;
  const IndexSpace* inner_;  // whole, or as this node meets it
  LineSchedule lineA_, lineB_;
  std::vector<bool> internodeA_, internodeB_;  // by member: on another node of the machine
  SliceExchange& exchangeA_;
  SliceExchange& exchangeB_;
  NodeGather* node_;
  MemoryKind messages_;  // where slices lie when they are sent and received

  FactorSlices<Scalar, Device> slicesA_, slicesB_;
  std::vector<long long> sliceEntries_;  // of B's slices on this node column, [s·λ + k]
  std::vector<RoundGroup> groups_;
  std::vector<HolderType> holdersA_, holdersB_;
  LocalFailure failure_;
  RoundStanding standing_;
  std::optional<Tile> tiles_[2];             // by slot
  std::size_t requested_ = 0, started_ = 0;  // groups
  long long strayProducts_ = 0;
  bool failureSeen_ = false;  // marked on a slice that came
  bool nodeFailed_ = false;
  bool nextLanded_ = false;  // the next group's slices, on all ranks of the node
  Matrix C_;
};

}  // namespace Impl
}  // namespace Trident

#endif
