// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTBLOCKS_HPP
#define TRIDENT_PRODUCTBLOCKS_HPP

#include <algorithm>
#include <cstddef>

#include "kernels/host/Trident_BlockSums.hpp"
#include "kernels/host/Trident_Factors.hpp"
#include "kernels/host/Trident_HostCsr.hpp"
#include "matrix/Trident_Device.hpp"

// Blocks are successive rows that have nearly the same columns, as the unknowns of one node of a
// discretization have. A product treats a block's rows together (Trident_BlockSums.hpp).

namespace Trident::Impl {

/// Returns true if the columns of row r ascend, so that none comes twice.
template <class Scalar>
bool ascends(const HostCsr<Scalar>& matrix, long long r) {
  const int* const columns = matrix.columns;
  int falls = 0;
  for (std::size_t e = matrix.offsets[r] + 1; e < matrix.offsets[r + 1]; ++e)
    // There are no branches, so that compilers make vector instructions of the loop.
    falls |= columns[e - 1] >= columns[e];
  return falls == 0;
}

/// Returns true if rows r and r + 1 have the same columns. Also returns true if both rows ascend,
/// and the union of their columns is at most 1.1 times as long as the shorter row.
template <class Scalar>
bool nextIsNearlyAlike(const HostCsr<Scalar>& matrix, long long r) {
  const std::size_t length = matrix.length(r), nextLength = matrix.length(r + 1);
  const std::size_t most = std::min(length, nextLength) * 11 / 10;
  if (std::max(length, nextLength) > most) return false;
  if (nextIsAlike(matrix, r)) return true;
  const int *a = matrix.columns + matrix.offsets[r], *b = matrix.columns + matrix.offsets[r + 1];
  const int *const endA = a + length, *const endB = b + nextLength;
  std::size_t lackA = most - length, lackB = most - nextLength;  // columns that each row may lack
  while (a < endA && b < endB) {
    if (*a == *b) {
      ++a;
      ++b;
    } else {
      const bool first = *a < *b;
      if ((first ? lackB : lackA)-- == 0) return false;
      first ? ++a : ++b;
    }
  }
  return static_cast<std::size_t>(endA - a) <= lackB &&
         static_cast<std::size_t>(endB - b) <= lackA && ascends(matrix, r) &&
         ascends(matrix, r + 1);
}

/// Returns true if a quarter of the sampled rows, or more, are nearly alike to the next row.
template <class Scalar>
bool haveAlikeRows(const HostCsr<Scalar>& matrix) {
  constexpr long long samples = 16, each = 16;
  const long long step = std::max(each, (matrix.rows - 1) / samples);
  long long seen = 0, alike = 0;
  for (long long first = 0; first + 1 < matrix.rows; first += step)
    for (long long r = first; r < std::min(first + each, matrix.rows - 1); ++r, ++seen)
      alike += matrix.length(r) > 0 && nextIsNearlyAlike(matrix, r);
  return seen > 0 && alike * 4 >= seen;
}

/// Number of successive alike rows from each row on, 1 to mostRowsOfBlock. If, for example, only
/// rows 3, 4 and 5 are alike, these rows have 3, 2 and 1.
template <class Device>
using AlikeRows = Kokkos::View<unsigned char*, Device>;

/// A functor that sets next(r) if rows r and r + 1 are alike.
template <class Scalar, class Device>
struct NoteWhereNextIsAlike {
  HostCsr<Scalar> matrix;
  bool exactly;
  const char* plain;
  Kokkos::View<unsigned char*, Device> next;

  void operator()(long long r) const {
    next(r) = exactly ? nextIsAlike(matrix, r) && ascends(matrix, r)
                      : nextIsNearlyAlike(matrix, r) && (!plain || plain[r] == plain[r + 1]);
  }
};

/// Finds alike rows. Returns an empty View if they are too few to help.
/// @param exactly true if columns must be equal and ascend; false if nearly alike rows suffice
/// @param plain marks of the rows, or null; alike rows must have the same mark
template <class Device, class Scalar>
AlikeRows<Device> findAlikeRows(const HostCsr<Scalar>& matrix, bool exactly,
                                const char* plain = nullptr) {
  const long long rows = matrix.rows;
  if (!haveAlikeRows(matrix)) return {};
  const auto alike = scratch<unsigned char, Device>("Trident::alikeRows", rows);
  Kokkos::parallel_for("Trident::findAlikeRows", Range<Device>(0, rows - 1),
                       NoteWhereNextIsAlike<Scalar, Device>{matrix, exactly, plain, alike});
  alike(rows - 1) = 0;  // the last row has no next row; the loop turns marks into numbers
  int following = 0;
  for (long long r = rows; r-- > 0;) {
    following = alike(r) ? std::min(following + 1, mostRowsOfBlock) : 1;
    alike(r) = static_cast<unsigned char>(following);
  }
  return alike;
}

/// The alike rows of a right factor. Their columns ascend, so none comes twice in a row. So each
/// sum keeps the order of its terms when such rows are added together. Products with the same right
/// factor share this object.
template <class Device>
struct AlikeRowsOfB {
  bool known = false;
  AlikeRows<Device> ofTile, ofOwn;  ///< alike rows of Factors::tile and of Factors::own

