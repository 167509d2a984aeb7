// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICROWS_CUDA_HPP
#define TRIDENT_NUMERICROWS_CUDA_HPP

#include "kernels/cuda/Trident_ColumnTables_Cuda.hpp"
#include "kernels/cuda/Trident_LongRows_Cuda.hpp"

// Values of rows whose columns are known and sorted. A group of lanes has a row, or a window of a
// row's entries, and takes B's rows one after the other: no two lanes have the same column, so sums
// need no atomic operation and are in the order of A's entries. Nothing is sorted.

namespace Trident::Impl {

constexpr int knownRowThreads = 128;  // of a block

/// C's structure, and its values.
template <class Scalar>
struct KnownRows {
  const std::size_t* offsets;
  const int* columns;
  Scalar* values;
  bool add;                    ///< to the values that are there
  unsigned long long* strays;  ///< products whose column is not in C's row
};

/// A stretch of a row of C, and the columns of B that belong to it.
struct KnownStretch {
  int row;
  std::size_t first;
  int count;
  bool cut;        ///< whether it is not all columns
  int begin, end;  ///< the columns, if so
};

/// Entries that a window has at most, and a row that is no windows.
constexpr int windowLevels = 9, windowEntries = 1 << windowLevels;

/// A window of a row.
struct KnownTask {
  int row, window;
};

template <class Scalar>
__device__ inline KnownStretch stretchOf(const KnownRows<Scalar>& C, const KnownTask& task) {
  const std::size_t begin = C.offsets[task.row], end = C.offsets[task.row + 1];
  const std::size_t first = begin + static_cast<std::size_t>(task.window) * windowEntries;
  KnownStretch s{task.row, first, 0, false, 0, noEntry};
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
struct KnownBatch {
  std::size_t* start;  ///< of the stretch of B's row
  Scalar* value;       ///< of A's entry
  int* count;

  __host__ __device__ static constexpr std::size_t bytes(int lanes) {
    return lanes * (sizeof(std::size_t) + sizeof(Scalar) + sizeof(int));
  }
  __device__ KnownBatch(unsigned char* memory, int lanes)
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
__device__ inline int addKnownProducts(const DeviceRows<Scalar>& A, const DeviceRows<Scalar>& B,
                                       const KnownStretch& stretch, bool some, const Table& table,
                                       const KnownBatch<Scalar>& batch, Scalar* sums, int levels) {
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
__host__ __device__ constexpr std::size_t knownGroupBytes(int lanes, int levels) {
  return (sizeof(Scalar) << levels) + 4 * Table::words(levels) + KnownBatch<Scalar>::bytes(lanes);
}

/// A stretch by a group, from its table to its values. All lanes of the warp call.
template <int L, int Ahead, bool Windows, class Table, class Scalar>
__device__ inline void computeStretch(const DeviceRows<Scalar>& A, const DeviceRows<Scalar>& B,
                                      const KnownRows<Scalar>& C, const KnownStretch& stretch,
                                      bool some, const Table& table,
                                      const KnownBatch<Scalar>& batch, Scalar* sums, int levels) {
  const int lane = LaneGroup<L>::lane();
  table.clear(lane, L, levels);
  warpBarrier();
  for (int i = lane; i < 1 << levels; i += L) {
    const bool is = i < stretch.count;
    table.put(i, is ? C.columns[stretch.first + i] : noEntry, levels);
    sums[i] = C.add && is ? C.values[stretch.first + i] : Scalar(0);
  }
  warpBarrier();
  if constexpr (Table::placesLater) {
    for (int i = lane; i < stretch.count; i += L) table.place(i, C.columns + stretch.first, levels);
    warpBarrier();
  }
  const int strays =
      addKnownProducts<L, Ahead, Windows>(A, B, stretch, some, table, batch, sums, levels);
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
__global__ void __launch_bounds__(knownRowThreads)
    computeKnownRows(RowList rows, DeviceRows<Scalar> A, DeviceRows<Scalar> B, KnownRows<Scalar> C,
                     int levels) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  const int group = threadIdx.x / L, n = blockIdx.x * (knownRowThreads / L) + group;
  const bool some = n < rows.count;
  if (L == lanesOfWarp && !some) return;
  unsigned char* const memory = sharedBytes + group * knownGroupBytes<Table, Scalar>(L, levels);
  Scalar* const sums = reinterpret_cast<Scalar*>(memory);
  const Table table{reinterpret_cast<int*>(sums + (1 << levels))};
  const KnownBatch<Scalar> batch(memory + (sizeof(Scalar) << levels) + 4 * Table::words(levels), L);
  KnownStretch stretch{0, 0, 0, false, 0, noEntry};
  if (some) {
    stretch.row = rows[n];
    stretch.first = C.offsets[stretch.row];
    stretch.count = static_cast<int>(C.offsets[stretch.row + 1] - stretch.first);
  }
  computeStretch<L, aheadInGroups<L>, false>(A, B, C, stretch, some, table, batch, sums, levels);
}

/// Values of windows of rows, each by a warp.
template <class Scalar>
__global__ void __launch_bounds__(knownRowThreads)
    computeKnownWindows(const KnownTask* tasks, int count, DeviceRows<Scalar> A,
                        DeviceRows<Scalar> B, KnownRows<Scalar> C) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  constexpr int L = lanesOfWarp, levels = windowLevels;
  const int n = blockIdx.x * (knownRowThreads / L) + warpOfBlock();
  if (n >= count) return;
  unsigned char* const memory =
      sharedBytes + warpOfBlock() * knownGroupBytes<ColumnTree, Scalar>(L, levels);
  Scalar* const sums = reinterpret_cast<Scalar*>(memory);
  int* const words = reinterpret_cast<int*>(sums + (1 << levels));
  const KnownBatch<Scalar> batch(reinterpret_cast<unsigned char*>(words + (1 << levels)), L);
  const KnownStretch stretch = stretchOf(C, tasks[n]);
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
