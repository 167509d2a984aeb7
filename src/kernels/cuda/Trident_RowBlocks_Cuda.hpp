// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWBLOCKS_CUDA_HPP
#define TRIDENT_ROWBLOCKS_CUDA_HPP

#include "kernels/cuda/Trident_KernelQueue_Cuda.hpp"
#include "kernels/cuda/Trident_RowBins_Cuda.hpp"

// A block of rows is a few successive rows that have the same columns, as the unknowns of one node
// of a mesh have. A kernel takes a block as one unit of work. For all rows of the block, the kernel
// reads a row of B once, and searches a column once. All rows of a block are equally long, so row r
// begins r times this length behind the first row.

namespace Trident::Impl {

/// Limit of a block's rows, because the sums of all rows share a group's part of shared memory.
constexpr int rowsOfBlockMost = 4;

/// No block crosses a multiple of this number of rows. So a thread looks at few rows, even if all
/// rows are alike. Blocks of 2, 3 and 4 rows that begin at a multiple of their size are not cut.
constexpr int rowsBetweenCuts = 48;

/// The blocks of successive rows. Each row has a byte: in the upper four bits, the number of
/// earlier rows of its block; in the lower four bits, the number of all rows of its block.
struct RowBlocks {
  const unsigned char* ofRow = nullptr;  ///< null: every row is a block of its own
  int most = 1;                          ///< number of rows of the largest block

