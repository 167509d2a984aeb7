// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDPRODUCT_HPP
#define TRIDENT_GRIDPRODUCT_HPP

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "rounds/Trident_FusePlan.hpp"
#include "rounds/Trident_NodeTiles.hpp"
#include "rounds/Trident_ProductFactors.hpp"
#include "rounds/Trident_ProductSinks.hpp"
#include "rounds/Trident_RoundCounters.hpp"

namespace Trident::Impl {

/// One product on the grid, seen from one rank. Its steps are the methods, in their order.
///
/// Schedule invariant: every rank of a line requests, waits and serves in round order, and every
/// rank of a node opens, gathers and agrees upon the same tiles in the same order, whether or not
/// it failed. Tile g + 1 is opened after the node agreed on tile g, before or after its product.
template <class Scalar, class Device>
class GridProduct {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;
  using Factors = ProductFactors<Scalar, Device>;
  using Sink = ProductSink<Scalar, Device>;
  using Learnt = std::shared_ptr<const LearntFromPeers<Device>>;

  /// @param learnt in a product of the same structures, or null
  /// @param failure all ranks throw before the rounds where one has it
  GridProduct(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
              const Learnt& learnt, const RoundOptions& options, ExchangeKind exchange,
              RoundCounters& counters, LocalFailure& failure)
      : options_(options),
        counters_(counters),
        failure_(failure),
        exchanges_(*A.exchanges()),
        grid_(A.grid()),
        factors_(A, B, options, exchange, counters),
        tiles_(grid_, exchanges_.gather(options, memoryOf<Device>)),
        learnt_(learnt) {}

  /// Runs the rounds; `sink` gets the operands of each group. These stay as long as this does.
  /// Collective over the grid.
  void run(Sink& sink) {
    prepare(sink);
    if (options_.synchronize) barrier(grid_.comm(), "all ranks, as \"synchronize\" asks");
    beginRounds();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      requestBefore(g + 1);
      startTile(g);
      const Matrix tile = finishTile(g), a = assembleA(g);
      note(g, &RoundTimes::gathered);
      // The operands are copies, so the receive buffers are free: later groups travel during the
      // product.
      requestBefore(g + 1 + options_.prefetchDepth);
      if (nextLanded_) startTile(g + 1);
      multiply(g, a, tile, sink);
      note(g, &RoundTimes::multiplied);
    }
    const PhaseScope scope(counters_.seconds, Phase::ExchangeWait);
    attemptBoth([](Line& line) { line.end(); });
  }

  /// Whether the sink has got all operands: neither this rank nor its node has failed.
  bool formed() const { return !nodeFailed_ && !failure_.failed(); }
  /// Whether a rank of the node has failed, so that the node has multiplied nothing since.
  bool nodeFailed() const { return nodeFailed_; }
  /// What products of the same structures need not ask again.
  const Learnt& learnt() const { return learnt_; }
  /// What has assembled the tiles.
  const NodeGather& gather() const { return tiles_.gather(); }
  /// Of operands, the bytes of those arrays that are not the factors' own; of a tile that the node
  /// shares, this rank's part.
  std::size_t bytesBesideFactors(const KeptOperands<Scalar, Device>& operands) const {
    const bool ownA = operands.a.values.data() == factors_.a().values.data();
    const bool ownB = operands.tile.values.data() == factors_.b().values.data();
    const int sharers = tiles_.shared() ? grid_.shape().lambda : 1;
    return (ownA ? 0 : matrixBytes(operands.a)) + (ownB ? 0 : matrixBytes(operands.tile) / sharers);
  }

 private:
  using Line = typename Factors::Line;

  bool wholeB() const { return factors_.wholeB(groups_.size()); }
  /// How many groups have room for their slices: all that are asked for ahead; without any, one.
  std::size_t held() const {
    return std::min<std::size_t>(groups_.size(), std::max(1, options_.prefetchDepth));
  }

  /// Everything that may fail for lack of memory, before anybody depends on this rank's rounds.
  void prepare(Sink& sink) {
    const PhaseScope scope(counters_.seconds, Phase::Setup);
    LearntFromPeers<Device> learnt = learn();
    failure_.guard([&] { factors_.stage(); });
    const std::string unshared = takeMemory(learnt, sink);
    if (!unshared.empty()) {
      tiles_.gatherBy(exchanges_.gatherUnshared(options_, memoryOf<Device>, unshared));
      takeMemory(learnt, sink);
    }
    learnt_ = std::make_shared<const LearntFromPeers<Device>>(std::move(learnt));
  }

