// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_CLUSTERFINDER_HPP
#define TRIDENT_CLUSTERFINDER_HPP

#include <limits>
#include <utility>
#include <vector>

#include "layout/Trident_RemoteValues.hpp"
#include "markov/Trident_ClusterOrder.hpp"
#include "markov/Trident_ConnectedComponents.hpp"
#include "markov/Trident_NodeEdges.hpp"
#include "matrix/Trident_Atomics.hpp"
#include "matrix/Trident_RowLoops.hpp"

namespace Trident::Impl {

/// A system: a connected component of attractors.
struct AttractorSystem {
  long long size = 0;   ///< number of attractors; 0: no system
  long long first = 0;  ///< least global index of an attractor
  Position root = 0;    ///< number of the attractor that stands for the system

  /// Returns true if this system goes before `other` in mcl's order. Larger systems go first. Of
  /// equally large systems, the one with the smaller `first` goes first.
  KOKKOS_INLINE_FUNCTION bool goesBefore(const AttractorSystem& other) const {
    return size != other.size ? size > other.size : first < other.first;
  }
};

/// The first and the last system, in mcl's order, that a node reaches. The node belongs to the
/// first system. If `first` and `last` differ, the node reaches several systems.
struct ReachedSystems {
  AttractorSystem first, last;

  KOKKOS_INLINE_FUNCTION bool none() const { return first.size == 0; }
  KOKKOS_INLINE_FUNCTION bool several() const { return first.root != last.root; }
  /// Adds the systems that another node reaches. Returns true if `first` or `last` changes.
  KOKKOS_INLINE_FUNCTION bool join(const ReachedSystems& other) {
    if (other.none()) return false;
    const bool before = none() || other.first.goesBefore(first);
    const bool behind = none() || last.goesBefore(other.last);
    if (before) first = other.first;
    if (behind) last = other.last;
    return before || behind;
  }
};

/// The number and the least global index of the nodes that a root stands for.
struct NodeSet {
  long long nodes;
  long long first;
};
struct JoinSets {
  KOKKOS_INLINE_FUNCTION void operator()(NodeSet& mine, const NodeSet& other) const {
    if (other.nodes == 0) return;
    addShared(&mine.nodes, other.nodes);
    minShared(&mine.first, other.first);
  }
};

template <class Device>
struct LimitClusters {
  Kokkos::View<long long*, Device> labels;  ///< labels of this rank's nodes
  ClusterCounts counts;
  long long overlaps = 0;  ///< nodes that belong to several clusters, on all ranks
};

/// A search for the clusters of a limit (mcl's mclInterpret() and clmEnstrict()). Connected
/// attractors form a system. A node belongs to the systems that it reaches by edges, and is put
/// into the first of these systems in mcl's order. All nodes that reach no system form one cluster.
///
/// Ranks communicate in rounds. Connecting the attractors takes about as many rounds as the
/// logarithm of the largest system's size. Reaching the systems takes a round for each edge of the
/// longest path from a node to an attractor. Such paths are short if the process has converged.
template <class Device>
class ClusterFinder {
  template <class T>
  using Values = Kokkos::View<T*, Device>;

 public:
  /// Prepares the search. Collective; throws Trident::Error on every rank if a rank has failed. All
  /// arguments must outlive this object.
  /// @param gids global indices of this rank's nodes
  ClusterFinder(const GridRanks& ranks, const Numbering& numbering, const NodeEdges<Device>& graph,
                const Values<long long>& gids, std::size_t messageBytes, LocalFailure& failure)
      : ranks_(ranks),
        numbering_(numbering),
        graph_(graph),
        gids_(gids),
        messageBytes_(messageBytes),
        failure_(failure),
        columns_(ranks, numbering, graph.remotes, messageBytes, failure) {}

  /// Finds the clusters. Collective; throws Trident::Error on every rank if a rank fails.
  /// @param least, largest the least and the largest global index of all nodes
  /// @param inside null, or edges that must connect each cluster. A cluster that these edges do not
  ///   connect is split
  LimitClusters<Device> run(long long least, long long largest,
                            const NodeEdges<Device>* inside = nullptr) {
    failure_.guard([&] { attracts_ = findAttractors(graph_); });
    columns_.ask(attracts_, failure_);
    roots_ =
        ConnectedComponents<Device>(ranks_, numbering_, graph_, columns_, attracts_, messageBytes_)
            .roots(failure_);
    findSystems();
    reach();
    chooseSystems();
    if (inside != nullptr) split(*inside);
    return clusters(least, largest);
  }

  // Public, because CUDA wants functions with kernels to be public.

