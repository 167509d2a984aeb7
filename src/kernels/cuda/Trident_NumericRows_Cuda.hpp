// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMERICROWS_CUDA_HPP
#define TRIDENT_NUMERICROWS_CUDA_HPP

#include "kernels/cuda/Trident_ColumnTables_Cuda.hpp"
#include "kernels/cuda/Trident_LongRows_Cuda.hpp"
#include "kernels/cuda/Trident_RowBlocks_Cuda.hpp"

// Values of rows whose columns are known and sorted. A group of lanes has a row, or a window of a
// row's entries, and takes B's rows one after the other. So no two lanes have the same column: sums
// need no atomic operation and are in the order of A's entries. Nothing is sorted. If rows come in
// blocks (RowBlocks_Cuda), a group has a block, and adds to all rows of the block.

namespace Trident::Impl {

constexpr int numericRowThreads = 128;  // threads of a thread block

/// The structure and the values of C.
template <class Scalar>
struct NumericResult {
  const std::size_t* offsets;
  const int* columns;
  Scalar* values;
  bool add;                    ///< true: terms are added to the values that are there
  unsigned long long* strays;  ///< number of strays: multiply-adds outside of C's structure
};

/// Successive entries of a row of C, and their range of columns. If rows come in blocks, the
/// stretch has entries at these places of each row of the block.
struct NumericStretch {
  int row, rows;
  std::size_t first, length;  ///< offset of the first entry; length of the whole row
  int count;
  bool cut;        ///< true if the row has more entries than the stretch
  int begin, end;  ///< range of columns: begin <= column < end

  /// Returns the offset of the stretch's first entry in row r of the block.
  __device__ std::size_t firstOf(int r) const { return first + r * length; }
};

/// A window has at most 2^windowLevelsMost = 512 entries. Longer rows are cut. If blocks have three
/// or four rows, windows have half as many entries, because each row's sums need memory.
constexpr int windowLevelsMost = 9;
inline int windowLevels(const RowBlocks& blocks) {
  return blocks.most <= 2 ? windowLevelsMost : windowLevelsMost - 1;
}

/// Some successive windows of a row, which a warp takes.
struct NumericTask {
  int row, window, windows;
};

/// Returns the number of windows of a row, at least one.
__device__ inline int windowsOfRow(const std::size_t* offsets, int row, int levels) {
  const std::size_t entries = offsets[row + 1] - offsets[row];
  return entries > 0 ? static_cast<int>((entries - 1) >> levels) + 1 : 1;
}

template <int Levels, class Scalar>
__device__ inline NumericStretch stretchOf(const NumericResult<Scalar>& C, const NumericTask& task,
                                           int rows) {
  constexpr int windowEntries = 1 << Levels;
  const std::size_t begin = C.offsets[task.row], end = C.offsets[task.row + 1];
  const std::size_t first = begin + static_cast<std::size_t>(task.window) * windowEntries;
  NumericStretch s{task.row, rows, first, end - begin, 0, false, 0, noEntry};
  const std::size_t left = end - first;
  const bool last = left <= windowEntries;
  s.count = last ? static_cast<int>(left) : windowEntries;
  s.cut = task.window > 0 || !last;
  if (task.window > 0) s.begin = C.columns[first];
  if (!last) s.end = C.columns[first + windowEntries];
  return s;
}

/// The entries of A that a group takes at a time. A series: successive entries of A that meet
/// successive rows of one block of B. The group takes a series as one entry.
/// @tparam Rows 1: there are no blocks
template <int Rows, class Scalar>
struct NumericChunk {
  std::size_t* start;      ///< offset of the first entry to take, in the series' first row of B
  Scalar* value;           ///< values of the entries of A, in each row of the block
  int* count;              ///< number of entries of B, in each row of the series
  int* length;             ///< length of the whole row of B; only if Rows > 1
  unsigned short* series;  ///< lane of the first entry << 8 | number of entries; only if Rows > 1
  int rows;

