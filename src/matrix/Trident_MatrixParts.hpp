// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MATRIXPARTS_HPP
#define TRIDENT_MATRIXPARTS_HPP

#include <utility>
#include <vector>

#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Reads elements of an array at some indices, on the host. Local.
template <class Device, class Array, class T = typename Array::non_const_value_type>
std::vector<T> elementsAt(const Array& array, const std::vector<int>& indices) {
  const auto at = toDevice<int, Device>(indices);
  const auto found = uninitialized<T, Device>("Trident::elementsAt", indices.size());
  Kokkos::parallel_for(
      "Trident::elementsAt", Range<Device>(0, indices.size()),
      TRIDENT_LAMBDA(long long n) { found(n) = array(at(n)); });
  return toHost<T, Device>(found);
}

/// Returns the offsets of rows [begin, end), counted from the first of these offsets. Local.
template <class Device, class Offsets>
Kokkos::View<std::size_t*, Device> offsetsOfRows(const Offsets& all, int begin, int end) {
  const auto offsets = uninitialized<std::size_t, Device>("Trident::offsets", end - begin + 1);
  Kokkos::parallel_for(
      "Trident::offsetsOfRows", Range<Device>(0, offsets.extent(0)),
      TRIDENT_LAMBDA(long long r) { offsets(r) = all(begin + r) - all(begin); });
  return offsets;
}

/// Returns rows [begin, end) of a matrix. The result shares the matrix's entries. Local.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> rowsOf(const LocalMatrix<Scalar, Device>& matrix, int begin, int end) {
  if (begin == 0 && end == matrix.numRows()) return matrix;
  if (matrix.nnz() == 0) return emptyMatrix<Scalar, Device>(end - begin, matrix.numCols());
  const auto all = matrix.graph.row_map;
  const auto ends = elementsAt<Device>(all, {begin, end});
  const std::pair<std::size_t, std::size_t> entries(ends[0], ends[1]);
  return LocalMatrix<Scalar, Device>(
      "Trident::rows", end - begin, matrix.numCols(), entries.second - entries.first,
      Kokkos::subview(matrix.values, entries), offsetsOfRows<Device>(all, begin, end),
      Kokkos::subview(matrix.graph.entries, entries));
}

/// Returns rows [begin, end) of a mask. The result shares the mask's columns. Local.
template <class Device>
LocalMask<Device> rowsOf(const LocalMask<Device>& mask, int begin, int end) {
  const auto ends = elementsAt<Device>(mask.offsets, {begin, end});
  LocalMask<Device> rows = mask;
  rows.offsets = offsetsOfRows<Device>(mask.offsets, begin, end);
  rows.columns = Kokkos::subview(mask.columns, std::make_pair(ends[0], ends[1]));
  return rows;
}

/// Joins matrices of the same columns, one below the other. If there is only one matrix, returns
/// that matrix, without a copy. Local; waits for its kernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> joinRows(const std::vector<LocalMatrix<Scalar, Device>>& parts,
                                     int rows, int columns) {
  if (parts.size() == 1) return parts.front();
  std::size_t entries = 0, at = 0;
  for (const auto& part : parts) entries += part.nnz();
  const auto offsets = uninitialized<std::size_t, Device>("Trident::offsets", rows + 1);
  const CrsArrays<Scalar, Device> whole{offsets,
                                        uninitialized<int, Device>("Trident::columns", entries),
                                        uninitialized<Scalar, Device>("Trident::values", entries)};
  long long row = 0;
  for (const auto& part : parts) {
    const auto partOffsets = part.graph.row_map;
    const long long first = row;
    const std::size_t before = at;
    if (part.numRows() > 0)
      Kokkos::parallel_for(
          "Trident::joinOffsets", Range<Device>(0, part.numRows()),
          TRIDENT_LAMBDA(long long r) { offsets(first + r) = before + partOffsets(r); });
    const std::pair<std::size_t, std::size_t> range(at, at + part.nnz());
    if (part.nnz() > 0) {
      Kokkos::deep_copy(Kokkos::subview(whole.columns, range), part.graph.entries);
      Kokkos::deep_copy(Kokkos::subview(whole.values, range), part.values);
    }
    row += part.numRows();
    at += part.nnz();
  }
  Kokkos::parallel_for(
      "Trident::joinEnd", Range<Device>(0, 1),
      TRIDENT_LAMBDA(long long) { offsets(rows) = entries; });
  Kokkos::fence();
  return whole.matrix(columns);
}

/// Returns a matrix with the marked entries alone, in their order. Local; waits for its kernels.
/// @param[in,out] marks 1 for marked entries, 0 for others, and one more element; overwritten
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> selectEntries(const LocalMatrix<Scalar, Device>& matrix,
                                          const Kokkos::View<std::size_t*, Device>& marks) {
  const long long entries = static_cast<long long>(matrix.nnz());
  const std::size_t selected = countsToOffsets<std::size_t, Device>(marks);
  if (selected == matrix.nnz()) return matrix;
  const auto fromOffsets = matrix.graph.row_map;
  const auto fromColumns = matrix.graph.entries;
  const auto fromValues = matrix.values;
  const auto offsets = uninitialized<std::size_t, Device>("Trident::offsets", matrix.numRows() + 1);
  const CrsArrays<Scalar, Device> to{offsets,
                                     uninitialized<int, Device>("Trident::columns", selected),
                                     uninitialized<Scalar, Device>("Trident::values", selected)};
  const auto columns = to.columns;
  const auto values = to.values;
  Kokkos::parallel_for(
      "Trident::offsetsOfSelected", Range<Device>(0, offsets.extent(0)),
      TRIDENT_LAMBDA(long long r) { offsets(r) = marks(fromOffsets(r)); });
  Kokkos::parallel_for(
      "Trident::selectEntries", Range<Device>(0, entries), TRIDENT_LAMBDA(long long e) {
        const std::size_t at = marks(e);
        if (marks(e + 1) == at) return;
        columns(at) = fromColumns(e);
        values(at) = fromValues(e);
      });
  Kokkos::fence();
  return to.matrix(matrix.numCols());
}

}  // namespace Trident::Impl

#endif
