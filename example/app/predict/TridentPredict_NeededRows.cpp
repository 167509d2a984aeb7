// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_NeededRows.hpp"

#include <cmath>

#include "TridentPredict_Marks.hpp"
#include "grid/Trident_VolumeModel.hpp"
#include "rounds/Trident_NeededRows.hpp"

namespace Trident {
namespace Predict {
namespace {

using Impl::SetWord;

/// Rows that nodes need, of those that are not at home in their grid rows: of all nodes together.
struct Worth {
  double needed = 0, foreign = 0;
  bool holds() const { return Impl::worthFetching(needed, foreign); }
};

/// The search, seen from all ranks at once: grid row by grid row, as the nodes of one need the same
/// rows. Its steps are those of Impl::NeedsSearch.
class Search {
 public:
  Search(const Problem& problem, const RowParts& B, const std::vector<std::vector<int>>& rowsByRank,
         const Placement& placement)
      : A_(*problem.A),
        B_(B),
        rowsByRank_(rowsByRank),
        placement_(placement),
        shape_(placement.shape),
        inner_(*placement.inner),
        ofNode_(inner_.space->size()),
        ofRank_(inner_.space->size()),
        own_(shape_.ranks(), 0),
        node_(shape_.nodes(), 0),
        fetchedBytes_(shape_.ranks(), 0),
        sentBytes_(shape_.ranks(), 0),
        foundRounds_(shape_.ranks()),
        foundSets_(shape_.ranks()) {
    found_.traffic = RankTraffic(shape_.ranks());
    found_.entriesMet.resize(shape_.ranks(), 0);
    found_.segmentRows.resize(static_cast<std::size_t>(shape_.nodeRows) * shape_.segments());
  }

  /// @param own bytes of each rank's own slices of B, as they are sent whole
  /// @param matrices bytes of each rank's slices of A and B
  NeededRowsCount run(Impl::FetchKind fetch, const std::vector<double>& own,
                      const std::vector<double>& matrices) {
    for (int i = 0; i < shape_.nodeRows; ++i) searchGridRow(i);
    found_.taken = decide(fetch == Impl::FetchKind::NeededRows, own, matrices);
    if (found_.taken) found_.traffic.add(foundRounds_, &TrafficByPart::rounds);
    return std::move(found_);
  }

 private:
  int slices() const { return shape_.segments() * shape_.lambda; }
  int sliceSize(int slice) const {
    return inner_.space->sliceSize(slice / shape_.lambda, slice % shape_.lambda);
  }
  int homeOf(int slice) const { return shape_.tileRow(slice / shape_.lambda); }
  int tileColOf(int slice) const { return shape_.tileCol(slice / shape_.lambda); }

  /// Finds the rows that grid row i needs, and counts what they make travel.
  void searchGridRow(int i) {
    ofNode_.clear();
    std::vector<long long> rows(slices(), 0);
    std::vector<long long> entries(static_cast<std::size_t>(slices()) * shape_.nodeCols, 0);
    for (int k = 0; k < shape_.lambda; ++k) {
      ofRank_.clear();
      for (const int row : rowsByRank_[i * shape_.lambda + k])
        for (long long e = A_.begin[row]; e < A_.begin[row + 1]; ++e) {
          const int met = A_.column[e], slice = inner_.sliceOf[met];
          if (homeOf(slice) == i || !ofRank_.add(met)) continue;
          ++own_[shape_.rank(i, tileColOf(slice), k)];
          if (!ofNode_.add(met)) continue;
          ++node_[i * shape_.nodeCols + tileColOf(slice)];
          ++rows[slice];
          for (long long p = B_.begin[met]; p < B_.begin[met + 1]; ++p)
            entries[static_cast<std::size_t>(slice) * shape_.nodeCols + B_.parts[p].j] +=
                B_.parts[p].entries;
        }
    }
    noteSegments(i, rows);
    countSlabs(i, rows, entries);
    countSets(i, rows);
  }

