// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NODEGATHER_HPP
#define TRIDENT_NODEGATHER_HPP

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "Trident_Traffic.hpp"

namespace Trident {

/// Bytes [offset, offset + bytes) of the node's tile, written by rank k of the node.
struct GatherBlock {
  int k;
  std::size_t offset;
  std::size_t bytes;
};

/// Assembles a tile from the parts that the λ ranks of a node hold, in bytes. All calls are
/// collective over the node. One tile is reserve(), own blocks written, gather(), tile read.
class NodeGather {
 public:
  virtual ~NodeGather() = default;
  virtual const char* name() const = 0;

  /// Room for a tile of up to `bytes` (equal on all ranks of the node); kept for later products.
  /// Throws on every rank of the node or on none.
  virtual void reserve(std::size_t bytes) = 0;
  /// The tile's storage, once no rank of the node reads the tile before.
  virtual void* open() = 0;
  /// Returns when all blocks are there. Every rank passes the same blocks.
  virtual void gather(const std::vector<GatherBlock>& blocks, Traffic& traffic) = 0;
};

/// Each rank has a tile of its own, filled by messages.
std::unique_ptr<NodeGather> makeMpiGather(MPI_Comm node, std::size_t messageBytes);

/// One tile per node in an MPI shared window: λ ranks hold one copy, and nothing is sent.
/// The window is made at the first reserve(), which throws where it cannot be made.
std::unique_ptr<NodeGather> makeSharedGather(MPI_Comm node);

/// Whether all ranks of `node` share memory and MPI makes windows in it, found by making one;
/// errors are returned, nothing aborts. Collective over `node`.
bool canShareMemory(MPI_Comm node);

}  // namespace Trident

#endif
