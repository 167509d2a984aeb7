// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWREADING_HPP
#define TRIDENT_ROWREADING_HPP

#include <cstddef>

#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// A left factor's rows as a product on a host reads them where they are stored, so that nothing is
/// copied. Whenever a row is read, its columns are looked up, its values computed, and its entries
/// put in ascending order. The sums are those of a copy, bit for bit.
///
/// Most rows are plain: they meet rows of the right factor that lie on this rank alone, in their
/// order. These are met there, and not in the tile that the ranks of a node share.
template <class Scalar, class Device>
struct RowReading {
  /// The row of the right factor that each stored column meets, counted from the tile's first;
  /// empty: the column itself.
  Kokkos::View<const int*, Device> columns;
  Kokkos::View<const char*, Device> plain;  ///< true for each plain row
  /// True for each row that stores zeros, which are passed over but on a diagonal; empty: zeros are
  /// entries.
  Kokkos::View<const char*, Device> zeros;

  // For I - ω D⁻¹ M, where M is stored:
  Kokkos::View<const Scalar*, Device> inverse;        ///< D⁻¹; empty: values are those stored
  Kokkos::View<const std::size_t*, Device> diagonal;  ///< offset of each row's entry there
  Scalar minusOmega = {};

  // Set when the right factor is there:
  LocalMatrix<Scalar, Device> right;  ///< rows of the right factor on this rank
  int firstMet = 0;                   ///< number among them of the row that column 0 meets
};

/// Returns true if A·B has nothing to add up.
/// @param reading of A's rows, some of which may meet other rows than B's; null: none do
template <class Scalar, class Device>
bool hasNoProducts(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
                   const RowReading<Scalar, Device>* reading) {
  return A.nnz() == 0 || (B.nnz() == 0 && (!reading || reading->right.nnz() == 0));
}

/// Marks the rows that are plain: their columns ascend, all below `own`. Local; on hosts.
template <class Scalar, class Device>
Kokkos::View<char*, Device> findPlainRows(const LocalMatrix<Scalar, Device>& stored, int own) {
  const auto plain = scratch<char, Device>("Trident::plainRows", stored.numRows());
  Kokkos::parallel_for("Trident::plainRows", Range<Device>(0, stored.numRows()), [=](long long r) {
    const std::size_t begin = stored.graph.row_map(r), end = stored.graph.row_map(r + 1);
    const int* const columns = stored.graph.entries.data();
    int others = begin < end && columns[begin] >= own;
    // Without branches: so compilers make vector instructions of the loop.
    for (std::size_t e = begin + 1; e < end; ++e)
      others |= (columns[e] < columns[e - 1]) | (columns[e] >= own);
    plain(r) = others == 0;
  });
  return plain;
}

}  // namespace Trident::Impl

#endif
