// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMBEREDMATRIX_HPP
#define TRIDENT_NUMBEREDMATRIX_HPP

#include <algorithm>

#include "base/Trident_Types.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// The number of each local index, for kernels: they follow each other, or are any.
template <class Device>
class IndexNumbers {
 public:
  IndexNumbers() = default;
  IndexNumbers(Position first, long long count) : first_(first), count_(count) {}
  explicit IndexNumbers(const Kokkos::View<Position*, Device>& numbers)
      : consecutive_(false), count_(static_cast<long long>(numbers.extent(0))), numbers_(numbers) {}

  long long size() const { return count_; }
  /// Whether it is known that they follow each other, from first() on. Local.
  bool areConsecutive() const { return consecutive_; }
  Position first() const { return first_; }
  /// Whether it is known that the number of each is its local index. Local.
  bool isIdentity() const { return consecutive_ && first_ == 0; }
  KOKKOS_INLINE_FUNCTION Position operator()(long long index) const {
    return consecutive_ ? first_ + index : numbers_(index);
  }

 private:
  bool consecutive_ = true;
  Position first_ = 0;
  long long count_ = 0;
  Kokkos::View<Position*, Device> numbers_;
};

/// Whether each number is its index. Local.
template <class T, class Device>
bool isIdentity(const Kokkos::View<T*, Device>& numbers) {
  long long moved = 0;
  Kokkos::parallel_reduce(
      "Trident::isIdentity", Range<Device>(0, numbers.extent(0)),
      TRIDENT_LAMBDA(long long l, long long& sum) { sum += numbers(l) != l; }, moved);
  return moved == 0;
}

/// The number of each local row of an operand, for kernels: consecutive where a rank holds whole
/// rows of its own, any where it holds parts of rows, as of a transpose.
template <class Device>
class RowNumbers {
 public:
  RowNumbers() = default;
  /// Whole rows.
  RowNumbers(Position first, long long rows) : numbers_(first, rows) {}
  /// Parts of rows; other ranks may have others of the same row.
  explicit RowNumbers(const IndexNumbers<Device>& numbers) : whole_(false), numbers_(numbers) {}

  /// Whether each row lies on one rank, whose rows are in the order of its Map. The same on all.
  bool whole() const { return whole_; }
  const IndexNumbers<Device>& numbers() const { return numbers_; }
  KOKKOS_INLINE_FUNCTION Position operator()(long long row) const { return numbers_(row); }

 private:
  bool whole_ = true;
  IndexNumbers<Device> numbers_;
};

/// What one rank has of an operand: some of its rows or parts of them, with their numbers.
template <class Scalar, class Device>
struct NumberedMatrix {
  LocalMatrix<Scalar, Device> matrix;
  RowNumbers<Device> rowNumbers;
  IndexNumbers<Device> columnNumbers;  ///< of each of its columns
};

/// Index of the first negative number, or how many numbers there are. Local.
template <class T, class Device>
long long firstNegative(const Kokkos::View<T*, Device>& numbers) {
  const long long count = numbers.extent(0);
  long long first = count;
  Kokkos::parallel_reduce(
      "Trident::firstNegative", Range<Device>(0, count),
      TRIDENT_LAMBDA(long long e, long long& least) {
        if (numbers(e) < 0 && e < least) least = e;
      },
      Kokkos::Min<long long>(first));
  return std::min(first, count);
}

}  // namespace Trident::Impl

#endif
