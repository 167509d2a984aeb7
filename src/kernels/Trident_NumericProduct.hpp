// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICPRODUCT_HPP
#define TRIDENT_NUMERICPRODUCT_HPP

#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/Trident_NumericDevice.hpp"
#include "kernels/host/Trident_HostCsr.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Sums of a row by column, which are zero between rows; for one thread.
template <class Scalar>
struct RowSums {
  explicit RowSums(int columns) : sum(new Scalar[columns]()) {}
  std::unique_ptr<Scalar[]> sum;
};

/// The values of one row on a host.
template <RowsOfB rowsOfB, class Scalar, class Device>
struct NumericRow {
  HostCsr<Scalar> A, B;
  LocalMatrix<Scalar, Device> C;
  HostWorkspaces<RowSums<Scalar>, Device> workspaces;
  bool add;

  void operator()(long long r, long long& products) const {
    workspaces.use([&](RowSums<Scalar>& row) {
      const std::size_t begin = C.graph.row_map(r), end = C.graph.row_map(r + 1);
      const int* const columns = C.graph.entries.data();
      Scalar* const values = C.values.data();
      Scalar* const sum = row.sum.get();
      if (add)
        for (std::size_t e = begin; e < end; ++e) sum[columns[e]] = values[e];
      products += static_cast<long long>(forEachProduct<PlusTimes<Scalar>, rowsOfB>(
          A, B, r, [&](int column, Scalar product) { sum[column] += product; }));
      for (std::size_t e = begin; e < end; ++e)
        values[e] = std::exchange(sum[columns[e]], Scalar(0));
    });
  }
};

template <RowsOfB rowsOfB, class Scalar, class Device>
long long numericRows(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B,
                      const LocalMatrix<Scalar, Device>& C,
                      const HostWorkspaces<RowSums<Scalar>, Device>& workspaces, bool add) {
  long long products = 0;
  Kokkos::parallel_reduce("Trident::numericRows", DynamicRange<Device>(0, C.numRows()),
                          NumericRow<rowsOfB, Scalar, Device>{A, B, C, workspaces, add}, products);
  return products;
}

template <class Scalar, class Device>
long long numericOnHost(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B,
                        const LocalMatrix<Scalar, Device>& C, bool add) {
  const HostWorkspaces<RowSums<Scalar>, Device> workspaces(std::max(B.numCols(), C.numCols()));
  const HostCsr<Scalar> a(A), b(B);
  if (haveOneEntry(b, B.numRows()))
    return numericRows<RowsOfB::OfOneEntry>(a, b, C, workspaces, add);
  return meetsFarRows(a, b) ? numericRows<RowsOfB::Ahead>(a, b, C, workspaces, add)
                            : numericRows<RowsOfB::AsTheyCome>(a, b, C, workspaces, add);
}

/// What the values of a known structure took.
struct NumericWork {
  long long products = -1;  ///< multiply-adds; -1: not counted
  long long strays = 0;  ///< products whose column is not in C's row, as far as they were counted
};

/// The values of C = A·B, or of C + A·B, where C's structure is known; this is what a reused plan
/// runs, without the hash tables of a product that looks for its structure and without the sort.
/// Local; the values are there when it returns.
///
/// @param B its columns are numbered as C's
/// @param C rows sorted by column, no column twice; only its values are written. On a host it must
///   have an entry for each product: to look for others would take as long as to add them. On
///   devices products without one are left out and counted.
/// @param add whether to add to C's values, rather than overwrite them
///
/// On a device the order of the additions varies for rows that several threads share.
template <class Scalar, class Device>
NumericWork numericProduct(const LocalMatrix<Scalar, Device>& A,
                           const LocalMatrix<Scalar, Device>& B,
                           const LocalMatrix<Scalar, Device>& C, bool add) {
  if (A.nnz() == 0 || B.nnz() == 0) {
    if (!add) Kokkos::deep_copy(C.values, Scalar(0));
    return {0, 0};
  }
  if constexpr (isHost<Device>)
    return {numericOnHost(A, B, C, add), 0};
  else
    return {-1, numericOnDevice(A, B, C, add)};
}

}  // namespace Trident::Impl

#endif
