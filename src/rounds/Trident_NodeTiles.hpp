// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODETILES_HPP
#define TRIDENT_NODETILES_HPP

#include <algorithm>
#include <optional>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Memory.hpp"
#include "base/Trident_Mpi.hpp"
#include "exchange/Trident_NodeGather.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "grid/Trident_SliceShape.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_TileAssembly.hpp"
#include "rounds/Trident_BatchPlan.hpp"

namespace Trident::Impl {

/// The B tiles of one batch of rounds, as one CSR matrix. Tiles lie one below the other, in the
/// order of the batch's segments. Each rank of a node writes its own slices. The matrix lies in the
/// storage of a NodeGather, as three arrays of these lengths:
///   offsets [rows + 1] | values [entries] | columns [entries]
template <class Scalar, class Device>
class StackedTile {
 public:
  /// @param sliceEntries number of entries of slice k of segment s at [s·λ + k]
  StackedTile(const IndexSpace& inner, const RoundBatch& batch,
              const std::vector<long long>& sliceEntries)
      : lambda_(inner.shape().lambda) {
    for (int s : batch.segments)
      for (int k = 0; k < lambda_; ++k) {
        const int rows = inner.sliceSize(s, k);
        blocks_.push_back({rows_, rows, static_cast<std::size_t>(entries_)});
        sliceEntries_.push_back(sliceEntries[s * lambda_ + k]);
        rows_ += rows;
        entries_ += sliceEntries_.back();
      }
  }

  /// Returns the bytes of a tile with these numbers of rows and entries.
  static std::size_t bytesOf(long long rows, long long entries) {
    return columnsAt(rows, entries) + entries * sizeof(int);
  }
  std::size_t bytes() const { return bytesOf(rows_, entries_); }
  long long rows() const { return rows_; }

  /// Attaches storage of bytes() bytes. If the storage is not in the memory of the tile's device,
  /// start() copies own slices to the storage, and toDevice() copies the tile back.
  void open(void* storage, MemoryKind memory) {
    storage_ = static_cast<char*>(storage);
    memory_ = memory;
    staged_ = !isHost<Device> && memory != MemoryKind::Device;
    if (staged_) device_ = MemoryBlock(MemoryKind::Device, "Trident::tile", bytes());
  }
  TileCsr<Scalar> arrays() const {
    char* base = staged_ ? device_.data() : storage_;
    return {reinterpret_cast<std::size_t*>(base), reinterpret_cast<int*>(base + columnsAt()),
            reinterpret_cast<Scalar*>(base + valuesAt())};
  }
  /// Returns the place of slice k of the batch's m-th segment.
  const PlaceInTile& block(std::size_t m, int k) const { return blocks_[m * lambda_ + k]; }

  /// Writes the last offset of the tile. The rank that has the tile's last slice calls this.
  void close() const {
    std::size_t* closing = arrays().offsets + rows_;
    const std::size_t entries = entries_;
    Kokkos::parallel_for(
        "Trident::closeTile", Range<Device>(0, 1),
        TRIDENT_LAMBDA(long long) { *closing = entries; });
  }

  /// Starts to gather the slices of all ranks. Collective over the node; a failed rank calls too.
  void start(NodeGather& node, int slot, int k, Traffic& traffic) {
    const std::vector<GatherBlock> blocks = this->blocks();
    LocalFailure failure;  // thrown after node.start(), where other ranks wait for this rank
    failure.guard([&] {
      Kokkos::fence();
      if (staged_ && device_.data())
        for (const GatherBlock& block : blocks)
          if (block.k == k)
            copyBytes(storage_ + block.offset, memory_, device_.data() + block.offset,
                      MemoryKind::Device, block.bytes);
    });
    node.start(slot, blocks, traffic);
    if (failure.failed()) throw Error(failure.text());
  }
  /// Copies the complete tile to the device if it was gathered elsewhere. Local.
  void toDevice() const {
    if (staged_ && device_.data())
      copyBytes(device_.data(), MemoryKind::Device, storage_, memory_, bytes());
  }

