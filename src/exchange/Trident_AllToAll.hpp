// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ALLTOALL_HPP
#define TRIDENT_ALLTOALL_HPP

#include <cstddef>
#include <vector>

#include "Trident_ProcessGrid.hpp"
#include "Trident_Traffic.hpp"

namespace Trident {

/// A personalized exchange among the ranks of a grid: counts first, then any number of payloads of
/// that many elements each. Only pairs with something to say exchange messages; counts are 64-bit.
class AllToAll {
 public:
  /// Exchanges the counts. Collective over the grid.
  /// @param sendCounts elements for each grid rank
  AllToAll(const ProcessGrid& grid, std::vector<long long> sendCounts, std::size_t messageBytes);

  /// Elements in the send and receive arrays, which lie by grid rank: ranks + 1 offsets.
  const std::vector<long long>& sendOffsets() const { return sendOffsets_; }
  const std::vector<long long>& receiveOffsets() const { return receiveOffsets_; }
  long long sends() const { return sendOffsets_.back(); }
  long long receives() const { return receiveOffsets_.back(); }

  /// Whether this rank exchanges with itself alone: then a payload is its own result and
  /// `exchange` need not be called.
  bool onlySelf() const;

  /// Moves one payload. Every rank whose onlySelf() is false calls it, in the same order.
  /// @param send, receive host arrays of sends() and receives() elements of `elementBytes` each
  void exchange(const void* send, void* receive, std::size_t elementBytes, Traffic& traffic) const;

  /// Moves one payload the other way round: answers to what `exchange` asked.
  void exchangeBack(const void* answers, void* received, std::size_t elementBytes,
                    Traffic& traffic) const;

 private:
  void move(const char* send, const std::vector<long long>& sendOffsets, char* receive,
            const std::vector<long long>& receiveOffsets, std::size_t elementBytes,
            Traffic& traffic) const;

  const ProcessGrid& grid_;
  std::size_t messageBytes_;
  std::vector<long long> sendOffsets_, receiveOffsets_;
};

}  // namespace Trident

#endif
