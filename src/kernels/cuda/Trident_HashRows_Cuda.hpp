// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_HASHROWS_CUDA_HPP
#define TRIDENT_HASHROWS_CUDA_HPP

#include <cstdint>

#include "kernels/cuda/Trident_VisitRows_Cuda.hpp"

// Rows with too many multiply-adds to be sorted in registers. A warp or a thread block has a row,
// and a hash table of the row's columns in shared memory. The number of slots is a power of two,
// and at least the number of distinct columns. Tables of blocks of columns (BlockedRows_Cuda) are
// searched in the same way. Products of a known structure have other tables (ColumnTables_Cuda),
// because those tables are read far more often than filled.

namespace Trident::Impl {

constexpr int noColumn = -1;
constexpr int warpRowThreads = 128;  // threads of a thread block in which each warp has a row

__device__ inline int firstSlot(int column, int slots) {
  return static_cast<int>(static_cast<unsigned>(column) * 2654435769u >> 12) & (slots - 1);
}

/// Returns the slot of a column. Only the thread that inserts a new column gets isNew = true.
__device__ inline int findOrInsert(int* keys, int slots, int column, bool& isNew) {
  isNew = false;
  for (int slot = firstSlot(column, slots);; slot = (slot + 1) & (slots - 1)) {
    int there = keys[slot];
    if (there == column) return slot;
    if (there != noColumn) continue;
    there = atomicCAS(keys + slot, noColumn, column);
    if (there == noColumn) isNew = true;
    if (there == noColumn || there == column) return slot;
  }
}

/// Returns the slot of each lane's key. The search begins at `slot`, and inserts a new key. Lanes
/// vote until every lane has found a slot. All lanes of the warp call.
/// @param some true if this lane has a key
/// @param none content of an empty slot
/// @tparam Slots same() is true if a slot has the lane's key; then merge() joins the two
template <class Slots, class Key>
__device__ inline int slotByVotes(Key* keys, int slot, int slots, bool some, Key none, Key mine) {
  bool search = some;
  do {
    if (search) {
      Key there = keys[slot];
      if (there == none) {
        there = atomicCAS(keys + slot, none, mine);
        if (there == none) there = mine;
      }
      if (Slots::same(there, mine)) {
        search = false;
        Slots::merge(keys + slot, there, mine);
      } else {
        slot = (slot + 1) & (slots - 1);
      }
    }
  } while (ballot(search));
  return slot;
}

/// Slots of columns, for slotByVotes().
struct ColumnSlots {
  __device__ static bool same(int there, int mine) { return there == mine; }
  __device__ static void merge(int*, int, int) {}
};

/// Counts the distinct columns of each row. A warp has a row, and `slots` ints of shared memory.
template <class Scalar>
__global__ void __launch_bounds__(warpRowThreads)
    countRowsByWarps(RowList rows, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B, int lanesOfRow,
                     int slots, std::size_t* counts) {
  extern __shared__ int sharedInts[];
  int* const keys = sharedInts + warpOfBlock() * slots;
  const int n = blockIdx.x * (warpRowThreads / lanesOfWarp) + warpOfBlock();
  if (n >= rows.count) return;  // the whole warp returns
  const int row = rows[n];
  for (int s = warpLane(); s < slots; s += lanesOfWarp) keys[s] = noColumn;
  warpBarrier();
  int found = 0;
  visitMultiplyAdds<lanesOfWarp>(A, B, row, true, lanesOfRow, [&](int, std::size_t, std::size_t b) {
    bool isNew;
    findOrInsert(keys, slots, B.columns[b], isNew);
    found += isNew;
  });
  found = sumOfWarp(found);
  if (warpLane() == 0) counts[row] = found;
}

/// Counts the distinct columns of each row. Each thread block has a row.
template <class Scalar>
__global__ void countRowsByBlocks(RowList rows, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B, int slots,
                                  std::size_t* counts) {
  extern __shared__ int sharedInts[];
  __shared__ int all;
  const int row = rows[blockIdx.x];
  for (int s = threadIdx.x; s < slots; s += blockDim.x) sharedInts[s] = noColumn;
  if (threadIdx.x == 0) all = 0;
  __syncthreads();
  int found = 0;
  __shared__ EntryChunk chunk;
  visitMultiplyAddsByBlock(A, B, row, chunk, WholeRows(), [&](std::size_t, std::size_t b) {
    bool isNew;
    findOrInsert(sharedInts, slots, B.columns[b], isNew);
    found += isNew;
  });
  found = sumOfWarp(found);
  if (warpLane() == 0) atomicAdd(&all, found);
  __syncthreads();
  if (threadIdx.x == 0) counts[row] = all;
}

/// A table of columns and their sums. After a sort, `order` has the place of each column's sum.
template <class Scalar>
struct SumTable {
  using Sum = SumOf<Scalar>;

