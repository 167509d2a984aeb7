// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime_api.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <limits>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_CudaRuntime.hpp"
#include "base/Trident_Memory.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_DeviceSort.hpp"
#include "matrix/Trident_Search.hpp"

namespace Trident::Impl {

namespace {

template <class T>
void bringBack(cub::DoubleBuffer<T>& buffer, T* home, long long count) {
  if (buffer.Current() == home) return;
  TRIDENT_CUDA_CHECK(cudaMemcpyAsync(home, buffer.Current(), count * sizeof(T),
                                     cudaMemcpyDeviceToDevice, Kokkos::Cuda().cuda_stream()));
}

MemoryBlock roomFor(std::size_t bytes) {
  return MemoryBlock(MemoryKind::Device, "Trident::sortNumbers", std::max<std::size_t>(bytes, 1));
}

/// Calls CUB's sort(temporary, bytes) twice. The first call only sets `bytes` to what a sort needs.
template <class Sort>
void sortWithRoom(const Sort& sort) {
  std::size_t bytes = 0;
  TRIDENT_CUDA_CHECK(sort(nullptr, bytes));
  const MemoryBlock temporary = roomFor(bytes);
  TRIDENT_CUDA_CHECK(sort(temporary.data(), bytes));
  Kokkos::Cuda().fence();  // the sort ends before `temporary` is freed
}

}  // namespace

void sortDeviceNumbers(Position* numbers, std::size_t count) {
  if (count == 0) return;
  const MemoryBlock other = roomFor(count * sizeof(Position));
  cub::DoubleBuffer<Position> keys(numbers, reinterpret_cast<Position*>(other.data()));
  sortWithRoom([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, count, 0,
                                          8 * static_cast<int>(sizeof(Position)),
                                          Kokkos::Cuda().cuda_stream());
  });
  bringBack(keys, numbers, static_cast<long long>(count));
  Kokkos::Cuda().fence();
}

void sortDevicePairs(unsigned* keys, unsigned* values, std::size_t count, int bits) {
  if (count == 0 || bits == 0) return;
  const MemoryBlock otherKeys = roomFor(count * sizeof(unsigned)),
                    otherValues = roomFor(count * sizeof(unsigned));
  cub::DoubleBuffer<unsigned> keyPair(keys, reinterpret_cast<unsigned*>(otherKeys.data())),
      valuePair(values, reinterpret_cast<unsigned*>(otherValues.data()));
  sortWithRoom([&](void* temporary, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary, bytes, keyPair, valuePair, count, 0, bits,
                                           Kokkos::Cuda().cuda_stream());
  });
  bringBack(keyPair, keys, static_cast<long long>(count));
  bringBack(valuePair, values, static_cast<long long>(count));
  Kokkos::Cuda().fence();
}

namespace {

using Range = Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<long long>>;
using DeviceLongs = Kokkos::View<long long*, Kokkos::CudaSpace>;

/// Rough number of entries of a chunk, which bounds the workspace. Chunks are whole rows.
constexpr std::size_t entriesOfChunk = std::size_t(1) << 27;

/// Functor that returns a matrix's offsets, for intervalOf().
struct Offsets {
  const std::size_t* data;
  KOKKOS_INLINE_FUNCTION std::size_t operator()(long long r) const { return data[r]; }
};

/// Rows from `row` up to the next chunk's `row`. Their entries begin at `entry`.
struct Chunk {
  long long row;
  long long entry;
};

/// Cuts rows into chunks. The last element of the list only marks the end of the last chunk.
std::vector<Chunk> cutIntoChunks(const RowsToSort& rows) {
  const long long cuts = static_cast<long long>(rows.entries / entriesOfChunk);
  const DeviceLongs found("Trident::sortChunks", 2 * cuts);
  const Offsets offsets{rows.offsets};
  const long long count = rows.rows;
  Kokkos::parallel_for(
      "Trident::sortChunks", Range(0, cuts), TRIDENT_LAMBDA(long long c) {
        const std::size_t entry = (c + 1) * entriesOfChunk;
        const long long row = intervalOf(offsets, count, entry);
        found(2 * c) = row;
        found(2 * c + 1) = static_cast<long long>(offsets(row));
      });
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
  std::vector<Chunk> chunks{{0, 0}};
  for (long long c = 0; c < cuts; ++c)
    if (host(2 * c) > chunks.back().row) chunks.push_back({host(2 * c), host(2 * c + 1)});
  if (chunks.back().row < count) chunks.push_back({count, static_cast<long long>(rows.entries)});
  return chunks;
}

/// Writes the offsets of a chunk's `count` rows, counted from the chunk's first entry.
void narrowOffsets(const RowsToSort& rows, const Chunk& chunk, long long count, int* narrow) {
  const std::size_t* const wide = rows.offsets;
  const long long firstRow = chunk.row, firstEntry = chunk.entry;
  Kokkos::parallel_for(
      "Trident::sortOffsets", Range(0, count + 1), TRIDENT_LAMBDA(long long r) {
        narrow[r] = static_cast<int>(static_cast<long long>(wide[firstRow + r]) - firstEntry);
      });
}

/// Temporary memory for the largest chunk. All chunks use it, one after another.
struct Workspace {
  MemoryBlock offsets, columns, values, temporary;

