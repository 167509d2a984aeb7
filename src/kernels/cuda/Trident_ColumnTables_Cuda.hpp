// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_COLUMNTABLES_CUDA_HPP
#define TRIDENT_COLUMNTABLES_CUDA_HPP

#include "kernels/cuda/Trident_WarpGroup_Cuda.hpp"

// Tables in shared memory that tell the place of a column in its row, or in its window of the row.
// A group of lanes fills a table in four steps: clear(), a barrier, put() of all columns, a
// barrier. If placesLater is true, place() of all columns and a third barrier follow.

namespace Trident::Impl {

constexpr int noEntry = 0x7fffffff;  // above all columns

/// The sorted columns of a row, as a search tree of 2^levels columns in shared memory. The children
/// of the node at place p lie at places 2·p and 2·p + 1. The last column lies at place 0. Lanes of
/// a warp meet fewer conflicts of banks in this tree than in a sorted array.
struct ColumnTree {
  int* keys;
  static constexpr bool placesLater = false;
  __device__ static int nodeOf(int i, int levels) {
    const int m = i + 1, zeros = lowestBit(m);
    return zeros == levels ? 0 : (1 << (levels - 1 - zeros)) + (m >> (zeros + 1));
  }
  __host__ __device__ static constexpr int words(int levels) { return 1 << levels; }
  __device__ void clear(int, int, int) const {}
  __device__ void put(int i, int column, int levels) const { keys[nodeOf(i, levels)] = column; }
  /// Returns the place of a column in its row; -1 if the row lacks it.
  __device__ int find(int column, int levels) const {
    int node = 1;
#pragma unroll 5
    for (int l = 0; l < levels; ++l) node = 2 * node + (keys[node] < column);
    const int place = node - (1 << levels);
    return keys[node >> (lowestBit(~node) + 1)] == column ? place : -1;
  }
};

/// A hash table of blocks of 16 columns, for columns that are mostly consecutive. A slot has two
/// words, which one access reads. Word x: the block's index. Word y: in the lower half, a bit for
/// each of the 16 columns; in the upper half, the place of the first column whose bit is set.
struct ColumnBlocks {
  uint2* slots;
  static constexpr bool placesLater = true;
  __host__ __device__ static constexpr int words(int levels) { return 2 << levels; }
  __device__ explicit ColumnBlocks(int* memory) : slots(reinterpret_cast<uint2*>(memory)) {}
  __device__ static unsigned first(unsigned block, int levels) {
    return block * 2654435769u >> (32 - levels);
  }
  __device__ void clear(int lane, int lanes, int levels) const {
    for (int s = lane; s < 1 << levels; s += lanes) slots[s] = make_uint2(~0u, 0);
  }
  __device__ void put(int, int column, int levels) const {
    if (column == noEntry) return;
    const unsigned block = static_cast<unsigned>(column) >> 4;
    unsigned slot = first(block, levels);
    for (;; slot = (slot + 1) & ((1u << levels) - 1)) {
      const unsigned there = atomicCAS(&slots[slot].x, ~0u, block);
      if (there == ~0u || there == block) break;
    }
    atomicOr(&slots[slot].y, 1u << (column & 15));
  }
  /// Writes i as the place of a block, if columns[i] is the row's first column in the block.
  __device__ void place(int i, const int* columns, int levels) const {
    const unsigned block = static_cast<unsigned>(columns[i]) >> 4;
    if (i == 0 || static_cast<unsigned>(columns[i - 1]) >> 4 != block)
      slots[slotOf(block, levels)].y |= static_cast<unsigned>(i) << 16;
  }
  /// Returns the slot of a block that is in the table.
  __device__ unsigned slotOf(unsigned block, int levels) const {
    unsigned slot = first(block, levels);
    while (slots[slot].x != block) slot = (slot + 1) & ((1u << levels) - 1);
    return slot;
  }
  __device__ int find(int column, int levels) const {
    const unsigned block = static_cast<unsigned>(column) >> 4;
    unsigned slot = first(block, levels);
    uint2 there = slots[slot];
    for (int n = 1; there.x != block; ++n) {
      if (there.x == ~0u || n >> levels) return -1;
      slot = (slot + 1) & ((1u << levels) - 1);
      there = slots[slot];
    }
    const unsigned bit = 1u << (column & 15);
    return there.y & bit ? static_cast<int>(there.y >> 16) + bitsIn(there.y & (bit - 1)) : -1;
  }
};

/// A table for a window of close columns. An element of `words` is for 32 columns: x has a set bit
/// for each column that the window has; y is the place of the first such column.
struct ColumnBits {
  uint2* words;
  unsigned begin, count;  // first column; number of words
  static constexpr bool placesLater = false;
  /// Returns the largest number of columns whose bits and places fit in the memory of a ColumnTree.
  __host__ __device__ static constexpr unsigned columnsMost(int levels) { return 16u << levels; }
  __device__ void clear(int lane, int lanes, int) const {
    for (unsigned w = lane; w < count; w += lanes) words[w] = make_uint2(0, noEntry);
  }
  __device__ void put(int i, int column, int) const {
    if (column == noEntry) return;
    const unsigned c = static_cast<unsigned>(column) - begin;
    atomicOr(&words[c >> 5].x, 1u << (c & 31));
    atomicMin(&words[c >> 5].y, static_cast<unsigned>(i));
  }
  __device__ int find(int column, int) const {
    const unsigned c = static_cast<unsigned>(column) - begin;
    if (c >> 5 >= count) return -1;
    const uint2 there = words[c >> 5];
    const unsigned bit = 1u << (c & 31);
    return there.x & bit ? static_cast<int>(there.y) + bitsIn(there.x & (bit - 1)) : -1;
  }
};

}  // namespace Trident::Impl

#endif
