// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_BLOCKEDROWS_CUDA_HPP
#define TRIDENT_BLOCKEDROWS_CUDA_HPP

#include <cstdint>

#include "kernels/cuda/Trident_HashRows_Cuda.hpp"

// Rows whose columns are mostly consecutive, as in stencils and vector-valued problems. Tables hold
// blocks of eight columns, so that consecutive columns cost about as much as one.

namespace Trident::Impl {

constexpr int blockBits = 3, blockColumns = 1 << blockBits;
constexpr unsigned noBlock = ~0u;
/// Limit of the number of B's columns: a packed block has 24 bits for its index, 8 for its columns.
constexpr long long blockedColumnsMost = (1ll << (32 - blockColumns + blockBits)) - blockColumns;

__device__ inline unsigned packed(int column) {
  return static_cast<unsigned>(column) >> blockBits << blockColumns |
         1u << (column & (blockColumns - 1));
}
__device__ inline unsigned blockOf(unsigned packed) { return packed >> blockColumns; }
__device__ inline unsigned maskOf(unsigned packed) { return packed & ((1u << blockColumns) - 1); }

/// Finds the blocks of each row of B: stretches of neighbouring entries whose columns lie in one
/// block. Each row has L lanes. If `blocks` is null, the kernel only counts, and blockOffsets gets
/// the number of blocks of each row.
template <int L>
__global__ void __launch_bounds__(256)
    findBlocks(int rows, const std::size_t* offsets, const int* columns, std::size_t* blockOffsets,
               unsigned* blocks) {
  using Group = LaneGroup<L>;
  const int lane = Group::lane();
  const long long row = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / L;
  const bool some = row < rows;
  const std::size_t begin = some ? offsets[row] : 0;
  const int length = some ? static_cast<int>(offsets[row + 1] - begin) : 0;
  const int longest = largestInWarp(length);
  int found = 0;
  for (int base = 0; base < longest; base += L) {
    const int e = base + lane;
    const int column = e < length ? columns[begin + e] : -1;
    const bool head =
        e < length && (e == 0 || columns[begin + e - 1] >> blockBits != column >> blockBits);
    const int upTo = Group::sumUpTo(head);
    if (head && blocks) {
      unsigned mask = 0;
      int block = column >> blockBits;
      for (int q = e; q < length && columns[begin + q] >> blockBits == block; ++q)
        mask |= 1u << (columns[begin + q] & (blockColumns - 1));
      blocks[blockOffsets[row] + found + upTo - 1] =
          static_cast<unsigned>(block) << blockColumns | mask;
    }
    found += Group::from(upTo, L - 1);
  }
  if (some && !blocks && lane == 0) blockOffsets[row] = found;
}

/// Slots of packed blocks, for slotByVotes(). merge() adds a lane's columns to the block in a slot.
struct BlockSlots {
  __device__ static bool same(unsigned there, unsigned mine) {
    return blockOf(there) == blockOf(mine);
  }
  __device__ static void merge(unsigned* slot, unsigned there, unsigned mine) {
    if (maskOf(mine) & ~there) atomicOr(slot, maskOf(mine));
  }
};

/// Puts each lane's block into a table of packed blocks. Returns the block's slot. All lanes of the
/// warp call.
/// @param some true if this lane has a block
__device__ inline int slotOfBlock(unsigned* table, int slots, bool some, unsigned mine) {
  return slotByVotes<BlockSlots>(table, firstSlot(blockOf(mine), slots), slots, some, noBlock,
                                 mine);
}

/// Entries of A that a warp takes at a time, each with the blocks of its row of B.
struct BlockStretches {
  std::size_t start[lanesOfWarp];  ///< offset of each entry's first block
  int before[lanesOfWarp + 1];     ///< number of blocks of all earlier entries
};

/// Counts the distinct columns and the distinct blocks of each row. Each warp has a row, and
/// `slotsMost` words of shared memory. A row with few blocks uses fewer words.
static __global__ void __launch_bounds__(warpRowThreads)
    countBlockedRows(RowList rows, const std::size_t* offsetsA, const int* columnsA,
                     const std::size_t* blockOffsets, const unsigned* blocks, int slotsMost,
                     std::size_t* counts, unsigned* blockCounts) {
  extern __shared__ __align__(16) unsigned sharedTables[];
  __shared__ BlockStretches stretches[warpRowThreads / lanesOfWarp];
  using Warp = LaneGroup<lanesOfWarp>;
  unsigned* const table = sharedTables + warpOfBlock() * slotsMost;
  BlockStretches& chunk = stretches[warpOfBlock()];
  const int n = blockIdx.x * (warpRowThreads / lanesOfWarp) + warpOfBlock();
  if (n >= rows.count) return;  // the whole warp returns
  const int row = rows[n], lane = warpLane();
  const std::size_t begin = offsetsA[row];
  const int length = static_cast<int>(offsetsA[row + 1] - begin);
  const auto blocksOf = [&](int e, std::size_t& start) {
    const int b = columnsA[begin + e];
    start = blockOffsets[b];
    return static_cast<int>(blockOffsets[b + 1] - start);
  };
  int all = 0;
  std::size_t unused;
  for (int e = lane; e < length; e += lanesOfWarp) all += blocksOf(e, unused);
  all = sumOfWarp(all);
  int slots = 128;
  while (slots < all && slots < slotsMost) slots *= 2;
  for (int w = lane; w < slots / 4; w += lanesOfWarp)
    reinterpret_cast<uint4*>(table)[w] = make_uint4(noBlock, noBlock, noBlock, noBlock);
  for (int base = 0; base < length; base += lanesOfWarp) {
    const int here = min(lanesOfWarp, length - base);
    std::size_t start = 0;
    const int count = lane < here ? blocksOf(base + lane, start) : 0;
    const int after = Warp::sumUpTo(count);
    warpBarrier();  // all lanes have read the last chunk
    chunk.start[lane] = start;
    chunk.before[lane + 1] = after;
    if (lane == 0) chunk.before[0] = 0;
    warpBarrier();
    const int total = Warp::from(after, lanesOfWarp - 1);
    int e = 0;
    for (int p0 = 0; p0 < total; p0 += lanesOfWarp) {
      const int p = p0 + lane;
      const bool some = p < total;
      if (some)
        while (chunk.before[e + 1] <= p) ++e;
      slotOfBlock(table, slots, some, some ? blocks[chunk.start[e] + (p - chunk.before[e])] : 0u);
    }
  }
  warpBarrier();
  int columns = 0, distinct = 0;
  for (int s = lane; s < slots; s += lanesOfWarp) {
    const unsigned there = table[s];
    if (there == noBlock) continue;
    columns += bitsIn(maskOf(there));
    ++distinct;
  }
  columns = sumOfWarp(columns);
  distinct = sumOfWarp(distinct);
  if (lane == 0) {
    counts[row] = columns;
    blockCounts[row] = distinct;
  }
}

/// A warp's hash table. Each entry is a packed block, with a sum for each of its columns.
template <class Scalar>
struct BlockTable {
  using Sum = SumOf<Scalar>;