  __host__ __device__ static constexpr std::size_t bytes(int lanes, int rows) {
    return lanes * (sizeof(std::size_t) + rows * sizeof(Scalar) + sizeof(int) +
                    (Rows > 1 ? 2 * sizeof(int) : 0));
  }
  __device__ NumericChunk(unsigned char* memory, int lanes, int rowsMost)
      : start(reinterpret_cast<std::size_t*>(memory)),
        value(reinterpret_cast<Scalar*>(start + lanes)),
        count(reinterpret_cast<int*>(value + rowsMost * lanes)),
        length(count + lanes),
        series(reinterpret_cast<unsigned short*>(length + lanes)),
        rows(rowsMost) {}
  __device__ int firstOf(int n) const { return Rows == 1 ? n : series[n] >> 8; }
  __device__ int rowsOf(int n) const { return Rows == 1 ? 1 : series[n] & 255; }
};

/// Entries of B that each lane has loaded ahead: a column, and its values in all rows of a series.
template <int L, int Ahead, int Rows, class Scalar>
struct EntriesAhead {
  int column[Ahead];
  Scalar value[Ahead][Rows];

  /// Loads entries of series n of the chunk: up to Ahead for this lane, in steps of L.
  /// @param from offset of this lane's first entry, counted from chunk.start[n]
  __device__ void load(const DeviceCsr<Scalar>& B, const NumericChunk<Rows, Scalar>& chunk, int n,
                       int from) {
    const std::size_t start = chunk.start[n] + from;
    const int left = chunk.count[n] - from, rows = chunk.rowsOf(n);
    const int length = Rows == 1 ? 0 : chunk.length[n];
#pragma unroll
    for (int u = 0; u < Ahead; ++u) {
      column[u] = -1;
      if (left <= u * L) continue;
      column[u] = B.columns[start + u * L];
#pragma unroll
      for (int q = 0; q < Rows; ++q)
        if (q == 0 || q < rows)
          value[u][q] = B.values[start + static_cast<std::size_t>(q) * length + u * L];
    }
  }
};

/// Runs work(r) for each row r of a block. If Rows is 1, runs work(0) and does not read `rows`.
/// @tparam Rows most rows of a block
template <int Rows, class Work>
__device__ inline void forRowsOfBlock(int rows, const Work& work) {
#pragma unroll
  for (int r = 0; r < Rows; ++r)
    if (r == 0 || r < rows) work(r);
}

/// The ends of a task's windows in B's rows. A window begins where the previous window ends.
struct WindowCuts {
  /// Largest number of chunks whose window ends are kept. The ends lie in local memory.
  static constexpr int chunksMost = 64;
  int* ends;   ///< offset of the window's end in this lane's row of B, for each chunk
  bool known;  ///< true if `ends` has the ends of the previous window
};

/// Threshold of (multiply-adds / entries of A) in a chunk. Below it, lanes take several entries
/// together, not one after the other. Measured on one H200: the second expansion of
/// rmat:scale=20,d=64 took 49.8 s, and 53.0 s without this rule.
constexpr int fewMultiplyAdds = 4;

/// Adds the terms of a chunk, for several entries of A together. Lanes that have terms for one
/// place add in the order of A's entries. Returns the number of strays.
/// @param mask a bit for each lane whose entry of A is in the chunk
/// @param count multiply-adds of this lane's entry
/// @param upTo sum of `count` over this lane and all lanes below it
/// @param all sum of `count` over all lanes
template <class Table, class Scalar>
__device__ inline int addTogether(const DeviceCsr<Scalar>& B, const Table& table,
                                  const NumericChunk<1, Scalar>& chunk, unsigned mask, int count,
                                  int upTo, int all, SumOf<Scalar>* sums, int levels) {
  using Warp = LaneGroup<lanesOfWarp>;
  int strays = 0;
  for (int first = 0; first < all; first += lanesOfWarp) {
    const int m = first + warpLane();
    int lane = 0;  // the lane whose entry of A has multiply-add m
#pragma unroll
    for (int step = lanesOfWarp / 2; step > 0; step /= 2)
      if (Warp::from(upTo, lane + step - 1) <= m) lane += step;
    const int before = Warp::from(upTo - count, lane);
    int place = -1 - warpLane();  // negative: this lane has nothing to add
    SumOf<Scalar> term(0);
    if (m < all) {
      const int n = bitsIn(mask & ((1u << lane) - 1));
      const std::size_t b = chunk.start[n] + (m - before);
      const int found = table.find(B.columns[b], levels);
      if (found >= 0) {
        place = found;
        term = termOf(chunk.value[n], B.values[b]);
      } else {
        ++strays;
      }
    }
    const unsigned same = lanesWith(place);  // all lanes of the warp must call
    const int turn = place < 0 ? -1 : bitsIn(same & lanesBelow());
    for (int t = 0; ballot(turn >= t); ++t) {
      if (turn == t) {
        SumOf<Scalar> x = sums[place];
        x += term;
        sums[place] = x;
      }
      warpBarrier();
    }
  }
  return strays;
}

/// Adds a stretch's terms. Returns the number of strays. All lanes of the warp call.
template <int L, int Ahead, int Rows, bool Windows, class Table, class Scalar>
__device__ inline unsigned long long addStretch(
    const DeviceCsr<Scalar>& A, const DeviceCsr<Scalar>& B, const RowBlocks& blocksB,
    const NumericStretch& stretch, bool some, const Table& table,
    const NumericChunk<Rows, Scalar>& chunk, SumOf<Scalar>* sums, int levels,
    const WindowCuts& cuts) {
  using Group = LaneGroup<L>;
  constexpr bool compacted = Windows || Rows > 1;  // entries of A without terms are left out
  const int lane = Group::lane(), rows = stretch.rows;
  const std::size_t beginA = some ? A.offsets[stretch.row] : 0;
  const int length = some ? static_cast<int>(A.offsets[stretch.row + 1] - beginA) : 0;
  const int longest = L == lanesOfWarp ? length : largestInWarp(length);
  int strays = 0;
  const auto add = [&](const EntriesAhead<L, Ahead, Rows, Scalar>& these, int n) {
    const int ofSeries = chunk.rowsOf(n);
    int place[Ahead];
#pragma unroll
    for (int u = 0; u < Ahead; ++u)
      place[u] = these.column[u] >= 0 ? table.find(these.column[u], levels) : -2;
    const Scalar* const a = chunk.value + chunk.firstOf(n) * chunk.rows;
#pragma unroll
    for (int u = 0; u < Ahead; ++u) {
      if (place[u] >= 0)
        forRowsOfBlock<Rows>(rows, [&](int r) {
          SumOf<Scalar>& sum = sums[(r << levels) + place[u]];
          SumOf<Scalar> x = sum;
          forRowsOfBlock<Rows>(
              ofSeries, [&](int q) { x += termOf(a[q * chunk.rows + r], these.value[u][q]); });
          sum = x;
        });
      strays += place[u] == -1 ? ofSeries : 0;
    }
  };
  for (int base = 0; base < longest; base += L) {
    std::size_t start = 0;
    int count = 0, lengthB = 0, ofSeries = 1, b = -2;
    if (base + lane < length) {
      b = A.columns[beginA + base + lane];
      start = B.offsets[b];
      std::size_t end = B.offsets[b + 1];
      lengthB = static_cast<int>(end - start);
      if (Windows && stretch.cut) {
        const std::size_t row = start;
        const bool kept = Rows == 1 && base / L < WindowCuts::chunksMost;
        if (kept && cuts.known)
          start = row + cuts.ends[base / L];
        else if (stretch.begin > 0)
          start = lowerBound(B.columns, start, end, stretch.begin);
        if (stretch.end != noEntry) end = lowerBoundNear(B.columns, start, end, stretch.end);
        if (kept) cuts.ends[base / L] = static_cast<int>(end - row);
      }
      count = static_cast<int>(end - start);
    }
    bool head = count > 0;
    if constexpr (Rows > 1) {
      const bool follows = blocksB.follows(b, Group::fromBelow(b, 1));  // false on lane 0
      head = head && !follows;
      const unsigned behind = Group::bitsOf(ballot(follows)) >> lane >> 1;
      ofSeries = 1 + lowestBit(static_cast<int>(~behind));
    }
    const unsigned mask = compacted ? Group::bitsOf(ballot(head)) : 0;
    const int here = compacted ? bitsIn(mask) : min(L, longest - base);
    warpBarrier();  // all lanes have read the last chunk
    if (!compacted || head) {
      const int at = compacted ? bitsIn(mask & ((1u << lane) - 1)) : lane;
      chunk.start[at] = start;
      chunk.count[at] = count;
      if constexpr (Rows > 1) {
        chunk.length[at] = lengthB;
        chunk.series[at] = static_cast<unsigned short>(lane << 8 | ofSeries);
      }
      if (Rows == 1 && count > 0) chunk.value[at] = A.values[beginA + base + lane];
    }
    if (Rows > 1 && count > 0)
      forRowsOfBlock<Rows>(rows, [&](int r) {
        chunk.value[lane * chunk.rows + r] =
            A.values[beginA + static_cast<std::size_t>(r) * length + base + lane];
      });
    warpBarrier();
    if constexpr (Windows && Rows == 1) {
      constexpr int longMost = 1 << 20;  // so that the sums below fit an int
      if (largestInWarp(count) < longMost) {
        const int upTo = Group::sumUpTo(count), all = Group::from(upTo, L - 1);
        if (all < fewMultiplyAdds * here) {
          strays +=
              addTogether<Table, Scalar>(B, table, chunk, mask, count, upTo, all, sums, levels);
          continue;
        }
      }
    }
    const int most = compacted && L < lanesOfWarp ? largestInWarp(here) : here;
    EntriesAhead<L, Ahead, Rows, Scalar> now, next;
    if (here > 0) now.load(B, chunk, 0, lane);
    for (int e = 0; e < most; ++e) {
      if (e + 1 < here) next.load(B, chunk, e + 1, lane);
      if (e < here) {
        add(now, e);
        const int left = chunk.count[e] - lane;
        for (int j = L * Ahead; j < left; j += L * Ahead) {
          now.load(B, chunk, e, lane + j);
          add(now, e);
        }
      }
      warpBarrier();  // the next entry of A may meet the same columns
      now = next;
    }
  }
  return static_cast<unsigned long long>(strays) * rows;
}

template <int Rows, class Table, class Scalar>
__host__ __device__ constexpr std::size_t numericGroupBytes(int lanes, int levels, int rows) {
  return (rows * sizeof(SumOf<Scalar>) << levels) + 4 * Table::words(levels) +
         NumericChunk<Rows, Scalar>::bytes(lanes, rows);
}

template <int Rows, class Scalar>
struct NumericMemory {
  SumOf<Scalar>* sums;  ///< 2^levels sums for each row
  int* table;
  NumericChunk<Rows, Scalar> chunk;

