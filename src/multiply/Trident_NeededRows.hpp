// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NEEDEDROWS_HPP
#define TRIDENT_NEEDEDROWS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_AllToAll.hpp"
#include "Trident_Collective.hpp"
#include "Trident_ColumnIndex.hpp"
#include "Trident_Error.hpp"
#include "Trident_FusePlan.hpp"
#include "Trident_GridMatrix.hpp"
#include "Trident_MpiCheck.hpp"
#include "Trident_RowSelection.hpp"
#include "Trident_SumEverywhere.hpp"
#include "Trident_Traffic.hpp"
#include "Trident_VolumeModel.hpp"

namespace Trident::Impl {

/// What a product fetches of B on a grid of one node column, where every rank of a node holds whole
/// rows of A and so knows which rows of B they meet: of the slices of other nodes those rows that
/// some rank of this node needs, and its own whole (doc/algorithm.md, "Needed rows"). It depends on
/// the structures of A and B alone.
template <class Device>
struct NeededRows {
  /// The inner space as this node meets it: other nodes' slices without the rows that nobody here
  /// needs. Equal on the ranks of a node.
  std::shared_ptr<const IndexSpace> met;
  Kokkos::View<int*, Device> columns;  ///< of A's entries, along `met`
  std::vector<SliceShape> shapes;      ///< of what this rank gets, by segment; of its own, whole
  RowSelection<Device> sent;           ///< of its slice of B, by member of the line
};

/// The columns of the entries that lie outside the index's owned range, ascending. Local.
template <class Device, class Columns>
Kokkos::View<Position*, Device> remoteColumns(const Columns& columns, ColumnIndex<Device>& index) {
  const ColumnIndex<Device> notes = index;
  const Range<Device> entries(0, columns.extent(0));
  if (index.usesBitmap()) {
    Kokkos::parallel_for(
        "Trident::noteColumns", entries, TRIDENT_LAMBDA(long long e) { notes.touch(columns(e)); });
    return index.finishBitmap();
  }
  const auto before =
      uninitialized<long long, Device>("Trident::remotesBefore", columns.extent(0) + 1);
  Kokkos::parallel_for(
      "Trident::markRemotes", entries,
      TRIDENT_LAMBDA(long long e) { before(e) = !notes.owned(columns(e)); });
  const auto touched = uninitialized<Position, Device>("Trident::remoteEntries",
                                                       countsToOffsets<long long, Device>(before));
  Kokkos::parallel_for(
      "Trident::listRemotes", entries, TRIDENT_LAMBDA(long long e) {
        if (!notes.owned(columns(e))) touched(before(e)) = columns(e);
      });
  return index.finishList(touched);
}

/// The inner space without the rows of other nodes' slices that are not among `needed`.
inline std::shared_ptr<const IndexSpace> metSpace(const IndexSpace& inner, int ownSegment,
                                                  const std::vector<int>& needed) {
  const int lambda = inner.shape().lambda;
  std::vector<Position> cuts{0};
  for (int s = 0; s < inner.shape().segments(); ++s)
    for (int k = 0; k < lambda; ++k) {
      const Position begin = inner.sliceBegin(s, k), end = inner.sliceBegin(s, k + 1);
      const auto count = std::lower_bound(needed.begin(), needed.end(), end) -
                         std::lower_bound(needed.begin(), needed.end(), begin);
      cuts.push_back(cuts.back() + (s == ownSegment ? end - begin : count));
    }
  return std::make_shared<IndexSpace>(inner.shape(), std::move(cuts), Permutation());
}

/// Where sorted `columns`, which the index has listed, lie along the met space. Columns of the own
/// segment lie there together, behind `ownAt` others.
inline std::vector<int> placesOf(const std::vector<int>& columns, const std::vector<int>& needed,
                                 std::ptrdiff_t ownAt, int ownRows) {
  std::vector<int> places;
  places.reserve(columns.size());
  auto at = needed.begin();
  for (const int column : columns) {
    at = std::lower_bound(at, needed.end(), column);
    const std::ptrdiff_t place = at - needed.begin();
    places.push_back(static_cast<int>(place) + (place >= ownAt ? ownRows : 0));
  }
  return places;
}

/// Columns along the met space: owned ones lie from `ownPlace` on, the m-th remote one that the
/// index has listed at places(m). Local.
template <class Device, class Columns>
Kokkos::View<int*, Device> relabelColumns(const Columns& columns, const ColumnIndex<Device>& index,
                                          int ownPlace, int ownRows,
                                          const Kokkos::View<int*, Device>& places) {
  const ColumnIndex<Device> local = index;
  const auto relabelled = uninitialized<int, Device>("Trident::metColumns", columns.extent(0));
  Kokkos::parallel_for(
      "Trident::metColumns", Range<Device>(0, columns.extent(0)), TRIDENT_LAMBDA(long long e) {
        const int c = local.local(columns(e));
        relabelled(e) = c < ownRows ? ownPlace + c : places(c - ownRows);
      });
  return relabelled;
}

/// Finds the rows of B that a product needs, together with the ranks that have them; seen from one
/// rank. Its steps are the methods, in their order. There is one node column, so member i of the
/// line along which B travels owns segment i and no other.
template <class Scalar, class Device>
class NeededRowsSearch {
 public:
  /// @param failure of this rank in the product; with one it takes part, and needs nothing
  NeededRowsSearch(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                   const RoundOptions& options, Traffic& traffic, LocalFailure& failure)
      : A_(A.local()),
        B_(B.local()),
        grid_(B.grid()),
        inner_(*B.rows()),
        options_(options),
        traffic_(traffic),
        failure_(failure),
        me_(grid_.me()),
        ownBegin_(inner_.segmentBegin(me_.i)),
        ownRows_(inner_.segmentSize(me_.i)),
        found_(std::make_shared<NeededRows<Device>>()) {}

