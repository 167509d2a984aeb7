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

/// Moves the transfers of exchanges, one exchange after another. Each transfer needs its
/// counterpart at the peer, with as many bytes and by the same means: MPI, NCCL or peer copies.
class PeerTransfers {
 public:
  explicit PeerTransfers(MemoryKind memory) : memory_(memory) {}
  virtual ~PeerTransfers() = default;
  PeerTransfers(const PeerTransfers&) = delete;
  PeerTransfers& operator=(const PeerTransfers&) = delete;

  /// Returns the memory in which the data of all transfers must lie.
  MemoryKind memory() const { return memory_; }

  /// Starts the transfers of an exchange. All data must be there: no kernel may still write it.
  /// @param transfers transfers of at least a byte each, ordered by distance d = 1, 2, ...: the
  ///   send to the d-th rank after this one, the receive from the d-th rank before it. In this
  ///   order ranks never wait in a circle, however few transfers are under way at a time.
  virtual void start(const std::vector<PeerTransfer>& transfers) = 0;

  /// Waits until all transfers are complete. Then sent data may be overwritten.
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
/// into device memory that the others can read (PeerMemory), and the receiver copies the chunk out.
/// Several chunks are under way at a time. Messages only tell that a chunk was copied. To make and
/// to destroy the object is collective over `node`. Throws on every rank of `node`, or on none.
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
