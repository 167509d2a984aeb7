// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SORTROWS_HPP
#define TRIDENT_SORTROWS_HPP

#if __has_include(<KokkosSparse_SortCrs.hpp>)
#include <KokkosSparse_SortCrs.hpp>
#define TRIDENT_SORT_CRS_MATRIX KokkosSparse::sort_crs_matrix
#else
#include <KokkosKernels_SparseUtils.hpp>
#define TRIDENT_SORT_CRS_MATRIX KokkosKernels::Impl::sort_crs_matrix
#endif

#include "Trident_HostWorkspaces.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_RowSorter.hpp"

namespace Trident {
namespace Impl {

template <class Scalar, class Device>
struct SortRow {
  LocalMatrix<Scalar, Device> matrix;
  HostWorkspaces<RowSorter<Scalar>, Device> sorters;

  void operator()(long long r) const {
    const std::size_t begin = matrix.graph.row_map(r), end = matrix.graph.row_map(r + 1);
    sorters.use([&](RowSorter<Scalar>& sorter) {
      sorter.sort(matrix.graph.entries.data() + begin, matrix.values.data() + begin, end - begin);
    });
  }
};

}  // namespace Impl

/// Sorts the rows of a matrix by column, in place. Local.
template <class Scalar, class Device>
void sortRows(const LocalMatrix<Scalar, Device>& matrix) {
  if (matrix.nnz() == 0) return;
  if constexpr (isHost<Device>)
    Kokkos::parallel_for(
        "Trident::sortRows", Range<Device>(0, matrix.numRows()),
        Impl::SortRow<Scalar, Device>{matrix, HostWorkspaces<RowSorter<Scalar>, Device>()});
  else
    TRIDENT_SORT_CRS_MATRIX(matrix);
}

}  // namespace Trident

#undef TRIDENT_SORT_CRS_MATRIX

#endif
