// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ONERANKOPERAND_HPP
#define TRIDENT_ONERANKOPERAND_HPP

#include <utility>

#include "Trident_Error.hpp"
#include "matrix/Trident_OrderRows.hpp"
#include "matrix/Trident_TransposeRows.hpp"
#include "move/Trident_MatrixImport.hpp"
#include "tpetra/Trident_ColumnNumbers.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_Operand.hpp"

namespace Trident::Impl {

/// The local index, in another Map, of each index of a Map, where one rank owns both; empty where
/// each is its own. Local. Throws Trident::Error where an index is not in the other Map.
template <class LO, class GO, class NO>
Kokkos::View<int*, typename NO::device_type> indicesIn(const Tpetra::Map<LO, GO, NO>& other,
                                                       const Tpetra::Map<LO, GO, NO>& map,
                                                       const LookupText& lookup) {
  using Device = typename NO::device_type;
  if (&map == &other) return {};
  const auto from = map.getLocalMap();
  const auto to = other.getLocalMap();
  const long long count = localSize(map);
  long long moved = 0;
  Kokkos::parallel_reduce(
      "Trident::movedIndices", Range<Device>(0, count),
      TRIDENT_LAMBDA(long long l, long long& sum) {
        sum += to.getLocalElement(from.getGlobalElement(static_cast<LO>(l))) != l;
      },
      moved);
  if (moved == 0) return {};
  const auto indices = uninitialized<int, Device>("Trident::indices", count);
  Kokkos::parallel_for(
      "Trident::indicesIn", Range<Device>(0, count), TRIDENT_LAMBDA(long long l) {
        indices(l) = to.getLocalElement(from.getGlobalElement(static_cast<LO>(l)));
      });
  requireNoStrays(map, indices, lookup);
  return indices;
}

/// A CRS matrix whose columns are numbered anew: where no number changes, its very arrays.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> withColumns(const LocalMatrix<Scalar, Device>& matrix,
                                        const Kokkos::View<int*, Device>& indices, int numColumns) {
  const auto& graph = matrix.graph;
  const Kokkos::View<int*, Device> columns = indices.extent(0) == 0
                                                 ? Kokkos::View<int*, Device>(graph.entries)
                                                 : tileColumns<Device>(graph.entries, indices);
  return LocalMatrix<Scalar, Device>("Trident::operand", matrix.numRows(), numColumns, matrix.nnz(),
                                     matrix.values, graph.row_map, columns);
}

template <class Scalar, class Device>
LocalMatrix<Scalar, Device> transposed(const LocalMatrix<Scalar, Device>& matrix) {
  const TransposedRows<Device> rows = transposeRows(matrix);
  return LocalMatrix<Scalar, Device>(
      "Trident::transposed", matrix.numCols(), matrix.numRows(), matrix.nnz(),
      transposedValues<Device>(matrix.values, rows.source), rows.offsets, rows.columns);
}

/// The matrix with rows sorted by column: itself where they are.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> withAscendingRows(const LocalMatrix<Scalar, Device>& matrix) {
  const auto& graph = matrix.graph;
  if (columnsAscend<Device>(graph.row_map, graph.entries, matrix.numCols())) return matrix;
  const auto columns = uninitialized<int, Device>("Trident::columns", graph.entries.extent(0));
  Kokkos::deep_copy(columns, graph.entries);
  const auto order = orderColumns<Device>(graph.row_map, columns, matrix.numCols());
  const Kokkos::View<Scalar*, Device> values = matrix.values;
  return LocalMatrix<Scalar, Device>(
      "Trident::operand", matrix.numRows(), matrix.numCols(), matrix.nnz(),
      order.changes() ? valuesInOrder<Device>(graph.row_map, values, order) : values, graph.row_map,
      columns);
}

/// An operand of one rank: its rows in the order of operand.rowMap(), its columns the local indices
/// of theirs in `next`, which has the rows that they meet. Shares what does not change with the
/// caller's matrix. Local. Throws Trident::Error where a column meets no row.
/// @param operand itself or transposed
template <class SC, class LO, class GO, class NO>
auto oneRankOperand(const Operand<SC, LO, GO, NO>& operand, const Tpetra::Map<LO, GO, NO>& next,
                    const LookupText& lookup) {
  const auto& matrix = *operand.matrix;
  const auto local = localMatrixOf(matrix);
  const int columns = static_cast<int>(localSize(next));
  if (!operand.transposed())
    return withColumns(local, indicesIn(next, *matrix.getColMap(), lookup), columns);
  const auto& rows = *matrix.getDomainMap();
  const auto inPlace =
      withColumns(local, indicesIn(rows, *matrix.getColMap(), lookupOfRows(operand)),
                  static_cast<int>(localSize(rows)));
  return withColumns(transposed(inPlace), indicesIn(next, *matrix.getRowMap(), lookup), columns);
}

}  // namespace Trident::Impl

#endif
