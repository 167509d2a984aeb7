// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CONNECTEDCOMPONENTS_HPP
#define TRIDENT_CONNECTEDCOMPONENTS_HPP

#include <vector>

#include "base/Trident_Agreement.hpp"
#include "layout/Trident_RemoteValues.hpp"
#include "markov/Trident_NodeEdges.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_RowLoops.hpp"

namespace Trident::Impl {

/// A functor for kernels that replaces a number by `other` if that is smaller. Atomic.
struct TakeSmaller {
  KOKKOS_INLINE_FUNCTION void operator()(Position& mine, Position other) const {
    minShared(&mine, other);
  }
};

/// The connected components of chosen nodes: of a limit's attractors, or of all nodes. An edge
/// connects two nodes, whichever way it points. Each node has a root: at first the node's own
/// number, later a smaller number in the component. A round has three steps. Each node finds the
/// least root among itself and its neighbours. Each root takes the least root that its nodes found.
/// Each node takes the root of its root. The rounds end when no root changes. There are few rounds,
/// about the logarithm of a component's size, however long paths are. (Shiloach and Vishkin 1982;
/// FastSV of Zhang, Azad and Buluç 2020.)
template <class Device>
class ConnectedComponents {
  using Numbers = Kokkos::View<Position*, Device>;

 public:
  /// @param ranks, numbering, graph, columns must outlive this object
  /// @param columns way to fetch a value for each column of the graph
  /// @param chosen for each column: true if the class's "chosen nodes" include its node
  ConnectedComponents(const GridRanks& ranks, const Numbering& numbering,
                      const NodeEdges<Device>& graph, RemoteValues<Device>& columns,
                      const Kokkos::View<char*, Device>& chosen, std::size_t messageBytes)
      : ranks_(ranks),
        numbering_(numbering),
        graph_(graph),
        columns_(columns),
        chosen_(chosen),
        messageBytes_(messageBytes) {}

  /// Returns the root of each node of this rank: the least number in the node's component.
  /// Collective; throws Trident::Error on every rank if a rank fails.
  Numbers roots(LocalFailure& failure) {
    failure.guard([&] {
      roots_ = uninitialized<Position, Device>("Trident::roots", columns_.size());
      least_ = uninitialized<Position, Device>("Trident::leastRoots", columns_.size());
      old_ = uninitialized<Position, Device>("Trident::oldRoots", columns_.own());
      ownNumbers();
    });
    throwEverywhere(ranks_.comm(), failure.text());
    std::vector<long long> changed{1};
    while (changed[0] > 0) {
      learn(failure);
      tellRoots(failure);
      takeRootsOfRoots(failure);
      failure.guard([&] { changed[0] = countChanged(); });
      sumEverywhere(ranks_.comm(), changed, failure);
      ++rounds_;
    }
    return Kokkos::subview(roots_, std::make_pair(0LL, columns_.own()));
  }

  /// Returns the number of rounds that roots() took. The last round changed nothing.
  int rounds() const { return rounds_; }

  // Public, because CUDA wants functions with kernels to be public.

