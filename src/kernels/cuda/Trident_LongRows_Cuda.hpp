// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LONGROWS_CUDA_HPP
#define TRIDENT_LONGROWS_CUDA_HPP

#include "kernels/cuda/Trident_VisitRows_Cuda.hpp"

// Rows too long for a table in shared memory. A thread block takes a row, one window of columns
// after the other. A column has a bit and a sum. Bits are read in order, so entries are sorted.

namespace Trident::Impl {

constexpr int longRowThreads = 1024;

/// Columns [begin, end). Each column has a bit, which is set if the column is marked.
struct ColumnWindow {
  unsigned* bits;
  int begin, end;

  __device__ int words() const { return (end - begin + 31) / 32; }
  /// Marks a column. Returns true if this thread is the first to mark the column.
  __device__ bool mark(int column) const {
    const unsigned bit = 1u << (column - begin) % 32;
    unsigned* const word = bits + (column - begin) / 32;
    return !(*word & bit) && !(atomicOr(word, bit) & bit);
  }
};

__device__ inline ColumnWindow windowFrom(unsigned* bits, long long begin, int size,
                                          long long end) {
  return {bits, static_cast<int>(begin), static_cast<int>(begin + size < end ? begin + size : end)};
}

/// Parts of the columns, so that several thread blocks share a row. One thread block alone takes
/// seconds for the row of a hub whose neighbours are hubs.
struct ColumnParts {
  int parts;
  long long span;  ///< number of columns of a part; a multiple of 32
  int* counts;     ///< number of entries of each row in each part; null: there is one part
  int columns;     ///< number of columns of all parts together

