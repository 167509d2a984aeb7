// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_METROWS_HPP
#define TRIDENT_METROWS_HPP

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_RowEntries.hpp"
#include "matrix/Trident_SortRows.hpp"
#include "move/Trident_RowAssembly.hpp"

namespace Trident::Impl {

/// Marks the columns of entries, which are rows of another matrix. Local.
template <class Device, class Columns>
Kokkos::View<int*, Device> markRows(const Columns& columns, int rows) {
  const Kokkos::View<int*, Device> marks("Trident::metRows", rows);
  Kokkos::parallel_for(
      "Trident::metRows", Range<Device>(0, columns.extent(0)), TRIDENT_LAMBDA(long long e) {
        if (!marks(columns(e))) fetchOr(&marks(columns(e)), 1);
      });
  return marks;
}

/// The rows of a right factor B that the entries of a left factor A meet. The columns of these rows
/// are the columns of A·B. For kernels.
template <class Scalar, class Device>
class MetRows {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// Local.
  MetRows(const Matrix& a, const Matrix& b)
      : b_(b), met_(markRows<Device>(a.graph.entries, b.numRows())) {}

  /// As indexColumns(): those of the product. Local.
  Kokkos::View<Position*, Device> indexColumns(ColumnIndex<Device>& index) const {
    const ColumnIndex<Device> notes = index;
    const auto met = met_;
    const auto columns = b_.graph.entries;
    if (index.usesBitmap()) {
      forEntries(
          "Trident::touchColumns", TRIDENT_LAMBDA(long long r, std::size_t e) {
            if (met(r)) notes.touch(columns(e));
          });
      return index.finishBitmap();
    }
    const auto before = uninitialized<long long, Device>("Trident::touchedBefore", b_.nnz() + 1);
    forEntries(
        "Trident::markTouched", TRIDENT_LAMBDA(long long r, std::size_t e) {
          before(e) = met(r) && !notes.owned(columns(e));
        });
    const auto touched = uninitialized<Position, Device>(
        "Trident::touched", countsToOffsets<long long, Device>(before));
    forEntries(
        "Trident::listTouched", TRIDENT_LAMBDA(long long r, std::size_t e) {
          if (met(r) && !notes.owned(columns(e))) touched(before(e)) = columns(e);
        });
    return index.finishList(touched);
  }

  /// B with the columns of its met rows local; what the others have is any. The values are B's.
  /// Local.
  /// @param columns local ones: owned and remote
  Matrix relabelled(const ColumnIndex<Device>& index, int columns) const {
    const ColumnIndex<Device> local = index;
    const auto met = met_;
    const auto from = b_.graph.entries;
    const auto to = uninitialized<int, Device>("Trident::metColumns", b_.nnz());
    forEntries(
        "Trident::relabelMetRows",
        TRIDENT_LAMBDA(long long r, std::size_t e) { to(e) = met(r) ? local.local(from(e)) : 0; });
    return Matrix("Trident::metRows", b_.numRows(), columns, b_.nnz(), b_.values, b_.graph.row_map,
                  to);
  }

  /// The same where B's rows ascend, and these are to: a copy, in which rows that are not met are
  /// empty. Local.
  Matrix relabelledAscending(const ColumnIndex<Device>& index, int columns) const {
    const ColumnIndex<Device> local = index;
    const auto met = met_;
    const Matrix b = b_;
    const auto to = arraysForCounts<Scalar, Device>(lengths());
    const auto owned = ownedParts<Device>(b.graph.row_map, b.graph.entries, index);
    forEntries(
        "Trident::relabelMetRows", TRIDENT_LAMBDA(long long r, std::size_t e) {
          if (!met(r)) return;
          const std::size_t at = to.offsets(r) + owned(r).placeOf(e - b.graph.row_map(r));
          to.columns(at) = local.local(b.graph.entries(e));
          to.values(at) = b.values(e);
        });
    if (!index.othersInOrder()) sortRows(to.matrix(columns));
    return to.matrix(columns);
  }

  // Not private, as CUDA wants it of what has kernels.

  template <class F>
  void forEntries(const char* label, const F& f) const {
    forRowEntries<Device>(label, b_.numRows(), b_.nnz(), b_.graph.row_map, f);
  }
  /// Of the met rows; one number more than rows.
  Kokkos::View<std::size_t*, Device> lengths() const {
    const auto met = met_;
    const auto offsets = b_.graph.row_map;
    const auto counts = uninitialized<std::size_t, Device>("Trident::metOffsets", b_.numRows() + 1);
    Kokkos::parallel_for(
        "Trident::metLengths", Range<Device>(0, b_.numRows()),
        TRIDENT_LAMBDA(long long r) { counts(r) = met(r) ? offsets(r + 1) - offsets(r) : 0; });
    return counts;
  }

 private:
  Matrix b_;
  Kokkos::View<int*, Device> met_;
};

}  // namespace Trident::Impl

#endif
