// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COLUMNINDEX_HPP
#define TRIDENT_COLUMNINDEX_HPP

#include "base/Trident_Types.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_DeviceSort.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

/// The columns that a rank's rows touch beside the ones it owns, which are a range of numbers, and
/// their local indices: owned columns first, in their order, then the others. For kernels.
///
/// The others are found in a bitmap of all numbers where that takes no more memory than the
/// entries do, and in a sorted list otherwise; so a rank never holds more than its entries take.
template <class Device>
class ColumnIndex {
 public:
  /// @param size numbers in the space
  /// @param ownedBegin, ownedEnd the numbers that this rank owns
  ColumnIndex(Position size, Position ownedBegin, Position ownedEnd, long long entries)
      : ownedBegin_(ownedBegin), ownedEnd_(ownedEnd), bitmap_(size / 32 <= entries + 4096) {
    if (bitmap_) words_ = zeroScratch<Word, Device>("Trident::columnBits", size / 64 + 1);
  }

  bool usesBitmap() const { return bitmap_; }
  Position ownedBegin() const { return ownedBegin_; }
  Position ownedEnd() const { return ownedEnd_; }
  /// Returns true if local() ascends with the numbers of columns that are not owned.
  bool othersInOrder() const { return order_.extent(0) == 0; }
  KOKKOS_INLINE_FUNCTION bool owned(Position number) const {
    return number >= ownedBegin_ && number < ownedEnd_;
  }
  /// Notes a column in the bitmap.
  KOKKOS_INLINE_FUNCTION void touch(Position number) const {
    const Word bit = Word(1) << (number % 64);
    if (!owned(number) && !(words_(number / 64) & bit)) fetchOr(&words_(number / 64), bit);
  }

  /// Ends the notes of the bitmap: the touched columns that are not owned, ascending.
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

  /// Lists the touched columns that are not owned, ascending, from the columns of all entries,
  /// which are sorted and overwritten.
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

  /// Sets the local index, less the owned ones, of each column that was listed, where it is not its
  /// index in the list.
  void setOrder(const Kokkos::View<int*, Device>& order) { order_ = order; }

  /// Returns the local index of a touched column.
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
  Kokkos::View<int*, Device> before_;  // columns in the words before
  Kokkos::View<Position*, Device> list_;
  Kokkos::View<int*, Device> order_;
};

}  // namespace Trident::Impl

#endif
