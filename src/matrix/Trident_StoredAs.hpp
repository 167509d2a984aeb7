// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STOREDAS_HPP
#define TRIDENT_STOREDAS_HPP

#include <type_traits>

#include "base/Trident_Agreement.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Returns a matrix with its values converted to another scalar. Both matrices share the structure.
/// Local; waits for its kernel.
template <class To, class From, class Device>
LocalMatrix<To, Device> localStoredAs(const LocalMatrix<From, Device>& matrix) {
  const auto from = matrix.values;
  const auto to = uninitialized<To, Device>("Trident::values", matrix.nnz());
  Kokkos::parallel_for(
      "Trident::storedAs", Range<Device>(0, to.extent(0)),
      TRIDENT_LAMBDA(long long e) { to(e) = static_cast<To>(from(e)); });
  Kokkos::fence();
  return LocalMatrix<To, Device>("Trident::storedAs", matrix.numRows(), matrix.numCols(),
                                 matrix.nnz(), to, matrix.graph.row_map, matrix.graph.entries);
}

/// Returns a matrix on the grid with its values converted to another scalar. Collective; throws
/// Trident::Error on every rank if one rank lacks the memory.
template <class To, class From, class Device>
GridMatrix<To, Device> storedAs(const GridMatrix<From, Device>& matrix) {
  if constexpr (std::is_same<To, From>::value) {
    return matrix;
  } else {
    LocalMatrix<To, Device> local;
    runEverywhere(matrix.grid().comm(), [&] { local = localStoredAs<To>(matrix.local()); });
    return {matrix.exchanges(), matrix.rows(), matrix.columns(), local,
            matrix.rowsAscend() ? RowOrder::Ascending : RowOrder::Any};
  }
}

}  // namespace Trident::Impl

#endif
