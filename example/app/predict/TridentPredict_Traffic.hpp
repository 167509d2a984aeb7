// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_TRAFFIC_HPP
#define TRIDENTPREDICT_TRAFFIC_HPP

#include <vector>

#include "TridentPredict_Placement.hpp"
#include "base/Trident_Traffic.hpp"
#include "transport/Trident_Messages.hpp"

namespace Trident {
namespace Predict {

/// Bytes that ranks of a product exchange, by rank in grid order.
struct RankTraffic {
  std::vector<TrafficByPart> received;  ///< counts as in the ranks' reports
  std::vector<TrafficByPart> sent;      ///< likewise, counted by those who send

  explicit RankTraffic(int ranks = 0) : received(ranks), sent(ranks) {}
  int ranks() const { return static_cast<int>(received.size()); }
  /// Adds one part of another traffic of as many ranks.
  void add(const RankTraffic& other, Traffic TrafficByPart::*part) {
    for (int rank = 0; rank < ranks(); ++rank) {
      received[rank].*part += other.received[rank].*part;
      sent[rank].*part += other.sent[rank].*part;
    }
  }
};

/// Counts what ranks receive in one part of a product.
class Counter {
 public:
  /// @param nodeSize ranks in a node of the machine
  /// @param traffic outlives this
  Counter(int nodeSize, RankTraffic& traffic, Traffic TrafficByPart::*part)
      : nodeSize_(nodeSize), traffic_(traffic), part_(part) {}

  /// Counts a block of bytes, cut into messages as the library cuts it; nothing if it is empty, or
  /// stays with its rank.
  void receive(int rank, int from, long long bytes) {
    if (bytes > 0 && rank != from)
      add(rank, from, bytes, Impl::messageCount(bytes, Impl::MessageOptions().messageBytes));
  }
  /// Counts several blocks together.
  void add(int rank, int from, long long bytes, long long messages) {
    const bool internode = rank / nodeSize_ != from / nodeSize_;
    (traffic_.received[rank].*part_).count(internode, bytes, messages);
    (traffic_.sent[from].*part_).count(internode, bytes, messages);
  }

 private:
  int nodeSize_;
  RankTraffic& traffic_;
  Traffic TrafficByPart::*part_;
};

/// Runs of entries that one rank exchanges with each other rank.
class RunsByPeer {
 public:
  explicit RunsByPeer(int ranks) : peers_(ranks) {}

  void add(int peer, long long runs, long long entries, double weight = 1) {
    if (peers_[peer].entries == 0) met_.push_back(peer);
    peers_[peer].runs += weight * runs;
    peers_[peer].entries += weight * entries;
  }
  /// Calls visit(peer, runs, entries) for each peer, and forgets them.
  template <class Visit>
  void take(const Visit& visit) {
    for (const int peer : met_) {
      visit(peer, peers_[peer].runs, peers_[peer].entries);
      peers_[peer] = {};
    }
    met_.clear();
  }

 private:
  struct Counts {
    double runs = 0, entries = 0;
  };
  std::vector<Counts> peers_;
  std::vector<int> met_;
};

}  // namespace Predict
}  // namespace Trident

#endif
