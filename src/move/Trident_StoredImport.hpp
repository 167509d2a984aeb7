// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_STOREDIMPORT_HPP
#define TRIDENT_STOREDIMPORT_HPP

#include <memory>

#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowReading.hpp"
#include "matrix/Trident_SliceLocator.hpp"

namespace Trident::Impl {

/// An import of left factors of one structure. It neither moves nor copies entries: a product reads
/// the rows where they are stored. Only for hosts, for a grid of one node, and for rows that stay
/// (IndexSpace::rowsStay). Local.
template <class Scalar, class Device>
class StoredImport {
 public:
  /// Finds the plain rows. Takes memory.
  /// @param local left factor with numbers of `rows` and `columns`; its values are not read
  /// @param zeros array that becomes RowReading::zeros
  StoredImport(const NumberedMatrix<Scalar, Device>& local,
               const Kokkos::View<char*, Device>& zeros,
               const std::shared_ptr<GridExchanges>& exchanges,
               const std::shared_ptr<const IndexSpace>& rows,
               const std::shared_ptr<const IndexSpace>& columns)
      : exchanges_(exchanges), rows_(rows), columns_(columns), zeros_(zeros) {
    if constexpr (isHost<Device>) {
      if (!local.columnNumbers.isIdentity())
        met_ = locateColumns<Device>(local.columnNumbers, *columns).local;
      plain_ = findPlainRows(local.matrix, findOwn(static_cast<int>(local.columnNumbers.size())));
    }
  }

  /// Returns true if most entries lie in rows that are not plain. A plan should then keep a copy,
  /// because products sort such rows at every reading. Returns false if products skip stored zeros,
  /// because a copy would have no entries for these zeros.
  bool mostlyNotPlain(const LocalMatrix<Scalar, Device>& stored) const {
    if constexpr (!isHost<Device>) return false;
    if (zeros_.extent(0) > 0) return false;
    std::size_t others = 0;
    for (int r = 0; r < stored.numRows(); ++r)
      if (!plain_(r)) others += stored.graph.row_map(r + 1) - stored.graph.row_map(r);
    return 2 * others > stored.nnz();
  }
  /// Marks no row as plain. Then all rows meet the node's tile, as rows of a plan's copy do.
  void clearPlain() { Kokkos::deep_copy(plain_, char(0)); }

  /// Returns the matrix on the grid, which shares all arrays of `stored`.
  /// @param reading rules for the values of `stored`; this function sets the other rules
  GridMatrix<Scalar, Device> matrix(const LocalMatrix<Scalar, Device>& stored,
                                    RowReading<Scalar, Device> reading) const {
    reading.columns = met_;
    reading.firstMet = firstMet_;
    reading.plain = plain_;
    reading.zeros = zeros_;
    return {exchanges_, rows_, columns_, stored, reading};
  }

  template <class Bytes>
  void countArrays(Bytes& bytes) const {
    bytes.add(met_);
    bytes.add(plain_);
    bytes.add(zeros_);
  }

 private:
  /// Finds the left factor's leading columns that meet consecutive rows of the right factor on this
  /// rank: usually the columns that the rank owns. Returns the count of these columns, and stores
  /// the first of the rows in firstMet_.
  int findOwn(int columns) {
    const int k = exchanges_->grid().me().k;
    const int begin = static_cast<int>(columns_->sliceBegin(0, k));
    const int end = begin + columns_->sliceSize(0, k);
    const auto met = [&](int c) { return met_.extent(0) > 0 ? met_(c) : c; };
    if (columns == 0 || met(0) < begin || met(0) >= end) return 0;
    firstMet_ = met(0) - begin;
    int own = 0;
    while (own < columns && met(own) == met(0) + own && met(own) < end) ++own;
    return own;
  }

  std::shared_ptr<GridExchanges> exchanges_;
  std::shared_ptr<const IndexSpace> rows_, columns_;
  Kokkos::View<int*, Device> met_;             // becomes RowReading::columns
  Kokkos::View<char*, Device> plain_, zeros_;  // arrays for RowReading::plain and zeros
  int firstMet_ = 0;                           // becomes RowReading::firstMet
};

}  // namespace Trident::Impl

#endif
