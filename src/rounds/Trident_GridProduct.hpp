// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDPRODUCT_HPP
#define TRIDENT_GRIDPRODUCT_HPP

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "rounds/Trident_FusePlan.hpp"
#include "rounds/Trident_NodeTiles.hpp"
#include "rounds/Trident_PartialSums.hpp"
#include "rounds/Trident_ProductFactors.hpp"
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
  using Known = std::shared_ptr<const KnownProduct<Device>>;

  /// @param given what is known of C's structure
  /// @param known what a product of the same structures found, or null
  /// @param failure all ranks throw before the rounds where one has it
  GridProduct(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
              const GivenStructure<Scalar, Device>& given, const Known& known,
              const RoundOptions& options, ExchangeKind exchange, RoundCounters& counters,
              LocalFailure& failure)
      : options_(options),
        counters_(counters),
        failure_(failure),
        transport_(*A.transport()),
        grid_(A.grid()),
        factors_(A, B, options, exchange, counters),
        tiles_(grid_, transport_.gather(options, memoryOf<Device>)),
        known_(known),
        C_(emptySum(given)) {}

  Matrix run() {
    if (isAlone()) {
      runAlone();
    } else {
      prepare();
      runRounds();
    }
    return sumOfRounds();
  }
  /// Runs the rounds, and then work(operands): those of the whole product on this rank; null where
  /// its node has failed. They stay until work() returns, which may communicate.
  template <class Work>
  void runThen(Work&& work) {
    C_.template emplace<KeptOperands<Scalar, Device>>();
    prepare();
    runRounds();
    const bool formed = !nodeFailed_ && !failure_.failed();
    const auto& operands = std::get<KeptOperands<Scalar, Device>>(C_);
    if (formed) counters_.operandBytes = bytesBesideFactors(operands);
    work(formed ? &operands : nullptr);
  }
  /// Runs the rounds, and leaves the last step to `taker`, which outlives this.
  void runUpToLast(const LastStepTaker<Scalar, Device>& taker) {
    taker_ = &taker;
    prepare();
    runRounds();
    const bool formed = !nodeFailed_ && !failure_.failed();
    const auto* const operands = std::get_if<KeptOperands<Scalar, Device>>(&C_);
    taker.take({formed ? operands : nullptr, formed && !operands ? sumOfRounds() : Matrix(),
                [this](const Matrix& a, const Matrix& b) { return multiplyOnce(a, b); }});
  }
  /// What products of the same structures need not find again.
  const Known& known() const { return known_; }
  /// What has assembled the tiles.
  const NodeGather& gather() const { return tiles_.gather(); }

 private:
  /// Of operands, those arrays that are not the factors' own.
  std::size_t bytesBesideFactors(const KeptOperands<Scalar, Device>& operands) const {
    const bool ownA = operands.a.values.data() == factors_.a().values.data();
    const bool ownB = operands.tile.values.data() == factors_.b().values.data();
    const int sharers = tiles_.shared() ? grid_.shape().lambda : 1;
    return (ownA ? 0 : matrixBytes(operands.a)) + (ownB ? 0 : matrixBytes(operands.tile) / sharers);
  }

  Matrix sumOfRounds() {
    Matrix C;
    failure_.guard([&] {
      // Where another rank of the node failed, there may be no sum; who takes C on needs a matrix.
      C = nodeFailed_ ? emptyMatrix<Scalar, Device>(factors_.a().numRows(), factors_.b().numCols())
                      : std::visit([](auto& sums) { return sums.sum(); }, C_);
    });
    return C;
  }
  /// The only local product of the rounds, after them.
  Matrix multiplyOnce(const Matrix& a, const Matrix& b) {
    PartialSums<Scalar, Device> sums(options_, counters_);
    sums.add(a, b, {});
    note(0, &RoundTimes::multiplied);
    return sums.sum();
  }

  using Way = typename Factors::Way;
  using Sums = std::variant<PartialSums<Scalar, Device>, KnownStructure<Scalar, Device>,
                            KeptOperands<Scalar, Device>>;

  Sums emptySum(const GivenStructure<Scalar, Device>& given) const {
    if (given.whole) return KnownStructure<Scalar, Device>(*given.whole, counters_);
    return PartialSums<Scalar, Device>(options_, counters_, given.mask);
  }

  bool wholeB() const { return factors_.wholeB(groups_.size()); }
  /// How many groups have room for their slices: all that are asked for ahead; without any, one.
  std::size_t held() const {
    return std::min<std::size_t>(groups_.size(), std::max(1, options_.prefetchDepth));
  }

  /// Whether there is nobody to share anything with: a small product feels what rounds cost.
  bool isAlone() const {
    return grid_.shape().ranks() == 1 && options_.fetch != FetchKind::NeededRows;
  }
  /// The rounds of one rank: the slices are the operands.
  void runAlone() {
    if (failure_.failed()) throw Error(failure_.text());
    if (!known_) known_ = std::make_shared<const KnownProduct<Device>>();
    runOneRound(counters_, matrixBytes(factors_.b()),
                [&] { addProduct(0, factors_.a(), factors_.b()); });
  }

  /// Everything that may fail for lack of memory, before anybody depends on this rank's rounds.
  void prepare() {
    const PhaseScope scope(counters_.seconds, Phase::Setup);
    KnownProduct<Device> known = learn();
    failure_.guard([&] { factors_.stage(); });
    const std::string unshared = takeMemory(known);
    if (!unshared.empty()) {
      tiles_.gatherBy(transport_.gatherUnshared(options_, memoryOf<Device>, unshared));
      takeMemory(known);
    }
    known_ = std::make_shared<const KnownProduct<Device>>(std::move(known));
  }

  /// What a rank has to know of others, but for the largest rounds of all. Collective, where it is
  /// not known.
  KnownProduct<Device> learn() {
    factors_.share(failure_, known_.get());
    largest_ = factors_.largestRound();
    if (known_) {
      tiles_.knowEntries(known_->tileEntries);
      return *known_;
    }
    largest_ = tiles_.shareEntries(factors_.wayB().shapes(), largest_, counters_.traffic.setup);
    return {factors_.neededRows(),
            factors_.wayA().shapes(),
            factors_.wayB().shapes(),
            tiles_.sliceEntries(),
            {},
            {}};
  }

  /// Plans the rounds for the present gather, and takes their memory. Throws on every rank where
  /// one lacks it; but where it was to be shared and could not be, says why, on every rank.
  std::string takeMemory(KnownProduct<Device>& known) {
    planRounds(tiles_.shared() ? known.largestShared : known.largest);
    requireOneGroup();
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

  /// Throws where the operands are to be kept and are too long for that: on every rank, as all have
  /// planned the same, and before anything is taken for them.
  void requireOneGroup() const {
    if (groups_.size() <= 1 || !std::holds_alternative<KeptOperands<Scalar, Device>>(C_)) return;
    throw Error(
        "the rows of a tile of B are more than can be counted at once, which a product in pieces "
        "of rows needs; use \"fetch\" = \"needed-rows\" on a grid of several node rows");
  }

  RoundBytes largestRound() {
    RoundBytes most = largest_;
    for (int s = 0; s < grid_.shape().segments(); ++s) {
      const long long tile = tiles_.paidBytes(factors_.inner(), s);
      counters_.tileBytes = std::max<std::size_t>(counters_.tileBytes, tile);
      most.tileB = std::max(most.tileB, tile + factors_.wayB().landingBytes(s));
    }
    return most;
  }

  void runRounds() {
    if (options_.synchronize) barrier(grid_.comm(), "all ranks, as \"synchronize\" asks");
    counters_.roundsBegan = steadySeconds();
    counters_.times.assign(grid_.shape().segments(), RoundTimes());
    for (int t = 0; t < grid_.shape().segments(); ++t) counters_.times[t].round = t;
    attemptBoth([](Way& way) { way.begin(); });
    requestBefore(held());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      requestBefore(g + 1);
      startTile(g);
      const Matrix tile = finishTile(g), a = assembleA(g);
      note(g, &RoundTimes::gathered);
      // The operands are copies, so the receive buffers are free: later groups travel during the
      // product.
      requestBefore(g + 1 + options_.prefetchDepth);
      if (nextLanded_) startTile(g + 1);
      if (!nodeFailed_) addProduct(g, a, tile);
      note(g, &RoundTimes::multiplied);
    }
    const PhaseScope scope(counters_.seconds, Phase::ExchangeWait);
    attemptBoth([](Way& way) { way.end(); });
  }

  /// A step of the schedule with A's slices and with B's, each whatever came of the other.
  template <class Step>
  void attemptBoth(Step&& step) {
    failure_.attempt([&] { step(factors_.wayA()); });
    failure_.attempt([&] { step(factors_.wayB()); });
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
      attemptBoth([&](Way& way) { way.request(g, t); });
  }

  void wait(std::size_t g) {
    const PhaseScope scope(counters_.seconds, Phase::ExchangeWait);
    note(g, &RoundTimes::awaited);
    for (int t = groups_[g].firstRound; t < groups_[g].endRound; ++t) {
      status_.at(t);
      attemptBoth([&](Way& way) { way.wait(t); });
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
      attemptBoth([&](Way& way) { landed &= way.landed(t); });
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

  void addProduct(std::size_t g, const Matrix& a, const Matrix& tile) {
    failure_.guard([&] {
      if (taker_ && groups_.size() == 1 && taker_->putsOff(a, tile))
        C_.template emplace<KeptOperands<Scalar, Device>>();
      std::visit([&](auto& sums) { sums.add(a, tile, turns(g)); }, C_);
    });
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
  GridTransport& transport_;
  const ProcessGrid& grid_;
  Factors factors_;
  NodeTiles<Scalar, Device> tiles_;
  std::vector<RoundGroup> groups_;
  RoundStatus status_;
  std::size_t requested_ = 0, started_ = 0;  // groups
  Known known_;
  RoundBytes largest_{};  // of the node's rounds, but for tiles of B
  const LastStepTaker<Scalar, Device>* taker_ = nullptr;  // of the last step, if that is a caller's
  bool nodeFailed_ = false;
  bool nextLanded_ = false;  // the next group's slices, on all ranks of the node
  Sums C_;
};

}  // namespace Trident::Impl

#endif
