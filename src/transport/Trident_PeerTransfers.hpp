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

/// A transfer: a send to another rank or a receive from one, in one exchange.
struct PeerTransfer {
  char* data;  ///< read only, if it is sent
  std::size_t bytes;
  int peer;  ///< grid rank
  bool send;
};

/// Moves the transfers of exchanges, one exchange after another. Every transfer has its counterpart
/// of the same bytes at the peer, moved there by the same means.
class PeerTransfers {
 public:
  explicit PeerTransfers(MemoryKind memory) : memory_(memory) {}
  virtual ~PeerTransfers() = default;
  PeerTransfers(const PeerTransfers&) = delete;
  PeerTransfers& operator=(const PeerTransfers&) = delete;

  /// Returns the memory in which the data of all transfers lies.
  MemoryKind memory() const { return memory_; }

  /// Starts the transfers of an exchange; their data is in place, no kernel writes it any more.
  /// @param transfers of at least a byte each, ordered by distance: sends to the ranks after the
  ///   own one, receives from those before it. So nobody waits for one who waits for him, however
  ///   few transfers are under way at a time.
  virtual void start(const std::vector<PeerTransfer>& transfers) = 0;

  /// Waits until all are complete: received data is there, sent data may be overwritten.
  virtual void wait() = 0;

  /// Counts the messages that a transfer of `bytes` with this peer takes.
  virtual long long messages(int peer, std::size_t bytes) const = 0;

 private:
  MemoryKind memory_;
};

/// Makes transfers by MPI, which gets the data as it lies: host memory, or device memory if MPI is
/// GPU-aware.
std::unique_ptr<PeerTransfers> makeMpiTransfers(MPI_Comm comm, MemoryKind memory,
                                                std::size_t messageBytes);

/// Makes transfers of device memory by MPI through pinned host memory of a few chunks' size, chunk
/// by chunk: one is copied while others travel. A chunk is a message. Throws if there is no pinned
/// memory.
std::unique_ptr<PeerTransfers> makeStagedTransfers(MPI_Comm comm, std::size_t chunkBytes);

/// Makes transfers of device memory by NCCL among the ranks of a node, all of an exchange in one
/// group.
/// @param firstRank grid rank of the node's first
std::unique_ptr<PeerTransfers> makeNcclTransfers(NcclCommunicator& node, int firstRank);

/// Makes transfers of device memory by copies among the ranks of a node. A part of each rank's
/// device memory can be read by the others (PeerMemory). A chunk is copied into it, and the
/// receiver copies it out, while others are under way; messages carry no byte. Its making and its
/// end are collective over `node`; throws on every rank of it, or on none.
/// @param firstRank grid rank of the node's first
/// @param longestChunk equal on all ranks of the node
/// @param device outlives it
std::unique_ptr<PeerTransfers> makePeerCopies(MPI_Comm node, int firstRank,
                                              std::size_t longestChunk, IpcDevice& device);

/// Makes transfers that go by `near` with the grid ranks [firstRank, firstRank + ranks), and by
/// `far` with all others.
std::unique_ptr<PeerTransfers> makeSplitTransfers(std::unique_ptr<PeerTransfers> near,
                                                  std::unique_ptr<PeerTransfers> far, int firstRank,
                                                  int ranks);

}  // namespace Trident::Impl

#endif
