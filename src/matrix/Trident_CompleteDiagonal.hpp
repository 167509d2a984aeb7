// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMPLETEDIAGONAL_HPP
#define TRIDENT_COMPLETEDIAGONAL_HPP

#include <limits>

#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"

namespace Trident::Impl {

/// The offset of an entry that a matrix does not store.
constexpr std::size_t notStored = std::numeric_limits<std::size_t>::max();

/// Looks for the diagonal entry of a row, on a host. Column Maps mostly begin with the indices of
/// the row Map: then the column is known without asking for the number of each.
template <class Matrix, class Numbers, class Device>
struct FindDiagonalOfRow {
  Matrix matrix;
  Numbers numbers, diagonal;
  Kokkos::View<std::size_t*, Device> entry;

  void operator()(long long r) const {
    const auto& offsets = matrix.graph.row_map;
    const auto& columns = matrix.graph.entries;
    const auto number = diagonal(r);
    const bool known = r < numbers.size() && numbers(r) == number;
    std::size_t e = offsets(r);
    const std::size_t end = offsets(r + 1);
    if (known)
      while (e < end && columns(e) != r) ++e;
    else
      while (e < end && numbers(columns(e)) != number) ++e;
    entry(r) = e < end ? e : notStored;
  }
};

/// Offset of each row's entry on the diagonal, or notStored. Local.
/// @param numbers of the columns, each once, and `diagonal`, the number of each row among them:
///        what gives a number for an index, in kernels
template <class Matrix, class Numbers, class Device = typename Matrix::device_type>
Kokkos::View<std::size_t*, Device> findDiagonal(const Matrix& matrix, const Numbers& numbers,
                                                const Numbers& diagonal) {
  const long long rows = matrix.numRows();
  const auto entry = scratch<std::size_t, Device>("Trident::diagonal", rows);
  if constexpr (isHost<Device>) {
    Kokkos::parallel_for(
        "Trident::findDiagonal", Range<Device>(0, rows),
        FindDiagonalOfRow<Matrix, Numbers, Device>{matrix, numbers, diagonal, entry});
  } else {
    const auto offsets = matrix.graph.row_map;
    const auto columns = matrix.graph.entries;
    Kokkos::deep_copy(entry, notStored);
    forRowEntries<Device>(
        "Trident::findDiagonal", rows, columns.extent(0), offsets,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          if (numbers(columns(e)) == diagonal(r)) entry(r) = e;
        });
  }
  return entry;
}

/// Offsets of the rows' missing diagonal entries, one more than rows; the last is how many. Local.
template <class Device>
Kokkos::View<std::size_t*, Device> missingBefore(
    const Kokkos::View<std::size_t*, Device>& diagonal) {
  const long long rows = diagonal.extent(0);
  const auto before = scratch<std::size_t, Device>("Trident::missingBefore", rows + 1);
  Kokkos::parallel_for(
      "Trident::missingRows", Range<Device>(0, rows),
      TRIDENT_LAMBDA(long long r) { before(r) = diagonal(r) == notStored; });
  countsToOffsets<std::size_t, Device>(before);
  return before;
}

/// The structure of a local matrix with an entry on each row's diagonal.
template <class Device>
struct CompletedRows {
  Kokkos::View<std::size_t*, Device> offsets;
  /// The columns of entries that were missing follow the matrix's own, in the order of rows.
  Kokkos::View<int*, Device> columns;
  Kokkos::View<std::size_t*, Device>
      source;  ///< of each entry: its offset in the matrix, or notStored
};

/// Gives each row that lacks its diagonal entry one, as its last. Local; waits for nothing.
/// @param before of missingBefore(); @param missing its last
/// @param diagonal of findDiagonal(), then in the completed rows
template <class Matrix, class Device = typename Matrix::device_type>
CompletedRows<Device> completeDiagonal(const Matrix& matrix,
                                       const Kokkos::View<std::size_t*, Device>& before,
                                       std::size_t missing,
                                       const Kokkos::View<std::size_t*, Device>& diagonal) {
  const long long rows = matrix.numRows(), known = matrix.numCols();
  const std::size_t entries = matrix.nnz() + missing;
  const CompletedRows<Device> completed{
      uninitialized<std::size_t, Device>("Trident::offsets", rows + 1),
      uninitialized<int, Device>("Trident::columns", entries),
      uninitialized<std::size_t, Device>("Trident::source", entries)};
  const auto offsets = completed.offsets;
  const auto columns = completed.columns;
  const auto source = completed.source;
  const auto oldOffsets = matrix.graph.row_map;
  const auto oldColumns = matrix.graph.entries;
  Kokkos::parallel_for(
      "Trident::widerOffsets", Range<Device>(0, rows + 1),
      TRIDENT_LAMBDA(long long r) { offsets(r) = oldOffsets(r) + before(r); });
  forRowEntries<Device>(
      "Trident::moveEntries", rows, oldColumns.extent(0), oldOffsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        columns(e + before(r)) = oldColumns(e);
        source(e + before(r)) = e;
      });
  Kokkos::parallel_for(
      "Trident::addDiagonal", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
        if (diagonal(r) != notStored) {
          diagonal(r) += before(r);
          return;
        }
        const std::size_t to = offsets(r + 1) - 1;
        columns(to) = static_cast<int>(known + before(r));
        source(to) = notStored;
        diagonal(r) = to;
      });
  return completed;
}

}  // namespace Trident::Impl

#endif
