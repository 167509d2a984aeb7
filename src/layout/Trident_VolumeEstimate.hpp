// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VOLUMEESTIMATE_HPP
#define TRIDENT_VOLUMEESTIMATE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Types.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "grid/Trident_VolumeModel.hpp"
#include "layout/Trident_SampleProduct.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_SliceLocator.hpp"

namespace Trident::Impl {

/// A functor that tells if numbers lie, as rows, on a grid row. For kernels.
class OnGridRow {
 public:
  OnGridRow(const IndexSpace& space, int row) {
    const int slices = space.shape().segmentsPerTileRow() * space.shape().lambda;
    begin_ = space.cuts()[static_cast<std::size_t>(row) * slices];
    end_ = space.cuts()[static_cast<std::size_t>(row + 1) * slices];
  }
  KOKKOS_INLINE_FUNCTION bool operator()(Position number) const {
    return number >= begin_ && number < end_;
  }

 private:
  Position begin_, end_;
};

/// Most rows of a factor on which its import is counted: every stride-th.
constexpr long long countedRows = 1 << 14;

/// Counts the entries and runs of a factor that leave this rank's node at the import, from this
/// rank, on a grid of one node column, where rows move as a whole.
template <class Matrix, class Device = typename Matrix::device_type>
Crossing countImportOfRows(const Matrix& matrix, const IndexNumbers<Device>& rowNumbers,
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

/// Counts the entries and runs of a factor that leave this rank's node at the import, on any grid.
template <class Matrix, class Device = typename Matrix::device_type>
Crossing countImport(const Matrix& matrix, const IndexNumbers<Device>& rowNumbers,
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

/// Finds for each local column of an operand the grid rows, modulo 64, that have entries in it. It
/// leaves out the grid row where the column is at home as a row of the next operand.
template <class Scalar, class Device>
Kokkos::View<Word*, Device> askingGridRows(const NumberedMatrix<Scalar, Device>& operand,
                                           const IndexSpace& rowSpace, const IndexSpace& inner) {
  const SliceLocator<Device> rowLocator(rowSpace), innerLocator(inner);
  const auto& columnNumbers = operand.columnNumbers;
  const auto asking = zeroScratch<Word, Device>("Trident::askingGridRows", columnNumbers.size());
  const auto home = scratch<int, Device>("Trident::homeGridRows", columnNumbers.size());
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

/// Counts the rows of the next operand that this rank's part of `operand` makes grid rows fetch. If
/// rows are whole they stay in their grid row, and each column counts once. Else each column counts
/// for every grid row that has entries in it; grids of more than 64 rows sometimes count two of
/// them once. Other ranks of a grid row may count the same rows.
template <class Scalar, class Device>
double countNeededRows(const NumberedMatrix<Scalar, Device>& operand, const IndexSpace& rowSpace,
                       const IndexSpace& inner, int myNode) {
  const auto& columnNumbers = operand.columnNumbers;
  long long count = 0;
  if (operand.wholeRows) {
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

/// Counts the entries and runs of C that come here from other nodes at the export, by sampled rows.
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

/// Counts of the data that cross between nodes on a grid of one shape, of all ranks.
struct ShapeCounts {
  std::vector<Crossing> imports;   ///< one for each operand
  Crossing exportC;                ///< export of the sampled result
  std::vector<double> neededRows;  ///< rows of right factors, where these can be fetched

  static ShapeCounts none(std::size_t operands) {
    return {std::vector<Crossing>(operands), {}, std::vector<double>(operands, 0)};
  }
};

/// Returns the number of numbers that countShape() returns.
inline std::size_t numbersOfShape(std::size_t operands) { return 3 * operands + 2; }

/// Counts, from this rank, the data that cross for the shape of the spaces: numbers to be summed
/// over the ranks. Where rows are cut, on at most 16384 of its rows. Local.
/// @param sample of the result's rows on this rank; none where none were drawn
/// @param spaces one more than operands: the rows of each, and the columns of the last
/// @param imported true if each operand is imported; else it is another of them
template <class Scalar, class Device>
std::vector<double> countShape(const GridRanks& ranks, const std::vector<SampledRow>& sample,
                               const std::vector<NumberedMatrix<Scalar, Device>>& operands,
                               const SpaceCut& spaces, const std::vector<bool>& imported) {
  const GridShape& shape = spaces[0]->shape();
  const int myNode = ranks.rank() / shape.lambda;
  std::vector<double> counts;
  const auto note = [&](const Crossing& crossing) {
    counts.push_back(crossing.entries);
    counts.push_back(crossing.runs);
  };
  for (std::size_t p = 0; p < operands.size(); ++p) {
    const auto& operand = operands[p];
    const IndexSpace& rows = *spaces[p];
    const IndexSpace& inner = *spaces[p + 1];
    if (!imported[p])
      note({});
    else if (shape.nodeCols == 1)
      note(countImportOfRows(operand.matrix, operand.rowNumbers, rows, myNode));
    else
      note(countImport(operand.matrix, operand.rowNumbers, rows,
                       locateColumns<Device>(operand.columnNumbers, inner).j, myNode));
    counts.push_back(shape.canFetchRows() && p + 1 < operands.size()
                         ? countNeededRows(operand, rows, inner, myNode)
                         : 0);
  }
  note(countExport(sample, spaces[0]->numbering().begin(), *spaces[0], *spaces.back(), myNode));
  return counts;
}

/// Reads the counts of all ranks from summed numbers.
/// @param sums of countShape() over all ranks
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

/// Numbers that are known of a product of operands before any shape is tried.
struct ProductEstimate {
  std::vector<double> operands;  ///< entries of each
  /// Entries of the product of each operand and all behind it; of the last, its own.
  std::vector<double> products;
  bool sampled = false;  ///< true if the whole product was sampled
  double haloBytes = 0;  ///< bytes between nodes for the numbers of remote columns
};

/// Estimates the entries and runs of C that come from other nodes at the export, of all ranks, if
/// no rows were drawn. Its entries count as uniform, and its row blocks as lying on the nodes that
/// own the rows.
inline Crossing uniformExport(double entries, Position rows, const GridShape& shape) {
  const double others = shape.nodeCols - 1;
  return {entries * others / shape.nodeCols, std::min(entries, static_cast<double>(rows) * others)};
}

/// Returns the expected number of distinct ones among `draws` that are drawn at random from `of`.
inline double distinct(double draws, double of) {
  return of > 0 ? of * -std::expm1(-draws / of) : 0;
}

/// Assumes the number of entries of the product of operand p and all behind it, if none was
/// sampled.
inline double assumedEntries(const ProductEstimate& estimate, const std::vector<Position>& sizes,
                             std::size_t p) {
  const double rows = static_cast<double>(sizes[p]), inner = static_cast<double>(sizes[p + 1]);
  const double most = rows * static_cast<double>(sizes.back());
  if (inner == 0) return 0;
  if (p + 2 < estimate.operands.size())  // R·(A·P)
    return std::min(most, rows * estimate.operands[p + 1] / inner);
  return distinct(estimate.operands[p] / inner * estimate.products[p + 1], most);
}

/// Numbers that a rank knows of the operands and of a sample of their product.
template <class Scalar, class Device>
struct OwnEstimate {
  bool sampled = false;
  std::vector<SampledRow> rows;  ///< rows of the last two operands' product, on this rank

  /// Returns the sampled rows of the whole product; of three operands none, as their last two make
  /// the sample.
  std::vector<SampledRow> rowsOfC(std::size_t operands) const {
    return operands == 2 ? rows : std::vector<SampledRow>();
  }
  /// Returns the number of numbers that sums() returns.
  static std::size_t numbers(std::size_t operands) { return operands + 2; }
  /// Returns the operands' entries, the halo, and the sampled product's entries, which are to be
  /// summed over the ranks.
  std::vector<double> sums(const std::vector<NumberedMatrix<Scalar, Device>>& operands,
                           long long haloBytes) const {
    std::vector<double> sums;
    for (const auto& operand : operands) sums.push_back(static_cast<double>(operand.matrix.nnz()));
    sums.push_back(static_cast<double>(haloBytes));
    sums.push_back(0);
    for (const SampledRow& row : rows)
      sums.back() += row.weight * static_cast<double>(row.columns.size());
    return sums;
  }
};

/// Samples the product of the last two operands, where both lie in whole rows. Collective over
/// `ranks`; may throw as sampleProduct().
/// @param inner of the rows of the last operand
template <class Scalar, class Device>
OwnEstimate<Scalar, Device> sampleOperands(
    const GridRanks& ranks, const std::vector<NumberedMatrix<Scalar, Device>>& operands,
    const Numbering& inner, std::size_t messageBytes, Traffic& traffic, LocalFailure& failure) {
  const auto& left = operands[operands.size() - 2];
  const auto& right = operands[operands.size() - 1];
  OwnEstimate<Scalar, Device> own;
  own.sampled = left.wholeRows && right.wholeRows;
  if (own.sampled)
    own.rows = sampleProduct(ranks, left.matrix, right.matrix, left.columnNumbers,
                             right.columnNumbers, inner, messageBytes, traffic, failure);
  return own;
}

/// Estimates products, by the sample, if there is one. Without one, R·A·P is taken to have rows as
/// long as A's, as a coarse operator has. A product of two is taken to have its entries at random
/// places, which is too many if the factors have structure. Local.
/// @param sums over the ranks of OwnEstimate::sums()
/// @param sizes of the index spaces, one more than operands
template <class Scalar, class Device>
ProductEstimate estimateProduct(const OwnEstimate<Scalar, Device>& own,
                                std::vector<double>::const_iterator sums,
                                const std::vector<Position>& sizes) {
  const std::size_t count = sizes.size() - 1;
  const auto end = sums + static_cast<std::ptrdiff_t>(count);
  ProductEstimate estimate;
  estimate.operands.assign(sums, end);
  estimate.products.assign(count, estimate.operands.back());
  estimate.haloBytes = end[0];
  estimate.sampled = own.sampled && count == 2;
  for (std::size_t p = count - 1; p-- > 0;)
    estimate.products[p] =
        own.sampled && p + 2 == count ? end[1] : assumedEntries(estimate, sizes, p);
  return estimate;
}

/// Estimates the bytes, of all ranks, of asking the owners of a result's columns. Local indices go
/// there, listed or in a bitmap, and global ones come back. A rank meets the rows of B that its
/// entries of A ask for, and the columns of those rows' entries. Both are taken as drawn at random,
/// which is too many if the factors have structure.
inline double columnQueryBytes(const GridShape& shape, const VolumeCounts& counts,
                               const Numbering& columns, std::size_t globalBytes) {
  const double ranks = shape.ranks(), inner = static_cast<double>(counts.inner);
  const double rowsMet = distinct(counts.entriesA / ranks, inner);
  const double met = inner > 0 ? rowsMet * counts.entriesB / inner : 0;
  const double touched = distinct(met, static_cast<double>(columns.size()));
  const double asked = std::min(touched, static_cast<double>(columns.size()) / 32) * sizeof(int);
  const double answered = columns.consecutive ? 0 : touched * static_cast<double>(globalBytes);
  return (asked + answered) * ranks * (1.0 - 1.0 / shape.nodes());
}

/// Predicts the internode bytes of a product of several operands on one grid, from right to left.
/// Local.
/// @param sizes lengths of the index spaces: one more than there are operands
/// @param columns numbering of the last operand's columns; ranks ask for the global indices of C's
///                columns where it is not consecutive
/// @param globalBytes bytes of such a global index
/// @param fetch Tiles: whole tiles of right factors travel; NeededRows: only needed rows; Auto: the
///              model decides
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
    counts.columnsB = sizes.back();
    counts.entriesA = estimate.operands[p];
    counts.entriesB = estimate.products[p + 1];
    counts.scalarBytes = sizeof(Scalar);
    counts.fetch = fetch;
    counts.neededRows = counted.neededRows[p];
    if (p == 0) {
      counts.exportC = estimate.sampled ? counted.exportC
                                        : uniformExport(estimate.products[0], counts.rowsA, shape);
      counts.haloBytes = estimate.haloBytes;
      counts.columnQueryBytes = columnQueryBytes(shape, counts, columns, globalBytes);
    }
    volume += predictVolume(shape, counts);
  }
  return volume;
}

}  // namespace Trident::Impl

#endif
