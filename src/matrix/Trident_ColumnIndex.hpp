// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COLUMNINDEX_HPP
#define TRIDENT_COLUMNINDEX_HPP

#include "base/Trident_Types.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_DeviceSort.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

/// Local indices of the columns that a rank's rows touch, for kernels. Columns that the rank owns
/// (a range of numbers) come first, in their order. Other touched columns follow.
///
/// A bitmap of all numbers marks the other columns. If the bitmap would take more memory than the
/// rank's entries, a sorted list replaces it. So an index never takes more memory than the entries.
template <class Device>
class ColumnIndex {
 public:
  /// @param size number of all columns, over all ranks
  /// @param ownedBegin, ownedEnd range of the numbers that this rank owns
  ColumnIndex(Position size, Position ownedBegin, Position ownedEnd, long long entries)
      : ownedBegin_(ownedBegin), ownedEnd_(ownedEnd), bitmap_(size / 32 <= entries + 4096) {
    if (bitmap_) words_ = zeroScratch<Word, Device>("Trident::columnBits", size / 64 + 1);
  }

  bool usesBitmap() const { return bitmap_; }
  Position ownedBegin() const { return ownedBegin_; }
  Position ownedEnd() const { return ownedEnd_; }
  /// Returns true if columns that are not owned have local indices in the order of their numbers.
  bool othersInOrder() const { return order_.extent(0) == 0; }
  KOKKOS_INLINE_FUNCTION bool owned(Position number) const {
    return number >= ownedBegin_ && number < ownedEnd_;
  }
  /// Marks a column in the bitmap, unless the column is owned. Requires usesBitmap().
  KOKKOS_INLINE_FUNCTION void touch(Position number) const {
    const Word bit = Word(1) << (number % 64);
    if (!owned(number) && !(words_(number / 64) & bit)) fetchOr(&words_(number / 64), bit);
  }

  /// Returns the marked columns, ascending. No column may be marked afterwards.
  Kokkos::View<Position*, Device> finishBitmap() {
    const auto words = words_;
    before_ = scratch<int, Device>("Trident::columnsBefore", words.extent(0) + 1);
    const auto before = before_;
    Kokkos::parallel_for(
        "Trident::countColumns", Range<Device>(0, words.extent(0)),
        TRIDENT_LAMBDA(long long w) { before(w) = popcount(words(w)); });
    const int count = countsToOffsets<int, Device>(before);
    const auto numbers = scratch<Position, Device>("Trident::remoteColumns", count);
    Kokkos::parallel_for(
        "Trident::listColumns", Range<Device>(0, words.extent(0)), TRIDENT_LAMBDA(long long w) {
          int at = before(w);
          for (Word rest = words(w); rest != 0; rest &= rest - 1)
            numbers(at++) = 64 * w + lowestBit(rest);
        });
    return numbers;
  }

  /// Returns the touched columns that are not owned, ascending. Requires !usesBitmap().
  /// @param[in,out] touched columns of all entries, which this function sorts
  Kokkos::View<Position*, Device> finishList(const Kokkos::View<Position*, Device>& touched) {
    sortNumbers(touched);
    const auto keep = scratch<long long, Device>("Trident::firstOfColumn", touched.extent(0) + 1);
    const ColumnIndex self = *this;
    Kokkos::parallel_for(
        "Trident::firstOfColumn", Range<Device>(0, touched.extent(0)), TRIDENT_LAMBDA(long long e) {
          keep(e) = !self.owned(touched(e)) && (e == 0 || touched(e) != touched(e - 1));
        });
    const long long count = countsToOffsets<long long, Device>(keep);
    list_ = scratch<Position, Device>("Trident::remoteColumns", count);
    const auto list = list_;
    Kokkos::parallel_for(
        "Trident::listColumns", Range<Device>(0, touched.extent(0)), TRIDENT_LAMBDA(long long e) {
          if (keep(e + 1) > keep(e)) list(keep(e)) = touched(e);
        });
    return list_;
  }

  /// Renumbers the columns that are not owned. The n-th column that finishBitmap() or finishList()
  /// returned gets the local index order(n) plus the number of owned columns.
  void setOrder(const Kokkos::View<int*, Device>& order) { order_ = order; }

  /// Returns the local index of a column that is owned or touched.
  KOKKOS_INLINE_FUNCTION int local(Position number) const {
    if (owned(number)) return static_cast<int>(number - ownedBegin_);
    int rank = 0;
    if (bitmap_) {
      const Word below = (Word(1) << (number % 64)) - 1;
      rank = before_(number / 64) + popcount(words_(number / 64) & below);
    } else {
      rank = static_cast<int>(intervalOf(list_, list_.extent(0), number));
    }
    return static_cast<int>(ownedEnd_ - ownedBegin_) + (order_.extent(0) ? order_(rank) : rank);
  }

 private:
  Position ownedBegin_, ownedEnd_;
  bool bitmap_;
  Kokkos::View<Word*, Device> words_;
  Kokkos::View<int*, Device> before_;  // number of marked columns in earlier words
  Kokkos::View<Position*, Device> list_;
  Kokkos::View<int*, Device> order_;
};

}  // namespace Trident::Impl

#endif
