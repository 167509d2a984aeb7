// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TILEDROWS_HPP
#define TRIDENT_TILEDROWS_HPP

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/host/Trident_AlikeRows.hpp"
#include "kernels/host/Trident_HostCsr.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Semiring.hpp"
#include "matrix/Trident_SortRows.hpp"

namespace Trident::Impl {

/// Forms successive rows of A·B together, if they meet all columns of a B that no cache holds. For
/// a tile of columns after the other, each row of B is read from memory once, and is added to all
/// of these rows of C while it is in cache. Row by row, nearly all of B would come from memory for
/// each row of C.
///
/// A's and B's rows must ascend. Then the sums are in the order of A's entries. On hosts, for one
/// thread.
template <class Scalar, class Semiring>
class TiledRows {
  using Sum = SumOf<Scalar>;

 public:
  static constexpr int least = 16, most = 128;  ///< rows of C that are formed together
  static constexpr int sums = 3 << 16;          ///< of a tile of all these rows: 1.5 MB of doubles

  /// Returns how many rows at most should be formed together: as many as leave tiles so wide that a
  /// row of B has some 96 entries in one. With fewer, a loop's begin and end cost too much.
  template <class Device>
  static int rowsAtOnce(const LocalMatrix<Scalar, Device>& B) {
    const double cells = static_cast<double>(B.numRows()) * B.numCols();  // stored or not
    const double width = 96 * cells / std::max<double>(1, static_cast<double>(B.nnz()));
    return static_cast<int>(std::min<double>(most, sums / std::max(1.0, width)));
  }
  /// Returns true if rows of A·B may be formed so: B is in no cache, its rows ascend and are long,
  /// and so many rows of A meet a row of B often enough on average.
  template <class Device>
  static bool pay(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B) {
    constexpr std::size_t cache = std::size_t(8) << 20;  // bytes
    if (matrixBytes(B) <= cache || B.nnz() == 0 || A.numRows() == 0) return false;
    const int atOnce = rowsAtOnce(B);
    const double met = static_cast<double>(A.nnz()) / A.numRows() * atOnce;
    return atOnce >= least && met >= meetings * static_cast<double>(B.numRows()) &&
           !haveConsecutiveColumns(HostCsr<Scalar>(B)) && rowsAscend(B);
  }

  /// Takes memory for a B.
  template <class Device>
  explicit TiledRows(const LocalMatrix<Scalar, Device>& B)
      : rowsB_(B.numRows()),
        columns_(B.numCols()),
        atOnce_(rowsAtOnce(B)),
        ends_(static_cast<std::size_t>(rowsB_) + 1),
        readTo_(rowsB_),
        sums_(sums) {}

  int atOnce() const { return atOnce_; }
  /// Returns true if `count` rows of A from `begin` on meet a row of B often enough.
  bool meetOften(const HostCsr<Scalar>& A, long long begin, int count) const {
    const std::size_t entries = A.offsets[begin + count] - A.offsets[begin];
    return entries >= static_cast<std::size_t>(meetings) * static_cast<std::size_t>(rowsB_);
  }

  /// Writes rows [begin, begin + count) one behind the other, as long as each has an entry in every
  /// column. Returns how many these are: 0 also if A's rows do not ascend.
  /// Overwrites also what is behind them in `columns` and `values`.
  /// @param count at most atOnce()
  /// @param columns, values have room for `count` full rows
  int form(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, long long begin, int count,
           int* columns, Scalar* values) {
    for (long long r = begin; r < begin + count; ++r)
      if (!ascends(A, r)) return 0;
    dealEntries(A, begin, count);
    std::copy_n(B.offsets, rowsB_, readTo_.begin());
    int full = count;
    for (int first = 0, width; first < columns_ && full > 0; first += width) {
      width = std::min(sums / count, columns_ - first);
      std::fill_n(sums_.begin(), count * width, Semiring::zero());
      for (int k = 0; k < rowsB_; ++k)
        if (ends_[k] < ends_[k + 1]) addRow(B, k, first, width);
      full = std::min(full, takeTile(full, first, width, columns, values));
    }
    return full;
  }

 private:
  /// How often a row of B must be met by rows that are formed together. Measured: 1.2 times as slow
  /// where that was 2 to 4, and 1.2 times as fast from 4.4 on.
  static constexpr int meetings = 4;

  struct Entry {
    int row;  ///< of those that are formed together
    Scalar value;
  };

  /// Sorts A's entries by the row of B that they meet, and by row: those of row k of B lie from
  /// ends_[k] to ends_[k + 1].
  void dealEntries(const HostCsr<Scalar>& A, long long begin, int count) {
    entries_.resize(A.offsets[begin + count] - A.offsets[begin]);
    std::fill(ends_.begin(), ends_.end(), 0);
    for (std::size_t a = A.offsets[begin]; a < A.offsets[begin + count]; ++a) ++ends_[A.columns[a]];
    std::size_t all = 0;
    for (std::size_t& end : ends_) all += std::exchange(end, all);
    for (int r = 0; r < count; ++r)
      for (std::size_t a = A.offsets[begin + r]; a < A.offsets[begin + r + 1]; ++a)
        entries_[ends_[A.columns[a]]++] = {r, A.values[a]};
    // Each is now the begin of the next.
    std::copy_backward(ends_.begin(), ends_.end() - 1, ends_.end());
    ends_[0] = 0;
  }

  /// Adds the part of row k of B that lies in a tile to all rows that meet it.
  __attribute__((noinline, aligned(64))) void addRow(const HostCsr<Scalar>& B, int k, int first,
                                                     int width) {
    const std::size_t begin = readTo_[k];
    const int* const columns = B.columns;
    const Scalar* const values = B.values;
    const std::size_t atMost = std::min(B.offsets[k + 1], begin + static_cast<std::size_t>(width));
    const std::size_t end = static_cast<std::size_t>(
        std::lower_bound(columns + begin, columns + atMost, first + width) - columns);
    readTo_[k] = end;
    for (std::size_t e = ends_[k]; e < ends_[k + 1]; ++e) {
      const Scalar value = entries_[e].value;
      Sum* const to = sums_.data();
      const int at = entries_[e].row * width - first;
      for (std::size_t b = begin; b < end; ++b) {
        Sum& sum = to[at + columns[b]];
        sum = Semiring::plus(sum, Semiring::times(value, values[b]));
      }
    }
  }

  /// Writes a tile of `count` rows. Returns how many of them, counted from the first, have no sum
  /// that is zero: such a sum may be of a column that is not met.
  int takeTile(int count, int first, int width, int* columns, Scalar* values) const {
    for (int r = 0; r < count; ++r) {
      const Sum* const from = sums_.data() + r * width;
      const std::size_t to = static_cast<std::size_t>(r) * columns_ + first;
      int zeros = 0;
      for (int c = 0; c < width; ++c) {
        zeros += from[c] == Semiring::zero();
        columns[to + c] = first + c;
        values[to + c] = from[c];
      }
      if (zeros > 0) return r;
    }
    return count;
  }

  int rowsB_, columns_, atOnce_;
  std::vector<std::size_t> ends_;    // of the entries that meet each row of B
  std::vector<Entry> entries_;       // of the rows of A
  std::vector<std::size_t> readTo_;  // in each row of B: where the next tile begins
  std::vector<Sum> sums_;            // of a tile, row by row
};

}  // namespace Trident::Impl

#endif
