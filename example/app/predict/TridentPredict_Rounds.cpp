// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Rounds.hpp"

#include "rounds/Trident_BatchPlan.hpp"

namespace Trident {
namespace Predict {
namespace {

/// A rectangle's entries and rows that are not empty.
struct CutCounts {
  long long entries = 0, nonEmpty = 0, lastRow = -1;

  void add(long long row, long long more = 1) {
    entries += more;
    if (row != lastRow) ++nonEmpty;
    lastRow = row;
  }
  SliceShape shape(long long rows, long long columns) const {
    return SliceShape::ofCut(rows, nonEmpty, entries, columns);
  }
};

}  // namespace

RowParts partsOfRows(const Pattern& B, const PlacedSpace& columns) {
  RowParts all;
  std::vector<int> entries(columns.shape().nodeCols, 0), met;
  all.begin.push_back(0);
  for (Position row = 0; row < B.rows(); ++row) {
    for (long long e = B.begin[row]; e < B.begin[row + 1]; ++e) {
      const int j = columns.tileCol(B.column[e]);
      if (entries[j]++ == 0) met.push_back(j);
    }
    for (const int j : met) {
      all.parts.push_back({j, entries[j]});
      entries[j] = 0;
    }
    met.clear();
    all.begin.push_back(static_cast<long long>(all.parts.size()));
  }
  return all;
}

std::vector<SliceShape> tileSlices(const Placement& placement, const RowParts& B) {
  const GridShape& shape = placement.shape;
  const int slices = shape.segments() * shape.lambda;
  std::vector<CutCounts> counts(static_cast<std::size_t>(slices) * shape.nodeCols);
  for (std::size_t row = 0; row + 1 < B.begin.size(); ++row)
    for (long long p = B.begin[row]; p < B.begin[row + 1]; ++p)
      counts[static_cast<std::size_t>(placement.inner->sliceOf[row]) * shape.nodeCols +
             B.parts[p].j]
          .add(row, B.parts[p].entries);
  std::vector<SliceShape> shapes;
  for (int slice = 0; slice < slices; ++slice)
    for (int j = 0; j < shape.nodeCols; ++j)
      shapes.push_back(counts[shapes.size()].shape(
          placement.inner->space->sliceSize(slice / shape.lambda, slice % shape.lambda),
          placement.columns->space->tileColSize(j)));
  return shapes;
}

void countSlicesOfA(const Pattern& A, const std::vector<std::vector<int>>& rowsByRank,
                    const std::vector<int>& segmentRows, const Placement& placement,
                    RankTraffic& traffic) {
  const GridShape& shape = placement.shape;
  if (shape.nodeCols == 1) return;
  Counter counter(placement.nodeSize, traffic, &TrafficByPart::rounds);
  const int S = shape.segments();
  for (int i = 0; i < shape.nodeRows; ++i)
    for (int k = 0; k < shape.lambda; ++k) {
      const std::vector<int>& rows = rowsByRank[i * shape.lambda + k];
      std::vector<CutCounts> counts(S);
      for (const int row : rows)
        for (long long e = A.begin[row]; e < A.begin[row + 1]; ++e)
          counts[placement.inner->segment(A.column[e])].add(row);
      for (int s = 0; s < S; ++s) {
        const SliceShape slice = counts[s].shape(static_cast<long long>(rows.size()),
                                                 segmentRows[static_cast<std::size_t>(i) * S + s]);
        const int owner = shape.rank(i, shape.tileCol(s), k);
        for (int j = 0; j < shape.nodeCols; ++j)
          counter.receive(shape.rank(i, j, k), owner, slice.bytes(scalarBytes));
      }
    }
}

void countTilesOfB(const std::vector<SliceShape>& slices, const Placement& placement,
                   RankTraffic& traffic) {
  const GridShape& shape = placement.shape;
  Counter counter(placement.nodeSize, traffic, &TrafficByPart::rounds);
  for (std::size_t n = 0; n < slices.size(); ++n) {
    const int slice = static_cast<int>(n) / shape.nodeCols,
              j = static_cast<int>(n) % shape.nodeCols;
    const int k = slice % shape.lambda, owner = shape.tileRow(slice / shape.lambda);
    for (int i = 0; i < shape.nodeRows; ++i)
      counter.receive(shape.rank(i, j, k), shape.rank(owner, j, k), slices[n].bytes(scalarBytes));
  }
}

void countRing(const RankTraffic& received, bool along, const Placement& placement,
               RankTraffic& ring) {
  const GridShape& shape = placement.shape;
  Counter counter(placement.nodeSize, ring, &TrafficByPart::rounds);
  for (int rank = 0; rank < shape.ranks(); ++rank) {
    const GridCoordinates me = shape.coordinates(rank);
    const int before = along ? shape.rank(me.i, (me.j + shape.nodeCols - 1) % shape.nodeCols, me.k)
                             : shape.rank((me.i + shape.nodeRows - 1) % shape.nodeRows, me.j, me.k);
    const Traffic& all = received.received[rank].rounds;
    if (before != rank)
      counter.add(rank, before, all.internodeBytes + all.intranodeBytes,
                  all.internodeMessages + all.intranodeMessages);
  }
}

void countShapes(const Placement& placement, bool ofB, RankTraffic& traffic) {
  const GridShape& shape = placement.shape;
  if (shape.ranks() == 1) return;
  Counter counter(placement.nodeSize, traffic, &TrafficByPart::setup);
  const long long ofLineA = shape.segmentsPerTileCol() * sizeof(SliceShape);
  const long long ofLineB = shape.segmentsPerTileRow() * sizeof(SliceShape);
  // What NodeTiles::shareEntries() tells: entries of all segments, and the largest of rounds.
  const long long ofNode = shape.segments() * sizeof(long long) + sizeof(Impl::RoundBytes);
  for (int rank = 0; rank < shape.ranks(); ++rank) {
    const GridCoordinates me = shape.coordinates(rank);
    for (int j = 0; j < shape.nodeCols; ++j)
      counter.receive(rank, shape.rank(me.i, j, me.k), ofLineA);
    for (int i = 0; ofB && i < shape.nodeRows; ++i)
      counter.receive(rank, shape.rank(i, me.j, me.k), ofLineB);
    for (int k = 0; k < shape.lambda; ++k) counter.receive(rank, shape.rank(me.i, me.j, k), ofNode);
  }
}

std::vector<int> wholeSegments(const Placement& placement) {
  std::vector<int> rows;
  for (int i = 0; i < placement.shape.nodeRows; ++i)
    for (int s = 0; s < placement.shape.segments(); ++s)
      rows.push_back(placement.inner->space->segmentSize(s));
  return rows;
}

}  // namespace Predict
}  // namespace Trident
