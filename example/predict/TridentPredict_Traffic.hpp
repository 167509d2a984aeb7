// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_TRAFFIC_HPP
#define TRIDENTPREDICT_TRAFFIC_HPP

#include <vector>

#include "TridentPredict_Placement.hpp"
#include "Trident_Messages.hpp"
#include "Trident_Traffic.hpp"

namespace Trident {
namespace Predict {

/// What each rank of a product receives, in grid order, as its report would count it.
using RankTraffic = std::vector<TrafficByPart>;

/// Counts what ranks receive in one part of a product.
class Counter {
 public:
  /// Both outlive this.
  Counter(const Placement& placement, RankTraffic& traffic, Traffic TrafficByPart::*part)
      : placement_(placement), traffic_(traffic), part_(part) {}

  /// A block of bytes, cut into messages as the library cuts it; nothing where it is empty, or
  /// stays with its rank.
  void receive(int rank, int from, long long bytes) {
    if (bytes > 0 && rank != from)
      add(rank, from, bytes, Impl::messageCount(bytes, Impl::MessageOptions().messageBytes));
  }
  /// Several blocks together.
  void add(int rank, int from, long long bytes, long long messages) {
    (traffic_[rank].*part_).count(!placement_.sameNode(rank, from), bytes, messages);
  }

 private:
  const Placement& placement_;
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
