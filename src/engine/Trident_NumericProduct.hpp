// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICPRODUCT_HPP
#define TRIDENT_NUMERICPRODUCT_HPP

#include <algorithm>
#include <limits>

#include "Trident_HostProduct.hpp"
#include "Trident_HostWorkspaces.hpp"
#include "Trident_LocalMatrix.hpp"
#include "Trident_NumericDevice.hpp"

namespace Trident::Impl {

/// The values of one row on a host; a slot says where in C a column of the row lies.
template <class Slot, class Scalar, class Device>
struct NumericRow {
  LocalMatrix<Scalar, Device> A, B, C;
  HostWorkspaces<ColumnSlots<Slot>, Device> workspaces;
  bool add;

  void operator()(long long r, long long& strays) const {
    workspaces.use([&](ColumnSlots<Slot>& known) {
      // A slot outside [begin, end) is of another row, or none.
      const Slot begin = static_cast<Slot>(C.graph.row_map(r));
      const Slot end = static_cast<Slot>(C.graph.row_map(r + 1));
      Slot* const slot = known.slot.data();
      const int* const columns = B.graph.entries.data();
      const Scalar* const valuesA = A.values.data();
      const Scalar* const valuesB = B.values.data();
      Scalar* const valuesC = C.values.data();
      for (Slot e = begin; e < end; ++e) {
        slot[C.graph.entries(e)] = e;
        if (!add) valuesC[e] = Scalar(0);
      }
      forEachProduct(A, B, r, true, [&](std::size_t a, std::size_t b) {
        const Slot e = slot[columns[b]];
        if (e >= begin && e < end)
          valuesC[e] += valuesA[a] * valuesB[b];
        else
          ++strays;
      });
    });
  }
};

template <class Slot, class Scalar, class Device>
long long numericOnHost(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
                        const LocalMatrix<Scalar, Device>& C, bool add) {
  const HostWorkspaces<ColumnSlots<Slot>, Device> workspaces(std::max(B.numCols(), C.numCols()));
  long long strays = 0;
  Kokkos::parallel_reduce("Trident::numericRows", Range<Device>(0, C.numRows()),
                          NumericRow<Slot, Scalar, Device>{A, B, C, workspaces, add}, strays);
  return strays;
}

/// The values of C = A·B, or of C + A·B, where C's structure is known; this is what a reused plan
/// runs, without the hash tables of a product that looks for its structure and without the sort.
/// Local; the values are there when it returns.
///
/// @param B its columns are numbered as C's
/// @param C rows sorted by column, no column twice; only its values are written
/// @param add whether to add to C's values, rather than overwrite them
/// @return products whose column is not in C's row: their structure is not C's, which is then
///   short of them, and otherwise as it should be. 0 where all is well.
///
/// On a device the order of the additions varies for rows that several threads share.
template <class Scalar, class Device>
long long numericProduct(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
                         const LocalMatrix<Scalar, Device>& C, bool add) {
  if (A.nnz() == 0 || B.nnz() == 0) {
    if (!add) Kokkos::deep_copy(C.values, Scalar(0));
    return 0;
  }
  if constexpr (!isHost<Device>)
    return numericOnDevice(A, B, C, add);
  else if (C.nnz() < static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return numericOnHost<int>(A, B, C, add);
  else
    return numericOnHost<long long>(A, B, C, add);
}

}  // namespace Trident::Impl

#endif
