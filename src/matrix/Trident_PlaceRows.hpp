// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLACEROWS_HPP
#define TRIDENT_PLACEROWS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "matrix/Trident_HostWorkspaces.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowEntries.hpp"

namespace Trident::Impl {

/// Finds a column's place in a row of CSR arrays. For kernels.
template <class Offsets, class Columns>
struct PlacesInRows {
  Offsets offsets;
  Columns columns;
  bool sorted;  ///< otherwise rows are searched from end to end

  /// Counted from the row's first entry; -1 where the row lacks the column.
  KOKKOS_INLINE_FUNCTION int operator()(long long row, int column) const {
    const std::size_t first = offsets(row), end = offsets(row + 1);
    std::size_t low = first, high = end;
    while (sorted && low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (columns(middle) < column)
        low = middle + 1;
      else
        high = middle;
    }
    while (!sorted && low < end && columns(low) != column) ++low;
    return low < end && columns(low) == column ? static_cast<int>(low - first) : -1;
  }
};

/// CSR arrays that several ranks or rounds write, each a run of rows; raw pointers, as the storage
/// may be memory that λ ranks share.
template <class Scalar>
struct RowArrays {
  std::size_t* offsets;
  int* columns;
  Scalar* values;
};

/// Where a run of rows goes in such arrays.
struct RowPlace {
  long long rowBegin;
  int rows;
  std::size_t entryBegin;
};

template <class Scalar, class Device>
void placeRowsOnHost(const LocalMatrix<Scalar, Device>& matrix, int firstRow, const RowPlace& place,
                     const RowArrays<Scalar>& tile) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto values = matrix.values;
  const RowPlace p = place;
  const RowArrays<Scalar> t = tile;
  Kokkos::parallel_for(
      "Trident::placeRows", Range<Device>(0, p.rows), TRIDENT_LAMBDA(long long r) {
        const std::size_t first = offsets(firstRow), begin = offsets(firstRow + r);
        t.offsets[p.rowBegin + r] = p.entryBegin + (begin - first);
        for (std::size_t e = begin; e < offsets(firstRow + r + 1); ++e) {
          t.columns[p.entryBegin + (e - first)] = columns(e);
          t.values[p.entryBegin + (e - first)] = values(e);
        }
      });
}

/// A matrix's offsets from a row on, for forRowEntries().
template <class Offsets>
struct OffsetsFrom {
  Offsets offsets;
  int firstRow;
  KOKKOS_INLINE_FUNCTION std::size_t operator()(long long r) const { return offsets(firstRow + r); }
};

/// The same by several threads for a row.
template <class Scalar, class Device>
void placeRowsOnDevice(const LocalMatrix<Scalar, Device>& matrix, int firstRow,
                       const RowPlace& place, const RowArrays<Scalar>& tile) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto values = matrix.values;
  const RowPlace p = place;
  const RowArrays<Scalar> t = tile;
  if (p.rows == 0) return;
  Kokkos::parallel_for(
      "Trident::placeOffsets", Range<Device>(0, p.rows), TRIDENT_LAMBDA(long long r) {
        t.offsets[p.rowBegin + r] = p.entryBegin + (offsets(firstRow + r) - offsets(firstRow));
      });
  // The mean of all rows chooses the threads; to know these rows' would need to wait for the
  // device.
  const double share = static_cast<double>(p.rows) / matrix.numRows();
  forRowEntries<Device>(
      "Trident::placeRows", p.rows, 1 + static_cast<long long>(matrix.nnz() * share),
      OffsetsFrom<decltype(matrix.graph.row_map)>{offsets, firstRow},
      TRIDENT_LAMBDA(long long, std::size_t e) {
        const std::size_t to = p.entryBegin + (e - offsets(firstRow));
        t.columns[to] = columns(e);
        t.values[to] = values(e);
      });
}

/// Writes rows [firstRow, firstRow + place.rows) of a matrix to their place. The arrays' closing
/// offset is the caller's. Local.
template <class Scalar, class Device>
void placeRows(const LocalMatrix<Scalar, Device>& matrix, int firstRow, const RowPlace& place,
               const RowArrays<Scalar>& tile) {
  if constexpr (isHost<Device>)
    placeRowsOnHost(matrix, firstRow, place, tile);
  else
    placeRowsOnDevice(matrix, firstRow, place, tile);
}

}  // namespace Trident::Impl

#endif