  /// @param words number of words of the table
  __device__ NumericMemory(unsigned char* bytes, int lanes, int levels, int rows, int words)
      : sums(reinterpret_cast<SumOf<Scalar>*>(bytes)),
        table(reinterpret_cast<int*>(sums + (static_cast<std::size_t>(rows) << levels))),
        chunk(reinterpret_cast<unsigned char*>(table + words), lanes, rows) {}
};

/// Computes the values of a stretch, in a group's memory. All lanes of the warp call.
template <int L, int Ahead, int Rows, bool Windows, class Table, class Scalar>
__device__ inline void computeStretch(const DeviceCsr<Scalar>& A, const DeviceCsr<Scalar>& B,
                                      const NumericResult<Scalar>& C, const RowBlocks& blocksB,
                                      const NumericStretch& stretch, bool some, const Table& table,
                                      const NumericMemory<Rows, Scalar>& memory, int levels,
                                      const WindowCuts& cuts = {nullptr, false}) {
  using Sum = SumOf<Scalar>;
  const int lane = LaneGroup<L>::lane();
  Sum* const sums = memory.sums;
  table.clear(lane, L, levels);
  warpBarrier();
  for (int i = lane; i < 1 << levels; i += L) {
    const bool is = i < stretch.count;
    table.put(i, is ? C.columns[stretch.first + i] : noEntry, levels);
    forRowsOfBlock<Rows>(stretch.rows, [&](int r) {
      sums[(r << levels) + i] = C.add && is ? Sum(C.values[stretch.firstOf(r) + i]) : Sum(0);
    });
  }
  warpBarrier();
  if constexpr (Table::placesLater) {
    for (int i = lane; i < stretch.count; i += L) table.place(i, C.columns + stretch.first, levels);
    warpBarrier();
  }
  const unsigned long long strays = addStretch<L, Ahead, Rows, Windows>(
      A, B, blocksB, stretch, some, table, memory.chunk, sums, levels, cuts);
  if (strays > 0) atomicAdd(C.strays, strays);
  for (int i = lane; i < stretch.count; i += L)
    forRowsOfBlock<Rows>(
        stretch.rows, [&](int r) { C.values[stretch.firstOf(r) + i] = sums[(r << levels) + i]; });
}

/// Number of entries of B that a lane takes together: two in narrow groups, because rows of B are
/// often a little longer than the group.
template <int L>
constexpr int aheadInGroups = L < lanesOfWarp ? 2 : 1;
constexpr int aheadInWindows = 2;

/// Computes the values of rows of at most 2^levels entries.
/// @tparam Rows 1, or rowsOfBlockMost if each row of the list stands for a block
template <int L, int Rows, class Table, class Scalar>
__global__ void __launch_bounds__(numericRowThreads)
    computeNumericRows(RowList rows, FactorBlocks blocks, DeviceCsr<Scalar> A, DeviceCsr<Scalar> B,
                       NumericResult<Scalar> C, int levels) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  const int group = threadIdx.x / L, n = blockIdx.x * (numericRowThreads / L) + group;
  const bool some = n < rows.count;
  if (L == lanesOfWarp && !some) return;
  const int rowsMost = Rows == 1 ? 1 : blocks.ofA.most;
  const NumericMemory<Rows, Scalar> memory(
      sharedBytes + group * numericGroupBytes<Rows, Table, Scalar>(L, levels, rowsMost), L, levels,
      rowsMost, Table::words(levels));
  NumericStretch stretch{0, 1, 0, 0, 0, false, 0, noEntry};
  if (some) {
    stretch.row = rows[n];
    if (Rows > 1) stretch.rows = blocks.ofA.rows(stretch.row);
    stretch.first = C.offsets[stretch.row];
    stretch.length = C.offsets[stretch.row + 1] - stretch.first;
    stretch.count = static_cast<int>(stretch.length);
  }
  computeStretch<L, aheadInGroups<L>, Rows, false>(A, B, C, blocks.ofB, stretch, some,
                                                   Table{memory.table}, memory, levels);
}