  void noteSegments(int i, const std::vector<long long>& rows) {
    for (int slice = 0; slice < slices(); ++slice)
      found_.segmentRows[static_cast<std::size_t>(i) * shape_.segments() + slice / shape_.lambda] +=
          homeOf(slice) == i ? sliceSize(slice) : static_cast<int>(rows[slice]);
  }

  /// Counts the slabs of needed rows, and their shapes, as they travel.
  void countSlabs(int i, const std::vector<long long>& rows,
                  const std::vector<long long>& entries) {
    Counter counter(placement_.nodeSize, foundRounds_, &TrafficByPart::rounds);
    for (int slice = 0; slice < slices(); ++slice) {
      if (rows[slice] == 0) continue;
      const int k = slice % shape_.lambda;
      for (int j = 0; j < shape_.nodeCols; ++j) {
        const SliceShape slab = SliceShape::ofRows(
            rows[slice], entries[static_cast<std::size_t>(slice) * shape_.nodeCols + j],
            placement_.columns->space->tileColSize(j));
        const auto bytes = static_cast<long long>(slab.bytes(scalarBytes));
        const int me = shape_.rank(i, j, k), from = shape_.rank(homeOf(slice), j, k);
        counter.receive(me, from, bytes);
        fetchedBytes_[me] += static_cast<double>(bytes);
        sentBytes_[from] += static_cast<double>(bytes);
        found_.entriesMet[me] += static_cast<double>(slab.entries);
      }
    }
  }

  /// Counts the sets of needed rows: along the grid row, and as questions to the owners.
  void countSets(int i, const std::vector<long long>& rows) {
    Counter sets(placement_.nodeSize, foundSets_, &TrafficByPart::setup);
    for (int k = 0; k < shape_.lambda; ++k) {
      std::vector<long long> told(shape_.nodeCols, 0), asked(shape_.nodeRows, 0);
      for (int slice = k; slice < slices(); slice += shape_.lambda) {
        const int words = Impl::setWords(static_cast<int>(rows[slice]), sliceSize(slice));
        told[tileColOf(slice)] += words;
        asked[homeOf(slice)] += words;
      }
      for (int j = 0; j < shape_.nodeCols; ++j) {
        const int me = shape_.rank(i, j, k);
        for (int other = 0; other < shape_.nodeCols; ++other)
          sets.receive(me, shape_.rank(i, other, k), told[other] * sizeof(SetWord));
        for (int home = 0; home < shape_.nodeRows; ++home) {
          if (asked[home] == 0) continue;
          const int owner = shape_.rank(home, j, k);
          const long long bytes = (asked[home] + shape_.segmentsPerTileRow()) * sizeof(SetWord);
          sets.receive(owner, me, bytes);
          sets.receive(me, owner, shape_.segmentsPerTileRow() * sizeof(SliceShape));
          fetchedBytes_[me] += static_cast<double>(bytes) * (shape_.nodeCols > 1 ? 2 : 1);
        }
      }
    }
  }

  /// Goes through the library's agreements, and counts what is told until one says no.
  bool decide(bool forced, const std::vector<double>& own, const std::vector<double>& matrices) {
    const bool alone = shape_.lambda == 1;
    if (!alone) {
      if (!forced && !estimatedWorth().holds()) return false;
      for (int rank = 0; rank < shape_.ranks(); ++rank) countToldInNode(rank);
    }
    if (shape_.nodeCols > 1) countSizes();
    if (alone && !forced && !countedWorth().holds()) return false;
    found_.traffic.add(foundSets_, &TrafficByPart::setup);
    return forced || saves(own, matrices);
  }

