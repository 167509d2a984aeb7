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

/// Bytes [offset, offset + bytes) of the node's tile, written by rank k of the node.
struct GatherBlock {
  int k;
  std::size_t offset;
  std::size_t bytes;
};

/// Assembles tiles from the parts that the λ ranks of a node hold, in bytes. One tile is reserve(),
/// open(), own blocks written, start(), finish(), tile read; with several slots one tile can be
/// gathered while another is read.
///
/// Schedule invariant. Every rank of the node makes the same calls in the same order. So tiles are
/// gathered one after another on all of them, and no gather waits for a later one. Between open()
/// and finish() of a slot the tile belongs to the gather but for the own blocks before start();
/// from then to the next open() of that slot it belongs to the rank. A tile that ranks share is not
/// whole before all of them have come out of finish(): the caller, who has ranks agree upon a tile
/// anyway, lets them meet before one reads it.
///
/// Between start() and finish() on a device, fences and allocations may block the host until the
/// gather is done, hence until all ranks of the node have started it. So a rank goes straight from
/// start() to finish(), which moves MPI on while it waits. If overlaps() it may work between them,
/// but only when the ranks of the node have agreed that all of them start this gather now.
/// Otherwise a rank that is blocked could owe messages to one for which it waits.
class NodeGather {
 public:
  virtual ~NodeGather() = default;
  /// Returns the kind of this gather; never GatherKind::Auto.
  virtual GatherKind kind() const = 0;
  /// Returns the memory in which tiles lie.
  virtual MemoryKind memory() const = 0;
  /// Returns true if start() returns at once and a gather, once all have started it, ends while the
  /// hosts do something else.
  virtual bool overlaps() const = 0;

  /// Makes room for tiles of up to `bytes` in each slot; `bytes` is equal on all ranks of the node.
  /// The room is kept for later products, but not its content. Throws if this rank lacks the
  /// memory; if it is of tiles that other ranks see, throws on every rank of the node. Collective
  /// over the node. So are the next three functions, which no rank may call before all of them have
  /// reserved.
  virtual void reserve(std::size_t bytes, int slots) = 0;
  /// Returns the slot's storage, once no rank of the node reads its former tile.
  virtual void* open(int slot) = 0;
  /// Starts to gather. The own blocks are there: on devices, kernels that wrote them have finished.
  /// Every rank passes the same blocks.
  virtual void start(int slot, const std::vector<GatherBlock>& blocks, Traffic& traffic) = 0;
  /// Waits until the slot's tile is complete; of a tile that ranks share, this rank's blocks.
  virtual void finish(int slot) = 0;
};

/// Makes a gather by messages: each rank has tiles of its own.
/// @param memory of the tiles, which MPI must be able to take
std::unique_ptr<NodeGather> makeMpiGather(MPI_Comm node, std::size_t messageBytes,
                                          MemoryKind memory = MemoryKind::Host);

/// Makes a gather with one tile per node and slot, in memory that the ranks share (NodeMemory): λ
/// ranks hold one copy, and nothing is sent. Only reserve() finds out whether they can share so
/// much; it throws on every rank of the node if they cannot. Then there is no room until a later
/// reserve() has succeeded.
std::unique_ptr<NodeGather> makeSharedGather(MPI_Comm node);

/// Makes a gather by NCCL: each rank has tiles of its own on its device, filled by one NCCL group.
/// @param nccl the node's, with the ranks of `node` in their order; outlives the gather
std::unique_ptr<NodeGather> makeNcclGather(MPI_Comm node, NcclCommunicator& nccl);

/// Makes a gather by peer copies: each rank has tiles of its own on its device, which the others of
/// the node read (PeerMemory). Only reserve() finds out whether they can have so much; it throws on
/// every rank of the node if one lacks it. Then there is no room until a later reserve() has
/// succeeded. To destroy the gather is collective over `node`.
/// @param device outlives the gather
std::unique_ptr<NodeGather> makePeerGather(MPI_Comm node, IpcDevice& device);

}  // namespace Trident::Impl

#endif
