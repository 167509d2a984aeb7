// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VOLUMEESTIMATE_HPP
#define TRIDENT_VOLUMEESTIMATE_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "Trident_ImportMatrix.hpp"
#include "Trident_MapSpace.hpp"
#include "Trident_SampleProduct.hpp"
#include "Trident_SliceLocator.hpp"
#include "Trident_VolumeModel.hpp"

namespace Trident {

/// What is known of a product before any shape is tried.
template <class Device>
struct ProductSample {
  std::vector<SampledRow> rows;  ///< of C, on this rank
  double entriesA = 0, entriesB = 0;
  double entriesC = 0;   ///< estimated
  double haloBytes = 0;  ///< that the numbers of remote columns have cost, between nodes
};

namespace Impl {

/// Rows of a factor that its import is counted on: every stride-th.
constexpr long long countedRows = 1 << 16;

/// What of a factor leaves its node at the import, from this rank.
template <class Matrix, class Device = typename Matrix::device_type>
Crossing countImport(const Matrix& matrix, Position firstNumber, const IndexSpace& rowSpace,
                     const Kokkos::View<int*, Device>& columnNode, int myNode) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long rows = matrix.numRows(), stride = std::max(1ll, rows / countedRows);
  const SliceLocator<Device> locator(rowSpace);
  const int nodeCols = rowSpace.shape().nodeCols;
  long long entries = 0, runs = 0;
  Kokkos::parallel_reduce(
      "Trident::countImport", Range<Device>(0, (rows + stride - 1) / stride),
      KOKKOS_LAMBDA(long long m, long long& entrySum, long long& runSum) {
        const int i = locator.row(firstNumber + m * stride).i;
        int before = -1;
        for (std::size_t e = offsets(m * stride); e < offsets(m * stride + 1); ++e) {
          const int j = columnNode(columns(e));
          const bool crosses = i * nodeCols + j != myNode;
          entrySum += crosses;
          runSum += crosses && j != before;
          before = j;
        }
      },
      entries, runs);
  return {static_cast<double>(entries * stride), static_cast<double>(runs * stride)};
}

/// What of C comes to this rank from other nodes at the export, from the sampled rows.
inline Crossing countExport(const std::vector<SampledRow>& sample, Position firstNumber,
                            const IndexSpace& rowSpace, const IndexSpace& columnSpace, int myNode) {
  using Host = Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>;
  const SliceLocator<Host> rowLocator(rowSpace), columnLocator(columnSpace);
  const int nodeCols = rowSpace.shape().nodeCols;
  Crossing crossing;
  std::vector<char> met(nodeCols);
  for (const SampledRow& row : sample) {
    const int i = rowLocator.row(firstNumber + row.row).i;
    std::fill(met.begin(), met.end(), 0);
    for (Position number : row.columns) {
      const int j = columnLocator.column(number).j;
      if (i * nodeCols + j == myNode) continue;
      crossing.entries += row.weight;
      crossing.runs += met[j] ? 0 : row.weight;
      met[j] = 1;
    }
  }
  return crossing;
}

}  // namespace Impl

/// Draws the sample that every shape is judged by. Collective over `grid`, any grid of the
/// communicator.
/// @param haloBytes what the column numbers of A and B have cost this rank
template <class Matrix, class LO, class GO, class NO, class Device = typename NO::device_type>
ProductSample<Device> drawSample(const ProcessGrid& grid, const Matrix& A, const Matrix& B,
                                 const Kokkos::View<Position*, Device>& columnsA,
                                 const Kokkos::View<Position*, Device>& columnsB,
                                 const MapNumbering<LO, GO, NO>& inner, long long haloBytes,
                                 std::size_t messageBytes, Traffic& traffic) {
  ProductSample<Device> sample;
  sample.rows = sampleProduct(grid, A, B, columnsA, columnsB, inner, messageBytes, traffic);
  double sums[4] = {static_cast<double>(A.nnz()), static_cast<double>(B.nnz()), 0,
                    static_cast<double>(haloBytes)};
  for (const SampledRow& row : sample.rows)
    sums[2] += row.weight * static_cast<double>(row.columns.size());
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPI_DOUBLE, MPI_SUM, grid.comm()));
  sample.entriesA = sums[0];
  sample.entriesB = sums[1];
  sample.entriesC = sums[2];
  sample.haloBytes = sums[3];
  return sample;
}

/// Predicts the internode bytes of C = A·B when its spaces are cut as given: the factors' entries
/// are counted on (at most 65536) local rows, C's on the sampled rows. Collective over `grid`.
/// @param sameFactor whether B is A, imported once
template <class Matrix, class LO, class GO, class NO, class Device = typename NO::device_type>
VolumePrediction predictProduct(const ProcessGrid& grid, const ProductSample<Device>& sample,
                                const Matrix& A, const Matrix& B,
                                const Kokkos::View<Position*, Device>& columnsA,
                                const Kokkos::View<Position*, Device>& columnsB,
                                const MapSpace<LO, GO, NO>& rows, const MapSpace<LO, GO, NO>& inner,
                                const MapSpace<LO, GO, NO>& columns, bool sameFactor) {
  const GridShape& shape = rows.space->shape();
  const int myNode = grid.rank() / shape.lambda;
  const Crossing a =
      Impl::countImport(A, rows.numbering.begin(), *rows.space,
                        Impl::placeColumns<Device>(columnsA, *inner.space).j, myNode);
  const Crossing b =
      sameFactor
          ? Crossing()
          : Impl::countImport(B, inner.numbering.begin(), *inner.space,
                              Impl::placeColumns<Device>(columnsB, *columns.space).j, myNode);
  const Crossing c =
      Impl::countExport(sample.rows, rows.numbering.begin(), *rows.space, *columns.space, myNode);
  double sums[6] = {a.entries, a.runs, b.entries, b.runs, c.entries, c.runs};
  TRIDENT_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, sums, 6, MPI_DOUBLE, MPI_SUM, grid.comm()));

  VolumeCounts counts;
  counts.importA = {sums[0], sums[1]};
  counts.importB = {sums[2], sums[3]};
  counts.exportC = {sums[4], sums[5]};
  counts.rowsA = rows.numbering.size();
  counts.inner = inner.numbering.size();
  counts.entriesA = sample.entriesA;
  counts.entriesB = sample.entriesB;
  counts.haloBytes = sample.haloBytes;
  counts.scalarBytes = sizeof(typename Matrix::non_const_value_type);
  // Each rank asks the owners for the columns it touches: a local index there, a global one back.
  // A rank meets the rows of B that its entries of A ask for, and the columns of those rows'
  // entries. Both are taken as drawn at random, which is too many where the factors have structure.
  const double n = static_cast<double>(columns.numbering.size()), ranks = shape.ranks();
  const auto met = [](double draws, double of) {
    return of > 0 ? of * -std::expm1(-draws / of) : 0;
  };
  const double innerSize = static_cast<double>(inner.numbering.size());
  const double rowsMet = met(sample.entriesA / ranks, innerSize);
  const double touched = innerSize > 0 ? met(rowsMet * sample.entriesB / innerSize, n) : 0;
  counts.columnQueryBytes = touched * ranks * (1.0 - 1.0 / shape.nodes()) *
                            (sizeof(int) + (columns.numbering.consecutive() ? 0 : sizeof(GO)));
  return predictVolume(shape, counts);
}

}  // namespace Trident

#endif
