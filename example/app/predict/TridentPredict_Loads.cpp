// SPDX-License-Identifier: BSD-3-Clause
#include "TridentPredict_Loads.hpp"

#include <numeric>

namespace Trident {
namespace Predict {
namespace {

/// Counts entries of A and multiply-adds.
void countWork(const Problem& problem, const RowParts& B,
               const std::vector<std::vector<int>>& rowsByRank, const Placement& placement,
               std::vector<RankLoad>& loads) {
  const GridShape& shape = placement.shape;
  for (std::size_t ik = 0; ik < rowsByRank.size(); ++ik) {
    const int i = static_cast<int>(ik) / shape.lambda, k = static_cast<int>(ik) % shape.lambda;
    for (const int row : rowsByRank[ik])
      for (long long e = problem.A->begin[row]; e < problem.A->begin[row + 1]; ++e) {
        const int met = problem.A->column[e];
        loads[shape.rank(i, placement.inner->tileCol(met), k)].entriesA += 1;
        for (long long p = B.begin[met]; p < B.begin[met + 1]; ++p)
          loads[shape.rank(i, B.parts[p].j, k)].multiplyAdds += B.parts[p].entries;
      }
  }
}

void countResult(const SampledResult& C, const Placement& placement, std::vector<RankLoad>& loads) {
  const PlacedSpace& rows = *placement.rows;
  for (std::size_t n = 0; n < C.rows.size(); ++n) {
    const int i = rows.tileRow(C.rows[n]), k = rows.k(C.rows[n]);
    for (long long e = C.pattern.begin[n]; e < C.pattern.begin[n + 1]; ++e)
      loads[placement.shape.rank(i, placement.columns->tileCol(C.pattern.column[e]), k)].entriesC +=
          C.weight;
  }
}

}  // namespace

std::vector<RankLoad> countLoads(const Problem& problem, const RowParts& partsOfB,
                                 const std::vector<SliceShape>& tiles,
                                 const std::vector<std::vector<int>>& rowsByRank,
                                 const SampledResult& C, const Placement& placement) {
  const GridShape& shape = placement.shape;
  std::vector<RankLoad> loads(shape.ranks());
  countWork(problem, partsOfB, rowsByRank, placement, loads);
  countResult(C, placement, loads);
  std::vector<double> ofColumn(shape.nodeCols, 0);
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    const int slice = static_cast<int>(n) / shape.nodeCols,
              j = static_cast<int>(n) % shape.nodeCols;
    const int i = shape.tileRow(slice / shape.lambda);
    loads[shape.rank(i, j, slice % shape.lambda)].entriesB += static_cast<double>(tiles[n].entries);
    ofColumn[j] += static_cast<double>(tiles[n].entries);
  }
  for (int rank = 0; rank < shape.ranks(); ++rank) {
    loads[rank].tileEntries = ofColumn[shape.coordinates(rank).j];
    loads[rank].tileRows = static_cast<double>(problem.B->rows());
  }
  return loads;
}

void setMetTiles(const NeededRowsCount& needed, const Placement& placement,
                 std::vector<RankLoad>& loads) {
  const GridShape& shape = placement.shape;
  const int S = shape.segments();
  for (int node = 0; node < shape.nodes(); ++node) {
    const int i = node / shape.nodeCols, j = node % shape.nodeCols;
    double entries = 0;
    for (int k = 0; k < shape.lambda; ++k)
      entries += needed.entriesMet[shape.rank(i, j, k)] + loads[shape.rank(i, j, k)].entriesB;
    const auto begin = needed.segmentRows.begin() + static_cast<std::ptrdiff_t>(i) * S;
    const double rows = std::accumulate(begin, begin + S, 0.0);
    for (int k = 0; k < shape.lambda; ++k) {
      loads[shape.rank(i, j, k)].tileEntries = entries;
      loads[shape.rank(i, j, k)].tileRows = rows;
    }
  }
}

}  // namespace Predict
}  // namespace Trident