  static MemoryBlock block(std::size_t bytes) {
    return MemoryBlock(MemoryKind::Device, "Trident::sortSegments",
                       std::max<std::size_t>(bytes, 1));
  }
  Workspace(long long rows, long long entries, std::size_t valueBytes)
      : offsets(block((rows + 1) * sizeof(int))),
        columns(block(entries * sizeof(int))),
        values(block(entries * valueBytes)) {}
  void* temporaryOf(std::size_t bytes) {
    if (temporary.size() < bytes || !temporary.data()) {
      temporary = MemoryBlock();
      temporary = block(bytes);
    }
    return temporary.data();
  }
};

template <class Value>
void sortChunk(const RowsToSort& rows, const Chunk& chunk, long long count, long long entries,
               Workspace& workspace) {
  int* const columns = rows.columns + chunk.entry;
  Value* const values = static_cast<Value*>(rows.values) + chunk.entry;
  int* const offsets = reinterpret_cast<int*>(workspace.offsets.data());
  narrowOffsets(rows, chunk, count, offsets);
  cub::DoubleBuffer<int> keys(columns, reinterpret_cast<int*>(workspace.columns.data()));
  cub::DoubleBuffer<Value> pairs(values, reinterpret_cast<Value*>(workspace.values.data()));
  const auto sort = [&](void* temporary, std::size_t& bytes) {
    TRIDENT_CUDA_CHECK(cub::DeviceSegmentedSort::SortPairs(
        temporary, bytes, keys, pairs, static_cast<int>(entries), static_cast<int>(count), offsets,
        offsets + 1, Kokkos::Cuda().cuda_stream()));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  bytes = std::max<std::size_t>(bytes, 1);
  sort(workspace.temporaryOf(bytes), bytes);
  bringBack(keys, columns, entries);
  bringBack(pairs, values, entries);
}

template <class Value>
void sortChunks(const RowsToSort& rows) {
  const std::vector<Chunk> chunks = cutIntoChunks(rows);
  long long mostRows = 0, mostEntries = 0;
  for (std::size_t p = 0; p + 1 < chunks.size(); ++p) {
    mostRows = std::max(mostRows, chunks[p + 1].row - chunks[p].row);
    mostEntries = std::max(mostEntries, chunks[p + 1].entry - chunks[p].entry);
  }
  if (mostEntries > std::numeric_limits<int>::max())
    throw Error("Trident::sortSegments", "a row has " + std::to_string(mostEntries) +
                                             " entries, more than 2^31; use more ranks");
  Workspace workspace(mostRows, mostEntries, sizeof(Value));
  for (std::size_t p = 0; p + 1 < chunks.size(); ++p)
    sortChunk<Value>(rows, chunks[p], chunks[p + 1].row - chunks[p].row,
                     chunks[p + 1].entry - chunks[p].entry, workspace);
  Kokkos::Cuda().fence();  // the sorts end before `workspace` is freed
}

}  // namespace

bool hasSegmentedSort(std::size_t valueBytes) {
  return valueBytes == 4 || valueBytes == 8 || valueBytes == 16;
}

void sortSegments(const RowsToSort& rows) {
  if (rows.rows == 0 || rows.entries == 0) return;
  switch (rows.valueBytes) {  // values are only moved: their type does not matter
    case 4:
      return sortChunks<unsigned int>(rows);
    case 8:
      return sortChunks<unsigned long long>(rows);
    case 16:
      return sortChunks<uint4>(rows);
    default:
      throw Error("Trident::sortSegments",
                  "values of " + std::to_string(rows.valueBytes) +
                      " bytes are not sorted here; sort by SortMethod::KokkosKernels");
  }
}

}  // namespace Trident::Impl