  void ownNumbers() {
    const Position begin = numbering_.begin();
    const auto roots = roots_;
    Kokkos::parallel_for(
        "Trident::ownRoots", Range<Device>(0, columns_.own()),
        TRIDENT_LAMBDA(long long l) { roots(l) = begin + l; });
  }
  /// Lowers `least_` at both ends of each edge to the root of the other end, if that is smaller.
  void exchangeRoots() {
    Kokkos::deep_copy(least_, roots_);
    const auto columns = graph_.columns;
    const auto kept = graph_.kept;
    const auto chosen = chosen_;
    const auto roots = roots_, least = least_;
    forRowEntries<Device>(
        "Trident::exchangeRoots", graph_.nodes(), static_cast<long long>(columns.extent(0)),
        graph_.offsets, TRIDENT_LAMBDA(long long r, std::size_t e) {
          const int c = columns(e);
          if (!kept(e) || !chosen(r) || !chosen(c)) return;
          TakeSmaller()(least(r), roots(c));
          TakeSmaller()(least(c), roots(r));
        });
  }
  long long countChanged() const {
    const auto roots = roots_, old = old_;
    long long changed = 0;
    Kokkos::parallel_reduce(
        "Trident::changedRoots", Range<Device>(0, columns_.own()),
        TRIDENT_LAMBDA(long long l, long long& sum) { sum += roots(l) != old(l); }, changed);
    return changed;
  }
  /// Lowers each old root's value to the smallest `least_` of this rank's nodes with that root.
  void gatherAtRoots(const ValueIndices<Device>& indices, const Numbers& values) const {
    const auto old = old_, least = least_;
    Kokkos::parallel_for(
        "Trident::gatherAtRoots", Range<Device>(0, columns_.own()),
        TRIDENT_LAMBDA(long long l) { TakeSmaller()(values(indices(old(l))), least(l)); });
  }
  void takeFrom(const ValueIndices<Device>& indices, const Numbers& values) const {
    const auto roots = roots_;
    Kokkos::parallel_for(
        "Trident::rootsOfRoots", Range<Device>(0, columns_.own()), TRIDENT_LAMBDA(long long l) {
          const Position root = values(indices(roots(l)));
          if (root < roots(l)) roots(l) = root;
        });
  }

 private:
  Numbers ownOf(const Numbers& values) const {
    return Kokkos::subview(values, std::make_pair(0LL, columns_.own()));
  }

  void learn(LocalFailure& failure) {
    columns_.ask(roots_, failure);
    failure.guard([&] {
      Kokkos::deep_copy(old_, ownOf(roots_));
      exchangeRoots();
      Kokkos::fence();
    });
    columns_.tell(least_, TakeSmaller(), failure);
  }

  void tellRoots(LocalFailure& failure) {
    std::vector<Position> remotes;
    failure.guard([&] { remotes = remotesAmong(IndexNumbers<Device>(old_), numbering_); });
    RemoteValues<Device> ofRoots(ranks_, numbering_, remotes, messageBytes_, failure);
    Numbers values;
    failure.guard([&] {
      values = uninitialized<Position, Device>("Trident::gathered", ofRoots.size());
      Kokkos::deep_copy(values, numbering_.size());  // larger than every node's number
      Kokkos::deep_copy(ownOf(values), ownOf(least_));
      gatherAtRoots(ofRoots.indices(), values);
      Kokkos::fence();
    });
    throwEverywhere(ranks_.comm(), failure.text());
    ofRoots.tell(values, TakeSmaller(), failure);
    failure.guard([&] { Kokkos::deep_copy(ownOf(roots_), ownOf(values)); });
  }

  void takeRootsOfRoots(LocalFailure& failure) {
    std::vector<Position> remotes;
    failure.guard([&] { remotes = remotesAmong(IndexNumbers<Device>(ownOf(roots_)), numbering_); });
    RemoteValues<Device> ofRoots(ranks_, numbering_, remotes, messageBytes_, failure);
    Numbers values;
    failure.guard([&] {
      values = uninitialized<Position, Device>("Trident::gathered", ofRoots.size());
      Kokkos::deep_copy(ownOf(values), ownOf(roots_));
      Kokkos::fence();
    });
    throwEverywhere(ranks_.comm(), failure.text());
    ofRoots.ask(values, failure);
    failure.guard([&] {
      takeFrom(ofRoots.indices(), values);
      Kokkos::fence();
    });
  }

  const GridRanks& ranks_;
  const Numbering& numbering_;
  const NodeEdges<Device>& graph_;
  RemoteValues<Device>& columns_;
  Kokkos::View<char*, Device> chosen_;
  std::size_t messageBytes_;
  Numbers roots_;  // root of each column
  Numbers least_;  // least root among a column and its neighbours, in this round
  Numbers old_;    // roots of this rank's nodes before this round
  int rounds_ = 0;
};

}  // namespace Trident::Impl

#endif
