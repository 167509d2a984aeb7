// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICROWS_CUDA_HPP
#define TRIDENT_NUMERICROWS_CUDA_HPP

#include "kernels/cuda/Trident_LongRows_Cuda.hpp"

// Values of rows whose columns are known and sorted. A group of lanes has a row, or a window of a
// row's entries, and takes B's rows one after the other: no two lanes have the same column, so sums
// need no atomic operation and are in the order of A's entries. Nothing is sorted.
//
// Tables in shared memory tell the place of a column in its row. A group of lanes fills one:
// clear(), a barrier, put() of all columns, a barrier, and, if placesLater, place() of all and one
// more.

namespace Trident::Impl {

constexpr int noEntry = 0x7fffffff;  // no column is

/// The sorted columns of a row in shared memory as a search tree, a node's children at twice its
/// place: the lanes of a warp meet few conflicts of banks, unlike in a sorted array. 2^levels
/// columns; the last of them is at place 0.
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
  /// The place of a column in its row; -1 where it is not there.
  __device__ int find(int column, int levels) const {
    int node = 1;
#pragma unroll 5
    for (int l = 0; l < levels; ++l) node = 2 * node + (keys[node] < column);
    const int place = node - (1 << levels);
    return keys[node >> (lowestBit(~node) + 1)] == column ? place : -1;
  }
};

/// The same where columns come in runs: a hash table of blocks of 16 columns, each with the bits of
/// those that are there, and, in the upper half of a word, the place of the first. It is not the
/// table of HashRows_Cuda: a search reads a block with its bits and place at once, in 8 bytes.
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
  /// The first column of a block notes its place.
  __device__ void place(int i, const int* columns, int levels) const {
    const unsigned block = static_cast<unsigned>(columns[i]) >> 4;
    if (i == 0 || static_cast<unsigned>(columns[i - 1]) >> 4 != block)
      slots[slotOf(block, levels)].y |= static_cast<unsigned>(i) << 16;
  }
  /// The slot of a block that is there.
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

/// The same where a window's columns lie close together: a bit for each column from the first on,
/// and the place of the first of each 32.
struct ColumnBits {
  uint2* words;
  unsigned begin, count;  // the first column; words
  static constexpr bool placesLater = false;
  /// Columns that the memory of a tree holds.
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

constexpr int numericRowThreads = 128;  // of a block

/// C's structure, and its values.
template <class Scalar>
struct NumericRows {
  const std::size_t* offsets;
  const int* columns;
  Scalar* values;
  bool add;                    ///< to the values that are there
  unsigned long long* strays;  ///< products whose column is not in C's row
};

/// A stretch of a row of C, and the columns of B that belong to it.
struct NumericStretch {
  int row;
  std::size_t first;
  int count;
  bool cut;        ///< whether it is not all columns
  int begin, end;  ///< the columns, if so
};

/// Entries that a window has at most, and a row that is no windows.
constexpr int windowLevels = 9, windowEntries = 1 << windowLevels;

/// A window of a row.
struct NumericTask {
  int row, window;
};

template <class Scalar>
__device__ inline NumericStretch stretchOf(const NumericRows<Scalar>& C, const NumericTask& task) {
  const std::size_t begin = C.offsets[task.row], end = C.offsets[task.row + 1];
  const std::size_t first = begin + static_cast<std::size_t>(task.window) * windowEntries;
  NumericStretch s{task.row, first, 0, false, 0, noEntry};
  const std::size_t left = end - first;
  const bool last = left <= windowEntries;
  s.count = last ? static_cast<int>(left) : windowEntries;
  s.cut = task.window > 0 || !last;
  if (task.window > 0) s.begin = C.columns[first];
  if (!last) s.end = C.columns[first + windowEntries];
  return s;
}

/// What a group has of A's entries at a time.
template <class Scalar>
struct NumericBatch {
  std::size_t* start;  ///< of the stretch of B's row
  Scalar* value;       ///< of A's entry
  int* count;

