// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMPLETEDIAGONAL_HPP
#define TRIDENT_COMPLETEDIAGONAL_HPP

#include <limits>

#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_RowReading.hpp"
#include "matrix/Trident_WithoutZeros.hpp"

namespace Trident::Impl {

/// The offset of an entry that a matrix does not store.
constexpr std::size_t notStored = std::numeric_limits<std::size_t>::max();

/// Finds the offset of each row's entry on the diagonal, or notStored. Local.
/// @param numbers of the columns, each once, and `diagonal`, the number of each row among them:
///        what gives a number for an index, in kernels
template <class Matrix, class Numbers, class Device = typename Matrix::device_type>
Kokkos::View<std::size_t*, Device> findDiagonal(const Matrix& matrix, const Numbers& numbers,
                                                const Numbers& diagonal) {
  const long long rows = matrix.numRows();
  const auto entry = scratch<std::size_t, Device>("Trident::diagonal", rows);
  if constexpr (isHost<Device>) {
    // Column Maps mostly begin with the indices of the row Map: then the column is known without
    // asking for the number of each.
    Kokkos::parallel_for("Trident::findDiagonal", Range<Device>(0, rows), [=](long long r) {
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
    });
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

/// Returns the offsets of the rows' missing diagonal entries, one more than rows; the last is their
/// number. Local.
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
  /// The matrix's columns, and behind them those of entries that were missing, in the order of
  /// rows.
  Kokkos::View<int*, Device> columns;
  Kokkos::View<std::size_t*, Device> source;  ///< offset of each entry in the matrix, or notStored
};

/// Appends a diagonal entry to each row that has none; the caller says its value. Local; does not
/// wait for the device.
/// @param before as missingBefore() returned it: how many earlier rows lack the entry
/// @param missing the last value of `before`: how many rows lack it
/// @param[in,out] diagonal offset of each row's diagonal entry, as findDiagonal() returned it; then
///                         the offset in the completed rows
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

/// I - ω D⁻¹ M of a local matrix M, found by its structure; values are taken of it or of others of
/// the same structure.
template <class Scalar, class Device>
class JacobiRows {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  JacobiRows() = default;
  /// Finds the diagonal of a matrix, and completes it if it lacks entries. Local.
  /// @param numbers, diagonal as those of findDiagonal()
  template <class Numbers>
  JacobiRows(const Matrix& matrix, const Numbers& numbers, const Numbers& diagonal)
      : diagonal_(findDiagonal(matrix, numbers, diagonal)) {
    const auto before = missingBefore<Device>(diagonal_);
    Kokkos::deep_copy(missing_, Kokkos::subview(before, matrix.numRows()));
    if (missing_ > 0) rows_ = completeDiagonal(matrix, before, missing_, diagonal_);
  }

  /// Returns the number of rows that lack their diagonal entry. The columns of these follow the
  /// matrix's own, in the order of rows.
  std::size_t missing() const { return missing_; }

  /// Returns the matrix; its offsets and columns are M's where no row lacks its diagonal and no
  /// zeros are passed over. Waits for its kernels in the latter case alone. Local.
  /// @param columns of the result
  /// @param inverse D⁻¹, a view of one column
  /// @param passesZeros true if zeros of M are no entries
  template <class Inverse>
  Matrix matrix(const Matrix& M, int columns, Scalar omega, const Inverse& inverse,
                bool passesZeros = false) const {
    const auto rows = offsets(M);
    const auto entries = this->columns(M);
    const bool passes = passesZeros && findRowsWithZeros(M).extent(0) > 0;
    const auto values = valuesOf(M.values, rows, entries.extent(0), -omega, inverse, passes);
    const Matrix all("Trident::jacobi", M.numRows(), columns, values.extent(0), values, rows,
                     entries);
    const KeepNonzeros<Scalar, Device> keep{M, rows, rows_.source, diagonal_};
    return passes ? keepEntries(all, keep, keep) : all;
  }
  /// Returns the offsets of its rows, and its columns.
  typename Matrix::row_map_type offsets(const Matrix& M) const {
    return missing_ > 0 ? typename Matrix::row_map_type(rows_.offsets) : M.graph.row_map;
  }
  typename Matrix::index_type columns(const Matrix& M) const {
    return missing_ > 0 ? typename Matrix::index_type(rows_.columns) : M.graph.entries;
  }
  /// Returns the reading of the result's values from M's, where no row lacks its diagonal.
  /// @param inverse as that of matrix()
  template <class Inverse>
  RowReading<Scalar, Device> reading(Scalar omega, const Inverse& inverse) const {
    RowReading<Scalar, Device> reading;
    reading.inverse = Kokkos::subview(inverse, Kokkos::ALL(), 0);
    reading.diagonal = diagonal_;
    reading.minusOmega = -omega;
    return reading;
  }

  /// Numbers the columns of the diagonal entries that M lacks. Local; only where some are missing.
  /// @param numbers of all columns
  /// @param diagonal as that of the constructor
  template <class Numbers>
  void numberMissing(const Kokkos::View<Position*, Device>& numbers,
                     const Numbers& diagonal) const {
    const CompletedRows<Device> rows = rows_;
    const auto at = diagonal_;
    Kokkos::parallel_for(
        "Trident::numberMissing", Range<Device>(0, at.extent(0)), TRIDENT_LAMBDA(long long r) {
          if (rows.source(at(r)) == notStored) numbers(rows.columns(at(r))) = diagonal(r);
        });
  }
  /// Gives the diagonal entries that M lacks their numbers as columns, where M's columns are
  /// numbers. Local; only where some are missing.
  template <class Numbers>
  void placeMissing(const Numbers& diagonal) const {
    const CompletedRows<Device> rows = rows_;
    const auto at = diagonal_;
    Kokkos::parallel_for(
        "Trident::placeMissing", Range<Device>(0, at.extent(0)), TRIDENT_LAMBDA(long long r) {
          if (rows.source(at(r)) == notStored) rows.columns(at(r)) = static_cast<int>(diagonal(r));
        });
  }

  template <class Bytes>
  void countArrays(Bytes& bytes) const {
    bytes.add(rows_.offsets);
    bytes.add(rows_.columns);
    bytes.add(rows_.source);
    bytes.add(diagonal_);
  }

  // Public, as CUDA wants functions with kernels.

  template <class Values, class Offsets, class Inverse>
  Kokkos::View<Scalar*, Device> valuesOf(const Values& from, const Offsets& offsets,
                                         std::size_t entries, Scalar minusOmega,
                                         const Inverse& inverse, bool passesZeros) const {
    const auto values = scratch<Scalar, Device>("Trident::values", entries);
    const auto source = rows_.source;
    const auto diagonal = diagonal_;
    const long long rows = diagonal.extent(0);
    if (missing_ == 0)
      forRowEntries<Device>(
          "Trident::jacobiValues", rows, entries, offsets,
          TRIDENT_LAMBDA(long long r, std::size_t e) {
            values(e) = minusOmega * inverse(r, 0) * from(e);
          });
    else
      forRowEntries<Device>(
          "Trident::jacobiValues", rows, entries, offsets,
          TRIDENT_LAMBDA(long long r, std::size_t e) {
            const std::size_t at = source(e);
            values(e) = at == notStored ? Scalar(0) : minusOmega * inverse(r, 0) * from(at);
          });
    Kokkos::parallel_for(
        "Trident::jacobiDiagonal", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
          const std::size_t at = diagonal(r), stored = source.extent(0) > 0 ? source(at) : at;
          // D⁻¹ may be infinite.
          if (passesZeros && stored != notStored && from(stored) == Scalar(0))
            values(at) = Scalar(0);
          values(at) += Scalar(1);
        });
    return values;
  }

 private:
  Kokkos::View<std::size_t*, Device> diagonal_;  // offset of each row's diagonal entry
  std::size_t missing_ = 0;
  CompletedRows<Device> rows_;  // empty if none is missing
};

}  // namespace Trident::Impl

#endif