  /// What a rank has to know of others, but for the largest rounds of all. Collective, where it is
  /// not known.
  LearntFromPeers<Device> learn() {
    factors_.share(failure_, learnt_.get());
    largest_ = factors_.largestRound();
    if (learnt_) {
      tiles_.knowEntries(learnt_->tileEntries);
      return *learnt_;
    }
    largest_ = tiles_.shareEntries(factors_.lineB().shapes(), largest_, counters_.traffic.setup);
    return {factors_.neededRows(),
            factors_.lineA().shapes(),
            factors_.lineB().shapes(),
            tiles_.sliceEntries(),
            {},
            {}};
  }

  /// Plans the rounds for the present gather, and takes their memory. Throws on every rank where
  /// one lacks it; but where it was to be shared and could not be, says why, on every rank.
  std::string takeMemory(LearntFromPeers<Device>& learnt, Sink& sink) {
    planRounds(tiles_.shared() ? learnt.largestShared : learnt.largest);
    sink.expect(groups_.size());
    // Collective over the node, so also for a rank that has failed; it throws on all of the node.
    LocalFailure reserving;
    if (!wholeB()) reserving.guard([&] { tiles_.reserve(factors_.inner(), groups_); });
    failure_.guard([&] {
      if (!reserving.failed())
        factors_.allocate(groups_, held());
      else if (!tiles_.shared())
        throw Error(reserving.text());
    });
    int any[2] = {failure_.failed(), tiles_.shared() && reserving.failed()};
    allReduce(MPI_IN_PLACE, any, 2, MPI_INT, MPI_MAX, grid_.comm(),
              "all ranks to prepare a product");
    if (any[0]) throwEverywhere(grid_.comm(), failure_.text());
    return any[1] ? firstText(grid_.comm(), reserving.text()) : std::string();
  }

  /// @param known the largest round of all ranks for the present gather; found where it is not
  void planRounds(std::optional<RoundBytes>& known) {
    const RoundBytes most = largestRound();
    if (!known) known = largestOfAll(grid_, most);
    const FusePlan plan = planGroups(grid_, *known, options_);
    groups_ = plan.groups;
    counters_.rounds = grid_.shape().segments();
    counters_.fusedRounds = plan.perGroup;
  }

  RoundBytes largestRound() {
    RoundBytes most = largest_;
    for (int s = 0; s < grid_.shape().segments(); ++s) {
      const long long tile = tiles_.paidBytes(factors_.inner(), s);
      counters_.tileBytes = std::max<std::size_t>(counters_.tileBytes, tile);
      most.tileB = std::max(most.tileB, tile + factors_.lineB().landingBytes(s));
    }
    return most;
  }

  void beginRounds() {
    counters_.roundsBegan = steadySeconds();
    counters_.times.assign(grid_.shape().segments(), RoundTimes());
    for (int t = 0; t < grid_.shape().segments(); ++t) counters_.times[t].round = t;
    attemptBoth([](Line& line) { line.begin(); });
    requestBefore(held());
  }

  /// A step of the schedule with A's slices and with B's, each whatever came of the other.
  template <class Step>
  void attemptBoth(Step&& step) {
    failure_.attempt([&] { step(factors_.lineA()); });
    failure_.attempt([&] { step(factors_.lineB()); });
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
    factors_.open(g, group);
    for (int t = group.firstRound; t < group.endRound; ++t)
      attemptBoth([&](Line& line) { line.request(g, t); });
  }

  void wait(std::size_t g) {
    const PhaseScope scope(counters_.seconds, Phase::ExchangeWait);
    note(g, &RoundTimes::awaited);
    for (int t = groups_[g].firstRound; t < groups_[g].endRound; ++t) {
      status_.at(t);
      attemptBoth([&](Line& line) { line.wait(t); });
      counters_.times[t].landed = steadySeconds() - counters_.roundsBegan;
    }
  }

