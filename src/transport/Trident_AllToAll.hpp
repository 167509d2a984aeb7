// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ALLTOALL_HPP
#define TRIDENT_ALLTOALL_HPP

#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Traffic.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "transport/Trident_PeerTransfers.hpp"

namespace Trident::Impl {

/// Receives the counts that the ranks of `comm` send to this one: `each` counts from each rank. If
/// there are fewer than AllToAll::manyRanks ranks, all send to all. Else a rank sends no message of
/// zeros alone, so that the number of its messages does not grow with the ranks. Collective.
/// @param sendCounts `each` counts for each rank, by rank, also the zeros
/// @return `each` counts from each rank, by rank; zeros from ranks that send nothing
std::vector<long long> receiveCounts(MPI_Comm comm, const std::vector<long long>& sendCounts,
                                     int each);

/// Receives counts like receiveCounts(). Dense: all send to all. Sparse: by NBX (Hoefler, Siebert
/// and Lumsdaine, "Scalable Communication Protocols for Dynamic Sparse Data Exchange", PPoPP 2010).
/// By NBX a rank enters a barrier when all messages that it sent have arrived. Then the rank goes
/// on receiving until all ranks are in the barrier.
std::vector<long long> receiveCountsDense(MPI_Comm comm, const std::vector<long long>& sendCounts,
                                          int each);
std::vector<long long> receiveCountsSparse(MPI_Comm comm, const std::vector<long long>& sendCounts,
                                           int each);

/// A personalized exchange among the ranks of a grid (of any shape), or of one of its lines. Counts
/// are exchanged when the object is made. Then any number of payloads moves with these counts.
/// Ranks with no elements for each other exchange no payloads. Counts are 64-bit.
class AllToAll {
 public:
  static constexpr int manyRanks = 32;  ///< number of ranks from which on zeros are not sent

  /// Exchanges the counts. Collective over the ranks.
  /// @param sendCounts number of elements for each grid rank
  AllToAll(const GridRanks& ranks, std::vector<long long> sendCounts, std::size_t messageBytes);

  /// Makes an exchange among fewer than manyRanks ranks. Its collective step also sums numbers
  /// over all ranks. If some rank has failed, throws Trident::Error on every rank. Collective over
  /// the ranks.
  /// @param sums in: this rank's numbers, equally many on every rank; a failed rank may give any
  ///   values. Out: the sums.
  static AllToAll withSums(const GridRanks& ranks, const std::vector<long long>& sendCounts,
                           std::vector<long long>& sums, std::size_t messageBytes,
                           const LocalFailure& failure);

  /// Makes two exchanges of different elements. Their counts travel together. Collective.
  static std::pair<AllToAll, AllToAll> pair(const GridRanks& ranks,
                                            const std::vector<long long>& firstCounts,
                                            const std::vector<long long>& secondCounts,
                                            std::size_t messageBytes);

  /// Makes an exchange among the members of a line. Collective over the line.
  /// @param sendCounts number of elements for each member
  AllToAll(const ProcessGrid& grid, Factor line, std::vector<long long> sendCounts,
           std::size_t messageBytes);
  static std::pair<AllToAll, AllToAll> pair(const ProcessGrid& grid, Factor line,
                                            const std::vector<long long>& firstCounts,
                                            const std::vector<long long>& secondCounts,
                                            std::size_t messageBytes);

  /// Returns an exchange of other elements among these ranks. Both sides know its counts. Local.
  AllToAll withCounts(const std::vector<long long>& sendCounts,
                      const std::vector<long long>& receiveCounts) const {
    return AllToAll(comm_, internode_, sendCounts, receiveCounts, messageBytes_);
  }

  /// Returns the offsets of each rank's elements in the send or the receive array: ranks + 1
  /// numbers. Elements are ordered by rank.
  const std::vector<long long>& sendOffsets() const { return sendOffsets_; }
  const std::vector<long long>& receiveOffsets() const { return receiveOffsets_; }
  long long sends() const { return sendOffsets_.back(); }
  long long receives() const { return receiveOffsets_.back(); }

  /// Returns true if this rank exchanges with itself alone. Then the send array is the result, and
  /// exchange() need not be called.
  bool onlySelf() const;

  /// Moves one payload. All ranks whose onlySelf() is false must call it, in the same order.
  /// @param send, receive host arrays of sends() and receives() elements of `elementBytes` each
  void exchange(const void* send, void* receive, std::size_t elementBytes, Traffic& traffic) const;

  /// Moves one payload through `peers`. `send` and `receive` must lie in peers.memory(). All
  /// kernels that write `send` must have ended.
  void exchange(const void* send, void* receive, std::size_t elementBytes, PeerTransfers& peers,
                Traffic& traffic) const;

  /// Moves one answer back for each element that this rank has received. Host arrays.
  void exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                    Traffic& traffic) const;
  /// Moves answers back through `peers`. All arrays lie in peers.memory().
  void exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                    PeerTransfers& peers, Traffic& traffic) const;

  /// Sends one answer to each other rank that has sent elements to this rank. Host arrays.
  /// @param received answers by rank; unchanged for this rank and ranks that got nothing from it
  void answerEach(const void* answers, void* received, std::size_t answerBytes,
                  Traffic& traffic) const;

 private:
  /// The array that this rank sends or receives, with the places of each peer's elements.
  struct End {
    char* data;
    const std::vector<long long>& offsets;
    std::size_t elementBytes;

    char* of(int peer) const { return data + offsets[peer] * elementBytes; }
    std::size_t bytes(int peer) const { return (offsets[peer + 1] - offsets[peer]) * elementBytes; }
  };

  std::vector<PeerTransfer> transfers(const End& send, const End& receive) const;
  void move(const End& send, const End& receive, PeerTransfers& peers, Traffic& traffic) const;

  static std::pair<AllToAll, AllToAll> pair(MPI_Comm comm, const std::vector<bool>& internode,
                                            const std::vector<long long>& firstCounts,
                                            const std::vector<long long>& secondCounts,
                                            std::size_t messageBytes);

  AllToAll(MPI_Comm comm, std::vector<bool> internode, std::vector<long long> sendCounts,
           std::size_t messageBytes);
  AllToAll(MPI_Comm comm, std::vector<bool> internode, const std::vector<long long>& sendCounts,
           const std::vector<long long>& receiveCounts, std::size_t messageBytes);

  MPI_Comm comm_;
  int me_ = 0;
  std::vector<bool> internode_;  // true for each rank of comm_ on another node
  std::size_t messageBytes_;
  std::vector<long long> sendOffsets_, receiveOffsets_;
};

}  // namespace Trident::Impl

#endif
