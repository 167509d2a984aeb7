// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROUNDS_HPP
#define TRIDENT_ROUNDS_HPP

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Names.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_TileAssembly.hpp"
#include "rounds/Trident_ProductSinks.hpp"
#include "rounds/Trident_RoundCounters.hpp"
#include "rounds/Trident_RoundSetup.hpp"

namespace Trident::Impl {

/// Throws if `fetch` asks for needed rows, and the grid has several nodes but cannot fetch rows.
inline void requireFetch(const GridShape& shape, FetchKind fetch) {
  if (fetch == FetchKind::NeededRows && !shape.canFetchRows() && shape.nodes() > 1)
    throw Error(
        "\"fetch\" = \"needed-rows\" is not possible on a " + shape.name() + " grid, where " +
        (shape.nodeRows > 1 ? "broadcasts bring all receivers the same" : "no tile of B travels") +
        "; use \"auto\" or \"tiles\"" +
        (shape.nodeRows > 1 ? ", or \"algorithm\" = \"trident\""
                            : ", or a \"grid\" of several node rows"));
}

template <class Scalar, class Device>
void requireSameGridAndInnerSpace(const GridMatrix<Scalar, Device>& A,
                                  const GridMatrix<Scalar, Device>& B) {
  const auto shapeText = [](const GridMatrix<Scalar, Device>& M) {
    return std::to_string(M.rows()->size()) + " x " + std::to_string(M.columns()->size()) +
           " on a " + M.grid().shape().name() + " grid";
  };
  std::string problem;
  if (A.exchanges() != B.exchanges())
    problem = "A and B lie on different grids; import both with one grid";
  else if (A.columns() != B.rows())
    problem =
        "A's column space is not B's row space; make one IndexSpace and import A's "
        "columns and B's rows with it";
  if (!problem.empty())
    throw Error(problem + " (A is " + shapeText(A) + ", B is " + shapeText(B) + ")");
}

/// The rounds of one product C = A·B on the grid, C-stationary (paper, Algorithms 1 and 2;
/// doc/algorithm.md), seen from one rank. run() has the steps. C has A's row space and B's column
/// space, so C can be a factor of the next product on the grid.
///
/// The schedule has these invariants, even if a rank has failed. Every rank of a line requests,
/// waits and serves in the order of rounds. Every rank of a node opens tiles, gathers tiles and
/// calls agree() in the same order. Tile g + 1 is opened after agree(g), before or after the
/// product of tile g.
template <class Scalar, class Device>
class Rounds : private RoundSetup<Scalar, Device> {
  using Setup = RoundSetup<Scalar, Device>;

 public:
  using Matrix = LocalMatrix<Scalar, Device>;
  using Sink = ProductSink<Scalar, Device>;

  /// Makes the rounds of A·B. Local. Arguments must outlive this object. A and B must not change.
  /// @param counters counters to which this rank's work is added
  /// @param failure failure of this rank. If a rank fails before the rounds, run() throws on all
  ///   ranks, except as run() says. A rank that fails later sets `failure` and goes on by schedule,
  ///   so that no rank waits forever. After run() the caller must tell other ranks of this failure
  Rounds(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
         const RoundOptions& options, RoundCounters& counters, LocalFailure& failure)
      : Setup(A, B, options, counters, failure) {}

  /// Runs the rounds, and gives the operands of each batch to `sink`. The operands of the last
  /// batch stay valid as long as this object. Collective over the grid. Throws Trident::Error on
  /// every rank if A and B lie on different grids, if A's columns and B's rows are not one
  /// IndexSpace object, or if a rank lacks memory before the rounds begin. On hosts, if the ranks
  /// of the only node share tiles, a rank that lacks memory may set its LocalFailure instead.
  /// @param known symbolic data of a product of the same structures. If null, ranks exchange it
  void run(Sink& sink, const SymbolicData<Device>* known = nullptr) {
    requireProduct(sink);
    synchronize();
    const double start = steadySeconds();
    this->prepare(sink, known);
    status_.emplace();
    synchronize();
    beginRounds();
    for (std::size_t g = 0; g < batches_.size(); ++g) {
      requestBefore(g + 1);
      startTile(g);
      const Matrix tile = finishTile(g), a = assembleA(g);
      note(g, &RoundTimes::gathered);
      // The operands no longer use the receive buffers, so later batches may travel.
      requestBefore(g + 1 + options_.prefetchDepth);
      if (nextCanStart_) startTile(g + 1);
      multiply(g, a, tile, sink);
      note(g, &RoundTimes::multiplied);
    }
    endRounds();
    sink.end(formed());
    status_.reset();
    noteChoices(sink);
    synchronize();
    counters_.multiplySeconds += steadySeconds() - start;
  }

  // After run():

