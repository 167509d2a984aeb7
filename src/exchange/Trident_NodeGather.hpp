// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODEGATHER_HPP
#define TRIDENT_NODEGATHER_HPP

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/Trident_Memory.hpp"
#include "base/Trident_Options.hpp"
#include "base/Trident_Traffic.hpp"

namespace Trident::Impl {

class IpcDevice;
class NcclCommunicator;

/// Bytes [offset, offset + bytes) of the node's tile, which rank k of the node writes.
struct GatherBlock {
  int k;
  std::size_t offset;
  std::size_t bytes;
};

/// Assembles tiles from the blocks that the λ ranks of a node hold, as bytes. The steps of a tile
/// are: reserve(), open(), write own blocks, start(), finish(), read the tile. With several slots,
/// one tile can be gathered while another tile is read.
///
/// Schedule invariant: every rank of the node makes the same calls in the same order. So all ranks
/// gather tiles in the same order, and no gather waits for a later gather. Between open() and
/// start() a rank may only write its own blocks. From start() to finish() the tile belongs to the
/// gather. After finish() the tile belongs to the rank, up to the next open() of the slot. A tile
/// that ranks share is whole only when finish() has returned on all ranks. So the caller must
/// synchronize the ranks before one of them reads such a tile.
///
/// On a device, fences and allocations between start() and finish() may block the host until all
/// ranks of the node have started the gather. So a rank calls finish() directly after start(), and
/// finish() moves MPI on while it waits. The rank may work between the two calls only if overlaps()
/// is true, and if all ranks of the node have agreed to start this gather now. Otherwise a blocked
/// rank may wait for a rank that waits for a message of the blocked rank.
class NodeGather {
 public:
  virtual ~NodeGather() = default;
  /// Returns the kind of this gather; never GatherKind::Auto.
  virtual GatherKind kind() const = 0;
  /// Returns the memory in which the tiles lie.
  virtual MemoryKind memory() const = 0;
  /// Returns true if the gather runs after start() while the hosts do other work. The gather ends
  /// only after all ranks have started it. start() may wait for them.
  virtual bool overlaps() const = 0;

  /// Makes room for tiles of up to `bytes` in each slot; `bytes` is equal on all ranks of the node.
  /// The room is kept for later products, its content is not. If a rank lacks memory, throws on
  /// that rank. If ranks see each other's tiles, throws on every rank of the node. Collective over
  /// the node, like open(), start() and finish(). All ranks must reserve before one calls these.
  virtual void reserve(std::size_t bytes, int slots) = 0;
  /// Returns the slot's storage. Waits until no rank of the node reads the slot's last tile.
  virtual void* open(int slot) = 0;
  /// Starts to gather a tile. This rank's blocks must be written. On devices, the kernels that
  /// write them must have ended. Every rank must pass the same blocks.
  virtual void start(int slot, const std::vector<GatherBlock>& blocks, Traffic& traffic) = 0;
  /// Waits until the slot's tile is complete. If ranks share the tile, waits for own blocks only.
  virtual void finish(int slot) = 0;
};

/// Makes a gather by messages. Each rank has tiles of its own.
/// @param memory memory of the tiles, which MPI must be able to read and write
std::unique_ptr<NodeGather> makeMpiGather(MPI_Comm node, std::size_t messageBytes,
                                          MemoryKind memory = MemoryKind::Host);

/// Makes a gather without messages. A slot has one tile for the whole node, in memory that the
/// ranks share (NodeMemory). If the ranks cannot share enough, reserve() throws on every rank of
/// the node. After that the gather has no memory until a later reserve() succeeds.
std::unique_ptr<NodeGather> makeSharedGather(MPI_Comm node);

/// Makes a gather by NCCL. Each rank has its own tiles on its device. One NCCL group fills a tile.
/// @param nccl NCCL's communicator of the ranks of `node`, in their order; outlives the gather
std::unique_ptr<NodeGather> makeNcclGather(MPI_Comm node, NcclCommunicator& nccl);

/// Makes a gather by peer copies. Each rank has its own tiles on its device, and the other ranks of
/// the node read these tiles (PeerMemory). If some rank cannot have enough memory, reserve() throws
/// on every rank of the node. After that the gather has no memory until a later reserve() succeeds.
/// The gather's destructor is collective over `node`.
/// @param device outlives the gather
std::unique_ptr<NodeGather> makePeerGather(MPI_Comm node, IpcDevice& device);

}  // namespace Trident::Impl

#endif
