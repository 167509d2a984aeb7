// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_BLOCKSUMS_HPP
#define TRIDENT_BLOCKSUMS_HPP

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "kernels/host/Trident_Factors.hpp"
#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_RowAccumulators.hpp"
#include "matrix/Trident_Semiring.hpp"

// Sums of a block of rows of A·B. The rows of A in a block have the same columns, so those of C
// have, too: each row of B is read once for all of them, and each column is looked up once. Rows of
// B that are alike, and that successive entries of A meet, are read together.

// AVX2 has four doubles in a register, and no instruction that adds a product without rounding it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__AVX2__)
#define TRIDENT_HAVE_AVX2_VARIANT 1
#endif

namespace Trident::Impl {

/// Entries of A's rows, in lanes: of the entries at place `a` of `block`.
template <int lanes, class Scalar>
struct LanesOfA {
  Scalar value[lanes];

  __attribute__((always_inline)) LanesOfA(const Terms<Scalar>& block, std::size_t a) {
    const std::size_t length = block.length();
    const Scalar* const values = block.A.values + block.A.offsets[block.row] + a;
    for (int q = 0; q < lanes; ++q) value[q] = q < block.rows ? values[q * length] : Scalar(0);
  }
};

/// Adds `count` successive rows of B, which are alike, to the sums of a block.
/// @param first place of the entry of A that meets the first of them
/// @param place runs place(column), which returns the sums of a column
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

/// Returns how many rows of B, up to three, the entries of A from place `a` on meet together: rows
/// that are alike and follow each other.
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
template <PrefetchPolicy prefetch, int lanes, class Scalar, class Semiring, class Place>
__attribute__((always_inline)) inline void addBlockAs(const Terms<Scalar>& block,
                                                      const Place& place) {
  const std::size_t begin = block.A.offsets[block.row];
  for (std::size_t a = 0; a < block.length();) {
    if (prefetch == PrefetchPolicy::On) prefetchRows<true>(block.A, block.B, begin + a);
    const int count = rowsMetTogether(block, a);
    if (count == 3)
      addAlikeRows<3, lanes, Scalar, Semiring>(block, a, place);
    else if (count == 2)
      addAlikeRows<2, lanes, Scalar, Semiring>(block, a, place);
    else
      addAlikeRows<1, lanes, Scalar, Semiring>(block, a, place);
    a += count;
  }
}

template <PrefetchPolicy prefetch, int lanes, class Scalar, class Semiring, class Place>
__attribute__((noinline)) void addBlockPlainly(const Terms<Scalar>& block, const Place& place) {
  addBlockAs<prefetch, lanes, Scalar, Semiring>(block, place);
}

#ifdef TRIDENT_HAVE_AVX2_VARIANT
template <PrefetchPolicy prefetch, int lanes, class Scalar, class Semiring, class Place>
__attribute__((noinline, target("avx2"))) void addBlockByAvx2(const Terms<Scalar>& block,
                                                              const Place& place) {
  addBlockAs<prefetch, lanes, Scalar, Semiring>(block, place);
}
#endif

/// Adds as addBlockAs(), by AVX2 where this processor has it.
template <PrefetchPolicy prefetch, int lanes, class Scalar, class Semiring, class Place>
void addBlock(const Terms<Scalar>& block, const Place& place) {
#ifdef TRIDENT_HAVE_AVX2_VARIANT
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return addBlockByAvx2<prefetch, lanes, Scalar, Semiring>(block, place);
#endif
  addBlockPlainly<prefetch, lanes, Scalar, Semiring>(block, place);
}

/// Returns the lanes that so many rows take.
constexpr int lanesOf(int rows) { return rows <= 2 ? 2 : rows <= 4 ? 4 : 8; }

/// Runs work(std::integral_constant<int, lanes>) with the lanes that so many rows take.
template <class Work>
void withLanes(int rows, const Work& work) {
  if (lanesOf(rows) == 2)
    work(std::integral_constant<int, 2>());
  else if (lanesOf(rows) == 4)
    work(std::integral_constant<int, 4>());
  else
    work(std::integral_constant<int, 8>());
}

/// Sums of a block, one for each row and column of a tile: those of a column stand together. On
/// hosts, for one thread; takes no memory after it was made.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class BlockSums {
  using Sum = SumOf<Scalar>;

 public:
  /// @param columns of the tile
  /// @param rows of a block at most
  BlockSums(int columns, int rows)
      : sums_(new Sum[static_cast<std::size_t>(columns) * lanesOf(rows)]), marks_(columns) {}

  /// Forms the rows of `block` one behind the other, columns ascending. Returns the entries of
  /// each, or -1 where all have more than `room`.
  /// @param multiplyAdds of each row
  template <PrefetchPolicy prefetch>
  long long form(const Terms<Scalar>& block, std::size_t multiplyAdds, std::size_t room,
                 int* columns, Scalar* values) {
    long long entries = 0;
    withLanes(block.rows, [&](auto lanes) {
      constexpr int count = decltype(lanes)::value;
      add<prefetch, count>(block);
      const bool fits = multiplyAdds * block.rows <= room || marks_.count() * block.rows <= room;
      entries = fits ? take<count>(block.rows, columns, values) : -1;
    });
    if (entries < 0) marks_.take([](std::size_t, int) {});
    return entries;
  }

 private:
  template <PrefetchPolicy prefetch, int lanes>
  void add(const Terms<Scalar>& block) {
    Sum* const sums = sums_.get();
    addBlock<prefetch, lanes, Scalar, Semiring>(
        block, [ sums, this ](int column) __attribute__((always_inline)) {
          Sum* const at = sums + static_cast<std::size_t>(column) * lanes;
          if (!marks_.testAndSet(column)) std::fill_n(at, lanes, Semiring::zero());
          return at;
        });
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

  std::unique_ptr<Sum[]> sums_;  // of columns that are marked
  ColumnMarks marks_;
};

}  // namespace Trident::Impl

#endif