  __device__ static unsigned char packed(int before, int rows) {
    return static_cast<unsigned char>(before << 4 | rows);
  }
  /// Returns the number of rows before this row in its block.
  __device__ int before(int row) const { return ofRow ? ofRow[row] >> 4 : 0; }
  /// Returns the number of rows of the block that a row belongs to.
  __device__ int rows(int row) const { return ofRow ? ofRow[row] & 15 : 1; }
  /// Returns true if `row` comes right behind `other` in the same block.
  __device__ bool follows(int row, int other) const { return other == row - 1 && before(row) > 0; }
  /// Returns true if a block begins with this row.
  __device__ bool beginAt(int row) const { return before(row) == 0; }
};

/// Least multiply-adds for which a search for blocks pays: in a whole product, and in a product of
/// values alone. On one H200, A·A of 10 million (nsjac) took 0.42 ms, and 0.57 with the search.
constexpr double multiplyAddsForBlocks = 1.6e7, multiplyAddsForBlocksOfValues = 3.2e7;

/// Returns true if at least a quarter of the rows seem alike with the next row, so that it pays to
/// compare all columns.
inline bool manyAlike(long long seemAlike, long long rows) { return seemAlike * 4 >= rows; }

/// Returns true if row + 1 has the same columns as `row`. All lanes of the warp call.
__device__ inline bool nextIsAlike(const std::size_t* offsets, const int* columns, long long row) {
  const std::size_t begin = offsets[row], next = offsets[row + 1], length = next - begin;
  if (offsets[row + 2] - next != length) return false;
  for (std::size_t base = 0; base < length; base += lanesOfWarp) {
    const std::size_t e = base + warpLane();
    if (ballot(e < length && columns[begin + e] != columns[next + e])) return false;
  }
  return true;
}

/// Returns the row of this warp, in a kernel in which each warp has a row.
__device__ inline long long rowOfWarp() {
  return static_cast<long long>(blockIdx.x) * (binThreads / lanesOfWarp) + warpOfBlock();
}

/// Sets alike[row] if the next row has equal columns in A, and in C if given. Each warp has a row.
static __global__ void __launch_bounds__(binThreads)
    markAlikeRows(int rows, const std::size_t* offsetsA, const int* columnsA,
                  const std::size_t* offsetsC, const int* columnsC, unsigned char* alike) {
  const long long row = rowOfWarp();
  if (row >= rows) return;  // the whole warp returns
  const bool is = row + 1 < rows && offsetsA[row] < offsetsA[row + 1] &&
                  nextIsAlike(offsetsA, columnsA, row) &&
                  (!offsetsC || nextIsAlike(offsetsC, columnsC, row));
  if (warpLane() == 0) alike[row] = is;
}

/// Makes blocks of successive alike rows: as few as possible, equally long except for the last.
/// @param most becomes the number of rows of the largest block
static __global__ void __launch_bounds__(binThreads)
    formRowBlocks(int rows, const unsigned char* alike, unsigned char* ofRow, int* most) {
  const long long row = static_cast<long long>(blockIdx.x) * binThreads + threadIdx.x;
  if (row >= rows) return;
  long long first = row, last = row;
  while (first % rowsBetweenCuts != 0 && alike[first - 1]) --first;
  while (alike[last] && (last + 1) % rowsBetweenCuts != 0) ++last;
  const int count = static_cast<int>(last - first) + 1, place = static_cast<int>(row - first);
  const int blocks = (count + rowsOfBlockMost - 1) / rowsOfBlockMost;
  const int each = (count + blocks - 1) / blocks;
  ofRow[row] = RowBlocks::packed(place % each, min(each, count - place / each * each));
  if (place == 0 && each > *most) atomicMax(most, each);
}

/// Finds the blocks of a matrix's rows. Returns no blocks if no row is alike with the next. Takes
/// two bytes of the workspace for each row. Waits for the kernels.
/// @param offsetsC, columnsC structure of a second matrix, whose rows must be alike, too; or null
inline RowBlocks findRowBlocks(const KernelQueue& queue, DeviceWorkspace& workspace, int rows,
                               const std::size_t* offsetsA, const int* columnsA,
                               const std::size_t* offsetsC = nullptr,
                               const int* columnsC = nullptr) {
  auto* const alike = workspace.take<unsigned char>(rows);
  auto* const ofRow = workspace.take<unsigned char>(rows);
  int* const most = queue.zeros<int>(1, workspace);
  queue.launch(markAlikeRows, blocksFor(rows, binThreads / lanesOfWarp), binThreads, 0, rows,
               offsetsA, columnsA, offsetsC, columnsC, alike);
  queue.launch(formRowBlocks, blocksFor(rows, binThreads), binThreads, 0, rows, alike, ofRow, most);
  const int rowsMost = queue.toHost(most);
  if (rowsMost < 2) return {};
  return {ofRow, rowsMost};
}

struct FactorBlocks {
  RowBlocks ofA, ofB;
};

/// Counts the entries of A that decide the columns of A·B. If `kept` is not null, lists the
/// entries' columns. Only the first row of each block has such entries. Of successive entries that
/// meet successive rows of one block of B, only the first counts. In a row of more than 4096
/// entries, all count, so that no warp counts for long. Each warp has a row.
/// @param offsets if `kept` is null, gets the rows' counts; else has the rows' offsets in `kept`
static __global__ void __launch_bounds__(binThreads)
    keepTellingEntries(int rows, FactorBlocks blocks, const std::size_t* offsetsA,
                       const int* columnsA, std::size_t* offsets, int* kept) {
  const long long row = rowOfWarp();
  if (row >= rows) return;  // the whole warp returns
  const std::size_t begin = offsetsA[row];
  const std::size_t length =
      blocks.ofA.beginAt(static_cast<int>(row)) ? offsetsA[row + 1] - begin : 0;
  constexpr std::size_t longRow = 4096;
  std::size_t found = length > longRow && !kept ? length : 0;
  for (std::size_t base = found; base < length; base += lanesOfWarp) {
    const std::size_t e = base + warpLane();
    const bool keep =
        e < length && (length > longRow || e == 0 ||
                       !blocks.ofB.follows(columnsA[begin + e], columnsA[begin + e - 1]));
    const unsigned here = ballot(keep);
    if (keep && kept)
      kept[offsets[row] + found + bitsIn(here & lanesBelow())] = columnsA[begin + e];
    found += bitsIn(here);
  }
  if (!kept && warpLane() == 0) offsets[row] = found;
}

/// Copies the count of each block's first row to the other rows of the block.
static __global__ void __launch_bounds__(binThreads)
    copyCounts(int rows, RowBlocks blocks, std::size_t* counts) {
  const long long n = static_cast<long long>(blockIdx.x) * binThreads + threadIdx.x;
  if (n >= rows) return;
  const int row = static_cast<int>(n);
  if (!blocks.beginAt(row)) counts[row] = counts[row - blocks.before(row)];
}

/// Copies the columns of each block's first row to the other rows. Each warp has a row.
static __global__ void __launch_bounds__(binThreads)
    copyColumns(int rows, RowBlocks blocks, const std::size_t* offsets, int* columns) {
  const long long row = rowOfWarp();
  if (row >= rows || blocks.beginAt(static_cast<int>(row))) return;
  const std::size_t begin = offsets[row], length = offsets[row + 1] - begin,
                    from = begin - blocks.before(static_cast<int>(row)) * length;
  for (std::size_t e = warpLane(); e < length; e += lanesOfWarp)
    columns[begin + e] = columns[from + e];
}

}  // namespace Trident::Impl

#endif
