// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_BLOCKSUMS_HPP
#define TRIDENT_BLOCKSUMS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>

#include "kernels/host/Trident_Factors.hpp"
#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_RowAccumulators.hpp"
#include "matrix/Trident_Semiring.hpp"

// Sums of a block. A block is a few successive rows of A with nearly the same columns. Its rows of
// C also have nearly the same columns. So a block reads each row of B once, and looks up each
// column once. Alike rows of B are read together if successive entries of A meet these rows.

// AVX2 adds four doubles at a time. Results stay the same, as AVX2 has no fused multiply-add.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX2__)
#define TRIDENT_HAVE_AVX2_VARIANT 1
#endif

namespace Trident::Impl {

/// Largest number of rows of a block.
constexpr int mostRowsOfBlock = 8;

/// Returns true if row r + 1 has the columns of row r, in the same order.
template <class Scalar>
bool nextIsAlike(const HostCsr<Scalar>& matrix, long long r) {
  const std::size_t length = matrix.length(r);
  return matrix.length(r + 1) == length &&
         std::memcmp(matrix.columns + matrix.offsets[r], matrix.columns + matrix.offsets[r + 1],
                     length * sizeof(int)) == 0;
}

/// Counts the successive rows from r on, up to `most`, with row r's columns in the same order.
template <class Scalar>
int equalRows(const HostCsr<Scalar>& matrix, long long r, int most) {
  int rows = 1;
  while (rows < most && nextIsAlike(matrix, r + rows - 1)) ++rows;
  return rows;
}

/// The joined rows of a block. Each row gets the columns of all rows of the block, with a zero for
/// a missing entry. Such a zero changes no sum, as no sum is -0. But zero times infinity or NaN is
/// NaN, so rows must be formed alone if a sum is a NaN. A stretch is successive columns that meet
/// alike rows of B. Its columns are partial if some row has none of them. If only partial columns
/// give terms to a column of C, rows must be formed alone, because some row may lack that column.
/// For one thread. Takes memory only when it is made.
template <class Scalar>
class BlockPadder {
 public:
  BlockPadder()
      : columns_(new int[room]), values_(new Scalar[room]), partial_(new unsigned char[room]) {}

  /// Returns the block with joined rows, or `block` itself if its rows have the same columns. The
  /// result is valid until the next call. It has 0 rows if the block's rows are too unlike, if
  /// there is no room, if `merges` is false, or if the last joined blocks were of no use.
  Terms<Scalar> join(const Terms<Scalar>& block, bool merges = true) {
    if (equalRows(block.A, block.row, block.rows) == block.rows) return block;
    const std::size_t apart = block.length() * 5 / 4 + 8;
    const bool joined = merges && apart * block.rows <= room &&
                        (useless_ < 4 || ++useless_ % 32 == 0) && merge(block, apart);
    return {matrix_,
            0,
            block.B,
            block.meetsTile,
            joined ? block.rows : 0,
            block.alike,
            apart,
            anyPartial_ ? partial_.get() : nullptr};
  }
  /// Notes if the rows of the last joined block were formed together. In networks they seldom are:
  /// after four blocks in a row that were not, join() tries only one in 32.
  void note(bool formed) { useless_ = formed ? 0 : useless_ + 1; }

 private:
  static constexpr std::size_t room = entriesAtOnce * mostRowsOfBlock;

