// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWREADING_HPP
#define TRIDENT_ROWREADING_HPP

#include <cstddef>

#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Rules by which a product on a host reads its left factor's rows where they are stored, without a
/// copy. Each time the product reads a row, it looks up columns, computes values, and puts entries
/// in ascending order. The product has the same bits as with a copy.
///
/// Most rows are plain: they meet only rows of the right factor on this rank, in ascending order.
/// For them the product reads this rank's part of the right factor, not the tile of the node.
template <class Scalar, class Device>
struct RowReading {
  /// Row of the right factor that each stored column meets, counted from the tile's first row.
  /// If empty, column c meets row c.
  Kokkos::View<const int*, Device> columns;
  Kokkos::View<const char*, Device> plain;  ///< true for each plain row
  /// True for each row that stores zeros. A product skips these zeros, except on a diagonal. If
  /// empty, zeros are entries.
  Kokkos::View<const char*, Device> zeros;

  // Members for a left factor I - ω D⁻¹ M. Only M is stored.
  Kokkos::View<const Scalar*, Device> inverse;  ///< D⁻¹; if empty, values are used as stored
  Kokkos::View<const std::size_t*, Device> diagonal;  ///< offset of each row's diagonal entry
  Scalar minusOmega = {};

  // Members that are set once the right factor is known:
  LocalMatrix<Scalar, Device> right;  ///< rows of the right factor on this rank
  int firstMet = 0;                   ///< row of `right` that column 0 meets
};

/// Returns true if A·B has no terms because A, or all of the right factor, has no entries.
/// @param reading reading of A's rows, which may meet rows of reading->right, too; may be null
template <class Scalar, class Device>
bool isFactorEmpty(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
                   const RowReading<Scalar, Device>* reading) {
  return A.nnz() == 0 || (B.nnz() == 0 && (!reading || reading->right.nnz() == 0));
}

/// Marks the plain rows: their columns ascend and are all below `own`. Columns below `own` must
/// meet consecutive rows of the right factor on this rank. Local. Runs on hosts only.
template <class Scalar, class Device>
Kokkos::View<char*, Device> findPlainRows(const LocalMatrix<Scalar, Device>& stored, int own) {
  const auto plain = scratch<char, Device>("Trident::plainRows", stored.numRows());
  Kokkos::parallel_for("Trident::plainRows", Range<Device>(0, stored.numRows()), [=](long long r) {
    const std::size_t begin = stored.graph.row_map(r), end = stored.graph.row_map(r + 1);
    const int* const columns = stored.graph.entries.data();
    int others = begin < end && columns[begin] >= own;
    // There are no branches, so that compilers make vector instructions of the loop.
    for (std::size_t e = begin + 1; e < end; ++e)
      others |= (columns[e] < columns[e - 1]) | (columns[e] >= own);
    plain(r) = others == 0;
  });
  return plain;
}

}  // namespace Trident::Impl

#endif
