// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COMPLETEDIAGONAL_HPP
#define TRIDENT_COMPLETEDIAGONAL_HPP

#include <limits>

#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_RowReading.hpp"
#include "matrix/Trident_WithoutZeros.hpp"

namespace Trident::Impl {

/// A value in place of an offset, for an entry that a matrix does not store.
constexpr std::size_t notStored = std::numeric_limits<std::size_t>::max();

/// Returns the offset of each row's diagonal entry, or notStored. Local.
/// @param numbers numbers(c) is the number of column c; all columns have different numbers
/// @param diagonal diagonal(r) is the number of the column that is on row r's diagonal
template <class Matrix, class Numbers, class Device = typename Matrix::device_type>
Kokkos::View<std::size_t*, Device> findDiagonal(const Matrix& matrix, const Numbers& numbers,
                                                const Numbers& diagonal) {
  const long long rows = matrix.numRows();
  const auto entry = scratch<std::size_t, Device>("Trident::diagonal", rows);
  if constexpr (isHost<Device>) {
    // Most column Maps begin with the indices of the row Map. Then row r's diagonal entry is in
    // column r, and the columns' numbers need not be read.
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

/// Returns, for each row, the number of earlier rows that lack their diagonal entry. One more
/// element, the last, is the number of all such rows. Local.
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

/// The structure of a local matrix to which the missing diagonal entries were added.
template <class Device>
struct CompletedStructure {
  Kokkos::View<std::size_t*, Device> offsets;
  /// Local column of each entry. Added entries have new columns, behind the matrix's own columns
  /// and in the order of rows.
  Kokkos::View<int*, Device> columns;
  Kokkos::View<std::size_t*, Device> source;  ///< offset in the matrix; notStored for added entries
};

/// Appends a diagonal entry, without a value, to each row that lacks it. Local; waits for nothing.
/// @param before result of missingBefore(diagonal)
/// @param missing last element of `before`
/// @param[in,out] diagonal result of findDiagonal(); on return, the offset of each diagonal entry
///       in the completed rows
template <class Matrix, class Device = typename Matrix::device_type>
CompletedStructure<Device> completeDiagonal(const Matrix& matrix,
                                            const Kokkos::View<std::size_t*, Device>& before,
                                            std::size_t missing,
                                            const Kokkos::View<std::size_t*, Device>& diagonal) {
  const long long rows = matrix.numRows(), known = matrix.numCols();
  const std::size_t entries = matrix.nnz() + missing;
  const CompletedStructure<Device> completed{
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

/// I - ω D⁻¹ M of a local matrix M. Only the structure of M is used, so values may come from any
/// matrix of this structure.
template <class Scalar, class Device>
class JacobiRows {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  JacobiRows() = default;
  /// Finds the diagonal entries of a matrix. Adds missing ones to a copy of the structure. Local.
  /// @param numbers, diagonal parameters of findDiagonal()
  template <class Numbers>
  JacobiRows(const Matrix& matrix, const Numbers& numbers, const Numbers& diagonal)
      : diagonal_(findDiagonal(matrix, numbers, diagonal)) {
    const auto before = missingBefore<Device>(diagonal_);
    Kokkos::deep_copy(missing_, Kokkos::subview(before, matrix.numRows()));
    if (missing_ > 0) rows_ = completeDiagonal(matrix, before, missing_, diagonal_);
  }

  /// Returns the number of rows of M that lack their diagonal entry. The columns of the added
  /// entries follow M's own columns, in the order of rows.
  std::size_t missing() const { return missing_; }

  /// Returns I - ω D⁻¹ M. The result shares M's offsets and columns, unless M lacks diagonal
  /// entries or zeros are dropped. Waits for its kernels only if zeros are dropped. Local.
  /// @param columns number of the result's columns
  /// @param inverse D⁻¹, as a view of one column
  /// @param ignoresZeros true: zeros that M stores are dropped, except on the diagonal
  template <class Inverse>
  Matrix matrix(const Matrix& M, int columns, Scalar omega, const Inverse& inverse,
                bool ignoresZeros = false) const {
    const auto rows = offsets(M);
    const auto entries = this->columns(M);
    const bool passes = ignoresZeros && findRowsWithZeros(M).extent(0) > 0;
    const auto values = valuesOf(M.values, rows, entries.extent(0), -omega, inverse, passes);
    const Matrix all("Trident::jacobi", M.numRows(), columns, values.extent(0), values, rows,
                     entries);
    const KeepNonzeros<Scalar, Device> keep{M, rows, rows_.source, diagonal_};
    return passes ? keepEntries(all, keep, keep) : all;
  }
  /// Returns the row offsets of I - ω D⁻¹ M, with all zeros that M stores.
  typename Matrix::row_map_type offsets(const Matrix& M) const {
    return missing_ > 0 ? typename Matrix::row_map_type(rows_.offsets) : M.graph.row_map;
  }
  typename Matrix::index_type columns(const Matrix& M) const {
    return missing_ > 0 ? typename Matrix::index_type(rows_.columns) : M.graph.entries;
  }
  /// Returns the reading of M as a left factor I - ω D⁻¹ M. Requires missing() == 0.
  /// @param inverse D⁻¹, as a view of one column
  template <class Inverse>
  RowReading<Scalar, Device> reading(Scalar omega, const Inverse& inverse) const {
    RowReading<Scalar, Device> reading;
    reading.inverse = Kokkos::subview(inverse, Kokkos::ALL(), 0);
    reading.diagonal = diagonal_;
    reading.minusOmega = -omega;
    return reading;
  }

  /// Sets numbers(c) for the column c of each added diagonal entry. Local. Requires missing() > 0.
  /// @param diagonal number of the column on each row's diagonal
  template <class Numbers>
  void numberMissing(const Kokkos::View<Position*, Device>& numbers,
                     const Numbers& diagonal) const {
    const CompletedStructure<Device> rows = rows_;
    const auto at = diagonal_;
    Kokkos::parallel_for(
        "Trident::numberMissing", Range<Device>(0, at.extent(0)), TRIDENT_LAMBDA(long long r) {
          if (rows.source(at(r)) == notStored) numbers(rows.columns(at(r))) = diagonal(r);
        });
  }
  /// Sets the local column of row r's added diagonal entry to diagonal(r), for each r that has one.
  /// The local indices of M's columns must equal the columns' numbers. Local. Requires missing() >
  /// 0.
  template <class Numbers>
  void placeMissing(const Numbers& diagonal) const {
    const CompletedStructure<Device> rows = rows_;
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

  // Public, because CUDA requires this of functions that contain device lambdas.

  template <class Values, class Offsets, class Inverse>
  Kokkos::View<Scalar*, Device> valuesOf(const Values& from, const Offsets& offsets,
                                         std::size_t entries, Scalar minusOmega,
                                         const Inverse& inverse, bool ignoresZeros) const {
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
          // An ignored zero must give 0, but D⁻¹ times zero is a NaN where D⁻¹ is infinite.
          if (ignoresZeros && stored != notStored && from(stored) == Scalar(0))
            values(at) = Scalar(0);
          values(at) += Scalar(1);
        });
    return values;
  }

 private:
  Kokkos::View<std::size_t*, Device> diagonal_;  // offset of each row's diagonal entry
  std::size_t missing_ = 0;
  CompletedStructure<Device> rows_;  // empty if no diagonal entry is missing
};

}  // namespace Trident::Impl

#endif