  /// Collective over the grid; may throw Trident::Error on every rank, for lack of memory.
  /// @return null where the tiles are to travel whole
  std::shared_ptr<const NeededRows<Device>> run() {
    failure_.guard([&] { listOwnNeeds(); });
    // A rank alone on its node has the node's list, and learns what the others need as it asks.
    const bool alone = grid_.shape().lambda == 1;
    if (!alone && !worthAsking()) return nullptr;
    shareNeeds();
    failure_.guard([&] { joinNeeds(); });
    if (!ask(alone) || !saves()) return nullptr;
    failure_.guard([&] { relabel(); });
    return found_;
  }

 private:
  bool forced() const { return options_.fetch == FetchKind::NeededRows; }
  int members() const { return grid_.shape().nodeRows; }
  void agree() { throwEverywhere(grid_.comm(), failure_.text()); }

  void listOwnNeeds() {
    index_.emplace(inner_.size(), ownBegin_, ownBegin_ + ownRows_, A_.nnz());
    const auto remote = remoteColumns<Device>(A_.graph.entries, *index_);
    for (const Position column : toHost<Position, Device>(remote))
      mine_.push_back(static_cast<int>(column));
  }

  /// Whether it looks as if needed rows were worth their price, and what a node's ranks need can be
  /// counted. What ranks need is taken to be independent, as in the volume model: only so much is
  /// known before lists are sent and sorted. Collective over the grid.
  bool worthAsking() {
    const int own = static_cast<int>(mine_.size());
    counts_.resize(grid_.shape().lambda);
    allGather(&own, 1, MPI_INT, counts_.data(), grid_.nodeComm(),
              "how many rows the ranks of the node need");
    const double foreign = static_cast<double>(inner_.size() - ownRows_);
    double all = 0, unneeded = foreign;
    for (const int count : counts_) {
      all += count;
      if (foreign > 0) unneeded *= 1 - count / foreign;
    }
    std::vector<long long> sums = nodeSums(std::llround(foreign - unneeded), all);
    sumEverywhere(grid_.comm(), sums, failure_);
    return worth(sums);
  }
  /// What worth() wants the sums of over all ranks.
  /// @param needed rows of other nodes that this one needs; @param all ranks of it together
  std::vector<long long> nodeSums(long long needed, double all) const {
    return {needed, inner_.size() - ownRows_, all > std::numeric_limits<int>::max()};
  }
  bool worth(const std::vector<long long>& sums) const {
    if (forced() && sums[2] > 0)
      throw Error("the ranks of a node need 2^31 rows of B or more; use \"fetch\" = \"tiles\"");
    return forced() || (sums[2] == 0 &&
                        worthFetching(static_cast<double>(sums[0]), static_cast<double>(sums[1])));
  }

  /// Tells the ranks of the node what this one needs. Collective over the grid.
  void shareNeeds() {
    if (grid_.shape().lambda == 1) {
      failure_.guard([&] { node_ = mine_; });
      return;
    }
    std::vector<int> begin(counts_.size() + 1, 0);
    std::partial_sum(counts_.begin(), counts_.end(), begin.begin() + 1);
    failure_.guard([&] { node_.resize(begin.back()); });
    agree();
    allGatherV(mine_.data(), counts_[me_.k], MPI_INT, node_.data(), counts_.data(), begin.data(),
               grid_.nodeComm(), "the rows that the ranks of the node need");
    traffic_.count(false, (begin.back() - counts_[me_.k]) * static_cast<long long>(sizeof(int)));
  }