  /// Returns a NodeSet for each root, at the root's index in ofRoots. Only this rank's nodes count.
  /// @param all true if all these nodes count, false if only attractors do
  Values<NodeSet> collectNodes(const RemoteValues<Device>& ofRoots, bool all) const {
    const auto sets = uninitialized<NodeSet, Device>("Trident::nodeSets", ofRoots.size());
    Kokkos::deep_copy(sets, NodeSet{0, std::numeric_limits<long long>::max()});
    const auto indices = ofRoots.indices();
    const auto roots = roots_;
    const auto attracts = attracts_;
    const auto gids = gids_;
    Kokkos::parallel_for(
        "Trident::collectNodes", Range<Device>(0, columns_.own()), TRIDENT_LAMBDA(long long l) {
          if (all || attracts(l)) JoinSets()(sets(indices(roots(l))), NodeSet{1, gids(l)});
        });
    return sets;
  }
  /// Initializes reached_: each attractor reaches its own system, and other nodes reach none.
  void startReaching(const ValueIndices<Device>& indices, const Values<NodeSet>& systems) {
    const auto attracts = attracts_;
    const auto roots = roots_;
    const auto reached = reached_;
    Kokkos::parallel_for(
        "Trident::startReaching", Range<Device>(0, columns_.own()), TRIDENT_LAMBDA(long long l) {
          ReachedSystems mine;
          if (attracts(l)) {
            const NodeSet system = systems(indices(roots(l)));
            mine.first = {system.nodes, system.first, roots(l)};
            mine.last = mine.first;
          }
          reached(l) = mine;
        });
  }
  /// Joins the systems of each node and of its neighbours, from reached_ into next_. Returns the
  /// number of nodes whose systems changed.
  long long step() {
    const auto offsets = graph_.offsets;
    const auto columns = graph_.columns;
    const auto kept = graph_.kept;
    const auto from = reached_, to = next_;
    long long changed = 0;
    Kokkos::parallel_reduce(
        "Trident::reach", Range<Device>(0, columns_.own()),
        TRIDENT_LAMBDA(long long r, long long& sum) {
          ReachedSystems mine = from(r);
          bool more = false;
          for (std::size_t e = offsets(r); e < offsets(r + 1); ++e)
            if (kept(e) && mine.join(from(columns(e)))) more = true;
          to(r) = mine;
          sum += more;
        },
        changed);
    return changed;
  }
  /// Gives a root to each node that is no attractor: the root of the first system that the node
  /// reaches, or `nobody` if the node reaches no system. Returns the number of these nodes that
  /// reach several systems.
  long long takeSystems(Position nobody) {
    const auto attracts = attracts_;
    const auto roots = roots_;
    const auto reached = reached_;
    long long overlaps = 0;
    Kokkos::parallel_reduce(
        "Trident::takeSystems", Range<Device>(0, columns_.own()),
        TRIDENT_LAMBDA(long long l, long long& several) {
          if (attracts(l)) return;
          const ReachedSystems mine = reached(l);
          several += mine.several();
          roots(l) = mine.none() ? nobody : mine.first.root;
        },
        overlaps);
    return overlaps;
  }
  /// Returns the first of this rank's nodes that reaches no system; `nobody` if all reach one.
  Position firstRootless(Position nobody) const {
    const auto roots = roots_;
    const Position begin = numbering_.begin();
    Position first = nobody;
    Kokkos::parallel_reduce(
        "Trident::firstRootless", Range<Device>(0, columns_.own()),
        TRIDENT_LAMBDA(long long l, Position& least) {
          if (roots(l) == nobody && begin + l < least) least = begin + l;
        },
        Kokkos::Min<Position>(first));
    return first < nobody ? first : nobody;  // without such nodes, `first` is the largest Position
  }
  void takeRootless(Position root) {
    const auto roots = roots_;
    const Position nobody = numbering_.size();
    Kokkos::parallel_for(
        "Trident::takeRootless", Range<Device>(0, columns_.own()), TRIDENT_LAMBDA(long long l) {
          if (roots(l) == nobody) roots(l) = root;
        });
  }
  /// Selects the edges whose two ends lie in one cluster.
  /// @param clusters root of each column's cluster
  NodeEdges<Device> edgesInside(const NodeEdges<Device>& all,
                                const Values<Position>& clusters) const {
    NodeEdges<Device> inside = all;
    inside.kept = uninitialized<char, Device>("Trident::keptEdges", all.columns.extent(0));
    const auto columns = all.columns;
    const auto from = all.kept, to = inside.kept;
    forRowEntries<Device>(
        "Trident::edgesInside", all.nodes(), static_cast<long long>(columns.extent(0)), all.offsets,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          to(e) = from(e) && clusters(r) == clusters(columns(e));
        });
    Kokkos::fence();
    return inside;
  }
  Values<long long> labelsOf(const ValueIndices<Device>& indices,
                             const Values<long long>& ofRoots) const {
    const auto labels = uninitialized<long long, Device>("Trident::labels", columns_.own());
    const auto roots = roots_;
    Kokkos::parallel_for(
        "Trident::labels", Range<Device>(0, columns_.own()),
        TRIDENT_LAMBDA(long long l) { labels(l) = ofRoots(indices(roots(l))); });
    Kokkos::fence();
    return labels;
  }

 private:
  void agree() { throwEverywhere(ranks_.comm(), failure_.text()); }

