// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWCOUNTER_HPP
#define TRIDENT_ROWCOUNTER_HPP

#include <cstddef>
#include <vector>

#include "kernels/host/Trident_HostCsr.hpp"

namespace Trident::Impl {

/// Counts the entries of rows of A·B by the last row that met each column. On hosts, for one
/// thread.
class RowCounter {
 public:
  /// @param columns of B
  explicit RowCounter(int columns) : lastRow_(columns, -1) {}

  /// Takes columns as counted in row r, before count(): so they are left out.
  void leaveOut(const int* columns, std::size_t size, long long r) {
    for (std::size_t n = 0; n < size; ++n) lastRow_[columns[n]] = static_cast<int>(r);
  }

  /// Entries of row r. Once for each row, as its number is the mark.
  template <class Scalar>
  std::size_t count(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, long long r) {
    const int row = static_cast<int>(r);
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

}  // namespace Trident::Impl

#endif