  Sum* sums;
  int* keys;
  std::uint16_t* order;
  int slots;

  __host__ __device__ static constexpr std::size_t bytes(int slots) {
    return slots * (sizeof(Sum) + sizeof(int) + sizeof(std::uint16_t));
  }
  __device__ SumTable(void* memory, int count)
      : sums(static_cast<Sum*>(memory)),
        keys(reinterpret_cast<int*>(sums + count)),
        order(reinterpret_cast<std::uint16_t*>(keys + count)),
        slots(count) {}
  __device__ void clear(int s) const {
    keys[s] = noColumn;
    sums[s] = Sum(0);
  }
  /// Adds x to the sum of `column`, on lanes where `some` is true. The columns of these lanes must
  /// differ, because the add is not atomic. All lanes of the warp call.
  __device__ void add(bool some, int column, const Sum& x) const {
    const int slot =
        slotByVotes<ColumnSlots>(keys, firstSlot(column, slots), slots, some, noColumn, column);
    if (some) sums[slot] += x;
  }
  /// Adds two entries' product atomically, in any order. If columnOnly, only inserts its column.
  __device__ void take(bool columnOnly, const DeviceCsr<Scalar>& A, const DeviceCsr<Scalar>& B,
                       std::size_t a, std::size_t b) const {
    bool isNew;
    const int slot = findOrInsert(keys, slots, B.columns[b], isNew);
    if (!columnOnly) addTo(sums + slot, termOf(A.values[a], B.values[b]));
  }
};

/// Moves the entries of a warp's table to its front, in place. Returns the number of the entries.
template <class Scalar>
__device__ inline int compact(const SumTable<Scalar>& table) {
  int found = 0;
  for (int s = warpLane(); s < table.slots; s += lanesOfWarp) {
    const int key = table.keys[s];
    const SumOf<Scalar> sum = table.sums[s];
    const unsigned here = ballot(key != noColumn);
    warpBarrier();  // all lanes have read before one writes
    if (key != noColumn) {
      const int to = found + bitsIn(here & lanesBelow());
      table.keys[to] = key;
      table.sums[to] = sum;
    }
    found += bitsIn(here);
  }
  warpBarrier();
  return found;
}

/// Sorts the first `count` entries, at most 32·K, of a warp's compacted table.
/// @param lowest lowest column
/// @param shift number of low bits for the place. Key must hold (column - lowest) << shift | place
template <int K, class Key, class Scalar>
__device__ inline void sortTable(const SumTable<Scalar>& table, int count, unsigned lowest,
                                 int shift) {
  Key x[K];
  const int lane = warpLane();
#pragma unroll
  for (int r = 0; r < K; ++r) {
    const int i = r * lanesOfWarp + lane;
    x[r] = i < count ? static_cast<Key>(static_cast<unsigned>(table.keys[i]) - lowest) << shift |
                           static_cast<Key>(i)
                     : ~Key(0);
  }
  sortKeys<lanesOfWarp, K>(x);
  warpBarrier();
#pragma unroll
  for (int r = 0; r < K; ++r) {
    const int i = lane * K + r;
    if (i < count) {
      table.keys[i] = static_cast<int>(static_cast<unsigned>(x[r] >> shift) + lowest);
      table.order[i] = static_cast<std::uint16_t>(x[r] & ((Key(1) << shift) - 1));
    }
  }
  warpBarrier();
}

template <int K, class Scalar>
__device__ inline void sortTable(const SumTable<Scalar>& table, int count) {
  constexpr int shift = K == 1 ? 5 : K == 2 ? 6 : K == 4 ? 7 : K == 8 ? 8 : 9;
  unsigned low = ~0u, high = 0;
  for (int i = warpLane(); i < count; i += lanesOfWarp) {
    const unsigned key = static_cast<unsigned>(table.keys[i]);
    low = min(low, key);
    high = max(high, key);
  }
  low = smallestInWarp(low);
  high = largestInWarp(high);
  if (high - low < (~0u >> shift))
    sortTable<K, unsigned>(table, count, low, shift);
  else
    sortTable<K, unsigned long long>(table, count, low, shift);
}

constexpr int warpTableMost = 512;  // limit of entries that a warp sorts

/// Entries of A that a warp takes at a time.
template <class Scalar>
struct WarpChunk {
  std::size_t start[lanesOfWarp];  ///< offsets at which the rows of B start
  int count[lanesOfWarp];          ///< lengths of the rows of B
  Scalar value[lanesOfWarp];       ///< values of the entries of A

