// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMBEREDMATRIX_HPP
#define TRIDENT_NUMBEREDMATRIX_HPP

#include "base/Trident_Types.hpp"
#include "matrix/Trident_IndexNumbers.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

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

}  // namespace Trident::Impl

#endif