  Sum* sums;
  unsigned* blocks;
  unsigned* order;  // place in the row << blockColumns | slot; one for each block
  int slots;
  __host__ __device__ static constexpr std::size_t bytes(int slots) {
    return slots * (blockColumns * sizeof(Sum) + 2 * sizeof(unsigned));
  }
  __device__ BlockTable(void* memory, int count)
      : sums(static_cast<Sum*>(memory)),
        blocks(reinterpret_cast<unsigned*>(sums + count * blockColumns)),
        order(blocks + count),
        slots(count) {}
  /// Adds x to the sum of `column`, on lanes where `some` is true. The columns of these lanes must
  /// differ, because the add is not atomic. All lanes of the warp call.
  __device__ void add(bool some, int column, const Sum& x) const {
    const int slot = slotOfBlock(blocks, slots, some, packed(column));
    if (some) sums[slot * blockColumns + (column & (blockColumns - 1))] += x;
  }
};

/// Computes the columns and values of rows, sorted. Sums are in the order of A's entries. Each warp
/// has a row, and a BlockTable in shared memory.
/// @tparam K the table has 32·K slots, at most 256. Each row must have fewer blocks than slots
template <int K, class Scalar>
__global__ void __launch_bounds__(warpRowThreads)
    computeBlockedRows(RowList rows, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B,
                       const std::size_t* offsets, int* columns, Scalar* values) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  constexpr int slots = lanesOfWarp * K;
  const BlockTable<Scalar> table(sharedBytes + warpOfBlock() * BlockTable<Scalar>::bytes(slots),
                                 slots);
  const int n = blockIdx.x * (warpRowThreads / lanesOfWarp) + warpOfBlock();
  if (n >= rows.count) return;  // the whole warp returns
  const int row = rows[n], lane = warpLane();
  for (int s = lane; s < slots * blockColumns; s += lanesOfWarp) table.sums[s] = SumOf<Scalar>(0);
  for (int s = lane; s < slots; s += lanesOfWarp) table.blocks[s] = noBlock;
  warpBarrier();
  addRowsInOrder(A, B, row, warpChunk<Scalar>(), table);
  // Sorts the blocks, each with its slot. Empty slots come last.
  unsigned x[K];
#pragma unroll
  for (int r = 0; r < K; ++r) {
    const int s = r * lanesOfWarp + lane;
    const unsigned there = table.blocks[s];
    x[r] = there == noBlock ? noBlock : blockOf(there) << blockColumns | s;
  }
  sortKeys<lanesOfWarp, K>(x);
  int mine = 0, found = 0;
#pragma unroll
  for (int r = 0; r < K; ++r)
    if (x[r] != noBlock) {
      mine += bitsIn(maskOf(table.blocks[maskOf(x[r])]));
      ++found;
    }
  int at = LaneGroup<lanesOfWarp>::sumUpTo(mine) - mine;
  found = sumOfWarp(found);
#pragma unroll
  for (int r = 0; r < K; ++r)
    if (x[r] != noBlock) {
      const unsigned slot = maskOf(x[r]);
      table.order[lane * K + r] = static_cast<unsigned>(at) << blockColumns | slot;
      at += bitsIn(maskOf(table.blocks[slot]));
    }
  warpBarrier();
  const std::size_t to = offsets[row];
  const int column = lane % blockColumns;
  for (int i = lane / blockColumns; i < found; i += lanesOfWarp / blockColumns) {
    const unsigned order = table.order[i], there = table.blocks[maskOf(order)];
    if (!(there >> column & 1)) continue;
    const std::size_t e = to + (order >> blockColumns) + bitsIn(there & ((1u << column) - 1));
    columns[e] = static_cast<int>(blockOf(there) << blockBits) + column;
    values[e] = table.sums[maskOf(order) * blockColumns + column];
  }
}

}  // namespace Trident::Impl

#endif
