// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWFORMER_HPP
#define TRIDENT_ROWFORMER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "kernels/host/Trident_Factors.hpp"
#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_RowAccumulators.hpp"
#include "matrix/Trident_Semiring.hpp"

namespace Trident::Impl {

/// A counter of the entries of rows of A·B. For each column, notes the last row that met this
/// column. On hosts, for one thread.
class RowCounter {
 public:
  /// @param columns number of B's columns
  explicit RowCounter(int columns) : lastRow_(columns, -1) {}

  /// Makes the next count() leave out the given columns. That count() must get r as its `mark`.
  void leaveOut(const int* columns, std::size_t size, long long r) {
    for (std::size_t n = 0; n < size; ++n) lastRow_[columns[n]] = static_cast<int>(r);
  }

  /// Counts the entries of row r.
  /// @param mark a different number for each row that this counter counts
  template <class Scalar>
  std::size_t count(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, long long r,
                    long long mark) {
    const int row = static_cast<int>(mark);
    int* const lastRow = lastRow_.data();
    std::size_t entries = 0;
    forEachColumn(A, B, r, [&](int column) {
      if (lastRow[column] == row) return;
      lastRow[column] = row;
      ++entries;
    });
    return entries;
  }

 private:
  std::vector<int> lastRow_;
};

/// A predictor of scattered rows. In such a row hardly two terms lie in one word of ColumnMarks, so
/// nearly every term is a cache miss, and TermSorter is faster. A row is likely scattered if the
/// last row with about as many multiply-adds was. Only ColumnSums show if a row is scattered. So
/// ColumnSums still form one in 32 of the rows that are likely scattered.
class ScatterPredictor {
 public:
  bool likely(std::size_t multiplyAdds) {
    Class& of = classOf(multiplyAdds);
    return of.scattered && ++of.since % 32 != 0;
  }
  void note(std::size_t multiplyAdds, std::size_t words) {
    classOf(multiplyAdds).scattered = words * 10 > multiplyAdds * 6;
  }

 private:
  struct Class {
    bool scattered = false;
    unsigned since = 0;
  };
  Class& classOf(std::size_t multiplyAdds) {
    int bits = 0;
    while (bits < 63 && multiplyAdds >> bits) ++bits;
    return classes_[bits];
  }
  std::array<Class, 64> classes_;
};

/// A maker of rows of A·B. Columns ascend, and sums are in the order of A's entries. B and the
/// row's multiply-adds decide if ColumnSums, TermSorter or ShortRowSums add up the row. All give
/// the same result. On hosts, for one thread. If memory is short, does not use TermSorter.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class RowFormer {
 public:
  /// @param columns number of B's columns
  /// @param consecutive true if most of B's columns are consecutive (haveConsecutiveColumns())
  RowFormer(int columns, bool consecutive)
      : columns_(columns),
        consecutive_(consecutive),
        sums_(consecutive ? columns : 0),
        branchless_(consecutive ? 0 : columns),
        sorter_(columns),
        short_(columns) {}

  /// Writes a row to `columns` and `values`. Returns the number of its entries, or -1 if they are
  /// more than `room`.
  /// @param multiplyAdds number of the row's multiply-adds
  /// @tparam prefetch policy for forEachMultiplyAdd()
  template <PrefetchPolicy prefetch = PrefetchPolicy::On>
  __attribute__((noinline)) long long form(const Terms<Scalar>& row, std::size_t multiplyAdds,
                                           std::size_t room, int* columns, Scalar* values) {
    if (multiplyAdds == 0) return 0;
    if (multiplyAdds <= room) {
      if (row.length() == 1 && copy(row, columns, values))
        return static_cast<long long>(multiplyAdds);
      if (multiplyAdds <= static_cast<std::size_t>(short_.most)) {
        addTerms<prefetch>(short_, row);
        return static_cast<long long>(short_.take(columns, values));
      }
      if (multiplyAdds <= sorter_.most && scattered_.likely(multiplyAdds) && sorter_.ready()) {
        addTerms<prefetch>(sorter_, row);
        return static_cast<long long>(sorter_.take(columns, values));
      }
    }
    return consecutive_
               ? formByColumn<prefetch>(sums_, row, multiplyAdds, room, columns, values)
               : formByColumn<prefetch>(branchless_, row, multiplyAdds, room, columns, values);
  }

 private:
  template <PrefetchPolicy prefetch, class Sums>
  static void addTerms(Sums& sums, const Terms<Scalar>& row) {
    forEachMultiplyAdd<Semiring, prefetch>(
        row.A, row.B, row.row, [&](int c, SumOf<Scalar> product) { sums.add(c, product); });
  }

  /// Adds the terms of a row of C that may fill all columns, a few entries of A at a time. Once all
  /// columns have a sum, marks nothing more, because a mark takes more than half of a term's time.
  template <PrefetchPolicy prefetch, class Sums>
  void addManyTerms(Sums& sums, const Terms<Scalar>& row) {
    HostCsr<Scalar> part = row.A;
    const std::size_t end = row.A.offsets[row.row + 1], few = row.length() / 16 + 1;
    bool full = false;
    for (std::size_t begin = row.A.offsets[row.row]; begin < end; begin += few) {
      const std::size_t ends[] = {begin, std::min(begin + few, end)};
      part.offsets = ends;  // the part is row 0
      if (full) {
        forEachMultiplyAdd<Semiring, prefetch>(
            part, row.B, 0, [&](int c, SumOf<Scalar> product) { sums.addToSum(c, product); });
      } else {
        addTerms<prefetch>(sums, Terms<Scalar>{part, 0, row.B});
        full = sums.haveAll(columns_);
      }
    }
  }

  /// Forms a row by ColumnSums.
  template <PrefetchPolicy prefetch, class Sums>
  long long formByColumn(Sums& sums, const Terms<Scalar>& row, std::size_t multiplyAdds,
                         std::size_t room, int* columns, Scalar* values) {
    if (multiplyAdds / 4 > static_cast<std::size_t>(columns_))
      addManyTerms<prefetch>(sums, row);
    else
      addTerms<prefetch>(sums, row);
    if (multiplyAdds > room && sums.entries() > room) {
      sums.clear();
      return -1;
    }
    const auto taken = sums.take(columns, values);
    scattered_.note(multiplyAdds, taken.words);
    return static_cast<long long>(taken.entries);
  }

  /// Copies a row of B, scaled by the only entry of A's row. Returns true if B's row ascends.
  static bool copy(const Terms<Scalar>& row, int* columns, Scalar* values) {
    const HostCsr<Scalar>& B = row.B;
    const std::size_t a = row.A.offsets[row.row];
    const int k = row.A.columns[a];
    const Scalar value = row.A.values[a];
    int last = -1;
    for (std::size_t b = B.offsets[k]; b < B.offsets[k + 1]; ++b) {
      if (B.columns[b] <= last) return false;
      *columns++ = last = B.columns[b];
      *values++ = Semiring::plus(Semiring::zero(), Semiring::times(value, B.values[b]));
    }
    return true;
  }

  int columns_;
  bool consecutive_;
  // One of sums_ and branchless_ is as wide as B; the other is empty.
  ColumnSums<Scalar, Semiring> sums_;
  ColumnSums<Scalar, Semiring, true> branchless_;
  TermSorter<Scalar, Semiring> sorter_;
  ShortRowSums<Scalar, Semiring> short_;
  ScatterPredictor scattered_;
};

}  // namespace Trident::Impl

#endif
