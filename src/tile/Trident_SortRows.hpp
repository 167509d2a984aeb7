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

#include "Trident_LocalMatrix.hpp"

namespace Trident {

/// Sorts the rows of a matrix by column, in place. Local.
template <class Scalar, class Device>
void sortRows(const LocalMatrix<Scalar, Device>& matrix) {
  if (matrix.nnz() > 0) TRIDENT_SORT_CRS_MATRIX(matrix);
}

}  // namespace Trident

#undef TRIDENT_SORT_CRS_MATRIX

#endif