  /// Begins the fused operand of B, once; every rank of the node takes part, also one that failed.
  void startTile(std::size_t g) {
    if (started_ > g) return;
    started_ = g + 1;
    wait(g);
    if (wholeB()) return;
    const PhaseScope scope(counters_.seconds, Phase::Gather);
    void* const storage = tiles_.open(g, factors_.inner(), groups_[g]);
    failure_.guard([&] { factors_.writeB(g, groups_[g], tiles_.attach(g, storage)); });
    failure_.attempt([&] { tiles_.start(g, counters_.traffic.rounds); });
  }

  /// The fused operand of B; nothing where it will not be multiplied.
  Matrix finishTile(std::size_t g) {
    const PhaseScope scope(counters_.seconds, Phase::Gather);
    if (!wholeB()) failure_.attempt([&] { tiles_.finish(g); });
    agree(g);
    if (!wholeB()) guardLocally([&] { tiles_.toDevice(g); });
    if (nodeFailed_) return Matrix();
    return wholeB() ? factors_.b() : tiles_.matrix(g, factors_.b().numCols());
  }

  /// A step between agreements: the others of the node hear of its failure before their next
  /// product.
  template <class Step>
  void guardLocally(Step&& step) {
    if (nodeFailed_) return;
    failure_.guard(step);
    if (!failure_.failed()) return;
    nodeFailed_ = true;
    factors_.markFailed();
  }

  /// The ranks of the node agree, after the tile of group g, whether one of them has failed: from
  /// then on the node multiplies nothing, as a tile that one rank did not write is no matrix for
  /// any, and tells those it sends to. And whether all of them can start the next tile before the
  /// product of this one. Collective over the node.
  void agree(std::size_t g) {
    int no[2] = {nodeFailed_ || factors_.senderFailed() || failure_.failed(), !overlapsTile(g + 1)};
    if (grid_.shape().lambda > 1)
      allReduce(MPI_IN_PLACE, no, 2, MPI_INT, MPI_MAX, grid_.nodeComm(),
                "the ranks of the node to agree on a tile");
    nodeFailed_ = no[0];
    nextLanded_ = !no[1];
    if (nodeFailed_) factors_.markFailed();
  }

  /// Whether the tile of a later group can be gathered while this rank multiplies: the gather does
  /// not need the host, and the slices are there.
  bool overlapsTile(std::size_t g) {
    if (g >= requested_ || !tiles_.overlap()) return false;
    bool landed = true;
    for (int t = groups_[g].firstRound; landed && t < groups_[g].endRound; ++t)
      attemptBoth([&](Line& line) { landed &= line.landed(t); });
    return landed;
  }

  /// The fused operand of A: this rank's slices of the group's segments side by side. Nothing where
  /// it will not be multiplied.
  Matrix assembleA(std::size_t g) {
    if (nodeFailed_ || factors_.wholeA(groups_.size())) return factors_.a();
    const PhaseScope scope(counters_.seconds, Phase::Gather);
    Matrix fused;
    guardLocally([&] { fused = factors_.joinA(g, groups_[g]); });
    return fused;
  }

  void multiply(std::size_t g, const Matrix& a, const Matrix& tile, Sink& sink) {
    if (nodeFailed_) return;
    failure_.guard([&] { sink.add(a, tile, turns(g)); });
    if (failure_.failed()) factors_.markFailed();
  }

  /// Turns for MPI during a local product, where later groups are under way and need them.
  std::function<void()> turns(std::size_t g) {
    if (g + 1 >= groups_.size() || !factors_.needsProgress()) return {};
    return [this] { factors_.progress(); };
  }

  const RoundOptions& options_;
  RoundCounters& counters_;
  LocalFailure& failure_;
  GridExchanges& exchanges_;
  const ProcessGrid& grid_;
  Factors factors_;
  NodeTiles<Scalar, Device> tiles_;
  std::vector<RoundGroup> groups_;
  RoundStatus status_;
  std::size_t requested_ = 0, started_ = 0;  // groups
  Learnt learnt_;
  RoundBytes largest_{};  // of the node's rounds, but for tiles of B
  bool nodeFailed_ = false;
  bool nextLanded_ = false;  // the next group's slices, on all ranks of the node
};

}  // namespace Trident::Impl

#endif
