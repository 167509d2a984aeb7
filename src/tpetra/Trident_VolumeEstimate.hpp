// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VOLUMEESTIMATE_HPP
#define TRIDENT_VOLUMEESTIMATE_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "Trident_MapNumbering.hpp"
#include "Trident_SampleProduct.hpp"
#include "Trident_VolumeModel.hpp"

namespace Trident {

/// The model's answer for a product: every candidate shape, and C's expected size.
struct VolumeEstimate {
  std::vector<ShapePrediction> shapes;
  double entriesC = 0;

  const ShapePrediction& best() const {
    return *std::min_element(shapes.begin(), shapes.end(),
                             [](const ShapePrediction& a, const ShapePrediction& b) {
                               return a.bytes.total() < b.bytes.total();
                             });
  }
};

namespace Impl {

/// Rows of a factor that the import is counted on: every stride-th.
constexpr long long countedRows = 1 << 16;

/// Tile column, on a grid of `nodesPerTileCol` = N/p_c nodes a tile column, of a node's indices.
/// Exact for aligned partitions; the others are cut much alike where the Map is.
TRIDENT_FUNCTION int tileColOfNode(int node, int nodesPerTileCol) { return node / nodesPerTileCol; }

/// The node that owns each column.
template <class Device, class Numbering>
Kokkos::View<int*, Device> columnNodes(const Kokkos::View<Position*, Device>& numbers,
                                       const Numbering& numbering, int lambda) {
  const auto rankBegin = toDevice<Position, Device>(numbering.rankBegin);
  const int ranks = static_cast<int>(numbering.rankBegin.size()) - 1;
  const auto nodes = uninitialized<int, Device>("Trident::columnNodes", numbers.extent(0));
  Kokkos::parallel_for(
      "Trident::columnNodes", Range<Device>(0, numbers.extent(0)), KOKKOS_LAMBDA(long long l) {
        int low = 0, high = ranks;
        while (high - low > 1) {
          const int middle = (low + high) / 2;
          (rankBegin(middle) <= numbers(l) ? low : high) = middle;
        }
        nodes(l) = low / lambda;
      });
  return nodes;
}

/// What of a factor leaves its node at the import, where rows stay in their node row.
template <class Matrix, class Device = typename Matrix::device_type>
Crossing countImport(const Matrix& matrix, const Kokkos::View<int*, Device>& columnNode,
                     const GridShape& shape, int myNode) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long rows = matrix.numRows(), stride = std::max(1ll, rows / countedRows);
  const int perTileCol = shape.nodes() / shape.nodeCols, mine = myNode % shape.nodeCols;
  long long entries = 0, runs = 0;
  Kokkos::parallel_reduce(
      "Trident::countImport", Range<Device>(0, (rows + stride - 1) / stride),
      KOKKOS_LAMBDA(long long m, long long& entrySum, long long& runSum) {
        int before = -1;
        for (std::size_t e = offsets(m * stride); e < offsets(m * stride + 1); ++e) {
          const int j = tileColOfNode(columnNode(columns(e)), perTileCol);
          entrySum += j != mine;
          runSum += j != mine && j != before;
          before = j;
        }
      },
      entries, runs);
  return {static_cast<double>(entries * stride), static_cast<double>(runs * stride)};
}

/// What of C leaves its node at the export, and C's entries, from the sampled rows.
template <class Numbering>
Crossing countExport(const std::vector<SampledRow>& sample, const Numbering& columns,
                     const GridShape& shape, int myNode) {
  const int perTileCol = shape.nodes() / shape.nodeCols, mine = myNode % shape.nodeCols;
  Crossing crossing;
  for (const SampledRow& row : sample) {
    int before = -1, rank = 0;
    for (Position number : row.columns) {  // ascending, so owners ascend
      while (number >= columns.rankBegin[rank + 1]) ++rank;
      const int j = tileColOfNode(rank / shape.lambda, perTileCol);
      crossing.entries += row.weight * (j != mine);
      crossing.runs += row.weight * (j != mine && j != before);
      before = j;
    }
  }
  return crossing;
}

/// The same where a permutation scatters rows and columns over all nodes.
inline Crossing scatteredCrossing(double rows, double entries, const GridShape& shape, bool asRuns) {
  const double away = 1.0 - 1.0 / shape.nodes();
  const double pieces = shape.nodeCols;
  // Import: a run ends where the next entry is for another node column. Export: a row is in as many
  // pieces as node columns have entries of it.
  const double perRow = rows > 0 ? entries / rows : 0;
  const double runs = asRuns ? rows + std::max(0.0, entries - rows) * (1.0 - 1.0 / pieces)
                             : rows * pieces * -std::expm1(-perRow / pieces);
  return {entries * away, runs * away};
}

}  // namespace Impl