  /// Takes entries [begin, begin + here) of A. All lanes of the warp call.
  __device__ void take(const DeviceCsr<Scalar>& A, const std::size_t* offsetsB, std::size_t begin,
                       int here) {
    const int lane = warpLane();
    warpBarrier();  // all lanes have read the last chunk
    if (lane < here) {
      const int b = A.columns[begin + lane];
      const std::size_t from = offsetsB[b];
      start[lane] = from;
      count[lane] = static_cast<int>(offsetsB[b + 1] - from);
      value[lane] = A.values[begin + lane];
    }
    warpBarrier();
  }
};

/// Returns the chunk of this warp, in shared memory.
template <class Scalar>
__device__ inline WarpChunk<Scalar>& warpChunk() {
  using Chunk = WarpChunk<Scalar>;
  __shared__ alignas(16) unsigned char room[warpRowThreads / lanesOfWarp * sizeof(Chunk)];
  return reinterpret_cast<Chunk*>(room)[warpOfBlock()];
}

/// Adds the terms of a row to a warp's table, one row of B after the other. So no two lanes have
/// the same column: sums need no atomic operation and are in the order of A's entries. While the
/// lanes add a row of B, they load the next row.
template <class Scalar, class Table>
__device__ inline void addRowsInOrder(const DeviceCsr<Scalar>& A, const DeviceCsr<Scalar>& B,
                                      int row, WarpChunk<Scalar>& chunk, const Table& table) {
  const int lane = warpLane();
  const std::size_t begin = A.offsets[row];
  const int length = static_cast<int>(A.offsets[row + 1] - begin);
  for (int base = 0; base < length; base += lanesOfWarp) {
    const int here = min(lanesOfWarp, length - base);
    chunk.take(A, B.offsets, begin + base, here);
    int n = chunk.count[0], column = 0;
    Scalar b(0);
    if (lane < n) {
      const std::size_t at = chunk.start[0] + lane;
      column = B.columns[at];
      b = B.values[at];
    }
    for (int e = 0; e < here; ++e) {
      const int nextN = e + 1 < here ? chunk.count[e + 1] : 0;
      int nextColumn = 0;
      Scalar nextB(0);
      if (lane < nextN) {
        const std::size_t at = chunk.start[e + 1] + lane;
        nextColumn = B.columns[at];
        nextB = B.values[at];
      }
      const Scalar a = chunk.value[e];
      table.add(lane < n, column, termOf(a, b));
      for (int j = lanesOfWarp; j < n; j += lanesOfWarp) {
        const bool some = j + lane < n;
        const std::size_t at = chunk.start[e] + j + lane;
        table.add(some, some ? B.columns[at] : 0,
                  some ? termOf(a, B.values[at]) : SumOf<Scalar>(0));
      }
      warpBarrier();
      n = nextN;
      column = nextColumn;
      b = nextB;
    }
  }
}

template <class Scalar>
__device__ inline void writeSorted(const SumTable<Scalar>& table, int count, std::size_t to,
                                   int first, int step, bool columnsOnly, int* columns,
                                   Scalar* values) {
  for (int i = first; i < count; i += step) {
    columns[to + i] = table.keys[i];
    if (!columnsOnly) values[to + i] = table.sums[table.order[i]];
  }
}

/// Computes columns and values of rows of up to warpTableMost entries, sorted. Each warp has a row.
/// @param inOrder true: all lanes take one row of B at a time. This pays if rows of B are long, and
///   needs ascending columns. False: lanes take several rows of B; sums are in no certain order
/// @param columnsOnly true: no values are computed, and inOrder must be false
template <class Scalar>
__global__ void __launch_bounds__(warpRowThreads)
    computeRowsByWarps(RowList rows, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B, int lanesOfRow,
                       bool inOrder, bool columnsOnly, int slots, const std::size_t* offsets,
                       int* columns, Scalar* values) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  const SumTable<Scalar> table(sharedBytes + warpOfBlock() * SumTable<Scalar>::bytes(slots), slots);
  const int n = blockIdx.x * (warpRowThreads / lanesOfWarp) + warpOfBlock();
  if (n >= rows.count) return;  // the whole warp returns
  const int row = rows[n];
  for (int s = warpLane(); s < slots; s += lanesOfWarp) table.clear(s);
  warpBarrier();
  if (inOrder) {
    addRowsInOrder(A, B, row, warpChunk<Scalar>(), table);
  } else {
    visitMultiplyAdds<lanesOfWarp>(
        A, B, row, true, lanesOfRow,
        [&](int, std::size_t a, std::size_t b) { table.take(columnsOnly, A, B, a, b); });
    warpBarrier();
  }
  const int count = compact(table);
  if (count <= 32)
    sortTable<1>(table, count);
  else if (count <= 64)
    sortTable<2>(table, count);
  else if (count <= 128)
    sortTable<4>(table, count);
  else if (count <= 256)
    sortTable<8>(table, count);
  else
    sortTable<16>(table, count);
  writeSorted(table, count, offsets[row], warpLane(), lanesOfWarp, columnsOnly, columns, values);
}