  /// Returns C from `sums`, which was the sink of run(). If the node failed, C is empty. Local.
  GridMatrix<Scalar, Device> product(const ProductSum<Scalar, Device>& sums) const {
    Matrix C;
    failure_.guard([&] {
      C = nodeFailed_ ? emptyMatrix<Scalar, Device>(A_.local().numRows(), B_.local().numCols())
                      : sums.sum();
    });
    return {A_.exchanges(), A_.rows(), B_.columns(), C, RowOrder::Ascending};
  }
  /// Returns true if the sink has got all operands, because neither this rank nor its node failed.
  bool formed() const { return !nodeFailed_ && !failure_.failed(); }
  using Setup::symbolic;

 private:
  using Setup::A_, Setup::B_, Setup::a_, Setup::options_, Setup::counters_, Setup::failure_,
      Setup::grid_, Setup::lines_, Setup::tiles_, Setup::batches_, Setup::inner_, Setup::symbolic_;
  using Setup::b, Setup::lineA, Setup::lineB, Setup::wholeA, Setup::wholeB;
  using typename Setup::Line;

  /// Throws if A·B cannot be formed with these options. All ranks throw, or none.
  void requireProduct(const Sink& sink) const {
    requireSameGridAndInnerSpace(A_, B_);
    requireFetch(grid_.shape(), options_.fetch);
    const std::string whyNot = whyNoKernel<Scalar, Device>(options_.kernel);
    if (!whyNot.empty()) throw Error(whyNot);
    const std::string whyNotOver = whyNoSemiring<Scalar>(options_, sink.masked());
    if (!whyNotOver.empty()) throw Error(whyNotOver);
  }

  void synchronize() const {
    if (options_.synchronize) barrier(grid_.comm(), "all ranks, as \"synchronize\" asks");
  }

  void beginRounds() {
    counters_.roundsBegan = steadySeconds();
    counters_.times.assign(grid_.shape().segments(), RoundTimes());
    for (int t = 0; t < grid_.shape().segments(); ++t) counters_.times[t].round = t;
    attemptBoth([](Line& line) { line.begin(); });
    requestBefore(this->held());
  }

  void endRounds() {
    const PhaseScope scope(counters_.seconds, Phase::ExchangeWait);
    attemptBoth([](Line& line) { line.end(); });
  }

  /// Does a step of the schedule for A and then for B, even if the step for A fails.
  template <class Step>
  void attemptBoth(const Step& step) {
    for (Line& line : lines_) failure_.attempt([&] { step(line); });
  }
  void markFailed() {
    for (Line& line : lines_) line.markFailed();
  }

  /// Requests all batches before `end` that are not requested yet.
  void requestBefore(std::size_t end) {
    for (; requested_ < std::min(batches_.size(), end); ++requested_) request(requested_);
  }

  void note(std::size_t g, double RoundTimes::*what) {
    const double now = steadySeconds() - counters_.roundsBegan;
    for (int t = batches_[g].firstRound; t < batches_[g].endRound; ++t)
      counters_.times[t].*what = now;
  }

  void request(std::size_t g) {
    note(g, &RoundTimes::requested);
    const RoundBatch& batch = batches_[g];
    for (Line& line : lines_) line.open(g, batch);
    for (int t = batch.firstRound; t < batch.endRound; ++t)
      attemptBoth([&](Line& line) { line.request(g, t); });
  }

  void wait(std::size_t g) {
    const PhaseScope scope(counters_.seconds, Phase::ExchangeWait);
    note(g, &RoundTimes::awaited);
    for (int t = batches_[g].firstRound; t < batches_[g].endRound; ++t) {
      status_->at(t);
      attemptBoth([&](Line& line) { line.wait(g, t); });
      counters_.times[t].landed = steadySeconds() - counters_.roundsBegan;
    }
  }

  /// Starts the gather of B's tile of batch g, unless it has started. Collective over the node,
  /// also for a rank that has failed.
  void startTile(std::size_t g) {
    if (started_ > g) return;
    started_ = g + 1;
    wait(g);
    if (wholeB()) return;
    const PhaseScope scope(counters_.seconds, Phase::Gather);
    void* const storage = tiles_.open(g, *inner_, batches_[g]);
    failure_.guard([&] { writeB(g, tiles_.attach(g, storage)); });
    failure_.attempt([&] { tiles_.start(g, counters_.traffic.rounds); });
  }

  /// Writes this rank's slices of batch g to their rows of the fused operand of B. Local.
  void writeB(std::size_t g, const StackedTile<Scalar, Device>& tile) {
    const int k = grid_.me().k;
    const std::vector<Rectangle> cuts = this->cutsOfB();
    const std::vector<int>& segments = batches_[g].segments;
    for (std::size_t m = 0; m < segments.size(); ++m) {
      const int s = segments[m];
      if (lineB().comes(s))
        writePacked<Scalar, Device>(lineB().packed(g, s), tile.block(m, k), tile.arrays());
      else
        writeRows(this->sharedB_, cuts[lineB().ownNumber(s)].rowBegin, tile.block(m, k),
                  tile.arrays());
    }
    if (k == grid_.shape().lambda - 1) tile.close();
    Kokkos::fence();
  }

