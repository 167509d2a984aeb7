// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Crossings.hpp"

#include <cmath>

#include "move/Trident_Runs.hpp"

namespace Trident {
namespace Predict {
namespace {

/// Counts runs from one rank to another: their headers, columns and values, one payload each.
void countRuns(Counter& counter, int rank, int from, double runs, double entries) {
  counter.receive(rank, from, std::llround(runs * sizeof(Impl::RunHeader)));
  counter.receive(rank, from, std::llround(entries * sizeof(int)));
  counter.receive(rank, from, std::llround(entries * sizeof(Problems::scalar_type)));
}

/// Finds the runs of a row in its rank's order of columns, which is Tpetra's: those that the rank
/// owns first.
class RowRuns {
 public:
  RowRuns(const Pattern& matrix, const PlacedSpace& columns) : matrix_(matrix), columns_(columns) {}

  /// Calls visit(node column, entries) for each run.
  template <class Visit>
  void forEach(Position row, int rank, const Visit& visit) {
    const Position begin = columns_.space->numbering().rankBegin[rank];
    const Position end = columns_.space->numbering().rankBegin[rank + 1];
    j_ = -1;
    for (const bool own : {true, false})
      for (long long e = matrix_.begin[row]; e < matrix_.begin[row + 1]; ++e) {
        const int column = matrix_.column[e];
        if ((column >= begin && column < end) == own) extend(columns_.tileCol(column), visit);
      }
    if (j_ >= 0) visit(j_, length_);
  }

 private:
  template <class Visit>
  void extend(int j, const Visit& visit) {
    if (j != j_) {
      if (j_ >= 0) visit(j_, length_);
      j_ = j;
      length_ = 0;
    }
    ++length_;
  }

  const Pattern& matrix_;
  const PlacedSpace& columns_;
  int j_ = -1;
  long long length_ = 0;
};

}  // namespace

void countImport(const Pattern& matrix, const PlacedSpace& rows, const PlacedSpace& columns,
                 const Placement& placement, RankTraffic& traffic) {
  if (rows.space->rowsStay()) return;
  Counter counter(placement.nodeSize, traffic, &TrafficByPart::import);
  RunsByPeer runs(placement.shape.ranks());
  RowRuns rowRuns(matrix, columns);
  for (int from = 0; from < placement.shape.ranks(); ++from) {
    for (Position row = rows.space->numbering().rankBegin[from];
         row < rows.space->numbering().rankBegin[from + 1]; ++row) {
      const int i = rows.tileRow(row), k = rows.k(row);
      rowRuns.forEach(row, from, [&](int j, long long entries) {
        runs.add(placement.shape.rank(i, j, k), 1, entries);
      });
    }
    runs.take([&](int to, double count, double entries) {
      countRuns(counter, to, from, count, entries);
    });
  }
}

void countExport(const SampledResult& C, const Placement& placement, RankTraffic& traffic) {
  const PlacedSpace& rows = *placement.rows;
  if (rows.space->rowsStay()) return;
  Counter counter(placement.nodeSize, traffic, &TrafficByPart::export_);
  RunsByPeer runs(placement.shape.ranks());
  std::vector<long long> entries(placement.shape.nodeCols, 0);
  std::size_t next = 0;
  for (int owner = 0; owner < placement.shape.ranks(); ++owner) {
    const Position end = rows.space->numbering().rankBegin[owner + 1];
    for (; next < C.rows.size() && C.rows[next] < end; ++next) {
      const int i = rows.tileRow(C.rows[next]), k = rows.k(C.rows[next]);
      for (long long e = C.pattern.begin[next]; e < C.pattern.begin[next + 1]; ++e)
        ++entries[placement.columns->tileCol(C.pattern.column[e])];
      for (int j = 0; j < placement.shape.nodeCols; ++j) {
        if (entries[j] > 0) runs.add(placement.shape.rank(i, j, k), 1, entries[j], C.weight);
        entries[j] = 0;
      }
    }
    runs.take(
        [&](int from, double count, double sum) { countRuns(counter, owner, from, count, sum); });
  }
}

}  // namespace Predict
}  // namespace Trident
