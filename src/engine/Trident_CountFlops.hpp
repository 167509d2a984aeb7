// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COUNTFLOPS_HPP
#define TRIDENT_COUNTFLOPS_HPP

#include "Trident_FetchAdd.hpp"
#include "Trident_Interval.hpp"
#include "Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// Multiply-adds of A·B: the lengths of the rows of B that A's entries meet, summed. Local.
template <class Scalar, class Device>
long long countFlops(const LocalMatrix<Scalar, Device>& A, const LocalMatrix<Scalar, Device>& B) {
  const auto columns = A.graph.entries;
  const auto offsets = B.graph.row_map;
  long long flops = 0;
  Kokkos::parallel_reduce(
      "Trident::countFlops", Range<Device>(0, A.nnz()),
      TRIDENT_LAMBDA(long long e, long long& sum) {
        sum += offsets(columns(e) + 1) - offsets(columns(e));
      },
      flops);
  return flops;
}

/// Counts the multiply-adds of each row of A·B. A thread takes entries, however they are dealt to
/// rows, so that no thread has a long row to itself.
template <class Offsets, class Columns, class OffsetsB, class Counts>
struct CountRowProducts {
  Offsets offsets;
  Columns columns;
  OffsetsB offsetsB;
  Counts counts;
  long long rows, entries;
  static constexpr long long entriesAtOnce = 16;

  KOKKOS_INLINE_FUNCTION void operator()(long long piece) const {
    const long long begin = piece * entriesAtOnce;
    const long long end = begin + entriesAtOnce < entries ? begin + entriesAtOnce : entries;
    long long row = intervalOf(offsets, rows, static_cast<std::size_t>(begin)), products = 0;
    for (long long e = begin; e < end; ++e) {
      if (e >= static_cast<long long>(offsets(row + 1))) {
        fetchAdd(&counts(row), products);
        row = intervalOf(offsets, rows, static_cast<std::size_t>(e));
        products = 0;
      }
      products += offsetsB(columns(e) + 1) - offsetsB(columns(e));
    }
    fetchAdd(&counts(row), products);
  }
};

/// Multiply-adds of each row of A·B; rows + 1 numbers, of which the last is 0. Local.
template <class Scalar, class Device>
Kokkos::View<long long*, Device> productsOfRows(const LocalMatrix<Scalar, Device>& A,
                                                const LocalMatrix<Scalar, Device>& B) {
  using Matrix = LocalMatrix<Scalar, Device>;
  using Offsets = typename Matrix::row_map_type;
  using Counts = Kokkos::View<long long*, Device>;
  using Kernel = CountRowProducts<Offsets, typename Matrix::index_type, Offsets, Counts>;
  const Counts counts("Trident::products", A.numRows() + 1);
  const long long entries = A.nnz(), atOnce = Kernel::entriesAtOnce;
  Kokkos::parallel_for(
      "Trident::countProducts", Range<Device>(0, (entries + atOnce - 1) / atOnce),
      Kernel{A.graph.row_map, A.graph.entries, B.graph.row_map, counts, A.numRows(), entries});
  return counts;
}

/// Multiply-adds of A·B in all rows before a row; rows + 1 numbers. Local.
template <class Scalar, class Device>
Kokkos::View<long long*, Device> productsBeforeRows(const LocalMatrix<Scalar, Device>& A,
                                                    const LocalMatrix<Scalar, Device>& B) {
  const auto before = productsOfRows(A, B);
  countsToOffsets<long long, Device>(before);
  return before;
}

}  // namespace Trident::Impl

#endif
