// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICBINS_CUDA_HPP
#define TRIDENT_NUMERICBINS_CUDA_HPP

#include "kernels/cuda/Trident_KernelQueue_Cuda.hpp"
#include "kernels/cuda/Trident_NumericRows_Cuda.hpp"
#include "kernels/cuda/Trident_RowBins_Cuda.hpp"

// Rows whose columns are known, by how their values are computed.

namespace Trident::Impl {

/// Bins: rows of up to 16, 32, ... 512 entries, rows with nothing to do, and windows; those of rows
/// with many entries in A come first, as they take longest.
constexpr int numericLevelsLeast = 4, numericLevels = windowLevels - numericLevelsLeast + 1;
enum NumericBin { NothingToDo = numericLevels, LongWindows, OtherWindows, numericBins };

constexpr std::size_t groupEntriesOfA = 512;     // that a group of lanes takes
constexpr std::size_t warpEntriesOfA = 4 * 512;  // more: a window that takes long

/// What is counted of the rows, and what some of them tell of all.
struct NumericCounts {
  int places[numericBins];  ///< rows, or windows
  int descents;             ///< whether some columns of B's rows do not ascend
  /// Of a sample. Squares: of the lengths of B's rows.
  unsigned long long entriesA, multiplyAdds, squares, entriesC, blocksC;
};

/// A row's bin, and how many places it takes there.
struct NumericPlace {
  int bin, places;
};

__device__ inline NumericPlace numericPlaceOf(std::size_t lengthA, std::size_t lengthC) {
  if (lengthA == 0 && lengthC == 0) return {NothingToDo, 1};
  if (lengthC <= windowEntries && lengthA <= groupEntriesOfA) {
    int levels = numericLevelsLeast;
    while ((std::size_t(1) << levels) < lengthC) ++levels;
    return {levels - numericLevelsLeast, 1};
  }
  const std::size_t windows = (lengthC + windowEntries - 1) / windowEntries;
  return {lengthA > warpEntriesOfA ? LongWindows : OtherWindows,
          windows > 0 ? static_cast<int>(windows) : 1};
}

constexpr int sampledBlocks = 64;  // of rows, at most twice as many

/// Counts the places of all bins. The rows of some blocks are looked at: how long B's rows are that
/// they meet, and how many blocks of columns they have.
template <class Scalar>
__global__ void __launch_bounds__(binThreads)
    countNumericRows(RowList rows, DeviceRows<Scalar> A, const std::size_t* offsetsB,
                     NumericRows<Scalar> C, NumericCounts* counts) {
  __shared__ int here[numericBins];
  __shared__ unsigned long long sample[5];
  if (threadIdx.x < numericBins) here[threadIdx.x] = 0;
  if (threadIdx.x < 5) sample[threadIdx.x] = 0;
  __syncthreads();
  const bool sampled = blockIdx.x % (gridDim.x / sampledBlocks + 1) == 0;
  const long long n = static_cast<long long>(blockIdx.x) * binThreads + threadIdx.x;
  if (n < rows.count) {
    const int row = rows[static_cast<int>(n)];
    const std::size_t beginA = A.offsets[row], beginC = C.offsets[row];
    const std::size_t lengthA = A.offsets[row + 1] - beginA, lengthC = C.offsets[row + 1] - beginC;
    const NumericPlace place = numericPlaceOf(lengthA, lengthC);
    atomicAdd(here + place.bin, place.places);
    if (sampled) {
      constexpr int mostA = 16, mostC = 48;
      const int entriesA = lengthA < mostA ? static_cast<int>(lengthA) : mostA;
      const int entriesC = lengthC < mostC ? static_cast<int>(lengthC) : mostC;
      unsigned long long multiplyAdds = 0, squares = 0;
      for (int e = 0; e < entriesA; ++e) {
        const int b = A.columns[beginA + e];
        const unsigned long long length = offsetsB[b + 1] - offsetsB[b];
        multiplyAdds += length;
        squares += length * length;
      }
      int blocks = 0, last = -1;
      for (int e = 0; e < entriesC; ++e) {
        const int block = C.columns[beginC + e] >> 4;
        blocks += block != last;
        last = block;
      }
      atomicAdd(sample, static_cast<unsigned long long>(entriesA));
      atomicAdd(sample + 1, multiplyAdds);
      atomicAdd(sample + 2, squares);
      atomicAdd(sample + 3, static_cast<unsigned long long>(entriesC));
      atomicAdd(sample + 4, static_cast<unsigned long long>(blocks));
    }
  }
  __syncthreads();
  if (threadIdx.x < numericBins && here[threadIdx.x] > 0)
    atomicAdd(counts->places + threadIdx.x, here[threadIdx.x]);
  if (sampled && threadIdx.x == 0) {
    atomicAdd(&counts->entriesA, sample[0]);
    atomicAdd(&counts->multiplyAdds, sample[1]);
    atomicAdd(&counts->squares, sample[2]);
    atomicAdd(&counts->entriesC, sample[3]);
    atomicAdd(&counts->blocksC, sample[4]);
  }
}

/// Deals rows to the places of their bins, and windows to theirs, roughly in their order.
/// @param places the next place of each bin
template <class Scalar>
__global__ void __launch_bounds__(binThreads)
    dealNumericRows(RowList rows, DeviceRows<Scalar> A, NumericRows<Scalar> C, int* places,
                    int* dealt, NumericTask* windows) {
  __shared__ int here[numericBins], begin[numericBins];
  if (threadIdx.x < numericBins) here[threadIdx.x] = 0;
  __syncthreads();
  const long long n = static_cast<long long>(blockIdx.x) * binThreads + threadIdx.x;
  NumericPlace place{0, 0};
  int mine = 0, row = 0;
  if (n < rows.count) {
    row = rows[static_cast<int>(n)];
    place =
        numericPlaceOf(A.offsets[row + 1] - A.offsets[row], C.offsets[row + 1] - C.offsets[row]);
    mine = atomicAdd(here + place.bin, place.places);
  }
  __syncthreads();
  if (threadIdx.x < numericBins && here[threadIdx.x] > 0)
    begin[threadIdx.x] = atomicAdd(places + threadIdx.x, here[threadIdx.x]);
  __syncthreads();
  if (n >= rows.count) return;
  const int at = begin[place.bin] + mine;
  if (place.bin < LongWindows)
    dealt[at] = row;
  else
    for (int w = 0; w < place.places; ++w) windows[at + w] = {row, w};
}

/// Values of rows of C whose columns are known and sorted, each sum in the order of A's entries.
/// Puts kernels in the queue, and waits for the first of them only.
/// @param rowsB of B, whose columns are looked at: they have to ascend in each row. Negative: they
///   are known to.
/// @param entriesB at least one
/// @return false where they do not ascend; nothing was written then
template <class Scalar>
bool computeNumericValues(const KernelQueue& queue, DeviceWorkspace& workspace, const RowList& rows,
                          const DeviceRows<Scalar>& A, const DeviceRows<Scalar>& B, int rowsB,
                          std::size_t entriesB, const NumericRows<Scalar>& C);

}  // namespace Trident::Impl

#endif
