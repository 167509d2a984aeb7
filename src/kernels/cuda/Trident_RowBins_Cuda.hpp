// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWBINS_CUDA_HPP
#define TRIDENT_ROWBINS_CUDA_HPP

#include "kernels/cuda/Trident_VisitRows_Cuda.hpp"

namespace Trident::Impl {

constexpr int binsMost = 16;
constexpr int binThreads = 256;

/// The largest number that each bin takes. The last bin takes all larger numbers.
struct BinLimits {
  unsigned most[binsMost];
  int bins;
  __device__ int of(unsigned number) const {
    int bin = 0;
    while (bin < bins - 1 && number > most[bin]) ++bin;
    return bin;
  }
};

/// Counts of rows: in each bin, and over all rows.
struct BinCounts {
  int rows[binsMost];
  unsigned long long sum;  ///< sum of the rows' multiply-adds
  int alike;               ///< rows that seem to have the columns of the next row
};

/// Adds to `counts` the rows that fall in each bin. All threads of a thread block call.
/// @param some true if this thread has a row, which is binned by `number`
__device__ inline void countBins(const BinLimits& limits, bool some, unsigned number,
                                 BinCounts* counts) {
  __shared__ int here[binsMost];
  if (threadIdx.x < binsMost) here[threadIdx.x] = 0;
  __syncthreads();
  if (some) atomicAdd(here + limits.of(number), 1);
  __syncthreads();
  if (threadIdx.x < limits.bins && here[threadIdx.x] > 0)
    atomicAdd(counts->rows + threadIdx.x, here[threadIdx.x]);
}

__device__ inline unsigned saturated(unsigned long long x) {
  return x < 0xffffffffull ? static_cast<unsigned>(x) : 0xffffffffu;
}

constexpr int threadRowMost = 48;  // limit of entries of A for one thread

/// Counts the multiply-adds of each row of A·B, 2^32 - 1 at most, and the rows of each bin. Each
/// thread has a row of A; a row with many entries is counted by a warp.
template <class Scalar>
__global__ void __launch_bounds__(binThreads)
    countMultiplyAddsOfRows(int rows, DeviceCsr<Scalar> A, const std::size_t* offsetsB,
                            BinLimits limits, unsigned* multiplyAdds, BinCounts* counts) {
  __shared__ int longRows[binThreads];
  __shared__ int longCount;
  __shared__ unsigned long long sums[binThreads], all;
  __shared__ int alike;
  const long long row = static_cast<long long>(blockIdx.x) * binThreads + threadIdx.x;
  if (threadIdx.x == 0) longCount = 0, all = 0, alike = 0;
  __syncthreads();
  unsigned long long sum = 0;
  if (row < rows) {
    const std::size_t begin = A.offsets[row], end = A.offsets[row + 1];
    if (end - begin > threadRowMost)
      longRows[atomicAdd(&longCount, 1)] = threadIdx.x;
    else
      for (std::size_t e = begin; e < end; ++e) {
        const int b = A.columns[e];
        sum += offsetsB[b + 1] - offsetsB[b];
      }
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int n = warpOfBlock(); n < longCount; n += binThreads / lanesOfWarp) {
    const long long r = static_cast<long long>(blockIdx.x) * binThreads + longRows[n];
    unsigned long long part = 0;
    for (std::size_t e = A.offsets[r] + warpLane(); e < A.offsets[r + 1]; e += lanesOfWarp) {
      const int b = A.columns[e];
      part += offsetsB[b + 1] - offsetsB[b];
    }
    for (int d = 1; d < lanesOfWarp; d *= 2) part += LaneGroup<lanesOfWarp>::swapped(part, d);
    if (warpLane() == 0) sums[longRows[n]] = part;
  }
  __syncthreads();
  sum = sums[threadIdx.x];
  const unsigned number = saturated(sum);
  if (row < rows) multiplyAdds[row] = number;
  const unsigned seen = ballot(row + 1 < rows && nextSeemsAlike(A.offsets, A.columns, row));
  if (warpLane() == 0 && seen) atomicAdd(&alike, bitsIn(seen));
  for (int d = 1; d < lanesOfWarp; d *= 2) sum += LaneGroup<lanesOfWarp>::swapped(sum, d);
  if (warpLane() == 0) atomicAdd(&all, sum);
  countBins(limits, row < rows, number, counts);
  if (threadIdx.x == 0) {
    atomicAdd(&counts->sum, all);
    if (alike > 0) atomicAdd(&counts->alike, alike);
  }
}

/// A row is binned by its number of blocks of columns, or by entriesFrom + its entries in C.
constexpr unsigned entriesFrom = 1000;  // above all numbers of blocks by which rows are binned
constexpr unsigned blocksMost = 192;    // limit of blocks of columns of a row binned by blocks

/// Writes the number by which each row is binned: entriesFrom + its entries in C. The first
/// `blocked` rows come with numbers of blocks, which stay if they are at most blocksMost.
static __global__ void __launch_bounds__(binThreads)
    numberEntries(RowList rows, int blocked, const std::size_t* offsets, BinLimits limits,
                  unsigned* numbers, BinCounts* counts) {
  const int n = blockIdx.x * binThreads + threadIdx.x;
  const bool some = n < rows.count;
  unsigned number = 0;
  if (some) {
    const int row = rows[n];
    number = n < blocked && numbers[row] <= blocksMost
                 ? numbers[row]
                 : saturated(offsets[row + 1] - offsets[row] + entriesFrom);
    numbers[row] = number;
  }
  countBins(limits, some, number, counts);
}

/// Writes the rows of a list bin by bin, roughly in the order of the list.
/// @param places next free place of each bin
static __global__ void __launch_bounds__(binThreads)
    dealToBins(RowList rows, const unsigned* numbers, BinLimits limits, int* places, int* dealt) {
  __shared__ int here[binsMost], begin[binsMost];
  if (threadIdx.x < binsMost) here[threadIdx.x] = 0;
  __syncthreads();
  const long long n = static_cast<long long>(blockIdx.x) * binThreads + threadIdx.x;
  int bin = 0, mine = 0, row = 0;
  if (n < rows.count) {
    row = rows[static_cast<int>(n)];
    bin = limits.of(numbers[row]);
    mine = atomicAdd(here + bin, 1);
  }
  __syncthreads();
  if (threadIdx.x < limits.bins && here[threadIdx.x] > 0)
    begin[threadIdx.x] = atomicAdd(places + threadIdx.x, here[threadIdx.x]);
  __syncthreads();
  if (n < rows.count) dealt[begin[bin] + mine] = row;
}

/// Sets the flag if the columns of a row do not ascend. Each row has `lanes` threads.
static __global__ void __launch_bounds__(binThreads)
    findDescents(int rows, const std::size_t* offsets, const int* columns, int lanes, int* flag) {
  const long long thread = static_cast<long long>(blockIdx.x) * binThreads + threadIdx.x;
  const long long row = thread / lanes;
  if (row >= rows) return;
  for (std::size_t e = offsets[row] + 1 + thread % lanes; e < offsets[row + 1]; e += lanes)
    if (columns[e - 1] >= columns[e]) *flag = 1;
}

}  // namespace Trident::Impl

#endif
