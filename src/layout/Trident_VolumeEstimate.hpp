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

/// A functor that returns true if a row, given by its number, lies on a certain grid row.
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

/// Rough number of rows that countImport() reads of a larger matrix. The rows are evenly spread.
constexpr long long countedRows = 1 << 14;

/// Counts the entries and runs that the import moves from this rank's part of a factor to other
/// nodes. For grids of one node column, where each row moves as a whole.
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

/// Counts the entries and runs that the import moves from this rank's part of a factor to other
/// nodes. For any grid.
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

/// Returns, for each local column of an operand, a bit for each grid row (modulo 64). The bit is
/// set if the grid row has entries in the column and must fetch the row that these entries meet.
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

/// Counts the rows of the next operand that grid rows must fetch for this rank's part of `operand`.
/// If this rank has whole rows, all are taken to lie on its grid row, so a column counts once at
/// most. Else a column counts once for each grid row that has entries in the column, but lacks the
/// row. Ranks of one grid row may count the same rows. Above 64 grid rows, two may count as one.
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

/// Estimates, by sampled rows, the entries and runs of C that other nodes export to this rank.
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

/// Amounts of data that cross between nodes on a grid of one shape, summed over all ranks.
struct ShapeCounts {
  std::vector<Crossing> imports;  ///< import of each operand
  Crossing exportC;               ///< export of the sampled result
  /// Number of rows to fetch of each right factor, or 0 if grids of this shape fetch no rows.
  std::vector<double> neededRows;

  static ShapeCounts none(std::size_t operands) {
    return {std::vector<Crossing>(operands), {}, std::vector<double>(operands, 0)};
  }
};

/// Returns the length of the array that countShape() returns.
inline std::size_t numbersOfShape(std::size_t operands) { return 3 * operands + 2; }

/// Counts, for this rank, the data that cross between nodes on a grid of the spaces' shape.
/// Returns numbers to be summed over the ranks, for shapeCounts(). Local.
/// @param sample sampled rows of the result on this rank; may be empty
/// @param spaces spaces of each operand's rows, then of the last operand's columns
/// @param imported false for an operand that is the same matrix as another one
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

/// Returns the counts of a shape.
/// @param sums begin of the numbers of countShape(), which were summed over all ranks
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

/// Estimates for a product of operands, equal for all shapes of the grid.
struct ProductEstimate {
  std::vector<double> operands;  ///< entries of each operand
  /// Entries of the product of operand p and all later operands, for each p.
  std::vector<double> products;
  bool sampled = false;          ///< true if the whole product was sampled
  double columnNumberBytes = 0;  ///< bytes that nodes exchange to number remote columns
};

/// Estimates, without a sample, the entries and runs of C that the export moves between nodes,
/// summed over all ranks. Assumes that C's entries are spread evenly, and that each row lies on the
/// grid row of its owner.
inline Crossing uniformExport(double entries, Position rows, const GridShape& shape) {
  const double others = shape.nodeCols - 1;
  return {entries * others / shape.nodeCols, std::min(entries, static_cast<double>(rows) * others)};
}

/// Returns the expected number of distinct items in `draws` random draws from `of` items.
inline double distinct(double draws, double of) {
  return of > 0 ? of * -std::expm1(-draws / of) : 0;
}

/// Estimates, without a sample, the entries of the product of operand p and all later operands.
inline double assumedEntries(const ProductEstimate& estimate, const std::vector<Position>& sizes,
                             std::size_t p) {
  const double rows = static_cast<double>(sizes[p]), inner = static_cast<double>(sizes[p + 1]);
  const double most = rows * static_cast<double>(sizes.back());
  if (inner == 0) return 0;
  if (p + 2 < estimate.operands.size())  // rows of R·(A·P) are taken to be as long as A's
    return std::min(most, rows * estimate.operands[p + 1] / inner);
  return distinct(estimate.operands[p] / inner * estimate.products[p + 1], most);
}

/// The sample and the numbers that one rank gives to the estimate of a product.
template <class Scalar, class Device>
struct OwnEstimate {
  bool sampled = false;
  std::vector<SampledRow> rows;  ///< sampled rows of the last two operands' product, on this rank

  /// Returns the sampled rows of the whole product. Returns none for three operands, because only
  /// the product of the last two is sampled.
  std::vector<SampledRow> rowsOfC(std::size_t operands) const {
    return operands == 2 ? rows : std::vector<SampledRow>();
  }
  /// Returns the length of the array that sums() returns.
  static std::size_t numbers(std::size_t operands) { return operands + 2; }
  /// Returns numbers that are to be summed over the ranks: the entries of each operand,
  /// columnNumberBytes, and the sampled product's entries.
  std::vector<double> sums(const std::vector<NumberedMatrix<Scalar, Device>>& operands,
                           long long columnNumberBytes) const {
    std::vector<double> sums;
    for (const auto& operand : operands) sums.push_back(static_cast<double>(operand.matrix.nnz()));
    sums.push_back(static_cast<double>(columnNumberBytes));
    sums.push_back(0);
    for (const SampledRow& row : rows)
      sums.back() += row.weight * static_cast<double>(row.columns.size());
    return sums;
  }
};

/// Samples the product of the last two operands, if ranks have whole rows of both. Collective over
/// `ranks`. Throws as sampleProduct() does.
/// @param inner numbering of the last operand's rows
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

/// Estimates the entries of products. Takes the product of two matrices from the sample, if there
/// is one. Otherwise assumes entries at random places, so the result is too large if factors have
/// structure. Takes rows of R·A·P to be as long as rows of A, as in most coarse operators. Local.
/// @param sums numbers of OwnEstimate::sums(), summed over the ranks
/// @param sizes sizes of the index spaces, one more than operands
template <class Scalar, class Device>
ProductEstimate estimateProduct(const OwnEstimate<Scalar, Device>& own,
                                std::vector<double>::const_iterator sums,
                                const std::vector<Position>& sizes) {
  const std::size_t count = sizes.size() - 1;
  const auto end = sums + static_cast<std::ptrdiff_t>(count);
  ProductEstimate estimate;
  estimate.operands.assign(sums, end);
  estimate.products.assign(count, estimate.operands.back());
  estimate.columnNumberBytes = end[0];
  estimate.sampled = own.sampled && count == 2;
  for (std::size_t p = count - 1; p-- > 0;)
    estimate.products[p] =
        own.sampled && p + 2 == count ? end[1] : assumedEntries(estimate, sizes, p);
  return estimate;
}

/// Estimates the bytes that nodes exchange in questions about C's columns and in the owners'
/// answers. Questions have local indices, as lists or bitmaps. Answers have global IDs. Assumes
/// that entries of A meet random rows of B with random columns. If factors have structure, the
/// result is too large.
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

/// Predicts the bytes that nodes exchange in a product on one grid. The last two operands are
/// multiplied first. Local.
/// @param sizes lengths of the index spaces: one more than there are operands
/// @param columns numbering of the last operand's columns; if it is not consecutive, ranks ask for
///       the global indices of C's columns
/// @param globalBytes bytes of a global index
/// @param fetch Tiles if right factors travel whole, NeededRows if only needed rows travel, Auto if
///       the model decides
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
      counts.columnNumberBytes = estimate.columnNumberBytes;
      counts.columnQueryBytes = columnQueryBytes(shape, counts, columns, globalBytes);
    }
    volume += predictVolume(shape, counts);
  }
  return volume;
}

}  // namespace Trident::Impl

#endif
