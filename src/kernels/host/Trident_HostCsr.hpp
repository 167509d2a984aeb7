// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HOSTCSR_HPP
#define TRIDENT_HOSTCSR_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Semiring.hpp"

namespace Trident::Impl {

/// The arrays of a matrix in a host's memory, for loops that must not pay for Views.
template <class Scalar>
struct HostCsr {
  const std::size_t* offsets;
  const int* columns;
  const Scalar* values;
  std::size_t entries;
  long long rows;

  template <class Device>
  explicit HostCsr(const LocalMatrix<Scalar, Device>& matrix)
      : HostCsr(matrix.graph.row_map.data(), matrix.graph.entries.data(), matrix.values.data(),
                matrix.nnz(), matrix.numRows()) {}
  HostCsr(const std::size_t* rowOffsets, const int* entryColumns, const Scalar* entryValues,
          std::size_t entryCount, long long rowCount)
      : offsets(rowOffsets),
        columns(entryColumns),
        values(entryValues),
        entries(entryCount),
        rows(rowCount) {}

  std::size_t length(long long r) const { return offsets[r + 1] - offsets[r]; }
  std::size_t bytes() const {
    return entries * (sizeof(int) + sizeof(Scalar)) + (rows + 1) * sizeof(std::size_t);
  }
};

/// Counts the multiply-adds of row r of A·B: the entries of the rows of B that row r of A meets.
template <class Scalar>
std::size_t multiplyAddsOfRow(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, long long r) {
  std::size_t multiplyAdds = 0;
  for (std::size_t a = A.offsets[r]; a < A.offsets[r + 1]; ++a)
    multiplyAdds += B.length(A.columns[a]);
  return multiplyAdds;
}

/// Counts the distinct rows of B that entries [begin, begin + count) of A meet.
template <class Scalar>
int distinctRowsMet(const HostCsr<Scalar>& A, std::size_t begin, int count) {
  std::array<int, 128> rows;
  std::copy_n(A.columns + begin, count, rows.begin());
  std::sort(rows.begin(), rows.begin() + count);
  return static_cast<int>(std::unique(rows.begin(), rows.begin() + count) - rows.begin());
}

/// Returns true if A's entries probably meet many rows of B that are not in cache. This is so if B
/// is large, and if entries in samples of A meet many different rows.
template <class Scalar>
bool hasPoorLocality(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B) {
  constexpr std::size_t smallB = 4 << 20;          // bytes
  constexpr std::size_t samples = 16, each = 128;  // number of samples; entries of A in each
  if (B.entries * (sizeof(int) + sizeof(Scalar)) <= smallB || A.entries < samples * each)
    return false;
  std::size_t distinct = 0;
  for (std::size_t s = 0; s < samples; ++s)
    distinct += distinctRowsMet(A, (A.entries - each) / (samples - 1) * s, each);
  return distinct * 8 > samples * each * 3;
}

/// Returns true if most sampled entries of B have the column c or c + 1, where c is the column of
/// the entry before.
template <class Scalar>
bool haveConsecutiveColumns(const HostCsr<Scalar>& B) {
  constexpr std::size_t samples = 16, each = 128;  // number of samples; entries in each
  const bool all = B.entries < samples * each;
  const std::size_t step = all ? 1 : (B.entries - each) / (samples - 1);
  std::size_t seen = 0, follow = 0;
  for (std::size_t s = 0; s < (all ? 1 : samples); ++s) {
    const int* const columns = B.columns + step * s;
    const std::size_t count = all ? B.entries : each;
    for (std::size_t e = 1; e < count; ++e, ++seen)
      follow += static_cast<unsigned>(columns[e] - columns[e - 1]) <= 1;
  }
  return follow * 2 > seen;
}

/// Prefetches rows of B for the entries of A that follow entry `a`. Without this, each row may be a
/// cache miss. Always inlined, because GCC drops calls of functions that only prefetch.
template <bool withValues, class Scalar>
__attribute__((always_inline)) inline void prefetchRows(const HostCsr<Scalar>& A,
                                                        const HostCsr<Scalar>& B, std::size_t a) {
  constexpr std::size_t near = 4, far = 8;  // distances in entries of A
  constexpr std::size_t line = 64;          // bytes
  if (a + far < A.entries) __builtin_prefetch(B.offsets + A.columns[a + far]);
  if (a + near >= A.entries) return;
  const std::size_t b = B.offsets[A.columns[a + near]];
  __builtin_prefetch(B.columns + b);
  if (!withValues) return;
  __builtin_prefetch(B.values + b);
  __builtin_prefetch(B.values + b + line / sizeof(Scalar));
}

/// Runs visit(column) for the column of each multiply-add of row r of A·B.
template <class Scalar, class Visit>
void forEachColumn(const HostCsr<Scalar>& A, const HostCsr<Scalar>& B, long long r, Visit&& visit) {
  for (std::size_t a = A.offsets[r]; a < A.offsets[r + 1]; ++a) {
    prefetchRows<false>(A, B, a);
    const std::size_t endB = B.offsets[A.columns[a] + 1];
    for (std::size_t b = B.offsets[A.columns[a]]; b < endB; ++b) visit(B.columns[b]);
  }
}

/// The ways in which a loop over multiply-adds prefetches the rows of B.
enum class PrefetchPolicy {
  On,              ///< prefetch of rows, as each may be a cache miss
  Off,             ///< no prefetch: rows are in cache, or lie one behind the other
  SingleEntryRows  ///< no prefetch, and no read of offsets: each row has one entry
};

/// Runs work(policy), with the policy as a std::integral_constant for template parameters.
template <class Work>
auto withPrefetchPolicy(PrefetchPolicy prefetch, const Work& work) {
  switch (prefetch) {
    case PrefetchPolicy::Off:
      return work(std::integral_constant<PrefetchPolicy, PrefetchPolicy::Off>());
    case PrefetchPolicy::SingleEntryRows:
      return work(std::integral_constant<PrefetchPolicy, PrefetchPolicy::SingleEntryRows>());
    case PrefetchPolicy::On:
      break;
  }
  return work(std::integral_constant<PrefetchPolicy, PrefetchPolicy::On>());
}

/// Returns true if each row of B has one entry, as in a restriction to aggregates.
template <class Scalar>
bool haveOneEntry(const HostCsr<Scalar>& B) {
  if (B.entries != static_cast<std::size_t>(B.rows)) return false;
  for (long long r = 0; r < B.rows; ++r)
    if (B.offsets[r] != static_cast<std::size_t>(r)) return false;
  return true;
}

/// Runs visit(column, product) for each multiply-add of row r of A·B, in the order of A's entries.
/// Returns the number of multiply-adds.
///
/// Not inlined, and aligned to a cache line, because the position of the loop within cache lines
/// changes a product's time by up to 20% (vardof on an AMD EPYC of family 26: 26 or 32 ms).
/// @tparam Semiring semiring by which two entries are multiplied
template <class Semiring, PrefetchPolicy prefetch = PrefetchPolicy::On, class Scalar, class Visit>
__attribute__((noinline, aligned(64))) std::size_t forEachMultiplyAdd(const HostCsr<Scalar>& A,
                                                                      const HostCsr<Scalar>& B,
                                                                      long long r, Visit&& visit) {
  const std::size_t begin = A.offsets[r], end = A.offsets[r + 1];
  if constexpr (prefetch == PrefetchPolicy::SingleEntryRows) {
    for (std::size_t a = begin; a < end; ++a) {
      const int b = A.columns[a];
      visit(B.columns[b], Semiring::times(A.values[a], B.values[b]));
    }
    return end - begin;
  }
  std::size_t multiplyAdds = 0;
  for (std::size_t a = begin; a < end; ++a) {
    if (prefetch == PrefetchPolicy::On) prefetchRows<true>(A, B, a);
    const Scalar value = A.values[a];
    const std::size_t beginB = B.offsets[A.columns[a]], endB = B.offsets[A.columns[a] + 1];
    for (std::size_t b = beginB; b < endB; ++b)
      visit(B.columns[b], Semiring::times(value, B.values[b]));
    multiplyAdds += endB - beginB;
  }
  return multiplyAdds;
}

}  // namespace Trident::Impl

#endif