  LocalMatrix<Scalar, Device> matrix(int numColumns) const {
    using Matrix = LocalMatrix<Scalar, Device>;
    const TileCsr<Scalar> a = arrays();
    return Matrix("Trident::tile", static_cast<int>(rows_), numColumns, entries_,
                  typename Matrix::values_type(a.values, entries_),
                  typename Matrix::row_map_type(a.offsets, rows_ + 1),
                  typename Matrix::index_type(a.columns, entries_));
  }

 private:
  static std::size_t valuesAt(long long rows) {
    return ((rows + 1) * sizeof(std::size_t) + 63) / 64 * 64;
  }
  static std::size_t columnsAt(long long rows, long long entries) {
    return valuesAt(rows) + entries * sizeof(Scalar);
  }
  std::size_t valuesAt() const { return valuesAt(rows_); }
  std::size_t columnsAt() const { return columnsAt(rows_, entries_); }

  /// Returns the tile's blocks that are not empty. In matrices of meshes most blocks are empty.
  std::vector<GatherBlock> blocks() const {
    std::vector<GatherBlock> blocks;
    const auto add = [&](int k, std::size_t offset, std::size_t bytes) {
      if (bytes > 0) blocks.push_back({k, offset, bytes});
    };
    for (std::size_t p = 0; p < blocks_.size(); ++p) {
      const int k = static_cast<int>(p) % lambda_;
      const PlaceInTile& block = blocks_[p];
      const std::size_t offsets = block.rows + (p + 1 == blocks_.size());  // plus the last offset
      const std::size_t entries = sliceEntries_[p];
      add(k, block.rowBegin * sizeof(std::size_t), offsets * sizeof(std::size_t));
      add(k, valuesAt() + block.entryBegin * sizeof(Scalar), entries * sizeof(Scalar));
      add(k, columnsAt() + block.entryBegin * sizeof(int), entries * sizeof(int));
    }
    return blocks;
  }

  int lambda_;
  long long rows_ = 0, entries_ = 0;
  std::vector<PlaceInTile> blocks_;      // blocks of the slices, [segment of the batch][k]
  std::vector<long long> sliceEntries_;  // number of entries of each slice, in the order of blocks_
  char* storage_ = nullptr;
  MemoryKind memory_ = MemoryKind::Host;  // memory of storage_
  bool staged_ = false;
  MemoryBlock device_;
};

/// The fused tiles of B in one product, one tile for each batch. There is room for two tiles if the
/// next tile can be gathered during a product.
template <class Scalar, class Device>
class NodeTiles {
 public:
  using Tile = StackedTile<Scalar, Device>;

  explicit NodeTiles(const ProcessGrid& grid) : grid_(grid) {}

  /// Sets the gather of all later tiles. The caller must then call reserve().
  void gatherBy(NodeGather& gather) { gather_ = &gather; }
  const NodeGather& gather() const { return *gather_; }
  bool shared() const { return gather_->kind() == GatherKind::Shared; }
  /// Returns true if the gather of a tile can start before the product with the previous tile.
  bool overlap() const { return slots_ > 1; }