  /// Merges rows, each with ascending columns. Returns false if there are `apart` columns or more.
  bool merge(const Terms<Scalar>& block, std::size_t apart) {
    const int* const columns = block.A.columns;
    std::array<std::size_t, mostRowsOfBlock> next, end;
    for (int q = 0; q < block.rows; ++q) {
      next[q] = block.A.offsets[block.row + q];
      end[q] = block.A.offsets[block.row + q + 1];
    }
    anyPartial_ = false;
    const unsigned all = (1u << block.rows) - 1;
    std::size_t n = 0, first = 0;  // number of merged columns; number before the last stretch
    unsigned met = all;            // bits of the rows with an entry in the last stretch
    const auto beginAt = [&](int column) {
      if (n > 0 && column == columns_[n - 1] + 1 && block.alike && block.alike[column - 1] > 1)
        return;
      std::fill(partial_.get() + first, partial_.get() + n, met != all);
      anyPartial_ |= met != all;
      first = n;
      met = 0;
    };
    for (constexpr int none = std::numeric_limits<int>::max();;) {
      std::size_t run = end[0] - next[0];  // number of columns from `next` on that all rows have
      for (int q = 1; q < block.rows; ++q) {
        const std::size_t most = std::min(run, end[q] - next[q]);
        for (run = 0; run < most && columns[next[0] + run] == columns[next[q] + run];) ++run;
      }
      if (n + run >= apart) return false;
      if (run > 0) {
        beginAt(columns[next[0]]);
        std::copy_n(columns + next[0], run, columns_.get() + n);
        for (int q = 0; q < block.rows; ++q) {
          std::copy_n(block.A.values + next[q], run, values_.get() + q * apart + n);
          next[q] += run;
        }
        n += run;
        met = all;
      }
      int column = none;  // smallest next column; some rows lack it
      for (int q = 0; q < block.rows; ++q)
        if (next[q] < end[q]) column = std::min(column, columns[next[q]]);
      beginAt(column);
      if (column == none) break;
      columns_[n] = column;
      for (int q = 0; q < block.rows; ++q) {
        const bool has = next[q] < end[q] && columns[next[q]] == column;
        values_[q * apart + n] = has ? block.A.values[next[q]] : Scalar(0);
        met |= static_cast<unsigned>(has) << q;
        next[q] += has;
      }
      ++n;
    }
    offsets_[1] = matrix_.entries = n;
    return true;
  }

  std::unique_ptr<int[]> columns_;
  std::unique_ptr<Scalar[]> values_;  // values of the rows, one row after the other
  std::unique_ptr<unsigned char[]> partial_;
  bool anyPartial_ = false;
  unsigned useless_ = 0;  // number of blocks since one was formed together
  std::array<std::size_t, 2> offsets_{};
  HostCsr<Scalar> matrix_{offsets_.data(), columns_.get(), values_.get(), 0, 1};
};

/// Returns true if one of the values is a NaN.
template <class Scalar>
bool anyNaN(const Scalar* values, std::size_t count) {
  int found = 0;
  for (std::size_t e = 0; e < count; ++e) found |= values[e] != values[e];
  return found != 0;
}

/// Values of A at offset `a` in each row of a block. Each lane has the value of one row.
template <int lanes, class Scalar>
struct LanesOfA {
  Scalar value[lanes];