/// Predicts the internode bytes of C = A·B for each of `shapes`. Collective over `grid`, any grid
/// of the communicator. Counts the factors' entries on (at most 65536) local rows and estimates C
/// from sampled rows.
/// @param haloBytes what the column numbers of A and B cost this rank already
template <class Matrix, class LO, class GO, class NO, class Device = typename NO::device_type>
VolumeEstimate estimateVolume(const ProcessGrid& grid, const Matrix& A, const Matrix& B,
                              const Kokkos::View<Position*, Device>& columnsA,
                              const Kokkos::View<Position*, Device>& columnsB,
                              const MapNumbering<LO, GO, NO>& rows,
                              const MapNumbering<LO, GO, NO>& inner,
                              const MapNumbering<LO, GO, NO>& columns, bool sameFactor, bool permute,
                              double haloBytes, const std::vector<GridShape>& shapes,
                              std::size_t messageBytes, Traffic& traffic) {
  using Scalar = typename Matrix::non_const_value_type;
  const int lambda = grid.shape().lambda, myNode = grid.rank() / lambda;
  const auto sample =
      sampleProduct(grid, A, B, columnsA, columnsB, inner, messageBytes, traffic);
  double mine[4] = {static_cast<double>(A.nnz()), static_cast<double>(B.nnz()), 0, haloBytes};
  for (const SampledRow& row : sample) mine[2] += row.weight * row.columns.size();
  double sums[4];
  TRIDENT_MPI_CHECK(MPI_Allreduce(mine, sums, 4, MPI_DOUBLE, MPI_SUM, grid.comm()));
  const double entriesA = sums[0], entriesB = sums[1], entriesC = sums[2];

  const auto nodesA = Impl::columnNodes<Device>(columnsA, inner, lambda);
  const auto nodesB = Impl::columnNodes<Device>(columnsB, columns, lambda);
  std::vector<double> local;
  for (const GridShape& shape : shapes) {
    const Crossing a = Impl::countImport(A, nodesA, shape, myNode);
    const Crossing b = sameFactor ? Crossing() : Impl::countImport(B, nodesB, shape, myNode);
    const Crossing c = Impl::countExport(sample, columns, shape, myNode);
    local.insert(local.end(), {a.entries, a.runs, b.entries, b.runs, c.entries, c.runs});
  }
  std::vector<double> total(local.size());
  TRIDENT_MPI_CHECK(MPI_Allreduce(local.data(), total.data(), static_cast<int>(local.size()),
                                  MPI_DOUBLE, MPI_SUM, grid.comm()));

  VolumeEstimate estimate;
  estimate.entriesC = entriesC;
  for (std::size_t s = 0; s < shapes.size(); ++s) {
    const double* t = &total[6 * s];
    const GridShape& shape = shapes[s];
    VolumeCounts counts;
    counts.rowsA = rows.size();
    counts.inner = inner.size();
    counts.colsB = columns.size();
    counts.entriesA = entriesA;
    counts.entriesB = entriesB;
    counts.haloBytes = sums[3];
    counts.scalarBytes = sizeof(Scalar);
    const double rowsA = static_cast<double>(counts.rowsA), rowsB = static_cast<double>(counts.inner);
    counts.importA = permute ? Impl::scatteredCrossing(rowsA, entriesA, shape, true) : Crossing{t[0], t[1]};
    counts.importB = permute && !sameFactor ? Impl::scatteredCrossing(rowsB, entriesB, shape, true)
                                            : Crossing{t[2], t[3]};
    counts.exportC = permute ? Impl::scatteredCrossing(rowsA, entriesC, shape, false) : Crossing{t[4], t[5]};
    // Each rank asks the owners for the columns it touches: a local index there, a global one back.
    const double n = static_cast<double>(counts.colsB), ranks = shape.ranks();
    const double touched = n > 0 ? n * -std::expm1(-entriesC / ranks / n) : 0;
    counts.columnQueryBytes =
        touched * ranks * (1.0 - 1.0 / shape.nodes()) * (sizeof(int) + sizeof(GO));
    estimate.shapes.push_back({shape, predictVolume(shape, counts)});
  }
  return estimate;
}

}  // namespace Trident

#endif
