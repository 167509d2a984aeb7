// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SUMTWINS_HPP
#define TRIDENT_SUMTWINS_HPP

#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_OrderRows.hpp"

namespace Trident::Impl {

/// Counts the columns of a row that is sorted, each once.
template <class Scalar, class Device>
struct CountColumns {
  LocalMatrix<Scalar, Device> sorted;
  Kokkos::View<std::size_t*, Device> counts;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    const auto& columns = sorted.graph.entries;
    const std::size_t begin = sorted.graph.row_map(r), end = sorted.graph.row_map(r + 1);
    std::size_t count = 0;
    for (std::size_t e = begin; e < end; ++e)
      count += e == begin || columns(e - 1) != columns(e) ? 1 : 0;
    counts(r) = count;
  }
};

/// Writes a row that is sorted with each column once.
template <class Scalar, class Device>
struct SumTwinsOfRow {
  LocalMatrix<Scalar, Device> sorted;
  CrsArrays<Scalar, Device> to;

  KOKKOS_INLINE_FUNCTION void operator()(long long r) const {
    const auto& columns = sorted.graph.entries;
    const std::size_t begin = sorted.graph.row_map(r), end = sorted.graph.row_map(r + 1);
    std::size_t next = to.offsets(r);
    for (std::size_t e = begin; e < end; ++e) {
      if (e > begin && columns(e - 1) == columns(e)) {
        to.values(next - 1) += sorted.values(e);
        continue;
      }
      to.columns(next) = columns(e);
      to.values(next++) = sorted.values(e);
    }
  }
};

/// A matrix with its columns in ascending order, and entries of the same place added. The arrays
/// of the one that is passed stay as they are. Local; waits for its kernels.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> sumTwins(const LocalMatrix<Scalar, Device>& matrix) {
  const auto offsets = matrix.graph.row_map;
  const Kokkos::View<int*, Device> columns =
      uninitialized<int, Device>("Trident::columns", matrix.graph.entries.extent(0));
  Kokkos::deep_copy(columns, matrix.graph.entries);
  const auto order = orderColumns<Device>(offsets, columns, matrix.numCols());
  const Kokkos::View<Scalar*, Device> stored = matrix.values;
  const auto values = order.changes() ? valuesInOrder<Device>(offsets, stored, order) : stored;
  const long long rows = matrix.numRows();
  const LocalMatrix<Scalar, Device> sorted("Trident::sorted", matrix.numRows(), matrix.numCols(),
                                           matrix.nnz(), values, offsets, columns);
  const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", rows + 1);
  Kokkos::parallel_for("Trident::countColumns", Range<Device>(0, rows),
                       CountColumns<Scalar, Device>{sorted, counts});
  const auto to = arraysForCounts<Scalar, Device>(counts);
  Kokkos::parallel_for("Trident::sumTwins", Range<Device>(0, rows),
                       SumTwinsOfRow<Scalar, Device>{sorted, to});
  Kokkos::fence();
  return to.matrix(matrix.numCols());
}

}  // namespace Trident::Impl

#endif
