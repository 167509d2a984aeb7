// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ALIKEROWS_HPP
#define TRIDENT_ALIKEROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/host/Trident_HostCsr.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

// Successive rows that have the same columns, as the unknowns of one node of a discretization have.
// A product treats them as a block (Trident_BlockSums.hpp).

namespace Trident::Impl {

/// Rows of a block at most.
constexpr int mostRowsOfBlock = 8;

/// Returns true if row r + 1 has the same columns as row r, in the same order.
template <class Scalar>
bool nextIsAlike(const HostCsr<Scalar>& matrix, long long r) {
  const std::size_t length = matrix.length(r);
  return matrix.length(r + 1) == length &&
         std::memcmp(matrix.columns + matrix.offsets[r], matrix.columns + matrix.offsets[r + 1],
                     length * sizeof(int)) == 0;
}

/// Returns true if at least a quarter of the rows have the same columns as the row before, as far
/// as samples say.
template <class Scalar>
bool haveAlikeRows(const HostCsr<Scalar>& matrix, long long rows) {
  constexpr long long samples = 16, each = 16;
  const long long step = std::max(each, (rows - 1) / samples);
  long long seen = 0, alike = 0;
  for (long long first = 0; first + 1 < rows; first += step)
    for (long long r = first; r < std::min(first + each, rows - 1); ++r, ++seen)
      alike += matrix.length(r) > 0 && nextIsAlike(matrix, r);
  return seen > 0 && alike * 4 >= seen;
}

/// Returns true if the columns of row r ascend, and so none comes twice.
template <class Scalar>
bool ascends(const HostCsr<Scalar>& matrix, long long r) {
  bool ascending = true;
  for (std::size_t e = matrix.offsets[r] + 1; e < matrix.offsets[r + 1]; ++e)
    ascending &=
        matrix.columns[e - 1] < matrix.columns[e];  // so that a compiler makes vectors of it
  return ascending;
}

/// How many successive rows have the same columns, counted from each row on: 1 to mostRowsOfBlock.
template <class Device>
using AlikeRows = Kokkos::View<unsigned char*, Device>;

/// Notes of each row whether the next one is alike.
template <class Scalar, class Device>
struct NoteWhereNextIsAlike {
  HostCsr<Scalar> matrix;
  bool ascending;
  Kokkos::View<unsigned char*, Device> next;

  void operator()(long long r) const {
    next(r) = nextIsAlike(matrix, r) && (!ascending || ascends(matrix, r));
  }
};

/// Finds rows that are alike. Returns an empty list where they are too few to be worth it.
/// @param ascending true if rows are alike only if their columns ascend
template <class Device, class Scalar>
AlikeRows<Device> findAlikeRows(const HostCsr<Scalar>& matrix, long long rows, bool ascending) {
  if (!haveAlikeRows(matrix, rows)) return {};
  const auto alike = scratch<unsigned char, Device>("Trident::alikeRows", rows);
  Kokkos::parallel_for("Trident::findAlikeRows", Range<Device>(0, rows - 1),
                       NoteWhereNextIsAlike<Scalar, Device>{matrix, ascending, alike});
  alike(rows - 1) = 0;  // so far it says whether the next row is alike
  int following = 0;
  for (long long r = rows; r-- > 0;) {
    following = alike(r) ? std::min(following + 1, mostRowsOfBlock) : 1;
    alike(r) = static_cast<unsigned char>(following);
  }
  return alike;
}

}  // namespace Trident::Impl

#endif