  /// Counts the rows of a node's tile of A that are not at home in its grid row.
  double foreignOf(int node) const {
    double rows = 0;
    for (int slice = 0; slice < slices(); ++slice)
      if (tileColOf(slice) == node % shape_.nodeCols && homeOf(slice) != node / shape_.nodeCols)
        rows += sliceSize(slice);
    return rows;
  }
  Worth countedWorth() const {
    Worth all;
    for (int node = 0; node < shape_.nodes(); ++node) {
      all.needed += node_[node];
      all.foreign += foreignOf(node);
    }
    return all;
  }
  /// Estimates the rows that are needed, as nodes of several ranks do before they send lists.
  Worth estimatedWorth() const {
    Worth all;
    for (int node = 0; node < shape_.nodes(); ++node) {
      const double foreign = foreignOf(node);
      const auto first = own_.begin() + node * shape_.lambda;
      const std::vector<double> counts(first, first + shape_.lambda);
      all.needed += static_cast<double>(Impl::neededByNode(counts, foreign));
      all.foreign += foreign;
    }
    return all;
  }
  void countToldInNode(int rank) {
    Counter counter(placement_.nodeSize, found_.traffic, &TrafficByPart::setup);
    const int node = rank / shape_.lambda;
    for (int other = node * shape_.lambda; other < (node + 1) * shape_.lambda; ++other)
      counter.receive(rank, other, std::llround(own_[other]) * static_cast<long long>(sizeof(int)));
  }
  void countSizes() {
    Counter counter(placement_.nodeSize, found_.traffic, &TrafficByPart::setup);
    const long long bytes = shape_.segmentsPerTileCol() * shape_.lambda * sizeof(int);
    for (int rank = 0; rank < shape_.ranks(); ++rank) {
      const GridCoordinates me = shape_.coordinates(rank);
      for (int j = 0; j < shape_.nodeCols; ++j)
        counter.receive(rank, shape_.rank(me.i, j, me.k), bytes);
    }
  }
  /// Decides by the bytes of all ranks.
  bool saves(const std::vector<double>& own, const std::vector<double>& matrices) const {
    Impl::FetchBytes sums;
    for (int rank = 0; rank < shape_.ranks(); ++rank)
      sums += Impl::FetchBytes::ofRank(
          std::llround(fetchedBytes_[rank]), std::llround((shape_.nodeRows - 1) * own[rank]),
          std::llround(sentBytes_[rank]), std::llround(matrices[rank]), Impl::RoundOptions());
    return sums.saves();
  }

  const Pattern& A_;
  const RowParts& B_;
  const std::vector<std::vector<int>>& rowsByRank_;
  const Placement& placement_;
  const GridShape& shape_;
  const PlacedSpace& inner_;
  Marks ofNode_, ofRank_;
  std::vector<double> own_, node_;  // rows that each rank and each node needs
  std::vector<double> fetchedBytes_, sentBytes_;
  RankTraffic foundRounds_, foundSets_;
  NeededRowsCount found_;
};

}  // namespace

NeededRowsCount countNeededRows(const Problem& problem, const RowParts& partsOfB,
                                const std::vector<std::vector<int>>& rowsByRank,
                                const std::vector<SliceShape>& tiles,
                                const std::vector<double>& ownBytes, const Placement& placement,
                                Impl::FetchKind fetch) {
  const GridShape& shape = placement.shape;
  std::vector<double> own(shape.ranks(), 0);
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    const int slice = static_cast<int>(n) / shape.nodeCols,
              j = static_cast<int>(n) % shape.nodeCols;
    const int segment = slice / shape.lambda;
    const int rank = shape.rank(shape.tileRow(segment), j, slice % shape.lambda);
    // As Impl::shapesOfRows(): all rows of the slice.
    const SliceShape whole =
        SliceShape::ofRows(placement.inner->space->sliceSize(segment, slice % shape.lambda),
                           tiles[n].entries, placement.columns->space->tileColSize(j));
    own[rank] += static_cast<double>(whole.bytes(scalarBytes));
  }
  return Search(problem, partsOfB, rowsByRank, placement).run(fetch, own, ownBytes);
}

}  // namespace Predict
}  // namespace Trident