  __attribute__((always_inline)) LanesOfA(const Terms<Scalar>& block, std::size_t a) {
    const std::size_t apart = block.apart ? block.apart : block.length();
    const Scalar* const values = block.A.values + block.A.offsets[block.row] + a;
    for (int q = 0; q < lanes; ++q) value[q] = q < block.rows ? values[q * apart] : Scalar(0);
  }
};

/// Adds the terms of `count` successive, alike rows of B to the sums of a block.
/// @param first offset, in A's row, of the entry that meets the first of these rows
/// @param place function; place(column) returns the sums of that column
template <int count, int lanes, class Scalar, class Semiring, class Place>
__attribute__((always_inline)) inline void addAlikeRows(const Terms<Scalar>& block,
                                                        std::size_t first, const Place& place) {
  using Sum = SumOf<Scalar>;
  const HostCsr<Scalar>& B = block.B;
  const int k = block.A.columns[block.A.offsets[block.row] + first];
  const std::size_t begin = B.offsets[k], length = B.offsets[k + 1] - begin;
  const LanesOfA<lanes, Scalar> a0(block, first), a1(block, first + (count > 1 ? 1 : 0)),
      a2(block, first + (count > 2 ? 2 : 0));
  const int* const columns = B.columns + begin;
  const Scalar *const b0 = B.values + begin, *const b1 = b0 + length, *const b2 = b1 + length;
  for (std::size_t b = 0; b < length; ++b) {
    Sum* const sums = place(columns[b]);
    Sum sum[lanes];
    for (int q = 0; q < lanes; ++q)
      sum[q] = Semiring::plus(sums[q], Semiring::times(a0.value[q], b0[b]));
    if (count > 1)
      for (int q = 0; q < lanes; ++q)
        sum[q] = Semiring::plus(sum[q], Semiring::times(a1.value[q], b1[b]));
    if (count > 2)
      for (int q = 0; q < lanes; ++q)
        sum[q] = Semiring::plus(sum[q], Semiring::times(a2.value[q], b2[b]));
    for (int q = 0; q < lanes; ++q) sums[q] = sum[q];
  }
}

/// Returns n = 2 or 3 if n entries of A's row, from offset `a` on, meet n successive, alike rows of
/// B, which can be added in one loop. Else returns 1.
template <class Scalar>
__attribute__((always_inline)) inline int rowsMetTogether(const Terms<Scalar>& block,
                                                          std::size_t a) {
  if (!block.alike) return 1;
  const int* const columns = block.A.columns + block.A.offsets[block.row] + a;
  const std::size_t left = block.length() - a;
  const int alike = block.alike[columns[0]];
  if (left < 2 || alike < 2 || columns[1] != columns[0] + 1) return 1;
  return left < 3 || alike < 3 || columns[2] != columns[0] + 2 ? 2 : 3;
}

/// Adds all terms of a block to its sums, each sum in the order of A's entries.
/// @param partly function that is used instead of `place` for partial columns
template <PrefetchPolicy prefetch, int lanes, class Scalar, class Semiring, class Place,
          class Partly>
__attribute__((always_inline)) inline void addBlockAs(const Terms<Scalar>& block,
                                                      const Place& place, const Partly& partly) {
  const std::size_t begin = block.A.offsets[block.row];
  for (std::size_t a = 0; a < block.length();) {
    if (prefetch == PrefetchPolicy::On) prefetchRows<true>(block.A, block.B, begin + a);
    const bool partial = !std::is_same<Place, Partly>::value && block.partial && block.partial[a];
    const int count = partial ? 1 : rowsMetTogether(block, a);
    if (partial)
      addAlikeRows<1, lanes, Scalar, Semiring>(block, a, partly);
    else if (count == 3)
      addAlikeRows<3, lanes, Scalar, Semiring>(block, a, place);
    else if (count == 2)
      addAlikeRows<2, lanes, Scalar, Semiring>(block, a, place);
    else
      addAlikeRows<1, lanes, Scalar, Semiring>(block, a, place);
    a += count;
  }
}

template <PrefetchPolicy prefetch, int lanes, class Scalar, class Semiring, class Place,
          class Partly>
__attribute__((noinline)) void addBlockPlainly(const Terms<Scalar>& block, const Place& place,
                                               const Partly& partly) {
  addBlockAs<prefetch, lanes, Scalar, Semiring>(block, place, partly);
}

#ifdef TRIDENT_HAVE_AVX2_VARIANT
template <PrefetchPolicy prefetch, int lanes, class Scalar, class Semiring, class Place,
          class Partly>
__attribute__((noinline, target("avx2"))) void addBlockByAvx2(const Terms<Scalar>& block,
                                                              const Place& place,
                                                              const Partly& partly) {
  addBlockAs<prefetch, lanes, Scalar, Semiring>(block, place, partly);
}
#endif

/// Calls addBlockByAvx2() where this processor has AVX2, else addBlockPlainly().
template <PrefetchPolicy prefetch, int lanes, class Scalar, class Semiring, class Place,
          class Partly>
void addBlock(const Terms<Scalar>& block, const Place& place, const Partly& partly) {
#ifdef TRIDENT_HAVE_AVX2_VARIANT
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return addBlockByAvx2<prefetch, lanes, Scalar, Semiring>(block, place, partly);
#endif
  addBlockPlainly<prefetch, lanes, Scalar, Semiring>(block, place, partly);
}

/// Returns the number of lanes for a block of `rows` rows.
constexpr int lanesOf(int rows) { return rows <= 2 ? 2 : rows <= 4 ? 4 : 8; }

/// Runs work(std::integral_constant<int, lanes>) with the lanes for a block of `rows` rows.
template <class Work>
void withLanes(int rows, const Work& work) {
  if (lanesOf(rows) == 2)
    work(std::integral_constant<int, 2>());
  else if (lanesOf(rows) == 4)
    work(std::integral_constant<int, 4>());
  else
    work(std::integral_constant<int, 8>());
}

/// Sums of a block: one for each row of the block and each column of a tile. The sums of a column
/// lie together. On hosts, for one thread. Takes memory only when it is made.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class BlockSums {
  using Sum = SumOf<Scalar>;

