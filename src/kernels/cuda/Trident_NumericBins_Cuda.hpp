// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICBINS_CUDA_HPP
#define TRIDENT_NUMERICBINS_CUDA_HPP

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/cuda/Trident_KernelQueue_Cuda.hpp"
#include "kernels/cuda/Trident_NumericRows_Cuda.hpp"
#include "kernels/cuda/Trident_RowBins_Cuda.hpp"

// Bins of rows whose columns are known. Rows of a bin are computed in the same way.

namespace Trident::Impl {

/// The bins, in this order: rows of up to 16, 32, ... 512 entries, rows with nothing to do, windows
/// of other rows with many entries in A, which take longest, and windows of the rest.
constexpr int numericLevelsLeast = 4, numericLevels = windowLevelsMost - numericLevelsLeast + 1;
enum NumericBin { NothingToDo = numericLevels, LongWindows, OtherWindows, numericBins };

constexpr std::size_t groupEntriesOfA = 512;     // limit for a group of lanes
constexpr std::size_t warpEntriesOfA = 4 * 512;  // limit for OtherWindows

/// Counts of the rows to be computed, and of a sample of these rows.
struct NumericCounts {
  int places[numericBins];  ///< number of rows, or of tasks of windows, in each bin
  int descents;             ///< 1 if the columns of some row of B do not ascend, else 0
  unsigned long long allEntriesA, allEntriesC;  ///< entries of all rows; 0 if rows come as a list
  /// Counts of the sample. `squares` sums the squared lengths of the rows of B that are met.
  unsigned long long entriesA, multiplyAdds, squares, entriesC, blocksC, rows, alike;

  /// Returns true if blocks of rows may pay: many rows of the sample seem alike, and the sample
  /// promises many multiply-adds, at least two for each entry of C.
  bool blocksMayPay() const {
    if (entriesA == 0 || !manyAlike(alike, rows)) return false;
    const double all = static_cast<double>(multiplyAdds) / entriesA * allEntriesA;
    return all >= multiplyAddsForBlocksOfValues && all >= 2.0 * allEntriesC;
  }
};

/// A row's bin, and the number of places that the row takes in the bin. A row takes none if its
/// block began with an earlier row.
struct NumericPlace {
  int bin, places;
};

/// The rule that gives each row a bin, and a number of places in the bin.
struct NumericPlaces {
  const std::size_t *offsetsA, *offsetsC;
  RowBlocks blocks;
  int windowLevels;  ///< a window has 2^windowLevels entries
  int windowsMost;   ///< largest number of windows of a task

  __device__ NumericPlace of(int row) const {
    const std::size_t lengthA = offsetsA[row + 1] - offsetsA[row];
    const std::size_t lengthC = offsetsC[row + 1] - offsetsC[row];
    if (lengthA == 0 && lengthC == 0) return {NothingToDo, 1};
    if (!blocks.beginAt(row)) return {NothingToDo, 0};
    const std::size_t windowEntries = std::size_t(1) << windowLevels;
    if (lengthC <= windowEntries && lengthA <= groupEntriesOfA) {
      int levels = numericLevelsLeast;
      while ((std::size_t(1) << levels) < lengthC) ++levels;
      return {levels - numericLevelsLeast, 1};
    }
    const int ofTask = windowsOfTask(lengthA);
    return {lengthA > warpEntriesOfA ? LongWindows : OtherWindows,
            (windowsOfRow(offsetsC, row, windowLevels) + ofTask - 1) / ofTask};
  }
  /// Returns the number of windows of a task, for a row with `lengthA` entries in A. Tasks take
  /// about equally long. If a warp cannot keep all ends of windows, a task has one window.
  __device__ int windowsOfTask(std::size_t lengthA) const {
    if (lengthA > lanesOfWarp * WindowCuts::chunksMost) return 1;
    constexpr int entriesOfTask = 16384;
    const int windows = lengthA > 0 ? entriesOfTask / static_cast<int>(lengthA) : windowsMost;
    return windows < windowsMost ? windows : windowsMost;
  }
  /// Returns the n-th task of a row.
  __device__ NumericTask taskOf(int row, int n) const {
    const int ofTask = windowsOfTask(offsetsA[row + 1] - offsetsA[row]), first = n * ofTask;
    const int left = windowsOfRow(offsetsC, row, windowLevels) - first;
    return {row, first, left < ofTask ? left : ofTask};
  }
};

constexpr int sampledBlocks = 64;  // limit of thread blocks in a sample

/// Counts the places of all bins. If `sample` is true, the kernel also samples the rows of some
/// thread blocks: the lengths of the rows of B that these rows meet, the blocks of columns of C,
/// and the rows that seem alike with the next row.
template <class Scalar>
__global__ void __launch_bounds__(binThreads)
    countNumericRows(RowList rows, NumericPlaces places, bool sample, DeviceCsr<Scalar> A,
                     const std::size_t* offsetsB, NumericResult<Scalar> C, NumericCounts* counts) {
  constexpr int sampleNumbers = 7;
  __shared__ int here[numericBins];
  __shared__ unsigned long long sums[sampleNumbers];
  if (threadIdx.x < numericBins) here[threadIdx.x] = 0;
  if (threadIdx.x < sampleNumbers) sums[threadIdx.x] = 0;
  __syncthreads();
  const bool sampled = sample && blockIdx.x % (gridDim.x / sampledBlocks + 1) == 0;
  const long long n = static_cast<long long>(blockIdx.x) * binThreads + threadIdx.x;
  if (n < rows.count) {
    const int row = rows[static_cast<int>(n)];
    const std::size_t beginA = A.offsets[row], beginC = C.offsets[row];
    const std::size_t lengthA = A.offsets[row + 1] - beginA, lengthC = C.offsets[row + 1] - beginC;
    const NumericPlace place = places.of(row);
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
      atomicAdd(sums, static_cast<unsigned long long>(entriesA));
      atomicAdd(sums + 1, multiplyAdds);
      atomicAdd(sums + 2, squares);
      atomicAdd(sums + 3, static_cast<unsigned long long>(entriesC));
      atomicAdd(sums + 4, static_cast<unsigned long long>(blocks));
      atomicAdd(sums + 5, 1ull);
      if (!rows.rows && n + 1 < rows.count && nextSeemsAlike(A.offsets, A.columns, row))
        atomicAdd(sums + 6, 1ull);
    }
  }
  __syncthreads();
  if (threadIdx.x < numericBins && here[threadIdx.x] > 0)
    atomicAdd(counts->places + threadIdx.x, here[threadIdx.x]);
  if (n == 0 && !rows.rows) {
    counts->allEntriesA = A.offsets[rows.count] - A.offsets[0];
    counts->allEntriesC = C.offsets[rows.count] - C.offsets[0];
  }
  if (sampled && threadIdx.x == 0) {
    atomicAdd(&counts->entriesA, sums[0]);
    atomicAdd(&counts->multiplyAdds, sums[1]);
    atomicAdd(&counts->squares, sums[2]);
    atomicAdd(&counts->entriesC, sums[3]);
    atomicAdd(&counts->blocksC, sums[4]);
    atomicAdd(&counts->rows, sums[5]);
    atomicAdd(&counts->alike, sums[6]);
  }
}

