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

/// Puts left factors of one structure onto the grid without moving or copying an entry: their rows
/// are read where they are stored. For hosts, rows that stay (IndexSpace::rowsStay), and grids of
/// one node. Local.
template <class Scalar, class Device>
class StoredImport {
 public:
  /// Takes memory.
  /// @param local numbered along `rows` and `columns`; its values are not read
  /// @param zeros as RowReading has them
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

  /// Returns true if most entries lie in rows that are not plain: these are put in order whenever
  /// they are read, so that a plan had better keep a copy. Not where zeros are passed over, which a
  /// copy would not have.
  bool mostlyOthers(const LocalMatrix<Scalar, Device>& stored) const {
    if constexpr (!isHost<Device>) return false;
    if (zeros_.extent(0) > 0) return false;
    std::size_t others = 0;
    for (int r = 0; r < stored.numRows(); ++r)
      if (!plain_(r)) others += stored.graph.row_map(r + 1) - stored.graph.row_map(r);
    return 2 * others > stored.nnz();
  }
  /// Takes no row for plain: all meet the tile, as those of a copy do.
  void takeNoneForPlain() { Kokkos::deep_copy(plain_, char(0)); }

  /// Returns the matrix on the grid, which shares all arrays.
  /// @param reading of its values
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
  /// Returns the number of the left factor's columns, counted from the first, that meet successive
  /// rows of this rank's part of the right factor. Stores the first of these rows in firstMet_.
  /// Usually they are exactly the indices that the rank owns.
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
  Kokkos::View<int*, Device> met_;             // RowReading::columns
  Kokkos::View<char*, Device> plain_, zeros_;  // marks of rows
  int firstMet_ = 0;                           // RowReading::firstMet
};

}  // namespace Trident::Impl

#endif
