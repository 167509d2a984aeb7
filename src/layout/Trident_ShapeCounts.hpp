// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SHAPECOUNTS_HPP
#define TRIDENT_SHAPECOUNTS_HPP

#include <algorithm>
#include <vector>

#include "base/Trident_Bits.hpp"
#include "grid/Trident_GridRanks.hpp"
#include "grid/Trident_Numbering.hpp"
#include "grid/Trident_VolumeModel.hpp"
#include "layout/Trident_SampleProduct.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_NumberedMatrix.hpp"
#include "matrix/Trident_SliceLocator.hpp"

namespace Trident::Impl {

/// Whether numbers lie, as rows, on a grid row. For kernels.
class OnGridRow {
 public:
  OnGridRow(const IndexSpace& space, int row) : permutation_(space.permutation()) {
    const int slices = space.shape().segmentsPerTileRow() * space.shape().lambda;
    begin_ = space.cuts()[static_cast<std::size_t>(row) * slices];
    end_ = space.cuts()[static_cast<std::size_t>(row + 1) * slices];
  }
  KOKKOS_INLINE_FUNCTION bool operator()(Position number) const {
    const Position position = permutation_.forward(number);
    return position >= begin_ && position < end_;
  }

 private:
  Permutation permutation_;
  Position begin_, end_;
};

/// Rows of a factor that its import is counted on: every stride-th.
constexpr long long countedRows = 1 << 14;

/// What of a factor leaves its node at the import, from this rank, on a grid of one node column:
/// rows as a whole.
template <class Matrix, class Device = typename Matrix::device_type>
Crossing countImportOfRows(const Matrix& matrix, const RowNumbers<Device>& rowNumbers,
                           const IndexSpace& rowSpace, int myNode) {
  const auto offsets = matrix.graph.row_map;
  const OnGridRow mine(rowSpace, myNode);
  long long entries = 0, runs = 0;
  Kokkos::parallel_reduce(
      "Trident::countImportOfRows", Range<Device>(0, matrix.numRows()),
      TRIDENT_LAMBDA(long long r, long long& entrySum, long long& runSum) {
        const long long length =
            mine(rowNumbers(r)) ? 0 : static_cast<long long>(offsets(r + 1) - offsets(r));
        entrySum += length;
        runSum += length > 0;
      },
      entries, runs);
  return {static_cast<double>(entries), static_cast<double>(runs)};
}

/// The same on any grid.
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
      TRIDENT_LAMBDA(long long m, long long& entrySum, long long& runSum) {
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

/// Of each local column of an operand: the grid rows, modulo 64, that have entries in it and where
/// it is not at home as a row of what the operand multiplies.
template <class Scalar, class Device>
Kokkos::View<Word*, Device> askingGridRows(const NumberedMatrix<Scalar, Device>& operand,
                                           const IndexSpace& rowSpace, const IndexSpace& inner) {
  const SliceLocator<Device> rowLocator(rowSpace), innerLocator(inner);
  const auto& columnNumbers = operand.columnNumbers;
  const Kokkos::View<Word*, Device> asking("Trident::askingGridRows", columnNumbers.size());
  const auto home = uninitialized<int, Device>("Trident::homeGridRows", columnNumbers.size());
  Kokkos::parallel_for(
      "Trident::homeGridRows", Range<Device>(0, columnNumbers.size()),
      TRIDENT_LAMBDA(long long c) { home(c) = innerLocator.row(columnNumbers(c)).i; });
  const auto offsets = operand.matrix.graph.row_map;
  const auto columns = operand.matrix.graph.entries;
  const auto rowNumbers = operand.rowNumbers;
  Kokkos::parallel_for(
      "Trident::askingGridRows", Range<Device>(0, operand.matrix.numRows()),
      TRIDENT_LAMBDA(long long r) {
        const int i = rowLocator.row(rowNumbers(r)).i;
        for (std::size_t e = offsets(r); e < offsets(r + 1); ++e)
          if (home(columns(e)) != i) fetchOr(&asking(columns(e)), Word(1) << i % 64);
      });
  return asking;
}

/// Rows of the next operand that this rank's part of one makes grid rows fetch: of whole rows,
/// which stay in their grid row, each column counts once; else each for every grid row that has
/// entries in it, on grids of more than 64 rows sometimes once for two of them. Other ranks of a
/// grid row may count the same rows.
template <class Scalar, class Device>
double countNeededRows(const NumberedMatrix<Scalar, Device>& operand, const IndexSpace& rowSpace,
                       const IndexSpace& inner, int myNode) {
  const auto& columnNumbers = operand.columnNumbers;
  long long count = 0;
  if (operand.rowNumbers.whole()) {
    const OnGridRow mine(inner, myNode / inner.shape().nodeCols);
    Kokkos::parallel_reduce(
        "Trident::countNeededRows", Range<Device>(0, columnNumbers.size()),
        TRIDENT_LAMBDA(long long c, long long& sum) { sum += !mine(columnNumbers(c)); }, count);
    return static_cast<double>(count);
  }
  const auto asking = askingGridRows(operand, rowSpace, inner);
  Kokkos::parallel_reduce(
      "Trident::countNeededRows", Range<Device>(0, asking.extent(0)),
      TRIDENT_LAMBDA(long long c, long long& sum) { sum += popcount(asking(c)); }, count);
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

/// What a shape makes cross between nodes, of all ranks.
struct ShapeCounts {
  std::vector<Crossing> imports;   ///< of each operand
  Crossing exportC;                ///< of the sampled result
  std::vector<double> neededRows;  ///< of what each operand multiplies, where these can be fetched

  static ShapeCounts none(std::size_t operands) {
    return {std::vector<Crossing>(operands), {}, std::vector<double>(operands, 0)};
  }
};

/// How many numbers countShape() returns.
inline std::size_t numbersOfShape(std::size_t operands) { return 3 * operands + 2; }

/// Counts, from this rank, what crosses for the shape that the spaces are cut for: numbers
/// that are summed over the ranks. Where rows are cut, on at most 16384 of its rows. Local.
/// @param sample of the result's rows on this rank; none where none were drawn
/// @param spaces one more than operands: the rows of each, and the columns of the last
/// @param imported whether each operand is imported; else it is another of them
template <class Scalar, class Device>
std::vector<double> countShape(const GridRanks& ranks, const std::vector<SampledRow>& sample,
                               const std::vector<NumberedMatrix<Scalar, Device>>& operands,
                               const std::vector<NumberedSpace>& spaces,
                               const std::vector<bool>& imported) {
  const GridShape& shape = spaces[0].space->shape();
  const int myNode = ranks.rank() / shape.lambda;
  std::vector<double> counts;
  const auto note = [&](const Crossing& crossing) {
    counts.push_back(crossing.entries);
    counts.push_back(crossing.runs);
  };
  for (std::size_t p = 0; p < operands.size(); ++p) {
    const auto& operand = operands[p];
    const IndexSpace& rows = *spaces[p].space;
    const IndexSpace& inner = *spaces[p + 1].space;
    if (!imported[p])
      note({});
    else if (shape.nodeCols == 1)
      note(countImportOfRows(operand.matrix, operand.rowNumbers, rows, myNode));
    else
      note(countImport(operand.matrix, operand.rowNumbers, rows,
                       placeColumns<Device>(operand.columnNumbers, inner).j, myNode));
    counts.push_back(shape.canFetchRows() && p + 1 < operands.size()
                         ? countNeededRows(operand, rows, inner, myNode)
                         : 0);
  }
  note(countExport(sample, spaces[0].numbering->begin(), *spaces[0].space, *spaces.back().space,
                   myNode));
  return counts;
}

/// What was counted, of all ranks.
/// @param sums of what countShape() returned
inline ShapeCounts shapeCounts(std::vector<double>::const_iterator sums, std::size_t operands) {
  ShapeCounts counts;
  const auto next = [&] {
    const double entries = *sums++;
    return Crossing{entries, *sums++};
  };
  for (std::size_t p = 0; p < operands; ++p) {
    counts.imports.push_back(next());
    counts.neededRows.push_back(*sums++);
  }
  counts.exportC = next();
  return counts;
}

}  // namespace Trident::Impl

#endif
