// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPOSEROWS_HPP
#define TRIDENT_TRANSPOSEROWS_HPP

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"

namespace Trident::Impl {

/// The structure of a transposed local matrix, and where its values come from.
template <class Device>
struct TransposedRows {
  Kokkos::View<std::size_t*, Device> offsets;  ///< of the rows, that were columns; one more
  Kokkos::View<int*, Device> columns;          ///< that were rows
  Kokkos::View<std::size_t*, Device> source;   ///< of each entry: its offset in the matrix
};

/// Transposes a local matrix by counting its columns. On a device entries of a row come in any
/// order. Of scratch: the transpose is an operand of a call. Local; waits for nothing.
template <class Matrix, class Device = typename Matrix::device_type>
TransposedRows<Device> transposeRows(const Matrix& matrix) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long rows = matrix.numRows(), entries = columns.extent(0);
  const auto counts =
      zeroScratch<std::size_t, Device>("Trident::transposedOffsets", matrix.numCols() + 1);
  Kokkos::parallel_for(
      "Trident::countColumns", Range<Device>(0, entries),
      TRIDENT_LAMBDA(long long e) { addShared(&counts(columns(e)), std::size_t(1)); });
  countsToOffsets<std::size_t, Device>(counts);
  const auto cursor = scratch<std::size_t, Device>("Trident::cursor", counts.extent(0));
  Kokkos::deep_copy(cursor, counts);
  const TransposedRows<Device> transposed{
      counts, scratch<int, Device>("Trident::transposedColumns", entries),
      scratch<std::size_t, Device>("Trident::transposedSource", entries)};
  const auto toColumns = transposed.columns;
  const auto toSource = transposed.source;
  forRowEntries<Device>(
      "Trident::transposeRows", rows, entries, offsets, TRIDENT_LAMBDA(long long r, std::size_t e) {
        const std::size_t to = fetchAdd(&cursor(columns(e)), std::size_t(1));
        toColumns(to) = static_cast<int>(r);
        toSource(to) = e;
      });
  return transposed;
}

/// The values of a matrix in the order of its transpose, of scratch. Local; waits for nothing.
/// @param source of each entry of the transpose: its offset in the matrix
template <class Device, class Values, class Scalar = typename Values::non_const_value_type>
Kokkos::View<Scalar*, Device> transposedValues(const Values& from,
                                               const Kokkos::View<std::size_t*, Device>& source) {
  const auto values = scratch<Scalar, Device>("Trident::values", source.extent(0));
  Kokkos::parallel_for(
      "Trident::gatherValues", Range<Device>(0, source.extent(0)),
      TRIDENT_LAMBDA(long long e) { values(e) = from(source(e)); });
  return values;
}

}  // namespace Trident::Impl

#endif