  /// Returns the fused operand of B, once it is complete; an empty matrix if the node has failed.
  Matrix finishTile(std::size_t g) {
    const PhaseScope scope(counters_.seconds, Phase::Gather);
    if (!wholeB()) failure_.attempt([&] { tiles_.finish(g); });
    agree(g);
    if (!wholeB()) guardLocally([&] { tiles_.toDevice(g); });
    if (nodeFailed_) return Matrix();
    return wholeB() ? b() : tiles_.matrix(g, b().numCols());
  }

  /// Does local work after agree(). If the work fails, the node learns of this at the next agree().
  template <class Step>
  void guardLocally(const Step& step) {
    if (nodeFailed_) return;
    failure_.guard(step);
    if (!failure_.failed()) return;
    nodeFailed_ = true;
    markFailed();
  }

  /// Sets nodeFailed_ and nextCanStart_ of the node's ranks, after the tile of batch g. If a rank
  /// of the node has failed, tiles are not complete. So no rank of the node multiplies any more,
  /// and all mark their later slices as failed. If all are ready for the next tile, the gather of
  /// that tile may start before the product of batch g. Collective over the node.
  void agree(std::size_t g) {
    const bool senderFailed = lineA().senderFailed() || lineB().senderFailed();
    int no[2] = {nodeFailed_ || senderFailed || failure_.failed(), !overlapsTile(g + 1)};
    if (grid_.shape().lambda > 1)
      allReduce(MPI_IN_PLACE, no, 2, MPI_INT, MPI_MAX, grid_.nodeComm(),
                "the ranks of the node to agree on a tile");
    nodeFailed_ = no[0];
    nextCanStart_ = !no[1];
    if (nodeFailed_) markFailed();
  }

  /// Returns true if this rank can start the tile of batch g during an earlier product. For this
  /// the slices of batch g must have landed, and the gather must not need the host.
  bool overlapsTile(std::size_t g) {
    if (g >= requested_ || !tiles_.overlap()) return false;
    bool landed = true;
    for (int t = batches_[g].firstRound; landed && t < batches_[g].endRound; ++t)
      attemptBoth([&](Line& line) { landed &= line.landed(t); });
    return landed;
  }

  /// Returns the fused operand of A: this rank's slices of the batch, side by side. If the node has
  /// failed, returns any matrix.
  Matrix assembleA(std::size_t g) {
    if (nodeFailed_ || wholeA()) return a_;
    const PhaseScope scope(counters_.seconds, Phase::Gather);
    Matrix fused;
    guardLocally([&] { fused = joinA(g); });
    return fused;
  }

  /// Returns this rank's slices of batch g, joined side by side. Local.
  Matrix joinA(std::size_t g) {
    std::vector<PackedColumns<Scalar>> packedSlices;
    int columns = 0;
    for (int s : batches_[g].segments) {
      packedSlices.push_back({lineA().packed(g, s), columns});
      columns += inner_->segmentSize(s);
    }
    const Matrix fused = concatenateColumns<Scalar, Device>(packedSlices, a_.numRows(), columns);
    Kokkos::fence();
    return fused;
  }

  void multiply(std::size_t g, const Matrix& a, const Matrix& tile, Sink& sink) {
    if (nodeFailed_) return;
    counters_.operandBytes = std::max(counters_.operandBytes, this->bytesBesideFactors(a, tile));
    failure_.guard([&] { sink.add(a, tile, turns(g)); });
    if (failure_.failed()) markFailed();
  }

  /// Returns the argument `turns` for sink.add(); empty if no transfer needs calls of progress().
  std::function<void()> turns(std::size_t g) {
    if (g + 1 >= batches_.size() || !(lineA().needsProgress() || lineB().needsProgress()))
      return {};
    return [this] {
      for (Line& line : lines_) line.progress();
    };
  }

  void noteChoices(const Sink& sink) {
    // prepare() may have changed the gather, because tiles could not be shared.
    counters_.gather = nameOf(tiles_.gather().kind());
    counters_.gatherReason = A_.exchanges()->gatherReason();
    counters_.fetch = symbolic_.needed ? "needed-rows" : "tiles";
    if (counters_.kernel.empty()) counters_.kernel = sink.kernelName();
  }

  std::optional<RoundStatus> status_;        // set only while the rounds run
  std::size_t requested_ = 0, started_ = 0;  // number of requested batches, number of started tiles
  bool nodeFailed_ = false;
  bool nextCanStart_ = false;  // true if all ranks of the node can start the next tile
};

}  // namespace Trident::Impl

#endif