  __host__ __device__ static constexpr std::size_t bytes(int lanes) {
    return lanes * (sizeof(std::size_t) + sizeof(Scalar) + sizeof(int));
  }
  __device__ NumericBatch(unsigned char* memory, int lanes)
      : start(reinterpret_cast<std::size_t*>(memory)),
        value(reinterpret_cast<Scalar*>(start + lanes)),
        count(reinterpret_cast<int*>(value + lanes)) {}
};

/// Some entries of B for each lane of a group, on their way.
template <int L, int Ahead, class Scalar>
struct EntriesAhead {
  int column[Ahead];
  Scalar value[Ahead];
  __device__ void load(const DeviceRows<Scalar>& B, std::size_t from, int left) {
#pragma unroll
    for (int u = 0; u < Ahead; ++u) {
      column[u] = -1;
      if (left <= u * L) continue;
      column[u] = B.columns[from + u * L];
      value[u] = B.values[from + u * L];
    }
  }
};

/// Adds a stretch's products; how many did not belong to it. All lanes of the warp call.
template <int L, int Ahead, bool Windows, class Table, class Scalar>
__device__ inline int addStretch(const DeviceRows<Scalar>& A, const DeviceRows<Scalar>& B,
                                 const NumericStretch& stretch, bool some, const Table& table,
                                 const NumericBatch<Scalar>& batch, SumOf<Scalar>* sums,
                                 int levels) {
  using Group = LaneGroup<L>;
  const int lane = Group::lane();
  const std::size_t beginA = some ? A.offsets[stretch.row] : 0;
  const int length = some ? static_cast<int>(A.offsets[stretch.row + 1] - beginA) : 0;
  const int longest = L == lanesOfWarp ? length : largestInWarp(length);
  int strays = 0;
  const auto add = [&](const EntriesAhead<L, Ahead, Scalar>& these, const Scalar& a) {
    int place[Ahead];
#pragma unroll
    for (int u = 0; u < Ahead; ++u)
      place[u] = these.column[u] >= 0 ? table.find(these.column[u], levels) : -2;
#pragma unroll
    for (int u = 0; u < Ahead; ++u) {
      if (place[u] >= 0) sums[place[u]] += productOf(a, these.value[u]);
      strays += place[u] == -1;
    }
  };
  for (int base = 0; base < longest; base += L) {
    std::size_t start = 0;
    int count = 0;
    if (base + lane < length) {
      const int b = A.columns[beginA + base + lane];
      start = B.offsets[b];
      std::size_t end = B.offsets[b + 1];
      if (Windows && stretch.cut) {
        if (stretch.begin > 0) start = lowerBound(B.columns, start, end, stretch.begin);
        if (stretch.end != noEntry) end = lowerBound(B.columns, start, end, stretch.end);
      }
      count = static_cast<int>(end - start);
    }
    const unsigned mask = Windows ? ballot(count > 0) : 0;
    const int here = Windows ? bitsIn(mask) : min(L, longest - base);
    warpBarrier();  // all have read what was there
    if (!Windows || count > 0) {
      const int at = Windows ? bitsIn(mask & lanesBelow()) : lane;
      batch.start[at] = start;
      batch.count[at] = count;
      if (count > 0) batch.value[at] = A.values[beginA + base + lane];
    }
    warpBarrier();
    EntriesAhead<L, Ahead, Scalar> now, next;
    if (here > 0) now.load(B, batch.start[0] + lane, batch.count[0] - lane);
    for (int e = 0; e < here; ++e) {
      if (e + 1 < here) next.load(B, batch.start[e + 1] + lane, batch.count[e + 1] - lane);
      const Scalar a = batch.value[e];
      add(now, a);
      const int left = batch.count[e] - lane;
      for (int j = L * Ahead; j < left; j += L * Ahead) {
        now.load(B, batch.start[e] + lane + j, left - j);
        add(now, a);
      }
      warpBarrier();  // the next entry of A may meet the same columns
      now = next;
    }
  }
  return strays;
}

/// Shared memory of a group, in bytes.
template <class Table, class Scalar>
__host__ __device__ constexpr std::size_t numericGroupBytes(int lanes, int levels) {
  return (sizeof(SumOf<Scalar>) << levels) + 4 * Table::words(levels) +
         NumericBatch<Scalar>::bytes(lanes);
}

/// A stretch by a group, from its table to its values. All lanes of the warp call.
template <int L, int Ahead, bool Windows, class Table, class Scalar>
__device__ inline void computeStretch(const DeviceRows<Scalar>& A, const DeviceRows<Scalar>& B,
                                      const NumericRows<Scalar>& C, const NumericStretch& stretch,
                                      bool some, const Table& table,
                                      const NumericBatch<Scalar>& batch, SumOf<Scalar>* sums,
                                      int levels) {
  const int lane = LaneGroup<L>::lane();
  table.clear(lane, L, levels);
  warpBarrier();
  for (int i = lane; i < 1 << levels; i += L) {
    const bool is = i < stretch.count;
    table.put(i, is ? C.columns[stretch.first + i] : noEntry, levels);
    sums[i] = C.add && is ? SumOf<Scalar>(C.values[stretch.first + i]) : SumOf<Scalar>(0);
  }
  warpBarrier();
  if constexpr (Table::placesLater) {
    for (int i = lane; i < stretch.count; i += L) table.place(i, C.columns + stretch.first, levels);
    warpBarrier();
  }
  const int strays = addStretch<L, Ahead, Windows>(A, B, stretch, some, table, batch, sums, levels);
  if (strays > 0) atomicAdd(C.strays, static_cast<unsigned long long>(strays));
  for (int i = lane; i < stretch.count; i += L) C.values[stretch.first + i] = sums[i];
}

/// Entries of B for each lane that are taken at once. Where groups are narrow, a row of B is often
/// a little longer than they.
template <int L>
constexpr int aheadInGroups = L < lanesOfWarp ? 2 : 1;
constexpr int aheadInWindows = 2;

/// Values of rows of at most 2^levels entries.
template <int L, class Table, class Scalar>
__global__ void __launch_bounds__(numericRowThreads)
    computeNumericRows(RowList rows, DeviceRows<Scalar> A, DeviceRows<Scalar> B,
                       NumericRows<Scalar> C, int levels) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  using Sum = SumOf<Scalar>;
  const int group = threadIdx.x / L, n = blockIdx.x * (numericRowThreads / L) + group;
  const bool some = n < rows.count;
  if (L == lanesOfWarp && !some) return;
  unsigned char* const memory = sharedBytes + group * numericGroupBytes<Table, Scalar>(L, levels);
  Sum* const sums = reinterpret_cast<Sum*>(memory);
  const Table table{reinterpret_cast<int*>(sums + (1 << levels))};
  const NumericBatch<Scalar> batch(memory + (sizeof(Sum) << levels) + 4 * Table::words(levels), L);
  NumericStretch stretch{0, 0, 0, false, 0, noEntry};
  if (some) {
    stretch.row = rows[n];
    stretch.first = C.offsets[stretch.row];
    stretch.count = static_cast<int>(C.offsets[stretch.row + 1] - stretch.first);
  }
  computeStretch<L, aheadInGroups<L>, false>(A, B, C, stretch, some, table, batch, sums, levels);
}

