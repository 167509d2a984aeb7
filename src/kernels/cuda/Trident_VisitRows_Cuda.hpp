// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VISITROWS_CUDA_HPP
#define TRIDENT_VISITROWS_CUDA_HPP

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/Trident_WarpGroup_Cuda.hpp"

// The operands' rows for kernels, and loops over the multiply-adds of a row.

namespace Trident::Impl {

/// The arrays of a matrix in device memory.
template <class Scalar>
struct DeviceCsr {
  const std::size_t* offsets;
  const int* columns;
  const Scalar* values;
};

/// Rows that a kernel computes: a list of rows, or all rows in their order.
struct RowList {
  const int* rows;  ///< null: all rows
  int count;
  __device__ int operator[](int n) const { return rows ? rows[n] : n; }
};

/// Returns true if row + 1 is as long as `row` and has the same first, middle and last column.
__device__ inline bool nextSeemsAlike(const std::size_t* offsets, const int* columns,
                                      long long row) {
  const std::size_t begin = offsets[row], next = offsets[row + 1], length = next - begin;
  if (length == 0 || offsets[row + 2] - next != length) return false;
  for (const std::size_t e : {std::size_t(0), length / 2, length - 1})
    if (columns[begin + e] != columns[next + e]) return false;
  return true;
}

/// Runs visit(place of the multiply-add, entry of A, entry of B) for the multiply-adds of row `row`
/// of A·B, by a group of L lanes. Places are 0, 1, ... in the order of A's entries, and for one
/// entry of A in the order of B's. Returns the number of multiply-adds. All lanes of the warp call.
/// @param some true if this group has a row
/// @param lanesOfRow number of lanes that share a row of B
template <int L, class Scalar, class Visit>
__device__ inline int visitMultiplyAdds(const DeviceCsr<Scalar>& A, const DeviceCsr<Scalar>& B,
                                        int row, bool some, int lanesOfRow, const Visit& visit) {
  using Group = LaneGroup<L>;
  const int lane = Group::lane();
  const std::size_t begin = some ? A.offsets[row] : 0;
  const int length = some ? static_cast<int>(A.offsets[row + 1] - begin) : 0;
  const int longest = L == lanesOfWarp ? length : largestInWarp(length);
  const int sub = lane / lanesOfRow, first = lane % lanesOfRow, step = L / lanesOfRow;
  int total = 0;
  for (int base = 0; base < longest; base += L) {
    std::size_t start = 0;
    int count = 0;
    if (base + lane < length) {
      const int b = A.columns[begin + base + lane];
      start = B.offsets[b];
      count = static_cast<int>(B.offsets[b + 1] - start);
    }
    const int after = total + Group::sumUpTo(count), before = after - count;
    const int here = min(L, longest - base);
    for (int q = 0; q < here; q += step) {
      const int e = q + sub;  // below L, because `step` divides L
      const std::size_t from = Group::from(start, e);
      const int n = Group::from(count, e), at = Group::from(before, e);
      for (int j = first; j < n; j += lanesOfRow) visit(at + j, begin + base + e, from + j);
    }
    total = Group::from(after, L - 1);
  }
  return total;
}

/// Entries [begin, end) of B.
struct Stretch {
  std::size_t begin, end;
};
/// A functor that leaves rows of B whole.
struct WholeRows {
  __device__ Stretch operator()(const Stretch& row) const { return row; }
};

/// Replaces x of each thread by the sum of x over all earlier threads. Returns the sum of x over
/// all threads. All threads of a thread block call.
__device__ inline int sumsBefore(int& x, int* warpSums) {
  const int upTo = LaneGroup<lanesOfWarp>::sumUpTo(x);
  if (warpLane() == lanesOfWarp - 1) warpSums[warpOfBlock()] = upTo;
  __syncthreads();
  int before = 0, all = 0;
  for (int w = 0; w < static_cast<int>(blockDim.x) / lanesOfWarp; ++w) {
    if (w == warpOfBlock()) before = all;
    all += warpSums[w];
  }
  x = before + upTo - x;
  __syncthreads();
  return all;
}

constexpr int blockThreadsMost = 1024;

/// The entries of A that a thread block takes at a time, in order. Entries without multiply-adds
/// are left out. If rows of B ascend, the number of multiply-adds fits an int, because these rows
/// are cut to windows of fewer than 2^21 columns.
struct EntryChunk {
  std::size_t start[blockThreadsMost];  ///< offset of the first entry of B to visit
  int before[blockThreadsMost + 1];     ///< multiply-adds before each entry, and of all entries
  std::uint16_t entry[blockThreadsMost];
  int warpSums[lanesOfWarp];
};

/// Runs visit(entry of A, entry of B) for the multiply-adds of a row, in no certain order, by a
/// whole thread block. Warps take stretches of multiply-adds, not entries of A, so that lengths of
/// B's rows do not matter.
/// @param cut returns the stretch of a row of B that is visited
template <class Scalar, class Cut, class Visit>
__device__ inline void visitMultiplyAddsByBlock(const DeviceCsr<Scalar>& A,
                                                const DeviceCsr<Scalar>& B, int row,
                                                EntryChunk& chunk, const Cut& cut,
                                                const Visit& visit) {
  constexpr int multiplyAddsAtOnce = 4 * lanesOfWarp;
  const std::size_t begin = A.offsets[row];
  const int length = static_cast<int>(A.offsets[row + 1] - begin);
  const int warps = blockDim.x / lanesOfWarp;
  for (int base = 0; base < length; base += blockDim.x) {
    Stretch mine{0, 0};
    if (base + static_cast<int>(threadIdx.x) < length) {
      const int b = A.columns[begin + base + threadIdx.x];
      mine = cut(Stretch{B.offsets[b], B.offsets[b + 1]});
    }
    const int count = static_cast<int>(mine.end - mine.begin);
    int at = count > 0, before = count;
    const int entries = sumsBefore(at, chunk.warpSums);
    const int multiplyAdds = sumsBefore(before, chunk.warpSums);
    if (count > 0) {
      chunk.start[at] = mine.begin;
      chunk.before[at] = before;
      chunk.entry[at] = static_cast<std::uint16_t>(threadIdx.x);
    }
    if (threadIdx.x == 0) chunk.before[entries] = multiplyAdds;
    __syncthreads();
    for (int p0 = warpOfBlock() * multiplyAddsAtOnce; p0 < multiplyAdds;
         p0 += warps * multiplyAddsAtOnce) {
      int low = 0, high = entries;  // `low` becomes the entry of multiply-add p0
      while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (chunk.before[middle] <= p0)
          low = middle;
        else
          high = middle;
      }
      int e = low;
      const int last = min(p0 + multiplyAddsAtOnce, multiplyAdds);
      for (int p = p0 + warpLane(); p < last; p += lanesOfWarp) {
        while (chunk.before[e + 1] <= p) ++e;  // few steps, because every entry has multiply-adds
        visit(begin + base + chunk.entry[e], chunk.start[e] + (p - chunk.before[e]));
      }
    }
    __syncthreads();
  }
}

}  // namespace Trident::Impl

#endif