 public:
  /// @param columns number of columns of the tile
  /// @param rows largest number of rows of a block
  BlockSums(int columns, int rows)
      : sums_(new Sum[static_cast<std::size_t>(columns) * lanesOf(rows)]),
        marks_(columns),
        partly_(columns) {}

  /// Padder of blocks. form() takes only blocks that join() of this padder returned.
  BlockPadder<Scalar> joined;

  /// Forms the rows of `block`, which joined.join() must have returned. Writes rows one after the
  /// other, with ascending columns. Returns the number of entries of each row; -1 if `room` is too
  /// small; 0 if the caller must form each row alone, because columns may differ.
  /// @param multiplyAdds bound of the entries of a row; not 0
  template <PrefetchPolicy prefetch>
  long long form(const Terms<Scalar>& block, std::size_t multiplyAdds, std::size_t room,
                 int* columns, Scalar* values) {
    long long entries = 0;
    withLanes(block.rows, [&](auto lanes) {
      constexpr int count = decltype(lanes)::value;
      add<prefetch, count>(block);
      if (block.partial && !allMeetPartly()) return;
      const bool fits = multiplyAdds * block.rows <= room || marks_.count() * block.rows <= room;
      entries = fits ? take<count>(block.rows, columns, values) : -1;
    });
    if (entries <= 0) marks_.take([](std::size_t, int) {});
    return entries;
  }

 private:
  template <PrefetchPolicy prefetch, int lanes>
  void add(const Terms<Scalar>& block) {
    Sum* const sums = sums_.get();
    const auto begin = [sums](int column, bool met) __attribute__((always_inline)) {
      Sum* const at = sums + static_cast<std::size_t>(column) * lanes;
      if (!met) std::fill_n(at, lanes, Semiring::zero());
      return at;
    };
    const auto place = [ begin, this ](int column) __attribute__((always_inline)) {
      return begin(column, marks_.testAndSet(column));
    };
    if (!block.partial) return addBlock<prefetch, lanes, Scalar, Semiring>(block, place, place);
    addBlock<prefetch, lanes, Scalar, Semiring>(
        block, [ begin, this ](int column) __attribute__((always_inline)) {
          return begin(column, marks_.testAndSet(column) || partly_.test(column));
        },
        [ begin, this ](int column) __attribute__((always_inline)) {
          return begin(column, marks_.test(column) || partly_.testAndSet(column));
        });
  }
  /// Returns true if each column marked in partly_ is marked in marks_, too. Clears partly_.
  bool allMeetPartly() {
    bool all = true;
    partly_.take([&](std::size_t, int column) { all &= marks_.test(column); });
    return all;
  }
  template <int lanes>
  long long take(int rows, int* columns, Scalar* values) {
    const Sum* const sums = sums_.get();
    const std::size_t entries =
        marks_.take([columns](std::size_t entry, int column) { columns[entry] = column; }).entries;
    for (int q = 1; q < rows; ++q) std::copy_n(columns, entries, columns + q * entries);
    for (std::size_t e = 0; e < entries; ++e) {
      const Sum* const at = sums + static_cast<std::size_t>(columns[e]) * lanes;
      for (int q = 0; q < rows; ++q) values[q * entries + e] = at[q];
    }
    return static_cast<long long>(entries);
  }

  std::unique_ptr<Sum[]> sums_;  // sums of marked columns
  ColumnMarks marks_;            // columns of C that every row has
  ColumnMarks partly_;           // columns of C whose first term came from a partial column
};

}  // namespace Trident::Impl

#endif
