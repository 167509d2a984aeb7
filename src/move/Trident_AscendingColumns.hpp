// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ASCENDINGCOLUMNS_HPP
#define TRIDENT_ASCENDINGCOLUMNS_HPP

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "move/Trident_MatrixImport.hpp"

namespace Trident::Impl {

/// The places of a tile's columns where they lie by number: of every place, or, where these are
/// more than the entries, of every entry. Local.
template <class Device, class Columns>
Kokkos::View<int*, Device> columnsByNumber(const Columns& columns, const IndexSpace& space, int j) {
  const Permutation permutation = space.permutation();
  const bool all = space.tileColSize(j) < static_cast<long long>(columns.extent(0));
  const auto places = uninitialized<int, Device>("Trident::placesByNumber",
                                                 all ? space.tileColSize(j) : columns.extent(0));
  Kokkos::parallel_for(
      "Trident::placesByNumber", Range<Device>(0, places.extent(0)), TRIDENT_LAMBDA(long long p) {
        places(p) = static_cast<int>(permutation.placeByNumber(j, all ? p : columns(p)));
      });
  return all ? tileColumns<Device>(columns, places) : places;
}

/// A permuted matrix that is to be the last factor of a product, its columns brought to their order
/// by number (IndexSpace::ascendingColumns), where that can be had. Kernels sort the rows of a
/// product by column; so its rows come out in the order in which they leave the grid. Nothing else
/// is copied. Local.
/// @param failure of this rank before; gets a lack of memory, with which the columns are any
template <class Scalar, class Device>
GridMatrix<Scalar, Device> withAscendingColumns(const GridMatrix<Scalar, Device>& matrix,
                                                LocalFailure& failure) {
  const auto& ascending = matrix.columns()->ascendingColumns();
  if (!ascending) return matrix;
  const LocalMatrix<Scalar, Device> slice = matrix.local();
  Kokkos::View<int*, Device> columns = slice.graph.entries;
  failure.guard([&] {
    columns = columnsByNumber<Device>(slice.graph.entries, *matrix.columns(), matrix.grid().me().j);
    Kokkos::fence();
  });
  return {matrix.transport(), matrix.rows(), ascending,
          LocalMatrix<Scalar, Device>("Trident::slice", slice.numRows(), slice.numCols(),
                                      slice.nnz(), slice.values, slice.graph.row_map, columns)};
}

}  // namespace Trident::Impl

#endif
