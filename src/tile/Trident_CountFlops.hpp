// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COUNTFLOPS_HPP
#define TRIDENT_COUNTFLOPS_HPP

#include "Trident_LocalMatrix.hpp"

namespace Trident {

/// Multiply-adds of A·B: the lengths of the rows of B that A's entries meet, summed. Local.
template <class Scalar, class Device>
long long countFlops(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B) {
  const auto columns = A.graph.entries;
  const auto offsets = B.graph.row_map;
  long long flops = 0;
  Kokkos::parallel_reduce(
      "Trident::countFlops", Range<Device>(0, A.nnz()),
      KOKKOS_LAMBDA(long long e, long long& sum) {
        sum += offsets(columns(e) + 1) - offsets(columns(e));
      },
      flops);
  return flops;
}

/// Multiply-adds of A·B in all rows before a row; rows + 1 numbers. Local.
template <class Scalar, class Device>
Kokkos::View<long long*, Device> productsBeforeRows(const LocalMatrix<Scalar, Device>& A,
                                                    const LocalMatrix<Scalar, Device>& B) {
  const auto rows = A.graph.row_map;
  const auto columns = A.graph.entries;
  const auto offsets = B.graph.row_map;
  const auto before = uninitialized<long long, Device>("Trident::products", A.numRows() + 1);
  Kokkos::parallel_for(
      "Trident::countProducts", Range<Device>(0, A.numRows()), KOKKOS_LAMBDA(long long r) {
        long long products = 0;
        for (std::size_t e = rows(r); e < rows(r + 1); ++e)
          products += offsets(columns(e) + 1) - offsets(columns(e));
        before(r) = products;
      });
  countsToOffsets<long long, Device>(before);
  return before;
}

}  // namespace Trident

#endif
