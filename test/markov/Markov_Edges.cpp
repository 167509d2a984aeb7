// SPDX-License-Identifier: BSD-3-Clause
// markovCluster() of lists of edges: as of the same graph as a matrix.

#include <Teuchos_UnitTestHarness.hpp>
#include <limits>

#include "Markov_Graphs.hpp"
#include "Trident_ClusterEdges.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestVerdict.hpp"

namespace {

using namespace TridentTest;
using Trident::EdgeClusters;

struct Edges {
  std::vector<long long> from, to;
  std::vector<double> weights;

  void add(long long i, long long j, double weight) {
    from.push_back(i);
    to.push_back(j);
    weights.push_back(weight);
  }
};

/// Draws this rank's part of a graph's edges: each once, one way or the other, some lighter ones
/// again.
Edges partOf(const Graph& graph, Random& random) {
  Edges mine;
  const int ranks = world()->getSize(), rank = world()->getRank();
  for (int i = 0; i < static_cast<int>(graph.size()); ++i)
    for (const auto& [j, weight] : graph[i]) {
      const bool turned = random.chance(0.5), again = random.chance(0.2);
      const int owner = random.between(0, ranks - 1);
      if (j > i || owner != rank) continue;
      turned ? mine.add(j, i, weight) : mine.add(i, j, weight);
      if (again) mine.add(i, j, weight / 2);
    }
  return mine;
}

Graph symmetricGraph(Random& random, int nodes) {
  GraphKind kind = randomKind(random, nodes);
  kind.directed = false;
  Graph graph = familyGraph(random, kind);
  graph.resize(static_cast<std::size_t>(nodes));
  return graph;
}

std::vector<std::string> labelsFor(const std::vector<long long>& numbers) {
  std::vector<std::string> labels;
  for (const long long number : numbers) labels.push_back("protein " + std::to_string(number));
  return labels;
}

TEUCHOS_UNIT_TEST(Edges, AsTheMatrix) {
  Random random(31);
  for (int repeat = 0; repeat < 6; ++repeat) {
    const Graph graph = symmetricGraph(random, 80);
    Edges mine = partOf(graph, random);
    if (world()->getRank() == 0) mine.add(79, 79, 1);  // so that all nodes are there
    const EdgeClusters found = Trident::markovCluster(mine.from, mine.to, mine.weights);
    const Clusters expected = emulateMcl(graph, MclOptions()).clusters;
    TEST_EQUALITY(found.clusterOf.size(), 80u);
    TEST_ASSERT(clustersOf(found.clusterOf) == expected);
    TEST_EQUALITY(found.clusters, static_cast<long long>(expected.size()));
    TEST_ASSERT(found.converged && found.labels.empty());
    const EdgeClusters named =
        Trident::markovCluster(labelsFor(mine.from), labelsFor(mine.to), mine.weights);
    TEST_EQUALITY(named.labels.size(), named.clusterOf.size());
    std::vector<long long> byNumber(80, -1);
    for (std::size_t n = 0; n < named.labels.size(); ++n)
      byNumber[std::stoul(named.labels[n].substr(8))] = named.clusterOf[n];
    // A node without an edge has no label there, and a cluster of its own here.
    long long alone = named.clusters;
    for (long long& cluster : byNumber)
      if (cluster < 0) cluster = alone++;
    TEST_ASSERT(inOrder(clustersOf(byNumber)) == inOrder(expected));
  }
}

TEUCHOS_UNIT_TEST(Edges, OnOneRankWithoutWeights) {
  std::vector<std::string> from, to;
  if (world()->getRank() == world()->getSize() - 1) {
    from = {"a", "b", "c", "x", "y", "c"};
    to = {"b", "c", "a", "y", "z", "c"};
  }
  const EdgeClusters found = Trident::markovCluster(from, to, {});
  TEST_ASSERT(found.labels == std::vector<std::string>({"a", "b", "c", "x", "y", "z"}));
  TEST_ASSERT(found.clusterOf == std::vector<long long>({0, 0, 0, 1, 1, 1}));
  TEST_EQUALITY(found.largest, 3);
  const std::vector<long long> none;
  TEST_ASSERT(Trident::markovCluster(none, none, {}).clusterOf.empty());
}

TEUCHOS_UNIT_TEST(Edges, BadOnes) {
  using Numbers = std::vector<long long>;
  const bool mine = world()->getRank() == world()->getSize() - 1;  // one rank alone has them
  const auto refuses = [&](const Numbers& from, const Numbers& to,
                           const std::vector<double>& weights, std::vector<std::string> words) {
    words.push_back("Trident::markovCluster");
    return expectThrow<Trident::Error>(*world(), words, [&] {
      mine ? Trident::markovCluster(from, to, weights) : Trident::markovCluster(Numbers(), {}, {});
    });
  };
  TRIDENT_TEST_OK(refuses({0, 1}, {1}, {}, {"2 nodes", "arrays of one length"}));
  TRIDENT_TEST_OK(refuses({0}, {1}, {1, 2}, {"2 weights"}));
  TRIDENT_TEST_OK(refuses({0}, {-1}, {1}, {"node -1"}));
  TRIDENT_TEST_OK(refuses({0}, {2147483647}, {1}, {"node 2147483647"}));
  for (const double bad :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    TRIDENT_TEST_OK(refuses({0}, {1}, {bad}, {"negative or not finite"}));
}

TEUCHOS_UNIT_TEST(Edges, BadOnesWithLabels) {
  using Labels = std::vector<std::string>;
  const bool mine = world()->getRank() == world()->getSize() - 1;  // one rank alone has them
  const auto refuses = [&](const Labels& to, const std::vector<double>& weights,
                           std::vector<std::string> words) {
    words.push_back("Trident::markovCluster");
    return expectThrow<Trident::Error>(*world(), words, [&] {
      mine ? Trident::markovCluster(Labels{"a"}, to, weights)
           : Trident::markovCluster(Labels(), Labels(), {});
    });
  };
  TRIDENT_TEST_OK(refuses({"b", "c"}, {}, {"arrays of one length"}));
  TRIDENT_TEST_OK(refuses({"b"}, {1, 2}, {"2 weights"}));
  TRIDENT_TEST_OK(refuses({"b"}, {-1}, {"negative or not finite"}));
}

// Weights on some ranks alone; one without edges has neither.
TEUCHOS_UNIT_TEST(Edges, WeightsOnAllRanksOrNone) {
  const int rank = world()->getRank(), last = world()->getSize() - 1;
  const bool mine = rank == 0 || rank == last;
  const std::vector<long long> from(mine, 0), to(mine, rank + 1);
  const auto both = [&](const std::vector<double>& weights) {
    const EdgeClusters named = Trident::markovCluster(labelsFor(from), labelsFor(to), weights);
    TEST_EQUALITY(named.labels.size(), last > 0 ? 3u : 2u);
    return Trident::markovCluster(from, to, weights).clusterOf.size();
  };
  TEST_EQUALITY(both({}), static_cast<std::size_t>(last) + 2);
  TEST_EQUALITY(both(std::vector<double>(mine, 0.01)), static_cast<std::size_t>(last) + 2);
  if (last == 0) return;
  const std::vector<double> some(rank == last, 0.01);
  const std::vector<std::string> words{"Trident::markovCluster", "others edges without",
                                       "pass weights on each rank"};
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*world(), words,
                                              [&] { Trident::markovCluster(from, to, some); }));
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(
      *world(), words, [&] { Trident::markovCluster(labelsFor(from), labelsFor(to), some); }));
}

