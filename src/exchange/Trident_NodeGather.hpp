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

/// Assembles tiles from the parts that the λ ranks of a node hold, as bytes. The steps of a tile
/// are: reserve(), open(), write own blocks, start(), finish(), read the tile. With several slots,
/// one tile can be gathered while another one is read.
///
/// Schedule invariant: every rank of the node makes the same calls in the same order. So all ranks
/// gather tiles in the same order, and no gather waits for a later one. From open() to finish() of
/// a slot, its tile belongs to the gather, except the own blocks before start(). Then it belongs to
/// the rank, up to the next open() of the slot. A tile that ranks share is whole only after all of
/// them have returned from finish(). So the caller must let all ranks meet before one reads it;
/// they agree on each tile anyway.
///
/// On a device, fences and allocations between start() and finish() may block the host until the
/// gather is done, and so until all ranks of the node have started it. So a rank goes straight from
/// start() to finish(), which moves MPI on while it waits. If overlaps() is true, the rank may work
/// between them, but only if all ranks of the node have agreed to start this gather now. Otherwise
/// a blocked rank could owe messages to a rank for which it waits.
class NodeGather {
 public:
  virtual ~NodeGather() = default;
  /// Returns the kind of this gather; never GatherKind::Auto.
  virtual GatherKind kind() const = 0;
  /// Returns the memory in which the tiles lie.
  virtual MemoryKind memory() const = 0;
  /// Returns true if start() returns immediately, and the gather ends while the hosts do something
  /// else, once all ranks have started it.
  virtual bool overlaps() const = 0;

  /// Makes room for tiles of up to `bytes` in each slot; `bytes` must be equal on all ranks of the
  /// node. The room is kept for later products, but not its content. Throws if this rank lacks
  /// memory. If other ranks see the tiles, throws on every rank of the node. Collective over the
  /// node. So are the next three functions, which no rank may call before all have reserved.
  virtual void reserve(std::size_t bytes, int slots) = 0;
  /// Returns the slot's storage when no rank of the node reads the slot's last tile any more.
  virtual void* open(int slot) = 0;
  /// Starts to gather. The own blocks must be there: on devices, kernels that write them must have
  /// ended. Every rank passes the same blocks.
  virtual void start(int slot, const std::vector<GatherBlock>& blocks, Traffic& traffic) = 0;
  /// Waits until the slot's tile is complete. If ranks share the tile, only the own blocks are.
  virtual void finish(int slot) = 0;
};

/// Makes a gather by messages. Each rank has tiles of its own.
/// @param memory memory of the tiles; MPI must be able to take it
std::unique_ptr<NodeGather> makeMpiGather(MPI_Comm node, std::size_t messageBytes,
                                          MemoryKind memory = MemoryKind::Host);

/// Makes a gather without messages: a slot has one tile for the whole node, in memory that its
/// ranks share (NodeMemory). Only reserve() finds out whether they can share enough. If not, it
/// throws on every rank of the node. Then there is no room until a later reserve() succeeds.
std::unique_ptr<NodeGather> makeSharedGather(MPI_Comm node);

/// Makes a gather by NCCL. Each rank has tiles of its own on its device, each filled by one group.
/// @param nccl NCCL's communicator of the ranks of `node`, in their order; outlives the gather
std::unique_ptr<NodeGather> makeNcclGather(MPI_Comm node, NcclCommunicator& nccl);

/// Makes a gather by peer copies. Each rank has tiles of its own on its device, which the others of
/// the node read (PeerMemory). Only reserve() finds out whether all can have enough memory. If not,
/// it throws on every rank of the node. Then there is no room until a later reserve() succeeds. To
/// destroy the gather is collective over `node`.
/// @param device outlives the gather
std::unique_ptr<NodeGather> makePeerGather(MPI_Comm node, IpcDevice& device);

}  // namespace Trident::Impl

#endif
