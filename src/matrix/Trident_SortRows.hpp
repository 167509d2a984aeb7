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

#include "matrix/Trident_DeviceKind.hpp"
#include "matrix/Trident_HostWorkspaces.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowEntries.hpp"
#include "matrix/Trident_RowSorter.hpp"
#include "matrix/Trident_SegmentedSort.hpp"

namespace Trident::Impl {

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

/// Whether KokkosKernels would take too long: it sorts a row by one team, in n·log²n steps that
/// all of the team takes part in, and chooses the team for the mean length.
template <class Scalar, class Device>
bool hasRowTooLong(const LocalMatrix<Scalar, Device>& matrix) {
  const long long longest = longestRow<Device>(matrix.graph.row_map);
  const long long mean = static_cast<long long>(matrix.nnz()) / matrix.numRows() + 1;
  return longest > 16384 || (longest > 1024 && longest / 32 > mean);
}

template <class Scalar, class Device>
void sortRowsBySegments(const LocalMatrix<Scalar, Device>& matrix) {
  sortSegments({matrix.numRows(), matrix.nnz(), matrix.graph.row_map.data(),
                matrix.graph.entries.data(), matrix.values.data(), sizeof(Scalar)});
}

/// Whether the columns of every row ascend, none of them twice.
template <class Scalar, class Device>
bool rowsAscend(const LocalMatrix<Scalar, Device>& matrix) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long rows = matrix.numRows();
  long long descents = 0, begins = 0;
  Kokkos::parallel_reduce(
      "Trident::descents", afterFirst<Device>(matrix.nnz()),
      TRIDENT_LAMBDA(long long e, long long& sum) { sum += columns(e - 1) >= columns(e); },
      descents);
  // Of these, those from one row to the next are no descents.
  Kokkos::parallel_reduce(
      "Trident::descentsBetweenRows", afterFirst<Device>(rows),
      TRIDENT_LAMBDA(long long r, long long& sum) {
        const std::size_t e = offsets(r);
        if (e > offsets(0) && e < offsets(rows) && e < offsets(r + 1))
          sum += columns(e - 1) >= columns(e);
      },
      begins);
  return descents == begins;
}

/// How rows are sorted on devices: KokkosKernels' sort by teams, CUDA's segmented sort, or the one
/// of them that suits the matrix and the build. Hosts have their own.
enum class RowSort { Auto, KokkosKernels, Segmented };

/// Sorts the rows of a matrix by column, in place. Local.
template <class Scalar, class Device>
void sortRows(const LocalMatrix<Scalar, Device>& matrix, RowSort how = RowSort::Auto) {
  if (matrix.nnz() == 0) return;
  if constexpr (isHost<Device>) {
    Kokkos::parallel_for(
        "Trident::sortRows", Range<Device>(0, matrix.numRows()),
        SortRow<Scalar, Device>{matrix, HostWorkspaces<RowSorter<Scalar>, Device>(
                                            longestRow<Device>(matrix.graph.row_map))});
  } else {
    if (how == RowSort::Auto && rowsAscend(matrix)) return;
    const bool can = isCuda<Device> && hasSegmentedSort(sizeof(Scalar));
    if (how == RowSort::Segmented || (how == RowSort::Auto && can && hasRowTooLong(matrix)))
      sortRowsBySegments(matrix);
    else
      TRIDENT_SORT_CRS_MATRIX(matrix);
  }
}

}  // namespace Trident::Impl

#undef TRIDENT_SORT_CRS_MATRIX

#endif