  RemoteValues<Device> valuesOfRoots() {
    std::vector<Position> remotes;
    failure_.guard([&] { remotes = remotesAmong(IndexNumbers<Device>(roots_), numbering_); });
    return RemoteValues<Device>(ranks_, numbering_, remotes, messageBytes_, failure_);
  }
  /// Returns the NodeSet of each root on this rank, over the nodes of all ranks. Collective.
  Values<NodeSet> setsAtRoots(RemoteValues<Device>& ofRoots, bool all) {
    Values<NodeSet> sets;
    failure_.guard([&] {
      sets = collectNodes(ofRoots, all);
      Kokkos::fence();
    });
    agree();
    ofRoots.tell(sets, JoinSets(), failure_);
    return sets;
  }

  void findSystems() {
    RemoteValues<Device> ofRoots = valuesOfRoots();
    const auto systems = setsAtRoots(ofRoots, false);
    ofRoots.ask(systems, failure_);
    failure_.guard([&] {
      reached_ = uninitialized<ReachedSystems, Device>("Trident::reached", columns_.size());
      next_ = uninitialized<ReachedSystems, Device>("Trident::reached", columns_.size());
      startReaching(ofRoots.indices(), systems);
      Kokkos::fence();
    });
    agree();
  }

  void reach() {
    std::vector<long long> changed{1};
    while (changed[0] > 0) {
      columns_.ask(reached_, failure_);
      failure_.guard([&] { changed[0] = step(); });
      sumEverywhere(ranks_.comm(), changed, failure_);
      std::swap(reached_, next_);
    }
  }

  void chooseSystems() {
    const Position nobody = numbering_.size();
    std::vector<long long> overlaps{0}, first{-nobody};
    failure_.guard([&] {
      overlaps[0] = takeSystems(nobody);
      first[0] = -firstRootless(nobody);
    });
    sumEverywhere(ranks_.comm(), overlaps, failure_);
    maximumEverywhere(ranks_.comm(), first, failure_);
    overlaps_ = overlaps[0];
    failure_.guard([&] { takeRootless(-first[0]); });
  }

  /// Splits each cluster into the parts that are connected by edges inside the cluster.
  void split(const NodeEdges<Device>& edges) {
    RemoteValues<Device> ends(ranks_, numbering_, edges.remotes, messageBytes_, failure_);
    Values<Position> clusters;
    Values<char> all;
    failure_.guard([&] {
      clusters = uninitialized<Position, Device>("Trident::clustersOfEnds", ends.size());
      Kokkos::deep_copy(Kokkos::subview(clusters, std::make_pair(0LL, ends.own())), roots_);
      all = uninitialized<char, Device>("Trident::allEnds", ends.size());
      Kokkos::deep_copy(all, 1);
    });
    agree();
    ends.ask(clusters, failure_);
    NodeEdges<Device> inside;
    failure_.guard([&] { inside = edgesInside(edges, clusters); });
    roots_ = ConnectedComponents<Device>(ranks_, numbering_, inside, ends, all, messageBytes_)
                 .roots(failure_);
  }

  LimitClusters<Device> clusters(long long least, long long largest) {
    RemoteValues<Device> ofRoots = valuesOfRoots();
    const auto sets = setsAtRoots(ofRoots, true);
    LimitClusters<Device> result;
    std::vector<ClusterKey> keys;
    std::vector<long long> owners;  // local indices of nodes that are roots of clusters
    failure_.guard([&] { listClusters(sets, keys, owners); });
    const auto numbers = clusterNumbers(ranks_, keys, numbering_.size(), least, largest,
                                        messageBytes_, result.counts, failure_);
    Values<long long> labels;
    failure_.guard([&] {
      std::vector<long long> all(ofRoots.size(), -1);
      for (std::size_t c = 0; c < owners.size(); ++c) all[owners[c]] = numbers[c];
      labels = toDevice<long long, Device>(all);
    });
    agree();
    ofRoots.ask(labels, failure_);
    failure_.guard([&] { result.labels = labelsOf(ofRoots.indices(), labels); });
    agree();
    result.overlaps = overlaps_;
    return result;
  }

  /// Lists the clusters whose roots are nodes of this rank, on the host, for clusterNumbers().
  void listClusters(const Values<NodeSet>& sets, std::vector<ClusterKey>& keys,
                    std::vector<long long>& owners) const {
    const auto host = toHost<NodeSet, Device>(sets);
    for (long long l = 0; l < columns_.own(); ++l) {
      if (host[l].nodes == 0) continue;
      keys.push_back({host[l].nodes, host[l].first});
      owners.push_back(l);
    }
  }

  const GridRanks& ranks_;
  const Numbering& numbering_;
  const NodeEdges<Device>& graph_;
  Values<long long> gids_;
  std::size_t messageBytes_;
  LocalFailure& failure_;
  RemoteValues<Device> columns_;           // exchange of values, one for each column of graph_
  Values<char> attracts_;                  // true for each column that is an attractor
  Values<Position> roots_;                 // roots of this rank's nodes: of systems, then clusters
  Values<ReachedSystems> reached_, next_;  // systems that each column reaches now and after a step
  long long overlaps_ = 0;
};

}  // namespace Trident::Impl

#endif