/// Computes the values of C's long rows by windows: at most 2^Levels entries of a row, or of each
/// row of a block. A warp takes some windows of a row, or one window of a block.
template <int Rows, int Levels, class Scalar>
__global__ void __launch_bounds__(numericRowThreads)
    computeNumericWindows(const NumericTask* tasks, int count, FactorBlocks blocks,
                          DeviceCsr<Scalar> A, DeviceCsr<Scalar> B, NumericResult<Scalar> C) {
  extern __shared__ __align__(16) unsigned char sharedBytes[];
  constexpr int L = lanesOfWarp, levels = Levels;
  const int n = blockIdx.x * (numericRowThreads / L) + warpOfBlock();
  if (n >= count) return;
  const int rowsMost = Rows == 1 ? 1 : blocks.ofA.most;
  const NumericMemory<Rows, Scalar> memory(
      sharedBytes +
          warpOfBlock() * numericGroupBytes<Rows, ColumnTree, Scalar>(L, levels, rowsMost),
      L, levels, rowsMost, ColumnTree::words(levels));
  int ends[Rows == 1 ? WindowCuts::chunksMost : 1];
  NumericTask task = tasks[n];
  for (int w = 0; w < task.windows; ++w, ++task.window) {
    const NumericStretch stretch =
        stretchOf<levels>(C, task, Rows > 1 ? blocks.ofA.rows(task.row) : 1);
    unsigned begin = 0, columns = 0;
    if (stretch.count > 0) {
      begin = C.columns[stretch.first];
      columns = C.columns[stretch.first + stretch.count - 1] - begin + 1;
    }
    const WindowCuts cuts{ends, w > 0};
    if (columns <= ColumnBits::columnsMost(levels))
      computeStretch<L, aheadInWindows, Rows, true>(
          A, B, C, blocks.ofB, stretch, true,
          ColumnBits{reinterpret_cast<uint2*>(memory.table), begin, (columns + 31) / 32}, memory,
          levels, cuts);
    else
      computeStretch<L, aheadInWindows, Rows, true>(A, B, C, blocks.ofB, stretch, true,
                                                    ColumnTree{memory.table}, memory, levels, cuts);
    warpBarrier();  // all lanes have read the sums
  }
}

}  // namespace Trident::Impl

#endif
