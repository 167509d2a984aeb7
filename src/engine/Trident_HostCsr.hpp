// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTCSR_HPP
#define TRIDENT_HOSTCSR_HPP

#include <cstddef>

#include "Trident_LocalMatrix.hpp"

namespace Trident::Impl {

/// The arrays of a matrix in a host's memory, for loops that must not pay for Views.
template <class Scalar>
struct HostCsr {
  const std::size_t* offsets;
  const int* columns;
  const Scalar* values;
  std::size_t entries;

  template <class Device>
  explicit HostCsr(const LocalMatrix<Scalar, Device>& matrix)
      : offsets(matrix.graph.row_map.data()),
        columns(matrix.graph.entries.data()),
        values(matrix.values.data()),
        entries(matrix.nnz()) {}

  std::size_t length(long long r) const { return offsets[r + 1] - offsets[r]; }
};

/// Multiply-adds of row r of A·B: what the rows of B that it meets have of entries.
template <class Scalar>
std::size_t countRowProducts(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, long long r) {
  std::size_t products = 0;
  for (std::size_t a = A.offsets[r]; a < A.offsets[r + 1]; ++a) products += B.length(A.columns[a]);
  return products;
}

/// Asks for the rows of B that A's entries behind `a` meet: on unstructured matrices each is a
/// cache miss. Always inlined: GCC takes a function that only prefetches for one without effects,
/// and leaves its calls out.
template <bool withValues, class Scalar>
__attribute__((always_inline)) inline void prefetchRows(const HostCsr<Scalar>& A,
                                                        const HostCsr<Scalar>& B, std::size_t a) {
  constexpr std::size_t near = 4, far = 8;  // entries of A
  constexpr std::size_t line = 64;          // bytes
  if (a + far < A.entries) __builtin_prefetch(B.offsets + A.columns[a + far]);
  if (a + near >= A.entries) return;
  const std::size_t b = B.offsets[A.columns[a + near]];
  __builtin_prefetch(B.columns + b);
  if (!withValues) return;
  __builtin_prefetch(B.values + b);
  __builtin_prefetch(B.values + b + line / sizeof(Scalar));
}

/// Loops over the columns of the products of row r of A·B: visit(column).
template <class Scalar, class Visit>
void forEachColumn(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, long long r, Visit&& visit) {
  for (std::size_t a = A.offsets[r]; a < A.offsets[r + 1]; ++a) {
    prefetchRows<false>(A, B, a);
    const std::size_t endB = B.offsets[A.columns[a] + 1];
    for (std::size_t b = B.offsets[A.columns[a]]; b < endB; ++b) visit(B.columns[b]);
  }
}

/// Loops over the products of row r of A·B in the order of A's entries: visit(column, product).
template <class Scalar, class Visit>
void forEachProduct(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, long long r,
                    Visit&& visit) {
  const std::size_t end = A.offsets[r + 1];
  for (std::size_t a = A.offsets[r]; a < end; ++a) {
    prefetchRows<true>(A, B, a);
    const Scalar value = A.values[a];
    const std::size_t endB = B.offsets[A.columns[a] + 1];
    for (std::size_t b = B.offsets[A.columns[a]]; b < endB; ++b)
      visit(B.columns[b], value * B.values[b]);
  }
}

}  // namespace Trident::Impl

#endif