  __device__ long long begin(int part) const { return part * span; }
  __device__ long long end(int part) const {
    const long long end = begin(part) + span;
    return end < columns ? end : columns;
  }
  __device__ int& count(int row, int part) const {
    return counts[static_cast<std::size_t>(row) * parts + part];
  }
};

/// Returns the first e in [from, to) with columns[e] >= column, or `to`. Columns must ascend.
__device__ inline std::size_t lowerBound(const int* columns, std::size_t from, std::size_t to,
                                         int column) {
  while (from < to) {
    const std::size_t middle = from + (to - from) / 2;
    if (columns[middle] < column)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/// Returns the result of lowerBound(), quickly if the result is near `from`.
__device__ inline std::size_t lowerBoundNear(const int* columns, std::size_t from, std::size_t to,
                                             int column) {
  std::size_t at = from;
  for (std::size_t step = 1; at < to && columns[at] < column; step *= 2) {
    from = at + 1;
    at = from + step - 1;
  }
  return lowerBound(columns, from, at < to ? at : to, column);
}

/// A functor that cuts a row of B to a window. If columns are not sorted, leaves the row whole.
struct CutToWindow {
  const int* columns;
  int begin, end;
  bool sorted;

  __device__ Stretch operator()(const Stretch& row) const {
    if (!sorted) return row;
    const std::size_t from = lowerBound(columns, row.begin, row.end, begin);
    return {from, lowerBound(columns, from, row.end, end)};
  }
};

/// Runs visit(entry of A, entry of B) for those multiply-adds of a row whose columns lie in a
/// window. All threads of a thread block call.
/// @param whole true if the window has all columns
/// @param sorted true if B's rows are sorted, so that entries outside the window are not read
template <class Scalar, class Visit>
__device__ inline void visitWindow(const DeviceCsr<Scalar>& A, const DeviceCsr<Scalar>& B, int row,
                                   const ColumnWindow& window, bool whole, bool sorted,
                                   EntryChunk& chunk, const Visit& visit) {
  if (whole) {
    visitMultiplyAddsByBlock(A, B, row, chunk, WholeRows(), visit);
    return;
  }
  const unsigned low = window.begin, size = window.end - window.begin;
  visitMultiplyAddsByBlock(A, B, row, chunk,
                           CutToWindow{B.columns, window.begin, window.end, sorted},
                           [&](std::size_t a, std::size_t b) {
                             if (sorted || static_cast<unsigned>(B.columns[b]) - low < size)
                               visit(a, b);
                           });
}

/// Adds the number of distinct columns of each row to the row's count, which must be 0 before.
/// Shared memory: `size` bits.
template <class Scalar>
__global__ void __launch_bounds__(longRowThreads)
    countLongRows(RowList rows, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B, bool sorted,
                  ColumnParts parts, int size, std::size_t* counts) {
  extern __shared__ unsigned sharedWords[];
  __shared__ unsigned long long all;
  __shared__ EntryChunk chunk;
  const int row = rows[blockIdx.x / parts.parts], part = blockIdx.x % parts.parts;
  if (threadIdx.x == 0) all = 0;
  int found = 0;
  const long long end = parts.end(part);
  for (long long begin = parts.begin(part); begin < end; begin += size) {
    const ColumnWindow window = windowFrom(sharedWords, begin, size, end);
    for (int w = threadIdx.x; w < window.words(); w += blockDim.x) window.bits[w] = 0;
    __syncthreads();
    visitWindow(A, B, row, window, size >= parts.columns, sorted, chunk,
                [&](std::size_t, std::size_t b) { found += window.mark(B.columns[b]); });
    __syncthreads();
  }
  found = sumOfWarp(found);
  if (warpLane() == 0) atomicAdd(&all, static_cast<unsigned long long>(found));
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (parts.counts) parts.count(row, part) = static_cast<int>(all);
  atomicAdd(reinterpret_cast<unsigned long long*>(counts + row), all);
}

/// Computes the columns of each row, sorted, and the values unless columnsOnly. Sums are in no
/// certain order. Shared memory: a bit for each of `size` columns, an int for each 32 columns and,
/// unless columnsOnly, a sum for each column.
template <class Scalar>
__global__ void __launch_bounds__(longRowThreads)
    computeLongRows(RowList rows, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B, bool sorted,
                    bool columnsOnly, ColumnParts parts, int size, const std::size_t* offsets,
                    int* columnsC, Scalar* valuesC) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  __shared__ EntryChunk chunk;
  using Sum = SumOf<Scalar>;
  Sum* const sums = reinterpret_cast<Sum*>(sharedBytes);
  unsigned* const bits = reinterpret_cast<unsigned*>(sums + (columnsOnly ? 0 : size));
  int* const before = reinterpret_cast<int*>(bits + size / 32);
  const int row = rows[blockIdx.x / parts.parts], part = blockIdx.x % parts.parts;
  std::size_t to = offsets[row], end = offsets[row + 1];
  if (parts.counts) {
    for (int p = 0; p < part; ++p) to += parts.count(row, p);
    end = to + parts.count(row, part);
  }
  const long long columnsEnd = parts.end(part);
  for (long long begin = parts.begin(part); begin < columnsEnd && to < end; begin += size) {
    const ColumnWindow window = windowFrom(bits, begin, size, columnsEnd);
    if (!columnsOnly)
      for (int c = threadIdx.x; c < size; c += blockDim.x) sums[c] = Sum(0);
    for (int w = threadIdx.x; w < window.words(); w += blockDim.x) bits[w] = 0;
    __syncthreads();
    visitWindow(A, B, row, window, size >= parts.columns, sorted, chunk,
                [&](std::size_t a, std::size_t b) {
                  const int column = B.columns[b];
                  window.mark(column);
                  if (columnsOnly) return;
                  addTo(sums + (column - window.begin), termOf(A.values[a], B.values[b]));
                });
    __syncthreads();
    int found = 0;
    for (int base = 0; base < window.words(); base += blockDim.x) {
      const int w = base + threadIdx.x;
      int count = w < window.words() ? bitsIn(bits[w]) : 0;
      const int all = sumsBefore(count, chunk.warpSums);
      if (w < window.words()) before[w] = found + count;
      found += all;
    }
    __syncthreads();
    for (int w = warpOfBlock(); w < window.words(); w += blockDim.x / lanesOfWarp) {
      const unsigned word = bits[w];
      if (!(word >> warpLane() & 1)) continue;
      const std::size_t at = to + before[w] + bitsIn(word & lanesBelow());
      columnsC[at] = window.begin + w * 32 + warpLane();
      if (!columnsOnly) valuesC[at] = sums[w * 32 + warpLane()];
    }
    to += found;
    __syncthreads();
  }
}

}  // namespace Trident::Impl

#endif