  /// What the node needs, and of it what this rank asks for: of other nodes' slices with its k.
  void joinNeeds() {
    std::sort(node_.begin(), node_.end());
    node_.erase(std::unique(node_.begin(), node_.end()), node_.end());
    found_->met = metSpace(inner_, me_.i, node_);
    for (int i = 0; i < members(); ++i) {
      const Position begin = inner_.sliceBegin(i, me_.k);
      auto row = std::lower_bound(node_.begin(), node_.end(), begin);
      for (; row != node_.end() && *row < inner_.sliceBegin(i, me_.k + 1); ++row)
        questions_.push_back(static_cast<int>(*row - begin));
    }
  }

  /// Asks the owners for rows; they answer with the shapes of what they will send. Collective.
  /// @param unsure whether it is not known yet if that is worth it
  /// @return whether it is
  bool ask(bool unsure) {
    std::vector<long long> counts(members(), 0);
    if (!failure_.failed())
      for (int i = 0; i < members(); ++i)
        if (i != me_.i) counts[i] = found_->met->sliceSize(i, me_.k);
    const AllToAll questions(grid_, Factor::B, counts, options_.messageBytes);
    std::vector<int> asked;
    failure_.guard([&] { asked.resize(questions.receives()); });
    std::vector<long long> sums =
        nodeSums(static_cast<long long>(node_.size()), static_cast<double>(node_.size()));
    sumEverywhere(grid_.comm(), sums, failure_);
    if (unsure && !worth(sums)) return false;
    questions.exchange(questions_.data(), asked.data(), sizeof(int), traffic_);
    failure_.guard([&] { found_->sent = selectRows(B_, asked, questions.receiveOffsets()); });
    found_->sent.shapes.resize(members());
    found_->shapes.resize(members());
    questions.answerEach(found_->sent.shapes.data(), found_->shapes.data(), sizeof(SliceShape),
                         traffic_);
    found_->shapes[me_.i] = wholeShape();
    return true;
  }

  SliceShape wholeShape() const { return {B_.numRows(), static_cast<long long>(B_.nnz()), 0}; }
  static long long bytesOf(const SliceShape& shape) {
    return static_cast<long long>(shape.bytes(sizeof(Scalar)));
  }

  /// Whether the rows asked for and the questions are less than the tiles, and the rows that each
  /// rank sends fit in memory. Collective.
  bool saves() {
    long long sent = 0, fetched = sizeof(int) * static_cast<long long>(questions_.size());
    for (int i = 0; i < members(); ++i) {
      sent += bytesOf(found_->sent.shapes[i]);
      if (i != me_.i) fetched += bytesOf(found_->shapes[i]);
    }
    const long long own = static_cast<long long>(matrixBytes(A_) + matrixBytes(B_));
    long long sums[3] = {fetched, (members() - 1) * bytesOf(wholeShape()),
                         sent > memoryBound(own, options_)};
    allReduce(MPI_IN_PLACE, sums, 3, MPI_LONG_LONG, MPI_SUM, grid_.comm(),
              "the bytes of needed rows");
    return forced() || (sums[0] < sums[1] && sums[2] == 0);
  }

  void relabel() {
    const auto ownAt = std::lower_bound(node_.begin(), node_.end(), ownBegin_) - node_.begin();
    found_->columns =
        relabelColumns<Device>(A_.graph.entries, *index_, static_cast<int>(ownAt), ownRows_,
                               toDevice<int, Device>(placesOf(mine_, node_, ownAt, ownRows_)));
  }

  const LocalMatrix<Scalar, Device>&A_, &B_;
  const ProcessGrid& grid_;
  const IndexSpace& inner_;
  const RoundOptions& options_;
  Traffic& traffic_;
  LocalFailure& failure_;
  const GridCoordinates& me_;
  const Position ownBegin_;  // of the rows of B on this node
  const int ownRows_;
  std::optional<ColumnIndex<Device>> index_;
  std::vector<int> mine_, node_;  // rows of B that this rank and that its node needs, ascending
  std::vector<int> counts_;       // of the ranks of the node
  std::vector<int> questions_;    // by owner, rows of its slice
  std::shared_ptr<NeededRows<Device>> found_;
};

/// Finds the needed rows of B. Collective over the grid, which has one node column; may throw
/// Trident::Error on every rank, for lack of memory.
/// @param failure of this rank in the product; it is agreed upon later
/// @return null where options.fetch leaves it open and whole tiles are better: they are hardly more
///   bytes, or a rank's packed rows would exceed the memory bound
template <class Scalar, class Device>
std::shared_ptr<const NeededRows<Device>> findNeededRows(const GridMatrix<Scalar, Device>& A,
                                                         const GridMatrix<Scalar, Device>& B,
                                                         const RoundOptions& options,
                                                         Traffic& traffic, LocalFailure& failure) {
  return NeededRowsSearch<Scalar, Device>(A, B, options, traffic, failure).run();
}

}  // namespace Trident::Impl

#endif
