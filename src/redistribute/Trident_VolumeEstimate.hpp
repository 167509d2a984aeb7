// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VOLUMEESTIMATE_HPP
#define TRIDENT_VOLUMEESTIMATE_HPP

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "Trident_GridRanks.hpp"
#include "Trident_MatrixImport.hpp"
#include "Trident_NumberedMatrix.hpp"
#include "Trident_NumberedSpace.hpp"
#include "Trident_SampleProduct.hpp"
#include "Trident_SliceLocator.hpp"
#include "Trident_SumEverywhere.hpp"
#include "Trident_VolumeModel.hpp"

namespace Trident {

/// What is known of a product of operands before any shape is tried.
struct ProductEstimate {
  std::vector<double> operands;  ///< entries of each
  /// Entries of the product of each operand and all behind it; of the last, its own.
  std::vector<double> products;
  bool sampled = false;          ///< whether the whole product was
  std::vector<SampledRow> rows;  ///< of it then, on this rank
  double haloBytes = 0;          ///< that the numbers of remote columns have cost, between nodes
};

namespace Impl {

/// Rows of a factor that its import is counted on: every stride-th.
constexpr long long countedRows = 1 << 16;

/// What of a factor leaves its node at the import, from this rank.
template <class Matrix, class Device = typename Matrix::device_type>
Crossing countImport(const Matrix& matrix, const RowNumbers<Device>& rowNumbers,
                     const IndexSpace& rowSpace, const Kokkos::View<int*, Device>& columnNode,
                     int myNode) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long rows = matrix.numRows(), stride = std::max(1ll, rows / countedRows);
  const SliceLocator<Device> locator(rowSpace);
  const int nodeCols = rowSpace.shape().nodeCols;
  long long entries = 0, runs = 0;
  Kokkos::parallel_reduce(
      "Trident::countImport", Range<Device>(0, (rows + stride - 1) / stride),
      KOKKOS_LAMBDA(long long m, long long& entrySum, long long& runSum) {
        const int i = locator.row(rowNumbers(m * stride)).i;
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

/// Rows of the next operand that this rank's part of one makes nodes fetch, on a grid of one node
/// column: each of its columns counts once where it has whole rows, which stay on its node, else
/// each entry whose row and column lie on different nodes. Other ranks of a node may count the same
/// rows.
template <class Scalar, class Device>
double countNeededRows(const NumberedMatrix<Scalar, Device>& operand, const IndexSpace& rowSpace,
                       const IndexSpace& inner, int myNode) {
  const SliceLocator<Device> rowLocator(rowSpace), innerLocator(inner);
  const auto& columnNumbers = operand.columnNumbers;
  long long count = 0;
  if (operand.rowNumbers.whole()) {
    Kokkos::parallel_reduce(
        "Trident::countNeededRows", Range<Device>(0, columnNumbers.extent(0)),
        KOKKOS_LAMBDA(long long c, long long& sum) {
          sum += innerLocator.row(columnNumbers(c)).i != myNode;
        },
        count);
    return static_cast<double>(count);
  }
  const auto offsets = operand.matrix.graph.row_map;
  const auto columns = operand.matrix.graph.entries;
  const auto rowNumbers = operand.rowNumbers;
  Kokkos::parallel_reduce(
      "Trident::countNeededRows", Range<Device>(0, operand.matrix.numRows()),
      KOKKOS_LAMBDA(long long r, long long& sum) {
        const int i = rowLocator.row(rowNumbers(r)).i;
        for (std::size_t e = offsets(r); e < offsets(r + 1); ++e)
          sum += innerLocator.row(columnNumbers(columns(e))).i != i;
      },
      count);
  return static_cast<double>(count);
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

/// What of C comes from other nodes at the export, of all ranks, where no rows were drawn: its
/// entries taken as uniform, its row blocks as on the nodes that own the rows.
inline Crossing uniformExport(double entries, Position rows, const GridShape& shape) {
  const double others = shape.nodeCols - 1;
  return {entries * others / shape.nodeCols, std::min(entries, rows * others)};
}

/// Distinct ones of `draws` drawn at random from `of`.
inline double distinct(double draws, double of) {
  return of > 0 ? of * -std::expm1(-draws / of) : 0;
}

/// Entries of the product of operand p and all behind it where none was sampled.
inline double assumedEntries(const ProductEstimate& estimate, const std::vector<Position>& sizes,
                             std::size_t p) {
  const double rows = static_cast<double>(sizes[p]), inner = static_cast<double>(sizes[p + 1]);
  const double most = rows * static_cast<double>(sizes.back());
  if (inner == 0) return 0;
  if (p + 2 < estimate.operands.size())  // R·(A·P)
    return std::min(most, rows * estimate.operands[p + 1] / inner);
  return distinct(estimate.operands[p] / inner * estimate.products[p + 1], most);
}

}  // namespace Impl

/// Counts the operands and estimates their products, by a sample of rows where both factors lie in
/// whole rows. Without one, R·A·P is taken to have rows as long as A's, as a coarse operator has,
/// and a product of two to have its entries at random places, which is too many where the factors
/// have structure. Collective over `ranks`.
/// @param sizes of the index spaces, one more than operands
/// @param inner of the rows of the last operand
/// @param haloBytes what the column numbers have cost this rank
/// @param sample false: nothing is sampled, and no rank waits for another's rows
template <class Scalar, class Device>
ProductEstimate estimateProduct(const GridRanks& ranks,
                                const std::vector<NumberedMatrix<Scalar, Device>>& operands,
                                const std::vector<Position>& sizes, const Numbering& inner,
                                long long haloBytes, std::size_t messageBytes, bool sample,
                                Traffic& traffic) {
  const std::size_t count = operands.size();
  const auto& left = operands[count - 2];
  const auto& right = operands[count - 1];
  const bool sampled = sample && left.rowNumbers.whole() && right.rowNumbers.whole();
  std::vector<SampledRow> rows;
  LocalFailure failure;
  if (sampled)
    rows = sampleProduct(ranks, left.matrix, right.matrix, left.columnNumbers, right.columnNumbers,
                         inner, messageBytes, traffic, failure);
  std::vector<double> sums;  // of the operands' entries, the halo, the sampled product
  for (const auto& operand : operands) sums.push_back(static_cast<double>(operand.matrix.nnz()));
  sums.push_back(static_cast<double>(haloBytes));
  sums.push_back(0);
  for (const SampledRow& row : rows) sums.back() += row.weight * row.columns.size();
  sumEverywhere(ranks.comm(), sums, failure);

  ProductEstimate estimate;
  estimate.operands.assign(sums.begin(), sums.begin() + count);
  estimate.products.assign(count, estimate.operands.back());
  estimate.haloBytes = sums[count];
  estimate.sampled = sampled && count == 2;
  if (estimate.sampled) estimate.rows = std::move(rows);
  for (std::size_t p = count - 1; p-- > 0;)
    estimate.products[p] =
        sampled && p + 2 == count ? sums.back() : Impl::assumedEntries(estimate, sizes, p);
  return estimate;
}

/// What a shape makes cross between nodes, of all ranks.
struct ShapeCounts {
  std::vector<Crossing> imports;   ///< of each operand
  Crossing exportC;                ///< of the sampled result
  std::vector<double> neededRows;  ///< of what each operand multiplies, where these can be fetched

  static ShapeCounts none(std::size_t operands) {
    return {std::vector<Crossing>(operands), {}, std::vector<double>(operands, 0)};
  }
};

/// Counts them for the shape that the spaces are cut for, on at most 65536 of a rank's rows.
/// Collective over `ranks`; throws Trident::Error on every rank where one lacks memory.
/// @param spaces one more than operands: the rows of each, and the columns of the last
/// @param imported whether each operand is imported; else it is another of them
template <class Scalar, class Device>
ShapeCounts countShape(const GridRanks& ranks, const ProductEstimate& estimate,
                       const std::vector<NumberedMatrix<Scalar, Device>>& operands,
                       const std::vector<NumberedSpace>& spaces,
                       const std::vector<bool>& imported) {
  const GridShape& shape = spaces[0].space->shape();
  const int myNode = ranks.rank() / shape.lambda;
  std::vector<double> sums(3 * operands.size() + 2, 0);
  LocalFailure failure;
  failure.guard([&] {
    auto at = sums.begin();
    const auto note = [&](const Crossing& crossing) {
      *at++ = crossing.entries;
      *at++ = crossing.runs;
    };
    for (std::size_t p = 0; p < operands.size(); ++p) {
      const auto& operand = operands[p];
      const IndexSpace& rows = *spaces[p].space;
      const IndexSpace& inner = *spaces[p + 1].space;
      if (imported[p])
        note(Impl::countImport(operand.matrix, operand.rowNumbers, rows,
                               Impl::placeColumns<Device>(operand.columnNumbers, inner).j, myNode));
      else
        note({});
      *at++ = shape.canFetchRows() && p + 1 < operands.size()
                  ? Impl::countNeededRows(operand, rows, inner, myNode)
                  : 0;
    }
    note(Impl::countExport(estimate.rows, spaces[0].numbering->begin(), *spaces[0].space,
                           *spaces.back().space, myNode));
  });
  sumEverywhere(ranks.comm(), sums, failure);
  ShapeCounts counts;
  for (std::size_t p = 0; p < operands.size(); ++p) {
    counts.imports.push_back({sums[3 * p], sums[3 * p + 1]});
    counts.neededRows.push_back(sums[3 * p + 2]);
  }
  counts.exportC = {sums[sums.size() - 2], sums.back()};
  return counts;
}

namespace Impl {

/// Bytes of asking the owners of a result's columns, of all ranks: a local index there, and a
/// global one back. A rank meets the rows of B that its entries of A ask for, and the columns of
/// those rows' entries. Both are taken as drawn at random, which is too many where the factors have
/// structure.
inline double columnQueryBytes(const GridShape& shape, const VolumeCounts& counts,
                               const Numbering& columns, std::size_t globalBytes) {
  const double ranks = shape.ranks(), inner = static_cast<double>(counts.inner);
  const double rowsMet = distinct(counts.entriesA / ranks, inner);
  const double met = inner > 0 ? rowsMet * counts.entriesB / inner : 0;
  const double touched = distinct(met, static_cast<double>(columns.size()));
  return touched * ranks * (1.0 - 1.0 / shape.nodes()) *
         (sizeof(int) + (columns.consecutive ? 0 : globalBytes));
}

}  // namespace Impl

/// Predicts the internode bytes of a product of operands, from right to left on one grid. Local.
/// @param sizes of the index spaces, one more than operands
/// @param columns of the last operand, and `globalBytes` of a global index of theirs
/// @param fetch what of right factors may travel
template <class Scalar>
VolumePrediction predictProduct(const GridShape& shape, const ShapeCounts& counted,
                                const ProductEstimate& estimate, const std::vector<Position>& sizes,
                                const Numbering& columns, std::size_t globalBytes,
                                FetchKind fetch) {
  const std::size_t last = estimate.operands.size() - 1;
  VolumePrediction volume;
  for (std::size_t p = last; p-- > 0;) {
    VolumeCounts counts;
    counts.importA = counted.imports[p];
    if (p + 1 == last) counts.importB = counted.imports[last];
    counts.rowsA = sizes[p];
    counts.inner = sizes[p + 1];
    counts.entriesA = estimate.operands[p];
    counts.entriesB = estimate.products[p + 1];
    counts.scalarBytes = sizeof(Scalar);
    counts.fetch = fetch;
    counts.neededRows = counted.neededRows[p];
    if (p == 0) {
      counts.exportC = estimate.sampled
                           ? counted.exportC
                           : Impl::uniformExport(estimate.products[0], counts.rowsA, shape);
      counts.haloBytes = estimate.haloBytes;
      counts.columnQueryBytes = Impl::columnQueryBytes(shape, counts, columns, globalBytes);
    }
    volume += predictVolume(shape, counts);
  }
  return volume;
}

}  // namespace Trident

#endif
