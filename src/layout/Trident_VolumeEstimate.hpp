// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VOLUMEESTIMATE_HPP
#define TRIDENT_VOLUMEESTIMATE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_GridRanks.hpp"
#include "grid/Trident_Numbering.hpp"
#include "grid/Trident_VolumeModel.hpp"
#include "layout/Trident_SampleProduct.hpp"
#include "layout/Trident_ShapeCounts.hpp"
#include "matrix/Trident_NumberedMatrix.hpp"

namespace Trident::Impl {

/// What is known of a product of operands before any shape is tried.
struct ProductEstimate {
  std::vector<double> operands;  ///< entries of each
  /// Entries of the product of each operand and all behind it; of the last, its own.
  std::vector<double> products;
  bool sampled = false;  ///< whether the whole product was
  double haloBytes = 0;  ///< that the numbers of remote columns have cost, between nodes
};

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

/// What a rank knows of the operands and of a sample of their product.
template <class Scalar, class Device>
struct OwnEstimate {
  bool sampled = false;
  std::vector<SampledRow> rows;  ///< of the last two operands' product, on this rank

  /// Of the whole product: of three operands none, as their last two make the sample.
  std::vector<SampledRow> rowsOfC(std::size_t operands) const {
    return operands == 2 ? rows : std::vector<SampledRow>();
  }
  /// How many numbers sums() returns.
  static std::size_t numbers(std::size_t operands) { return operands + 2; }
  /// The operands' entries, the halo, the sampled product's entries: to be summed over the ranks.
  std::vector<double> sums(const std::vector<NumberedMatrix<Scalar, Device>>& operands,
                           long long haloBytes) const {
    std::vector<double> sums;
    for (const auto& operand : operands) sums.push_back(static_cast<double>(operand.matrix.nnz()));
    sums.push_back(static_cast<double>(haloBytes));
    sums.push_back(0);
    for (const SampledRow& row : rows) sums.back() += row.weight * row.columns.size();
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
  own.sampled = left.rowNumbers.whole() && right.rowNumbers.whole();
  if (own.sampled)
    own.rows = sampleProduct(ranks, left.matrix, right.matrix, left.columnNumbers,
                             right.columnNumbers, inner, messageBytes, traffic, failure);
  return own;
}

/// Estimates products, by the sample, if there is one. Without, R·A·P is taken to have rows as long
/// as A's, as a coarse operator has, and a product of two to have its entries at random places,
/// which is too many where the factors have structure. Local.
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
