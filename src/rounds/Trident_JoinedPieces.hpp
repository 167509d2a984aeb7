// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_JOINEDPIECES_HPP
#define TRIDENT_JOINEDPIECES_HPP

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/host/Trident_HostProduct.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_MatrixParts.hpp"

namespace Trident::Impl {

/// A matrix that is joined from parts, one below the other. On devices take() copies all parts. On
/// hosts add() copies each part, into arrays whose size is estimated from the rows so far.
template <class Scalar, class Device>
class JoinedPieces {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// @param rows rows of all parts together
  explicit JoinedPieces(int rows) : rows_(rows) {}

  /// Adds a part below the others. Local. Kernels that write the part must have ended.
  void add(const Matrix& part) {
    if constexpr (isHost<Device>) {
      if (part.numRows() < rows_) return copy(part);
    }
    parts_.push_back(part);
  }

  /// Returns the joined parts, and keeps none. Local. Waits for the kernels that join the parts.
  Matrix take(int columns) {
    if constexpr (isHost<Device>) {
      if (grown_.next > 0) return takeGrown(columns);
    }
    const Matrix all = parts_.empty() ? emptyMatrix<Scalar, Device>(rows_, columns)
                                      : joinRows(parts_, rows_, columns);
    parts_.clear();
    return all;
  }

 private:
  void copy(const Matrix& part) {
    if (grown_.next == 0)
      offsets_ = uninitialized<std::size_t, Device>("Trident::offsets", rows_ + 1);
    const std::size_t first = grown_.used;
    if (grown_.room() < part.nnz()) grown_.reserve(expected(part));
    for (int r = 0; r < part.numRows(); ++r)
      offsets_(grown_.next + r) = first + part.graph.row_map(r);
    std::copy_n(part.graph.entries.data(), part.nnz(), grown_.columns.data() + first);
    std::copy_n(part.values.data(), part.nnz(), grown_.values.data() + first);
    grown_.next += part.numRows();
    grown_.used += part.nnz();
  }

  /// Estimates the number of entries of all rows from the rows so far and those of `part`. If these
  /// are less than 1/16 of all rows, returns at most about eight times their entries.
  std::size_t expected(const Matrix& part) const {
    const double there = static_cast<double>(grown_.used + part.nnz());
    const double share = static_cast<double>(grown_.next + part.numRows()) / rows_;
    const double all = 1.1 * there / share + 64;
    return static_cast<std::size_t>(share < 1.0 / 16 ? std::min(all, 8 * there + 64) : all);
  }

  Matrix takeGrown(int columns) {
    offsets_(rows_) = grown_.used;
    const Matrix all = grown_.arrays(offsets_).matrix(columns);
    grown_ = {};
    offsets_ = {};
    return all;
  }

  int rows_;
  std::vector<Matrix> parts_;
  GrowableCsr<Scalar, Device> grown_;  // parts joined so far; on hosts only
  Kokkos::View<std::size_t*, Device> offsets_;
};

}  // namespace Trident::Impl

#endif
