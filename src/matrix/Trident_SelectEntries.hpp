// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SELECTENTRIES_HPP
#define TRIDENT_SELECTENTRIES_HPP

#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// The entries of a matrix that are marked, in their order. Local; waits for its kernels.
/// @param marks 1 for an entry that is selected, else 0; one more number than entries. Overwritten
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> selectEntries(const LocalMatrix<Scalar, Device>& matrix,
                                          const Kokkos::View<std::size_t*, Device>& marks) {
  const long long entries = static_cast<long long>(matrix.nnz());
  const std::size_t selected = countsToOffsets<std::size_t, Device>(marks);
  if (selected == matrix.nnz()) return matrix;
  const auto fromOffsets = matrix.graph.row_map;
  const auto fromColumns = matrix.graph.entries;
  const auto fromValues = matrix.values;
  const CrsArrays<Scalar, Device> to{
      uninitialized<std::size_t, Device>("Trident::offsets", matrix.numRows() + 1),
      uninitialized<int, Device>("Trident::columns", selected),
      uninitialized<Scalar, Device>("Trident::values", selected)};
  const auto offsets = to.offsets;
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
