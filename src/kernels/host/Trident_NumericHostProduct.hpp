// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICHOSTPRODUCT_HPP
#define TRIDENT_NUMERICHOSTPRODUCT_HPP

#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/host/Trident_HostCsr.hpp"
#include "kernels/host/Trident_RowReader.hpp"
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
  RowsToRead<Scalar, Device> A;
  LocalMatrix<Scalar, Device> C;
  HostWorkspaces<RowSums<Scalar>, Device> workspaces;
  bool add;

  void operator()(long long r, long long& multiplyAdds) const {
    workspaces.use([&](RowSums<Scalar>& row) {
      const std::size_t begin = C.graph.row_map(r), end = C.graph.row_map(r + 1);
      const int* const columns = C.graph.entries.data();
      Scalar* const values = C.values.data();
      Scalar* const sum = row.sum.get();
      if (add)
        for (std::size_t e = begin; e < end; ++e) sum[columns[e]] = values[e];
      A.withRow(r, [&](const RowOf<Scalar>& a) {
        multiplyAdds += static_cast<long long>(forEachMultiplyAdd<PlusTimes<Scalar>, rowsOfB>(
            a.A, a.B, a.row, [&](int column, Scalar product) { sum[column] += product; }));
      });
      for (std::size_t e = begin; e < end; ++e)
        values[e] = std::exchange(sum[columns[e]], Scalar(0));
    });
  }
};

/// Forms numericProduct() on a host; returns its multiply-adds. C has an entry for each of them.
template <class Scalar, class Device>
long long numericHostProduct(const LocalMatrix<Scalar, Device>& A,
                             const LocalMatrix<Scalar, Device>& B,
                             const LocalMatrix<Scalar, Device>& C, bool add,
                             const RowReading<Scalar, Device>* reading) {
  const HostWorkspaces<RowSums<Scalar>, Device> workspaces(std::max(B.numCols(), C.numCols()));
  const HostCsr<Scalar> a(A), b(B), right(reading ? reading->right : B);
  const bool ofOneEntry = haveOneEntry(right, reading ? reading->right.numRows() : B.numRows()) &&
                          haveOneEntry(b, B.numRows());
  const RowsOfB rows = ofOneEntry               ? RowsOfB::OfOneEntry
                       : meetsFarRows(a, right) ? RowsOfB::Ahead
                                                : RowsOfB::AsTheyCome;
  const RowsToRead<Scalar, Device> left(A, B, rows, reading);
  long long multiplyAdds = 0;
  withRowsOfB(rows, [&](auto rowsOfB) {
    Kokkos::parallel_reduce(
        "Trident::numericRows", DynamicRange<Device>(0, C.numRows()),
        NumericRow<decltype(rowsOfB)::value, Scalar, Device>{left, C, workspaces, add},
        multiplyAdds);
  });
  return multiplyAdds;
}

}  // namespace Trident::Impl

#endif
