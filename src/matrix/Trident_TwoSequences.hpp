// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TWOSEQUENCES_HPP
#define TRIDENT_TWOSEQUENCES_HPP

#include <cstddef>

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

/// The ascending sequences of columns in the rows of a matrix on a device. Local indices begin with
/// the rank's own columns, but numbers do not. So a row that ascends in numbers mostly consists of
/// two ascending sequences in local indices, and vice versa.
template <class Scalar, class Device>
class AscendingSequences {
 public:
  /// Finds the sequences, by a look at every entry. Local.
  explicit AscendingSequences(const LocalMatrix<Scalar, Device>& matrix)
      : matrix_(matrix),
        second_(zeroScratch<int, Device>("Trident::secondSequence", matrix.numRows())),
        seen_(zeroScratch<int, Device>("Trident::sequencesSeen", 2)) {
    findSequences();
    const auto seen = toHost<int, Device>(seen_);
    ascend_ = seen[0] == 0;
    two_ = seen[1] == 0;
  }

  /// Returns true if columns ascend strictly in every row.
  bool ascend() const { return ascend_; }
  /// Returns true if no row has more than two sequences.
  bool areTwo() const { return two_; }

  /// Sorts the rows, in place. Requires areTwo(). Takes memory for a copy of the entries. Local.
  void merge() const {
    const std::size_t entries = matrix_.nnz();
    const auto columns = scratch<int, Device>("Trident::mergedColumns", entries);
    const auto values = scratch<Scalar, Device>("Trident::mergedValues", entries);
    mergeTo(columns, values);
    const typename Device::execution_space space;
    Kokkos::deep_copy(space, matrix_.graph.entries, columns);
    Kokkos::deep_copy(space, matrix_.values, values);
  }

  // Public, because CUDA requires this of functions that contain device lambdas.

  void findSequences() const {
    const auto offsets = matrix_.graph.row_map;
    const auto columns = matrix_.graph.entries;
    const auto second = second_, seen = seen_;
    forRowEntries<Device>(
        "Trident::findSequences", matrix_.numRows(), matrix_.nnz(), offsets,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          if (e == offsets(r) || columns(e - 1) < columns(e)) return;
          seen(0) = 1;  // threads may write this at once, but all write 1
          if (fetchAdd(&second(r), static_cast<int>(e - offsets(r))) != 0) seen(1) = 1;
        });
  }
  /// Writes each row with its sequences merged. Equal columns keep their order.
  void mergeTo(const Kokkos::View<int*, Device>& toColumns,
               const Kokkos::View<Scalar*, Device>& toValues) const {
    const auto offsets = matrix_.graph.row_map;
    const auto columns = matrix_.graph.entries;
    const auto values = matrix_.values;
    const auto second = second_;
    forRowEntries<Device>(
        "Trident::mergeSequences", matrix_.numRows(), matrix_.nnz(), offsets,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          const std::size_t begin = offsets(r), middle = begin + second(r), end = offsets(r + 1);
          const int column = columns(e);
          std::size_t to = e;
          if (middle > begin)
            to = e < middle ? e + firstNotBelow(columns, middle, end, column) - middle
                            : e - middle + firstNotBelow(columns, begin, middle, column + 1ll);
          toColumns(to) = column;
          toValues(to) = values(e);
        });
  }

 private:
  LocalMatrix<Scalar, Device> matrix_;
  Kokkos::View<int*, Device> second_;  // start of each row's second sequence in the row; 0 if none
  Kokkos::View<int*, Device> seen_;    // element n is 1 if any row has more than n + 1 sequences
  bool ascend_ = false, two_ = false;
};

}  // namespace Trident::Impl

#endif
