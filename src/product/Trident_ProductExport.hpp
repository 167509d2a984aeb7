// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTEXPORT_HPP
#define TRIDENT_PRODUCTEXPORT_HPP

#include <optional>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "move/Trident_RowAssembly.hpp"
#include "rounds/Trident_ProductSinks.hpp"

namespace Trident::Impl {

/// Returns a mark for each row of a right factor: 1 if one of `columns` meets it, else 0.
template <class Device, class Columns>
Kokkos::View<int*, Device> markRows(const Columns& columns, int rows) {
  const auto marks = zeroScratch<int, Device>("Trident::metRows", rows);
  Kokkos::parallel_for(
      "Trident::metRows", Range<Device>(0, columns.extent(0)), TRIDENT_LAMBDA(long long e) {
        if (!marks(columns(e))) fetchOr(&marks(columns(e)), 1);
      });
  return marks;
}

/// The rows of a right factor B that the entries of a left factor A meet. The columns of these rows
/// are the columns of A·B.
template <class Scalar, class Device>
class ReferencedRows {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// Marks the rows of b that a meets. Local.
  ReferencedRows(const Matrix& a, const Matrix& b)
      : b_(b), referenced_(markRows<Device>(a.graph.entries, b.numRows())) {}

  /// Enters the product's columns into `index`. Returns the remote columns, ascending. Local.
  Kokkos::View<Position*, Device> indexColumns(ColumnIndex<Device>& index) const {
    const ColumnIndex<Device> notes = index;
    const auto referenced = referenced_;
    const auto columns = b_.graph.entries;
    if (index.usesBitmap()) {
      forEntries(
          "Trident::touchColumns", TRIDENT_LAMBDA(long long r, std::size_t e) {
            if (referenced(r)) notes.touch(columns(e));
          });
      return index.finishBitmap();
    }
    const auto before = scratch<long long, Device>("Trident::touchedBefore", b_.nnz() + 1);
    forEntries(
        "Trident::markTouched", TRIDENT_LAMBDA(long long r, std::size_t e) {
          before(e) = referenced(r) && !notes.owned(columns(e));
        });
    const auto touched =
        scratch<Position, Device>("Trident::touched", countsToOffsets<long long, Device>(before));
    forEntries(
        "Trident::listTouched", TRIDENT_LAMBDA(long long r, std::size_t e) {
          if (referenced(r) && !notes.owned(columns(e))) touched(before(e)) = columns(e);
        });
    return index.finishList(touched);
  }

  /// Returns B with local columns in its referenced rows; other rows have columns without meaning.
  /// Values and row offsets are B's own arrays. Local.
  /// @param columns number of local columns, owned and remote
  Matrix relabelled(const ColumnIndex<Device>& index, int columns) const {
    const ColumnIndex<Device> local = index;
    const auto referenced = referenced_;
    const auto from = b_.graph.entries;
    const auto to = scratch<int, Device>("Trident::metColumns", b_.nnz());
    forEntries(
        "Trident::relabelReferencedRows", TRIDENT_LAMBDA(long long r, std::size_t e) {
          to(e) = referenced(r) ? local.local(from(e)) : 0;
        });
    return Matrix("Trident::metRows", b_.numRows(), columns, b_.nnz(), b_.values, b_.graph.row_map,
                  to);
  }

  /// Returns a copy of B with local columns. B's rows must ascend, and the copy's rows ascend. Rows
  /// that A does not meet are empty in the copy. Local.
  Matrix relabelledAscending(const ColumnIndex<Device>& index, int columns) const {
    const ColumnIndex<Device> local = index;
    const auto referenced = referenced_;
    const Matrix b = b_;
    const auto to = scratchForCounts<Scalar, Device>(lengths());
    const auto owned = ownedParts<Device>(b.graph.row_map, b.graph.entries, index);
    forEntries(
        "Trident::relabelReferencedRows", TRIDENT_LAMBDA(long long r, std::size_t e) {
          if (!referenced(r)) return;
          const std::size_t at = to.offsets(r) + owned(r).localOffset(e - b.graph.row_map(r));
          to.columns(at) = local.local(b.graph.entries(e));
          to.values(at) = b.values(e);
        });
    if (!index.othersInOrder()) sortRows(to.matrix(columns));
    return to.matrix(columns);
  }

  // Public, because CUDA requires this of functions that have kernels.