  /// Finds the alike rows in the first call; later calls do nothing.
  template <class Scalar>
  void find(const Factors<Scalar>& factors) {
    if (known) return;
    const HostCsr<Scalar>&tile = factors.tile, &own = factors.own;
    ofTile = findAlikeRows<Device>(tile, true);
    const bool same =
        own.rows == tile.rows && own.offsets == tile.offsets && own.columns == tile.columns;
    ofOwn = same ? ofTile : findAlikeRows<Device>(own, true);
    known = true;
  }
};

/// The blocks of a product on a host: successive rows of its left factor that have nearly the same
/// columns. A row that is unlike its neighbours is a block of one row.
template <class Scalar, class Device>
class ProductBlocks {
 public:
  /// Number of rows that a thread takes at a time. Blocks of 2, 3, 4, 6 or 8 rows stay whole.
  static constexpr long long rowsAtOnce = 24;

  /// Makes an object without blocks.
  ProductBlocks() = default;
  /// @param right gets the alike rows of the right factor, if A has blocks. Must outlive this
  ///   object
  ProductBlocks(const Factors<Scalar>& factors, AlikeRowsOfB<Device>& right)
      : ofA_(findAlikeRows<Device>(factors.left, false, factors.plain)) {
    if (!any()) return;
    most_ = *std::max_element(ofA_.data(), ofA_.data() + ofA_.extent(0));
    right.find(factors);
    if (right.ofTile.extent(0) > 0) ofTile_ = right.ofTile.data();
    if (right.ofOwn.extent(0) > 0) ofOwn_ = right.ofOwn.data() + factors.firstMet;
  }

  /// Returns true if there may be blocks of several rows.
  bool any() const { return ofA_.extent(0) > 0; }
  /// Returns the number of rows of the largest block.
  int most() const { return most_; }
  /// Counts the rows in blocks of several rows.
  long long rows() const {
    const long long all = static_cast<long long>(ofA_.extent(0));
    long long count = 0;
    for (long long r = 0; r < all; ++r) count += ofA_(r) > 1 || (r > 0 && ofA_(r - 1) > 1);
    return count;
  }
  /// Returns true if blocks are faster than single rows. This needs `columns` · lanesOf(most()) <=
  /// `multiplyAdds`, and `perEntry` >= 3.
  /// @param multiplyAdds multiply-adds of the product, or a lower bound of them
  /// @param perEntry mean multiply-adds of an entry of C
  bool pay(int columns, double multiplyAdds, double perEntry) const {
    return static_cast<double>(columns) * lanesOf(most_) <= multiplyAdds && perEntry >= 3;
  }

  /// Returns the number of rows of the block that begins at row r, without rows from `end` on.
  int rowsFrom(long long r, long long end) const {
    return static_cast<int>(std::min<long long>(ofA_(r), end - r));
  }
  /// Runs work(first row, number of rows, sum) for each block between rows `begin` and `end`, by
  /// all threads. `work` adds to `sum`. Returns the total of all sums.
  template <class Work>
  long long forRows(const char* label, long long begin, long long end, const Work& work) const {
    long long sum = 0;
    const auto one = [&](long long r, long long& mine) { work(r, 1, mine); };
    const auto some = [&](long long n, long long& mine) {
      const long long last = std::min(begin + (n + 1) * rowsAtOnce, end);
      for (long long r = begin + n * rowsAtOnce, rows; r < last; r += rows) {
        rows = rowsFrom(r, last);
        work(r, static_cast<int>(rows), mine);
      }
    };
    if (any())
      Kokkos::parallel_reduce(
          label, DynamicRange<Device>(0, (end - begin + rowsAtOnce - 1) / rowsAtOnce), some, sum);
    else
      Kokkos::parallel_reduce(label, DynamicRange<Device>(begin, end), one, sum);
    return sum;
  }
  /// Returns a copy of `terms` with `alike` set.
  Terms<Scalar> withAlike(Terms<Scalar> terms) const {
    terms.alike = terms.meetsTile ? ofTile_ : ofOwn_;
    return terms;
  }

 private:
  AlikeRows<Device> ofA_;
  int most_ = 1;
  const unsigned char *ofTile_ = nullptr, *ofOwn_ = nullptr;  // values for Terms::alike; null: none
};

}  // namespace Trident::Impl

#endif