  /// Exchanges the numbers of entries in slices of B, and the bytes of the largest round, with the
  /// ranks of the node. Collective over the node.
  /// @param shapes shapes of B's slices on this rank's line, by segment
  /// @param most largest round of this rank
  /// @return largest round of the node
  RoundBytes shareEntries(const std::vector<SliceShape>& shapes, RoundBytes most,
                          Traffic& traffic) {
    constexpr int more = sizeof most / sizeof(long long);
    const int S = grid_.shape().segments(), lambda = grid_.shape().lambda, each = S + more;
    std::vector<long long> mine{most.sliceA, most.tileB, most.own, most.widest};
    for (int s = 0; s < S; ++s) mine.push_back(shapes[s].entries);
    std::vector<long long> all(static_cast<std::size_t>(each) * lambda);
    allGather(mine.data(), each, MPI_LONG_LONG, all.data(), grid_.nodeComm(),
              "the entries of the slices of a node");
    traffic.count(false, static_cast<long long>(sizeof(long long)) * each * (lambda - 1));
    sliceEntries_.resize(static_cast<std::size_t>(S) * lambda);
    for (int k = 0; k < lambda; ++k) {
      const long long* const of = all.data() + static_cast<std::size_t>(each) * k;
      for (int s = 0; s < S; ++s) sliceEntries_[s * lambda + k] = of[more + s];
      most = {std::max(most.sliceA, of[0]), std::max(most.tileB, of[1]), std::max(most.own, of[2]),
              std::max(most.widest, of[3])};
    }
    return most;
  }
  /// Returns each slice's number of entries: slice k of segment s at [s·λ + k]. Empty until known.
  const std::vector<long long>& sliceEntries() const { return sliceEntries_; }
  void knowEntries(const std::vector<long long>& sliceEntries) { sliceEntries_ = sliceEntries; }

  /// Returns the bytes of a segment's tile, divided by λ if the ranks of a node share the tile.
  long long bytesPerSharer(const IndexSpace& inner, int segment) const {
    const long long bytes = tileBytes(inner, {segment});
    return bytes / (shared() ? grid_.shape().lambda : 1);
  }

  /// Reserves room for the largest tile. Collective over the node. Throws as NodeGather::reserve().
  /// @param held number of batches that have buffers at once. If 1, there is room for one tile only
  void reserve(const IndexSpace& inner, const std::vector<RoundBatch>& batches, std::size_t held) {
    std::size_t largest = 0;
    for (const RoundBatch& batch : batches)
      largest = std::max(largest, tileBytes(inner, batch.segments));
    slots_ = gather_->overlaps() && held > 1 ? 2 : 1;
    gather_->reserve(largest, slots_);
  }

  /// Opens the tile of batch g. Collective over the node, like start() and finish().
  /// @return storage of the tile, for attach()
  void* open(std::size_t g, const IndexSpace& inner, const RoundBatch& batch) {
    tiles_[slot(g)].emplace(inner, batch, sliceEntries_);
    return gather_->open(slot(g));
  }
  /// Attaches storage to the tile of batch g. Returns the tile, to which this rank writes. Local.
  const Tile& attach(std::size_t g, void* storage) {
    tiles_[slot(g)]->open(storage, gather_->memory());
    return *tiles_[slot(g)];
  }
  void start(std::size_t g, Traffic& traffic) {
    tiles_[slot(g)]->start(*gather_, slot(g), grid_.me().k, traffic);
  }
  void finish(std::size_t g) { gather_->finish(slot(g)); }
  /// Copies the tile of batch g to the device, unless the tile was gathered there. All ranks of the
  /// node must have finished the tile. Local.
  void toDevice(std::size_t g) const { tiles_[slot(g)]->toDevice(); }
  /// Returns the complete tile of batch g.
  LocalMatrix<Scalar, Device> matrix(std::size_t g, int columns) const {
    return tiles_[slot(g)]->matrix(columns);
  }

 private:
  int slot(std::size_t g) const { return static_cast<int>(g % slots_); }

  /// Returns the bytes of the tile of these segments.
  std::size_t tileBytes(const IndexSpace& inner, const std::vector<int>& segments) const {
    const int lambda = grid_.shape().lambda;
    long long rows = 0, entries = 0;
    for (const int s : segments) {
      rows += inner.segmentSize(s);
      for (int k = 0; k < lambda; ++k) entries += sliceEntries_[s * lambda + k];
    }
    return Tile::bytesOf(rows, entries);
  }

  const ProcessGrid& grid_;
  NodeGather* gather_ = nullptr;
  std::vector<long long> sliceEntries_;  // number of entries of each slice, [s·λ + k]
  int slots_ = 1;
  std::optional<Tile> tiles_[2];  // tile of each slot
};

}  // namespace Trident::Impl

#endif
