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

/// Receives the counts that the ranks of `comm` send to this one, where each rank has counts for
/// each. Among few ranks all send to all. Among many a rank sends only counts other than 0, so that
/// its messages do not grow with the ranks. Collective.
/// @param sendCounts `each` numbers for every rank; memory of the order of the ranks, 8 bytes a
///   number
/// @return `each` numbers of every rank; zeros of those that send nothing
std::vector<long long> receiveCounts(MPI_Comm comm, const std::vector<long long>& sendCounts,
                                     int each);

/// Receives counts in one of two ways: from all ranks, or by NBX. NBX is of Hoefler, Siebert and
/// Lumsdaine, "Scalable Communication Protocols for Dynamic Sparse Data Exchange" (PPoPP 2010): a
/// rank whose messages have arrived enters a barrier, and receives until all are in it.
std::vector<long long> receiveCountsDense(MPI_Comm comm, const std::vector<long long>& sendCounts,
                                          int each);
std::vector<long long> receiveCountsSparse(MPI_Comm comm, const std::vector<long long>& sendCounts,
                                           int each);

/// A personalized exchange among the ranks of a grid, of any shape, or of a line of it: counts
/// first, then any number of payloads of that many elements each. Only pairs with something to say
/// exchange messages; counts are 64-bit.
class AllToAll {
 public:
  static constexpr int manyRanks = 32;  ///< ranks from which on not all send to all

  /// Exchanges the counts. Collective over the ranks.
  /// @param sendCounts elements for each grid rank
  AllToAll(const GridRanks& ranks, std::vector<long long> sendCounts, std::size_t messageBytes);

  /// Exchanges the counts of fewer than manyRanks, and sums with them numbers of each rank.
  /// Collective over the ranks; throws Trident::Error on every rank where one has failed.
  /// @param sums as many on every rank; of one that has failed, any
  static AllToAll withSums(const GridRanks& ranks, const std::vector<long long>& sendCounts,
                           std::vector<long long>& sums, std::size_t messageBytes,
                           const LocalFailure& failure);

  /// Makes two exchanges for different elements, whose counts are exchanged together.
  static std::pair<AllToAll, AllToAll> pair(const GridRanks& ranks,
                                            const std::vector<long long>& firstCounts,
                                            const std::vector<long long>& secondCounts,
                                            std::size_t messageBytes);

  /// Makes an exchange among the members of a line. Collective over the line.
  /// @param sendCounts elements for each member
  AllToAll(const ProcessGrid& grid, Factor line, std::vector<long long> sendCounts,
           std::size_t messageBytes);
  static std::pair<AllToAll, AllToAll> pair(const ProcessGrid& grid, Factor line,
                                            const std::vector<long long>& firstCounts,
                                            const std::vector<long long>& secondCounts,
                                            std::size_t messageBytes);

  /// Returns an exchange among these ranks for other elements, whose counts both sides know. Local.
  AllToAll withCounts(const std::vector<long long>& sendCounts,
                      const std::vector<long long>& receiveCounts) const {
    return AllToAll(comm_, internode_, sendCounts, receiveCounts, messageBytes_);
  }

  /// Returns offsets of elements in the send and receive arrays, which lie by rank: ranks + 1
  /// numbers.
  const std::vector<long long>& sendOffsets() const { return sendOffsets_; }
  const std::vector<long long>& receiveOffsets() const { return receiveOffsets_; }
  long long sends() const { return sendOffsets_.back(); }
  long long receives() const { return receiveOffsets_.back(); }

  /// Returns true if this rank exchanges with itself alone: then a payload is its own result and
  /// `exchange` need not be called.
  bool onlySelf() const;

  /// Moves one payload. Every rank whose onlySelf() is false calls it, in the same order.
  /// @param send, receive host arrays of sends() and receives() elements of `elementBytes` each
  void exchange(const void* send, void* receive, std::size_t elementBytes, Traffic& traffic) const;

  /// Moves one payload that lies in the memory of `peers`, by them. All kernels that write `send`
  /// have ended.
  void exchange(const void* send, void* receive, std::size_t elementBytes, PeerTransfers& peers,
                Traffic& traffic) const;

  /// Moves one payload the other way round: answers to a payload of exchange(). Host arrays.
  void exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                    Traffic& traffic) const;
  /// Moves answers back, which lie in the memory of `peers`, by them.
  void exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                    PeerTransfers& peers, Traffic& traffic) const;

  /// Gives each rank that has asked anything one answer to all of it. Host arrays, by rank.
  /// @param received the answer of each rank that was asked; others' places are left alone
  void answerEach(const void* answers, void* received, std::size_t answerBytes,
                  Traffic& traffic) const;

 private:
  /// The places of elements for each peer.
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