/// Returns the largest number of windows of a task, if all rows together have `windows` windows. A
/// task has several windows only if each warp of a device still gets several tasks.
inline int windowsMostOf(long long windows) {
  constexpr long long most = 16, tasks = 1 << 14;
  return static_cast<int>(std::max(1ll, std::min(most, windows / tasks)));
}

/// Writes rows, and tasks of windows, to the places of their bins, roughly in the order of rows.
/// @param next next free place of each bin
static __global__ void __launch_bounds__(binThreads)
    dealNumericRows(RowList rows, NumericPlaces places, int* next, int* dealt,
                    NumericTask* windows) {
  __shared__ int here[numericBins], begin[numericBins];
  if (threadIdx.x < numericBins) here[threadIdx.x] = 0;
  __syncthreads();
  const long long n = static_cast<long long>(blockIdx.x) * binThreads + threadIdx.x;
  NumericPlace place{0, 0};
  int mine = 0, row = 0;
  if (n < rows.count) {
    row = rows[static_cast<int>(n)];
    place = places.of(row);
    mine = atomicAdd(here + place.bin, place.places);
  }
  __syncthreads();
  if (threadIdx.x < numericBins && here[threadIdx.x] > 0)
    begin[threadIdx.x] = atomicAdd(next + threadIdx.x, here[threadIdx.x]);
  __syncthreads();
  if (place.places == 0) return;
  const int at = begin[place.bin] + mine;
  if (place.bin < LongWindows)
    dealt[at] = row;
  else
    for (int t = 0; t < place.places; ++t) windows[at + t] = places.taskOf(row, t);
}

/// The way to compute the values of rows. It depends on structure alone, so it serves any values.
struct NumericSchedule {
  bool ascends = false;  ///< true if the columns of each row of B ascend; else nothing below is set
  FactorBlocks blocks;
  const int* rows = nullptr;  ///< rows bin by bin; null: all rows in their order
  const NumericTask* tasks = nullptr;
  int windows = 0;               ///< number of `tasks`
  int begin[numericBins] = {};   ///< first row or task of each bin
  int places[numericBins] = {};  ///< number of rows or tasks of each bin
  int lanes = 0;                 ///< number of lanes of a group
  bool consecutive = false;      ///< true if columns of C's rows are mostly consecutive

  // Only in a kept schedule:
  std::array<std::size_t, 5> sizes{};    ///< rows and entries of matrices that may use the schedule
  unsigned long long* strays = nullptr;  ///< number of strays (NumericResult), which nobody reads
};

/// Computes the values of rows of C whose columns are known and sorted, each sum in the order of
/// A's entries. Puts kernels in the queue. Waits for counts once, and again if blocks are looked
/// for or if rows have very many windows.
/// @param rows rows to compute. Blocks are looked for only if these are all rows
/// @param rowsB number of B's rows, whose columns are checked to ascend. A negative number says
///   that the columns ascend, and that no blocks are looked for
/// @param entriesB number of B's entries, at least one
/// @param blocks rows that are known to be alike in A and in C
/// @return false if B's columns do not ascend; nothing was written then
template <class Scalar>
bool computeNumericValues(const KernelQueue& queue, DeviceWorkspace& workspace, const RowList& rows,
                          const DeviceCsr<Scalar>& A, const DeviceCsr<Scalar>& B, int rowsB,
                          std::size_t entriesB, const NumericResult<Scalar>& C,
                          FactorBlocks blocks = {});

}  // namespace Trident::Impl

#endif
