// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PEERTRANSFERS_HPP
#define TRIDENT_PEERTRANSFERS_HPP

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/Trident_Memory.hpp"

namespace Trident::Impl {

class IpcDevice;
class NcclCommunicator;

/// One transfer of an exchange: a send to another rank, or a receive from one.
struct PeerTransfer {
  char* data;  ///< data, which a send only reads
  std::size_t bytes;
  int peer;  ///< grid rank
  bool send;
};

/// Moves the transfers of exchanges, one exchange after another. Each transfer has a counterpart at
/// the peer: of the same bytes, and moved by the same means.
class PeerTransfers {
 public:
  explicit PeerTransfers(MemoryKind memory) : memory_(memory) {}
  virtual ~PeerTransfers() = default;
  PeerTransfers(const PeerTransfers&) = delete;
  PeerTransfers& operator=(const PeerTransfers&) = delete;

  /// Returns the memory in which the data of all transfers must lie.
  MemoryKind memory() const { return memory_; }

  /// Starts the transfers of an exchange. Their data is in place, and no kernel writes it any more.
  /// @param transfers transfers of at least a byte each, ordered by distance: sends to the ranks
  ///   after this one, receives from the ranks before it. So ranks do not wait for each other in a
  ///   circle, however few transfers are under way at a time.
  virtual void start(const std::vector<PeerTransfer>& transfers) = 0;

  /// Waits until all are complete. Then received data is there, and sent data may be overwritten.
  virtual void wait() = 0;

  /// Returns the number of messages for a transfer of `bytes` with this peer.
  virtual long long messages(int peer, std::size_t bytes) const = 0;

 private:
  MemoryKind memory_;
};

/// Makes transfers by MPI, which gets the data where it lies: in host memory, or in device memory
/// if MPI is GPU-aware.
std::unique_ptr<PeerTransfers> makeMpiTransfers(MPI_Comm comm, MemoryKind memory,
                                                std::size_t messageBytes);

/// Makes transfers of device memory by MPI, staged through pinned host memory for a few chunks. One
/// chunk is copied while others travel. Each chunk is a message. Throws if there is no pinned
/// memory.
std::unique_ptr<PeerTransfers> makeStagedTransfers(MPI_Comm comm, std::size_t chunkBytes);

/// Makes transfers of device memory by NCCL among the ranks of a node. All transfers of an exchange
/// are one group.
/// @param firstRank grid rank of the node's first rank
std::unique_ptr<PeerTransfers> makeNcclTransfers(NcclCommunicator& node, int firstRank);

/// Makes transfers of device memory by copies among the ranks of a node. The sender copies a chunk
/// into device memory that the others can read (PeerMemory), and the receiver copies it out; other
/// chunks are under way meanwhile. Messages are notices without a byte. Collective over `node` to
/// make and to destroy; making throws on every rank of it, or on none.
/// @param firstRank grid rank of the node's first rank
/// @param longestChunk equal on all ranks of the node
/// @param device outlives the transfers
std::unique_ptr<PeerTransfers> makePeerCopies(MPI_Comm node, int firstRank,
                                              std::size_t longestChunk, IpcDevice& device);

/// Makes transfers that use `near` for the grid ranks [firstRank, firstRank + ranks), and `far` for
/// all others.
std::unique_ptr<PeerTransfers> makeSplitTransfers(std::unique_ptr<PeerTransfers> near,
                                                  std::unique_ptr<PeerTransfers> far, int firstRank,
                                                  int ranks);

}  // namespace Trident::Impl

#endif
