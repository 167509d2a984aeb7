// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SHORTROW_HPP
#define TRIDENT_SHORTROW_HPP

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "matrix/Trident_Semiring.hpp"

namespace Trident::Impl {

/// Forms a row of few products. Each column has a slot in a short list, which a table of all
/// columns knows. The list is sorted by comparing each column with each other: nothing branches on
/// that, so no branch is mispredicted. On hosts, for one thread.
///
/// Sums begin with the semiring's zero, so that none is a negative zero.
template <class Scalar, class Semiring = PlusTimes<Scalar>>
class ShortRow {
 public:
  static constexpr int most = 32;  ///< products that it takes

  /// @param columns of the tile
  /// @param slots that are counted on from row to row before the table is filled anew; for tests
  explicit ShortRow(int columns, int slots = std::numeric_limits<int>::max())
      : slots_(columns, -1), lastBegin_(slots - 2 * most) {}

  void add(int column, const Scalar& product) {
    // A slot that a row before has left is not in this row's.
    const unsigned n = static_cast<unsigned>(slots_[column] - begin_);
    if (n < static_cast<unsigned>(size_)) {
      sums_[n] = Semiring::plus(sums_[n], product);
      return;
    }
    slots_[column] = begin_ + size_;
    columns_[size_] = column;
    sums_[size_++] = Semiring::plus(Semiring::zero(), product);
  }

  /// Writes the row, columns ascending, and forgets it. Returns its entries.
  std::size_t take(int* columns, Scalar* values) {
    const int entries = size_;
    int order[most];
    findOrder(order);
    for (int n = 0; n < entries; ++n) {
      columns[order[n]] = columns_[n];
      values[order[n]] = sums_[n];
    }
    nextRow();
    return static_cast<std::size_t>(entries);
  }

 private:
  /// The place of each column among those of the row: how many are before it. Columns are filled up
  /// to whole vectors, as compilers make vector instructions of the inner loop.
  void findOrder(int* order) {
    constexpr int vector = 4;
    const int filled = (size_ + vector - 1) / vector * vector;
    std::fill(columns_ + size_, columns_ + filled, std::numeric_limits<int>::max());
    for (int n = 0; n < size_; ++n) {
      const int column = columns_[n];
      int before = 0;
      for (int m = 0; m < filled; ++m) before += columns_[m] < column;
      order[n] = before;
    }
  }
  void nextRow() {
    begin_ += size_;
    size_ = 0;
    if (begin_ < lastBegin_) return;
    std::fill(slots_.begin(), slots_.end(), -1);
    begin_ = 0;
  }

  std::vector<int> slots_;  // of each column: in the list, behind all rows that were
  int lastBegin_;           // from which the table is filled anew
  int begin_ = 0;           // of this row
  int size_ = 0;            // columns of this row
  int columns_[most];
  Scalar sums_[most];
};

}  // namespace Trident::Impl

#endif