// A hub among them, whose edges come in no order and several times.
TEUCHOS_UNIT_TEST(Edges, OfAPlaceTheHeaviestCounts) {
  constexpr long long nodes = 40;
  const int ranks = world()->getSize(), rank = world()->getRank();
  Edges plain, repeated;
  for (long long leaf = nodes - 1; leaf > 0; --leaf) {
    const double weight = leaf < nodes / 2 ? 1 : 8;
    const long long other = leaf > 1 && leaf != nodes / 2 ? leaf - 1 : 0;
    if (leaf % ranks == rank) {
      plain.add(0, leaf, 2);
      plain.add(other, leaf, weight);
      repeated.add(leaf, 0, 2);
    }
    if ((leaf + 1) % ranks == rank) {
      repeated.add(other, leaf, weight);
      repeated.add(leaf, other, weight / 4);
    }
    if ((leaf + 2) % ranks == rank) repeated.add(leaf, 0, 0.5);
  }
  const auto once = Trident::markovCluster(plain.from, plain.to, plain.weights);
  const auto often = Trident::markovCluster(repeated.from, repeated.to, repeated.weights);
  TEST_ASSERT(once.clusterOf == often.clusterOf);
  TEST_EQUALITY(once.chaos, often.chaos);
  TEST_EQUALITY(once.iterations, often.iterations);
}

}  // namespace
