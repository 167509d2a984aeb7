// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTBLOCKS_HPP
#define TRIDENT_PRODUCTBLOCKS_HPP

#include <algorithm>
#include <cstddef>

#include "kernels/host/Trident_AlikeRows.hpp"
#include "kernels/host/Trident_BlockSums.hpp"
#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_RowReader.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowReading.hpp"

namespace Trident::Impl {

/// The rows of a right factor that are alike, and ascend: no sum changes its order if they are
/// added together. Products of one right factor share it.
template <class Device>
struct AlikeRightRows {
  bool known = false;
  AlikeRows<Device> ofTile,
      ofRight;  ///< of the tile; of this rank's own rows, if a reading has them

  /// Finds them at the first call.
  /// @param reading of the left factor's rows; null: they are read as they are stored
  template <class Scalar>
  void find(const LocalMatrix<Scalar, Device>& tile, const RowReading<Scalar, Device>* reading) {
    if (known) return;
    ofTile = findAlikeRows<Device>(HostCsr<Scalar>(tile), tile.numRows(), true);
    const auto isTile = [&](const LocalMatrix<Scalar, Device>& right) {  // as on one rank
      return right.numRows() == tile.numRows() &&
             right.graph.row_map.data() == tile.graph.row_map.data() &&
             right.graph.entries.data() == tile.graph.entries.data();
    };
    if (reading && isTile(reading->right))
      ofRight = ofTile;
    else if (reading)
      ofRight =
          findAlikeRows<Device>(HostCsr<Scalar>(reading->right), reading->right.numRows(), true);
    known = true;
  }
};

/// The blocks of a product on a host: successive rows of its left factor that have the same
/// columns. A row that is unlike its neighbours is a block of one.
template <class Scalar, class Device>
class ProductBlocks {
 public:
  /// Rows that a thread takes at a time: blocks of 2, 3, 4, 6 and 8 rows are not cut.
  static constexpr long long rowsAtOnce = 24;

  /// Finds no blocks.
  ProductBlocks() = default;
  /// @param right is asked, and known then, where A has blocks; it outlives this
  /// @param reading of A's rows; null: as they are stored
  ProductBlocks(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
                AlikeRightRows<Device>& right, const RowReading<Scalar, Device>* reading)
      : ofA_(findAlikeRows<Device>(HostCsr<Scalar>(A), A.numRows(), false)) {
    if (!any()) return;
    most_ = *std::max_element(ofA_.data(), ofA_.data() + ofA_.extent(0));
    right.find(B, reading);
    if (right.ofTile.extent(0) > 0) ofTile_ = right.ofTile.data();
    if (right.ofRight.extent(0) > 0) ofRight_ = right.ofRight.data() + reading->firstMet;
  }

  /// Returns true if rows are worth a look at each.
  bool any() const { return ofA_.extent(0) > 0; }
  /// Returns the rows of the largest block.
  int most() const { return most_; }
  /// Returns true if blocks pay: their sums, which take a cache line a column, are fewer than what
  /// is added to them, and three terms or more meet in one. Else a row has faster ways of its
  /// own.
  /// @param perEntry multiply-adds of an entry of C
  bool pay(int columns, double multiplyAdds, double perEntry) const {
    return static_cast<double>(columns) * lanesOf(most_) <= multiplyAdds && perEntry >= 3;
  }

  /// Returns the rows of the block that begins at row r, of those before `end`: one, where the next
  /// is not alike.
  int rowsFrom(long long r, long long end) const {
    return static_cast<int>(std::min<long long>(ofA_(r), end - r));
  }
  /// Runs work(row, rows of the block that begins there) for rows from `begin` to `end`.
  template <class Work>
  void forBlocks(long long begin, long long end, const Work& work) const {
    for (long long r = begin; r < end;) {
      const int rows = rowsFrom(r, end);
      work(r, rows);
      r += rows;
    }
  }
  /// @param rows as rowsFrom() has given them
  BlockOfRows<Scalar> block(const RowOf<Scalar>& first, int rows) const {
    return {first.A, first.row, rows, first.B, first.meetsTile ? ofTile_ : ofRight_};
  }

 private:
  AlikeRows<Device> ofA_;
  int most_ = 1;
  const unsigned char *ofTile_ = nullptr, *ofRight_ = nullptr;  // null: none are alike
};

}  // namespace Trident::Impl

#endif
