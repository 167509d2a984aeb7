// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYADDS_HPP
#define TRIDENT_MULTIPLYADDS_HPP

#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

/// Counts the multiply-adds of A·B: an entry of A adds the length of the row of B it meets. Local.
template <class Scalar, class Device>
long long countMultiplyAdds(const LocalMatrix<Scalar, Device>& A,
                            const LocalMatrix<Scalar, Device>& B) {
  const auto columns = A.graph.entries;
  const auto offsets = B.graph.row_map;
  long long multiplyAdds = 0;
  Kokkos::parallel_reduce(
      "Trident::countMultiplyAdds", Range<Device>(0, A.nnz()),
      TRIDENT_LAMBDA(long long e, long long& sum) {
        sum += offsets(columns(e) + 1) - offsets(columns(e));
      },
      multiplyAdds);
  return multiplyAdds;
}

template <class Offsets>
struct RowLength {
  Offsets offsets;
  KOKKOS_INLINE_FUNCTION long long operator()(long long row) const {
    return static_cast<long long>(offsets(row + 1) - offsets(row));
  }
};

/// Kernel that sums, for each row, the weights of its entries' columns. Threads share entries, not
/// rows, so that no thread has a long row to itself.
template <class Offsets, class Columns, class WeightOf, class Sums>
struct SumRowWeights {
  Offsets offsets;
  Columns columns;
  WeightOf weightOf;
  Sums sums;
  long long rows, entries;
  static constexpr long long entriesAtOnce = 16;

  KOKKOS_INLINE_FUNCTION void operator()(long long chunk) const {
    const long long begin = chunk * entriesAtOnce;
    const long long end = begin + entriesAtOnce < entries ? begin + entriesAtOnce : entries;
    long long row = intervalOf(offsets, rows, static_cast<std::size_t>(begin)), sum = 0;
    for (long long e = begin; e < end; ++e) {
      if (e >= static_cast<long long>(offsets(row + 1))) {
        addShared(&sums(row), sum);
        row = intervalOf(offsets, rows, static_cast<std::size_t>(e));
        sum = 0;
      }
      sum += weightOf(columns(e));
    }
    addShared(&sums(row), sum);
  }
};

/// Returns, for each row of A, the sum of its columns' weights, and 0 as one more element. Local.
/// @param weightOf weightOf(column) is the weight of a local column, a `long long`
template <class Scalar, class Device, class WeightOf>
Kokkos::View<long long*, Device> sumsOfRows(const LocalMatrix<Scalar, Device>& A,
                                            const WeightOf& weightOf) {
  using Matrix = LocalMatrix<Scalar, Device>;
  using Sums = Kokkos::View<long long*, Device>;
  using Kernel =
      SumRowWeights<typename Matrix::row_map_type, typename Matrix::index_type, WeightOf, Sums>;
  const Sums sums("Trident::multiplyAdds", A.numRows() + 1);
  const long long entries = A.nnz(), atOnce = Kernel::entriesAtOnce;
  Kokkos::parallel_for(
      "Trident::multiplyAddsOfRows", Range<Device>(0, (entries + atOnce - 1) / atOnce),
      Kernel{A.graph.row_map, A.graph.entries, weightOf, sums, A.numRows(), entries});
  return sums;
}

/// Returns the number of multiply-adds of each row of A·B, and 0 as one more element. Local.
template <class Scalar, class Device>
Kokkos::View<long long*, Device> multiplyAddsOfRows(const LocalMatrix<Scalar, Device>& A,
                                                    const LocalMatrix<Scalar, Device>& B) {
  return sumsOfRows(A,
                    RowLength<typename LocalMatrix<Scalar, Device>::row_map_type>{B.graph.row_map});
}

}  // namespace Trident::Impl

#endif
