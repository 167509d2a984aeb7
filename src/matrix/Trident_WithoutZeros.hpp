// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WITHOUTZEROS_HPP
#define TRIDENT_WITHOUTZEROS_HPP

#include <cstddef>

#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_FilterRows.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

// Tpetra's kernels for hosts pass over the stored zeros of left factors. So do these functions. -0
// counts as zero, a NaN does not.

namespace Trident::Impl {

/// Marks a row that stores zeros, and counts such rows.
template <class Scalar, class Device>
struct NoteZeros {
  LocalMatrix<Scalar, Device> stored;
  Kokkos::View<char*, Device> zeros;

  KOKKOS_INLINE_FUNCTION void operator()(long long r, long long& rows) const {
    const Scalar* const values = stored.values.data();
    int found = 0;  // no branches, so that compilers make vector instructions of the loop
    for (std::size_t e = stored.graph.row_map(r); e < stored.graph.row_map(r + 1); ++e)
      found |= values[e] == Scalar(0);
    zeros(r) = static_cast<char>(found);
    rows += found;
  }
};

/// Returns 1 for each row that stores zeros, else 0; an empty list if no row stores zeros. Local.
template <class Scalar, class Device>
Kokkos::View<char*, Device> findRowsWithZeros(const LocalMatrix<Scalar, Device>& stored) {
  const auto zeros = scratch<char, Device>("Trident::rowsWithZeros", stored.numRows());
  long long rows = 0;
  Kokkos::parallel_reduce("Trident::rowsWithZeros", Range<Device>(0, stored.numRows()),
                          NoteZeros<Scalar, Device>{stored, zeros}, rows);
  return rows > 0 ? zeros : Kokkos::View<char*, Device>();
}

/// A filter that drops entries whose stored value is zero, except on a diagonal.
template <class Scalar, class Device>
struct KeepNonzeros : KeepAsIs<Scalar> {
  using typename KeepAsIs<Scalar>::SettledRow;
  using Offsets = Kokkos::View<const std::size_t*, Device>;

  LocalMatrix<Scalar, Device> stored;
  Offsets offsets;  ///< offsets of the filtered rows
  /// Offset in `stored` of each entry that the filter gets; if empty, entry e is entry e of
  /// `stored`. Offsets from stored.nnz() on mark entries that `stored` lacks; these are kept.
  Offsets source;
  Offsets diagonal;  ///< offset of each row's diagonal entry, to be kept even if zero; may be empty

  KeepNonzeros(const LocalMatrix<Scalar, Device>& from, const Offsets& offsetsOfRows,
               const Offsets& places, const Offsets& diagonals)
      : stored(from), offsets(offsetsOfRows), source(places), diagonal(diagonals) {}
  KOKKOS_INLINE_FUNCTION bool keeps(const SettledRow&, long long r, int e, int,
                                    const Scalar&) const {
    const std::size_t at = offsets(r) + e, from = source.extent(0) > 0 ? source(at) : at;
    return from >= stored.nnz() || !(stored.values(from) == Scalar(0)) ||
           (diagonal.extent(0) > 0 && diagonal(r) == at);
  }
};

/// Returns a matrix without its stored zeros. If it stores none, returns the matrix itself. Local.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> withoutZeros(const LocalMatrix<Scalar, Device>& matrix) {
  if (findRowsWithZeros(matrix).extent(0) == 0) return matrix;
  const KeepNonzeros<Scalar, Device> keep{matrix, matrix.graph.row_map, {}, {}};
  return keepEntries(matrix, keep, keep);
}

}  // namespace Trident::Impl

#endif
