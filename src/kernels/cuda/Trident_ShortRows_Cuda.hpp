// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SHORTROWS_CUDA_HPP
#define TRIDENT_SHORTROWS_CUDA_HPP

#include <cstdint>

#include "kernels/cuda/Trident_VisitRows_Cuda.hpp"

// Rows with few multiply-adds. A group of lanes forms the terms of a row, sorts the terms by column
// in registers, and adds up the terms of each column. There is no hash table and no atomic
// operation. Sums are in the order of A's entries.

namespace Trident::Impl {

constexpr int shortRowThreads = 128;  // threads of a thread block

constexpr int bitsFor(int n) { return n <= 1 ? 0 : 1 + bitsFor((n + 1) / 2); }

/// A group of L lanes with K keys each, for rows of up to L·K multiply-adds.
template <int Lanes, int KeysOfLane>
struct ShortRowShape {
  static constexpr int L = Lanes, K = KeysOfLane, most = L * K, groups = shortRowThreads / L,
                       bits = bitsFor(most);
};

using ShortRows32 = ShortRowShape<8, 4>;
using ShortRows64 = ShortRowShape<8, 8>;
using ShortRows128 = ShortRowShape<16, 8>;
using ShortRows256 = ShortRowShape<32, 8>;
using ShortRows512 = ShortRowShape<32, 16>;

/// Counts the distinct columns of each row.
template <class Shape, class Scalar>
__global__ void __launch_bounds__(shortRowThreads)
    countShortRows(RowList rows, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B, int lanesOfRow,
                   std::size_t* counts) {
  constexpr int L = Shape::L, K = Shape::K;
  using Group = LaneGroup<L>;
  __shared__ unsigned keys[Shape::groups * Shape::most];
  const int lane = Group::lane();
  const int n = blockIdx.x * Shape::groups + threadIdx.x / L;
  const bool some = n < rows.count;
  const int row = some ? rows[n] : 0;
  unsigned* const key = keys + threadIdx.x / L * Shape::most;
  const int total =
      visitMultiplyAdds<L>(A, B, row, some, lanesOfRow, [&](int place, std::size_t, std::size_t b) {
        key[place] = static_cast<unsigned>(B.columns[b]);
      });
  warpBarrier();
  unsigned x[K];
#pragma unroll
  for (int r = 0; r < K; ++r) x[r] = r * L + lane < total ? key[r * L + lane] : ~0u;
  sortKeys<L, K>(x);
  unsigned last = Group::fromBelow(x[K - 1], 1);
  int found = 0;
#pragma unroll
  for (int r = 0; r < K; ++r) {
    const int i = lane * K + r;
    found += i < total && (i == 0 || last != x[r]);
    last = x[r];
  }
  found = Group::sumUpTo(found);
  if (some && lane == L - 1) counts[row] = found;
}

/// Computes the columns and values of each row, sorted.
/// @tparam Key integer for the column of a term and, in the lower bits, the place of the term
template <class Shape, class Key, class Scalar>
__global__ void __launch_bounds__(shortRowThreads)
    computeShortRows(RowList rows, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B, int lanesOfRow,
                     const std::size_t* offsets, int* columns, Scalar* values) {
  constexpr int L = Shape::L, K = Shape::K, bits = Shape::bits;
  constexpr Key placeMask = (Key(1) << bits) - 1;
  using Group = LaneGroup<L>;
  using Sum = SumOf<Scalar>;
  __shared__ Key keys[Shape::groups * Shape::most];
  __shared__ alignas(16) unsigned char room[Shape::groups * Shape::most * sizeof(Sum)];
  const int lane = Group::lane();
  const int n = blockIdx.x * Shape::groups + threadIdx.x / L;
  const bool some = n < rows.count;
  const int row = some ? rows[n] : 0;
  Key* const key = keys + threadIdx.x / L * Shape::most;
  Sum* const product = reinterpret_cast<Sum*>(room) + threadIdx.x / L * Shape::most;
  const int total = visitMultiplyAdds<L>(
      A, B, row, some, lanesOfRow, [&](int place, std::size_t a, std::size_t b) {
        key[place] = static_cast<Key>(B.columns[b]) << bits | static_cast<Key>(place);
        product[place] = termOf(A.values[a], B.values[b]);
      });
  warpBarrier();
  Key x[K];
#pragma unroll
  for (int r = 0; r < K; ++r) x[r] = r * L + lane < total ? key[r * L + lane] : ~Key(0);
  sortKeys<L, K>(x);
  warpBarrier();
#pragma unroll
  for (int r = 0; r < K; ++r) key[lane * K + r] = x[r];
  warpBarrier();
  // The lane with the first term of a column sums all terms of the column.
  Key last = Group::fromBelow(x[K - 1], 1);
  Sum sums[K];
  unsigned heads = 0;
#pragma unroll
  for (int r = 0; r < K; ++r) {
    const int i = lane * K + r;
    const Key column = x[r] >> bits;
    if (i < total && (i == 0 || last >> bits != column)) {
      heads |= 1u << r;
      Sum sum = Sum(0) + product[x[r] & placeMask];  // never -0
      for (int q = i + 1; q < total && key[q] >> bits == column; ++q)
        sum += product[key[q] & placeMask];
      sums[r] = sum;
    }
    last = x[r];
  }
  const int after = Group::sumUpTo(bitsIn(heads));
  int at = after - bitsIn(heads);
  const int found = Group::from(after, L - 1);
  warpBarrier();
#pragma unroll
  for (int r = 0; r < K; ++r)
    if (heads >> r & 1) {
      key[at] = x[r] >> bits;
      product[at++] = sums[r];
    }
  warpBarrier();
  if (!some) return;
  const std::size_t to = offsets[row];
  for (int i = lane; i < found; i += L) {
    columns[to + i] = static_cast<int>(key[i]);
    values[to + i] = product[i];
  }
}

}  // namespace Trident::Impl

#endif