  template <class F>
  void forEntries(const char* label, const F& f) const {
    forRowEntries<Device>(label, b_.numRows(), b_.nnz(), b_.graph.row_map, f);
  }
  /// Returns the length of each row, 0 if A does not meet the row. One more element is not set.
  Kokkos::View<std::size_t*, Device> lengths() const {
    const auto referenced = referenced_;
    const auto offsets = b_.graph.row_map;
    const auto counts = scratch<std::size_t, Device>("Trident::metOffsets", b_.numRows() + 1);
    Kokkos::parallel_for(
        "Trident::metLengths", Range<Device>(0, b_.numRows()), TRIDENT_LAMBDA(long long r) {
          counts(r) = referenced(r) ? offsets(r + 1) - offsets(r) : 0;
        });
    return counts;
  }

 private:
  Matrix b_;
  Kokkos::View<int*, Device> referenced_;
};

/// The export of a product A·B whose rows stay on their ranks, and whose local product is formed
/// last. First this class finds C's columns in the rows of B that A meets. Then it gives these rows
/// local columns, and forms the product. Ranks communicate as in a MatrixExport, so a rank that has
/// failed may use a MatrixExport instead.
template <class Scalar, class Device>
class ProductExport {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// Returns true if this class can export a product: rows stay, columns lie in one tile in the
  /// order of their numbers, and other ranks may own columns. The same on every rank.
  static bool suits(const IndexSpace& rows, const IndexSpace& columns) {
    return rows.rowsStay() && columns.isOneTileWide() && columns.numbering().ranks() > 1;
  }

  /// Returns true if a ProductExport pays on a device for operands of these sizes. A ProductExport
  /// seeks columns in B, which has fewer entries than C, and C's rows need no sort. If a
  /// ProductExport pays for one rank, all ranks use it, because all wait for the slowest rank. On
  /// hosts, which sort no rows, a ProductExport was no faster (doc/results/decisions.md). Local.
  static bool findingFirstPays(const OperandSizes& sizes) {
    constexpr double enough = 2e6;  // fewest multiply-adds that pay, if B's rows have equal lengths
    const long long rows = sizes.rowsB;
    return rows > 0 && sizes.entriesA >= rows && sizes.entriesB >= 2 * rows &&
           static_cast<double>(sizes.entriesA) * static_cast<double>(sizes.entriesB) /
                   static_cast<double>(rows) >=
               enough;
  }

  /// Finds the columns of a product that have entries. Local.
  /// @param sums operands, which rows() will multiply; must outlive this object
  /// @param columns index space of the product's columns
  ProductExport(const ProcessGrid& grid, const SumsOrOperands<Scalar, Device>& sums,
                const IndexSpace& columns, const RoundOptions& options, LocalFailure& failure)
      : grid_(grid),
        sums_(sums),
        ownedColumns_(static_cast<int>(columns.numbering().end() - columns.numbering().begin())),
        ascending_(rightFactorsAscend<Scalar, Device>(options)) {
    failure.guard([&] { findColumns(columns); });
  }

  const ProcessGrid& grid() const { return grid_; }
  /// Returns the numbers of remote columns with entries here, ascending.
  const Kokkos::View<Position*, Device>& remotes() const { return remotes_; }

  /// Forms the rows of C. Its argument and result are as in MatrixExport::rows(). Local.
  CrsArrays<Scalar, Device> rows(const Kokkos::View<int*, Device>& order) {
    const int columns = ownedColumns_ + static_cast<int>(remotes_.extent(0));
    index_->setOrder(order);
    const Matrix b = ascending_ ? referenced_->relabelledAscending(*index_, columns)
                                : referenced_->relabelled(*index_, columns);
    referenced_.reset();
    return arraysOf(sums_.multiply(sums_.operands().a, b));
  }

 private:
  void findColumns(const IndexSpace& space) {
    referenced_.emplace(sums_.operands().a, sums_.operands().tile);
    const Numbering& numbering = space.numbering();
    index_.emplace(numbering.size(), numbering.begin(), numbering.end(),
                   sums_.operands().tile.nnz());
    remotes_ = referenced_->indexColumns(*index_);
  }

  const ProcessGrid& grid_;
  const SumsOrOperands<Scalar, Device>& sums_;
  int ownedColumns_;
  bool ascending_;  // true if rows of B must ascend
  std::optional<ReferencedRows<Scalar, Device>> referenced_;
  std::optional<ColumnIndex<Device>> index_;  // columns of C
  Kokkos::View<Position*, Device> remotes_;
};

}  // namespace Trident::Impl

#endif