/// Moves the entries of a thread block's table to its front, in place. Returns their number.
template <class Scalar>
__device__ inline int compactByBlock(const SumTable<Scalar>& table, int* warpCounts) {
  int found = 0;
  const int warps = blockDim.x / lanesOfWarp;
  for (int base = 0; base < table.slots; base += blockDim.x) {
    const int key = table.keys[base + threadIdx.x];
    const SumOf<Scalar> sum = table.sums[base + threadIdx.x];
    const unsigned here = ballot(key != noColumn);
    if (warpLane() == 0) warpCounts[warpOfBlock()] = bitsIn(here);
    __syncthreads();
    int before = 0, all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w == warpOfBlock()) before = all;
      all += warpCounts[w];
    }
    if (key != noColumn) {
      const int to = found + before + bitsIn(here & lanesBelow());
      table.keys[to] = key;
      table.sums[to] = sum;
    }
    found += all;
    __syncthreads();
  }
  return found;
}

/// Sorts the first `count` entries of a thread block's compacted table in shared memory.
template <class Scalar>
__device__ inline void sortTableByBlock(const SumTable<Scalar>& table, int count) {
  int size = 2;
  while (size < count) size *= 2;
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    if (i >= count) table.keys[i] = 0x7fffffff;  // above all columns
    table.order[i] = static_cast<std::uint16_t>(i);
  }
  __syncthreads();
  for (int k = 2; k <= size; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      for (int q = threadIdx.x; q < size / 2; q += blockDim.x) {
        const int i = (q & ~(j - 1)) << 1 | (q & (j - 1)), l = i | j;
        const int a = table.keys[i], b = table.keys[l];
        if ((b < a) != ((i & k) == 0) || a == b) continue;
        table.keys[i] = b;
        table.keys[l] = a;
        const std::uint16_t order = table.order[i];
        table.order[i] = table.order[l];
        table.order[l] = order;
      }
      __syncthreads();
    }
}

/// Computes the columns of rows, sorted, and their values unless columnsOnly. Each thread block has
/// a row. Sums are in no certain order.
template <class Scalar>
__global__ void computeRowsByBlocks(RowList rows, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B,
                                    bool columnsOnly, int slots, const std::size_t* offsets,
                                    int* columns, Scalar* values) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  __shared__ int warpCounts[lanesOfWarp];
  const SumTable<Scalar> table(sharedBytes, slots);
  const int row = rows[blockIdx.x];
  for (int s = threadIdx.x; s < slots; s += blockDim.x) table.clear(s);
  __syncthreads();
  __shared__ EntryChunk chunk;
  visitMultiplyAddsByBlock(A, B, row, chunk, WholeRows(), [&](std::size_t a, std::size_t b) {
    table.take(columnsOnly, A, B, a, b);
  });
  __syncthreads();
  const int count = compactByBlock(table, warpCounts);
  sortTableByBlock(table, count);
  writeSorted(table, count, offsets[row], threadIdx.x, blockDim.x, columnsOnly, columns, values);
}

}  // namespace Trident::Impl

#endif