/// Values of windows of rows, each by a warp.
template <class Scalar>
__global__ void __launch_bounds__(numericRowThreads)
    computeNumericWindows(const NumericTask* tasks, int count, DeviceRows<Scalar> A,
                          DeviceRows<Scalar> B, NumericRows<Scalar> C) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  using Sum = SumOf<Scalar>;
  constexpr int L = lanesOfWarp, levels = windowLevels;
  const int n = blockIdx.x * (numericRowThreads / L) + warpOfBlock();
  if (n >= count) return;
  unsigned char* const memory =
      sharedBytes + warpOfBlock() * numericGroupBytes<ColumnTree, Scalar>(L, levels);
  Sum* const sums = reinterpret_cast<Sum*>(memory);
  int* const words = reinterpret_cast<int*>(sums + (1 << levels));
  const NumericBatch<Scalar> batch(reinterpret_cast<unsigned char*>(words + (1 << levels)), L);
  const NumericStretch stretch = stretchOf(C, tasks[n]);
  unsigned begin = 0, columns = 0;
  if (stretch.count > 0) {
    begin = C.columns[stretch.first];
    columns = C.columns[stretch.first + stretch.count - 1] - begin + 1;
  }
  if (columns <= ColumnBits::columnsMost(levels)) {
    const ColumnBits table{reinterpret_cast<uint2*>(words), begin, (columns + 31) / 32};
    computeStretch<L, aheadInWindows, true>(A, B, C, stretch, true, table, batch, sums, levels);
  } else {
    computeStretch<L, aheadInWindows, true>(A, B, C, stretch, true, ColumnTree{words}, batch, sums,
                                            levels);
  }
}

}  // namespace Trident::Impl

#endif
