// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPOSEROWS_HPP
#define TRIDENT_TRANSPOSEROWS_HPP

#include <cstddef>
#include <limits>

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_DeviceSort.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

/// The structure of a transposed local matrix, and the sources of its values.
template <class Device>
struct TransposedStructure {
  /// Offsets of the transpose's rows; rows + 1 numbers.
  Kokkos::View<std::size_t*, Device> offsets;
  Kokkos::View<int*, Device> columns;  ///< columns of the transpose: rows of the matrix
  // Offset in the matrix of each entry of the transpose; empty if longSource is used.
  Kokkos::View<unsigned*, Device> source;
  Kokkos::View<std::size_t*, Device> longSource;  ///< used with 2^32 entries or more

  /// Runs work(source) or work(longSource), whichever is used.
  template <class Work>
  void withSource(const Work& work) const {
    if (longSource.extent(0) > 0)
      work(longSource);
    else
      work(source);
  }
};

/// Puts each entry of a matrix into the next free place of its column.
/// @param[in,out] cursor next free place of each column
template <class Matrix, class Source, class Device = typename Matrix::device_type>
void placeByColumn(const Matrix& matrix, const Kokkos::View<std::size_t*, Device>& cursor,
                   const Kokkos::View<int*, Device>& toColumns, const Source& toSource) {
  const auto columns = matrix.graph.entries;
  forRowEntries<Device>(
      "Trident::transposeRows", matrix.numRows(), static_cast<long long>(columns.extent(0)),
      matrix.graph.row_map, TRIDENT_LAMBDA(long long r, std::size_t e) {
        const std::size_t to = fetchAdd(&cursor(columns(e)), std::size_t(1));
        toColumns(to) = static_cast<int>(r);
        toSource(to) = static_cast<typename Source::non_const_value_type>(e);
      });
}

/// Transposes a local matrix by counting its columns. With several threads, the entries of a row
/// come in any order. The arrays are from scratch(), for use inside of a call. Local; does not
/// wait for its last kernel.
template <class Matrix, class Device = typename Matrix::device_type>
TransposedStructure<Device> transposeRows(const Matrix& matrix) {
  const auto columns = matrix.graph.entries;
  const long long entries = columns.extent(0);
  const auto counts =
      zeroScratch<std::size_t, Device>("Trident::transposedOffsets", matrix.numCols() + 1);
  Kokkos::parallel_for(
      "Trident::countColumns", Range<Device>(0, entries),
      TRIDENT_LAMBDA(long long e) { addShared(&counts(columns(e)), std::size_t(1)); });
  countsToOffsets<std::size_t, Device>(counts);
  const auto cursor = scratch<std::size_t, Device>("Trident::cursor", counts.extent(0));
  Kokkos::deep_copy(cursor, counts);
  TransposedStructure<Device> transposed;
  transposed.offsets = counts;
  transposed.columns = scratch<int, Device>("Trident::transposedColumns", entries);
  if (entries <= std::numeric_limits<unsigned>::max())
    transposed.source = scratch<unsigned, Device>("Trident::transposedSource", entries);
  else
    transposed.longSource = scratch<std::size_t, Device>("Trident::transposedSource", entries);
  transposed.withSource(
      [&](const auto& source) { placeByColumn(matrix, cursor, transposed.columns, source); });
  return transposed;
}

/// Transposes a local matrix of fewer than 2^32 entries, as transposeRows() does, but by a radix
/// sort (CUDA's) of the matrix's columns. Columns ascend in each row of the transpose.
template <class Matrix, class Device = typename Matrix::device_type>
TransposedStructure<Device> transposeBySort(const Matrix& matrix) {
  const auto columns = matrix.graph.entries;
  const long long entries = columns.extent(0), rows = matrix.numCols();
  const auto keys = scratch<unsigned, Device>("Trident::sortKeys", entries);
  const auto rowOf = scratch<int, Device>("Trident::rowOf", entries);
  TransposedStructure<Device> transposed;
  transposed.source = scratch<unsigned, Device>("Trident::transposedSource", entries);
  const auto source = transposed.source;
  forRowEntries<Device>(
      "Trident::sortKeys", matrix.numRows(), entries, matrix.graph.row_map,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        keys(e) = static_cast<unsigned>(columns(e));
        rowOf(e) = static_cast<int>(r);
        source(e) = static_cast<unsigned>(e);
      });
  int bits = 0;
  while (rows >> bits > 0) ++bits;
  sortDevicePairs(keys.data(), source.data(), entries, bits);
  transposed.columns = scratch<int, Device>("Trident::transposedColumns", entries);
  transposed.offsets = scratch<std::size_t, Device>("Trident::transposedOffsets", rows + 1);
  const auto toColumns = transposed.columns;
  const auto offsets = transposed.offsets;
  Kokkos::parallel_for(
      "Trident::transposedColumns", Range<Device>(0, entries),
      TRIDENT_LAMBDA(long long e) { toColumns(e) = rowOf(source(e)); });
  Kokkos::parallel_for(
      "Trident::transposedOffsets", Range<Device>(0, rows + 1), TRIDENT_LAMBDA(long long r) {
        offsets(r) = firstNotBelow(keys, 0, entries, static_cast<unsigned>(r));
      });
  return transposed;
}

/// Transposes a local matrix as transposeRows() does. On CUDA, sorts the entries first, if
/// possible, so that rows of the transpose ascend. A sort of the rows afterwards would cost more.
template <class Matrix, class Device = typename Matrix::device_type>
TransposedStructure<Device> transposeAscending(const Matrix& matrix) {
  if constexpr (isCuda<Device>)
    if (hasSegmentedSort(sizeof(unsigned)) && matrix.nnz() <= std::numeric_limits<unsigned>::max())
      return transposeBySort(matrix);
  return transposeRows(matrix);
}

/// Copies the values of a matrix, in the order of its transpose.
template <class Values, class Source, class Scalar, class Device>
void gatherValues(const Values& from, const Source& source,
                  const Kokkos::View<Scalar*, Device>& values) {
  Kokkos::parallel_for(
      "Trident::gatherValues", Range<Device>(0, values.extent(0)),
      TRIDENT_LAMBDA(long long e) { values(e) = from(source(e)); });
}

/// Returns a matrix's values in the order of its transpose, in a scratch() array. Local; does not
/// wait for its kernel.
template <class Device, class Values, class Scalar = typename Values::non_const_value_type>
Kokkos::View<Scalar*, Device> transposedValues(const Values& from,
                                               const TransposedStructure<Device>& transposed) {
  const auto values = scratch<Scalar, Device>("Trident::values", transposed.columns.extent(0));
  transposed.withSource([&](const auto& source) { gatherValues(from, source, values); });
  return values;
}

}  // namespace Trident::Impl

#endif
