// SPDX-License-Identifier: BSD-3-Clause
// Transformations of networks: what steps make of weights (found by running mcl), and what steps of
// whole networks make of random ones, against loops over a map of edges; clusters in other orders.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <set>

#include "TridentClustering_Quality.hpp"
#include "TridentClustering_Renumber.hpp"
#include "TridentClustering_TransformGraph.hpp"
#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_Partition.hpp"

namespace {

using namespace TestTools;
using namespace Trident::Clustering;

float after(const std::string& steps, float weight) {
  const Transformation all = parseTransformation(steps);
  return transformedWeight(all.data(), all.data() + all.size(), weight);
}

TEUCHOS_UNIT_TEST(Transform, Weights) {
  const auto is = [&](const std::string& steps, float weight, double expected) {
    const bool good = std::fabs(after(steps, weight) - expected) <= 1e-6 * std::fabs(expected);
    if (!good) std::printf("%s of %g is %g\n", steps.c_str(), weight, after(steps, weight));
    return good;
  };
  TEST_ASSERT(is("gq(2)", 2, 2) && is("gq(2)", 1.9f, 0) && is("gt(2)", 2, 0) && is("gt(2)", 3, 3));
  TEST_ASSERT(is("lq(2)", 2, 2) && is("lq(2)", 2.1f, 0) && is("lt(2)", 2, 0) && is("lt(2)", 1, 1));
  TEST_ASSERT(is("mul(3)", 2, 6) && is("scale(4)", 2, .5) && is("scale(0)", 2, 0));
  TEST_ASSERT(is("add(-3)", 2, -1) && is("abs()", -2, 2) && is("ceil(3)", 7, 3));
  TEST_ASSERT(is("ceil(3)", 1, 1) && is("floor(3)", 1, 3) && is("floor(3)", 7, 7));
  TEST_ASSERT(is("pow(3)", 2, 8) && is("exp()", 1, 2.718281828) && is("exp(2)", 3, 8));
  TEST_ASSERT(is("log()", 10, 2.302585093) && is("log(10)", 1000, 3) && is("log()", 0, -FLT_MAX));
  TEST_ASSERT(is("neglog(10)", 1e-5f, 5) && is("neglog()", 0, FLT_MAX) && is("log()", -1, 0));
  // A bound is a float as the weight is, and a weight that a bound ends stays ended.
  TEST_ASSERT(is("gq(0.7)", 0.7f, 0.7f) && is("mul(0.1),gq(0.3)", 3, 0.3f));
  TEST_ASSERT(is("gq(2),add(1)", 1, 0) && is("mul(0),add(1)", 5, 1));
  TEST_ASSERT(is(" gq ( 2 ) ,mul( 3)", 2, 6));
}

bool refuses(const std::string& steps, const std::string& part, bool ofPairs = false) {
  std::string message;
  try {
    (ofPairs ? parseWeightTransformation : parseTransformation)(steps);
  } catch (const std::runtime_error& e) {
    message = e.what();
  }
  const bool good = message.find(part) != std::string::npos;
  if (!good) std::printf("expected \"%s\" in: \"%s\"\n", part.c_str(), message.c_str());
  return good;
}

TEUCHOS_UNIT_TEST(Transform, Errors) {
  TEST_ASSERT(refuses("", "NAME(NUMBER) or NAME(), but there is \"\""));
  TEST_ASSERT(refuses("gq(2),", "but there is \"\""));
  TEST_ASSERT(refuses("gq 2", "but there is \"gq 2\""));
  TEST_ASSERT(refuses("add(1),gq()", "gq() needs a number and a parenthesis, as in gq(20)"));
  TEST_ASSERT(refuses("gq(2", "gq() needs a number and a parenthesis"));
  TEST_ASSERT(refuses("gq(2x)", "gq() takes a number, but there is \"2x)\""));
  TEST_ASSERT(refuses("mul(1e39)", "up to 3.4e38"));
  TEST_ASSERT(refuses("gq(2) mul(3)", "a comma should stand between"));
  TEST_ASSERT(refuses("power(2)", "write pow()"));
  TEST_ASSERT(refuses("gqq(2)", "there is no transformation gqq(); there are gq, gt"));
  TEST_ASSERT(refuses("#mcl(2)", "mcxalter"));
  TEST_ASSERT(refuses("#selfmax()", "leave it out"));
  TEST_ASSERT(refuses("#knn(-1)", "a number of neighbours"));
  TEST_ASSERT(refuses("gq(1),#knn(2)", "write it in -tf", true));
  TEST_ASSERT(parseTransformation("@knn(3)")[0].ofNetwork == NetworkStep::knn);
}

/// Draws a directed graph with few different weights, so that some are equal, and loops.
Entries randomEdges(int nodes, std::uint64_t seed) {
  Entries edges;
  HashStream random(seed, 7);
  for (int k = 0; k < 6 * nodes; ++k) {
    // Squared: some nodes have many neighbours.
    const double u = random.unit();
    const auto a = static_cast<std::int64_t>(u * u * nodes * 0.999);
    const auto b = static_cast<std::int64_t>(random.next() % static_cast<std::uint64_t>(nodes));
    const double weight = static_cast<double>(random.next() % 12 + 1) / 4;
    edges[{a, b}] = weight;
    if (random.next() % 4 != 0) edges[{b, a}] = weight;
  }
  return edges;
}

double edgeOf(const Entries& edges, std::int64_t a, std::int64_t b) {
  const auto found = edges.find({a, b});
  return found == edges.end() ? 0 : found->second;
}

/// Finds the strongest edges of a node: at most so many; of equal ones all or none.
std::set<std::int64_t> strongest(const Entries& edges, std::int64_t node, std::size_t most) {
  std::vector<std::pair<double, std::int64_t>> row;
  for (const auto& edge : edges)
    if (edge.first.first == node) row.push_back({edge.second, edge.first.second});
  std::sort(row.rbegin(), row.rend());
  std::size_t kept = std::min(most, row.size());
  while (kept > 0 && kept < row.size() && row[kept - 1].first == row[kept].first) --kept;
  std::set<std::int64_t> result;
  for (std::size_t k = 0; k < kept; ++k) result.insert(row[k].second);
  return result;
}

Entries withStrongest(const Entries& edges, int nodes, std::size_t most) {
  Entries result;
  for (int node = 0; node < nodes; ++node)
    for (const std::int64_t other : strongest(edges, node, most))
      result[{node, other}] = edgeOf(edges, node, other);
  return result;
}

Entries pairwise(const Entries& edges, double (*function)(double own, double back)) {
  Entries result;
  for (const auto& edge : edges)
    for (const auto& at : {edge.first, std::make_pair(edge.first.second, edge.first.first)}) {
      const double value =
          function(edgeOf(edges, at.first, at.second), edgeOf(edges, at.second, at.first));
      if (value != 0) result[at] = value;
    }
  return result;
}

/// Lowers one node after the other to the ceiling, those with most neighbours first.
Entries withCeiling(Entries edges, int nodes, std::size_t most) {
  std::vector<std::pair<int, int>> hubs;  // negated neighbours, node
  for (int node = 0; node < nodes; ++node) {
    const auto size = std::count_if(edges.begin(), edges.end(),
                                    [&](const auto& edge) { return edge.first.first == node; });
    if (static_cast<std::size_t>(size) > most) hubs.push_back({-static_cast<int>(size), node});
  }
  std::sort(hubs.begin(), hubs.end());
  for (const auto& hub : hubs) {
    const std::int64_t node = hub.second;
    const auto kept = strongest(edges, node, most);
    for (std::int64_t other = 0; other < nodes; ++other)
      if (edges.count({node, other}) > 0 && kept.count(other) == 0) {
        edges.erase({node, other});
        edges.erase({other, node});
      }
  }
  return edges;
}

Graph graphOf(const Entries& edges, int nodes, const CommPtr& teuchosComm) {
  const Comm comm(*teuchosComm);
  std::vector<Entry> mine;
  if (comm.rank() == 0)
    for (const auto& edge : edges)
      mine.push_back({static_cast<global_ordinal_type>(edge.first.first),
                      static_cast<global_ordinal_type>(edge.first.second), edge.second});
  Graph graph;
  std::int64_t duplicates = 0;
  graph.matrix = matrixFromEntries(mine, nodes, nodes, teuchosComm, comm, duplicates);
  return graph;
}

TEUCHOS_UNIT_TEST(Transform, Networks) {
  const auto larger = [](double own, double back) { return std::max(own, back); };
  for (const int nodes : {2, 9, 70}) {
    Entries edges = randomEdges(nodes, static_cast<std::uint64_t>(nodes));
    const Entries withLoops = edges;
    for (int node = 0; node < nodes; ++node) edges.erase({node, node});
    const auto becomes = [&](const std::string& steps, const Entries& expected) {
      Graph alone = graphOf(withLoops, nodes, self()),
            together = graphOf(withLoops, nodes, world());
      transformGraph(alone, parseTransformation(steps));
      transformGraph(together, parseTransformation(steps));
      const bool good = entriesOf(*alone.matrix) == expected &&
                        checksum(*alone.matrix) == checksum(*together.matrix) &&
                        together.edges == static_cast<std::int64_t>(expected.size());
      if (!good) std::printf("%s of %d nodes\n", steps.c_str(), nodes);
      return Comm(*world()).sum(good ? 0 : 1) == 0;
    };
    for (const std::size_t most : {1, 3, 8}) {
      const std::string number = "(" + std::to_string(most) + ")";
      const Entries ranked = withStrongest(edges, nodes, most);
      TEST_ASSERT(becomes("#rank" + number, ranked));
      TEST_ASSERT(becomes("#knn" + number, pairwise(ranked, [](double own, double back) {
                            return back != 0 ? own : 0;
                          })));
      TEST_ASSERT(becomes("#knnj" + number, pairwise(ranked, larger)));
      TEST_ASSERT(becomes("#ceilnb" + number, withCeiling(edges, nodes, most)));
    }
    TEST_ASSERT(becomes("#knn(0)", edges));
    TEST_ASSERT(becomes("#max()", pairwise(edges, larger)));
    TEST_ASSERT(becomes(
        "#min()", pairwise(edges, [](double own, double back) { return std::min(own, back); })));
    TEST_ASSERT(
        becomes("#add()", pairwise(edges, [](double own, double back) { return own + back; })));
    TEST_ASSERT(
        becomes("#mul()", pairwise(edges, [](double own, double back) { return own * back; })));
    TEST_ASSERT(becomes("#arcmax()", pairwise(edges, [](double own, double back) {
                          return own >= back ? own : 0;
                        })));
    TEST_ASSERT(becomes("#tp()", pairwise(edges, [](double, double back) { return back; })));
    Entries strong;
    for (const auto& edge : edges)
      if (edge.second >= 1) strong[edge.first] = edge.second + 1;
    TEST_ASSERT(becomes("gq(1),add(1),#rank(4)", withStrongest(strong, nodes, 4)));
  }
}

TEUCHOS_UNIT_TEST(Transform, NegativeWeights) {
  Graph graph = graphOf({{{0, 1}, 2}, {{1, 0}, 2}}, 3, world());
  TEST_ASSERT(throwsEverywhere([&] { transformGraph(graph, parseTransformation("add(-3)")); },
                               "end with gt(0)"));
  Graph other = graphOf({{{0, 1}, -2}, {{1, 0}, 2}}, 3, world());
  transformGraph(other, parseTransformation("gt(0)"));
  TEST_EQUALITY(other.edges, 1);
  // As mcl takes them.
  Graph taken = graphOf({{{0, 1}, 2}, {{1, 0}, 5}}, 3, world());
  transformGraph(taken, parseTransformation("add(-3)"), true);
  TEST_EQUALITY(taken.edges, 2);
  TEST_EQUALITY(countNegativeEdges(*taken.matrix), 1);
  const Graph loop = graphOf({{{0, 1}, 2}, {{1, 1}, -5}}, 3, world());
  TEST_EQUALITY(countNegativeEdges(*loop.matrix), 0);
  TEST_EQUALITY(countNegativeEdges(*loop.matrix, true), 1);
}

// Orders of clusters, against sorting them as lists of nodes.
TEUCHOS_UNIT_TEST(Transform, Renumber) {
  const Comm comm(*world());
  const int nodes = 400;
  std::vector<std::vector<int>> members(60);
  HashStream random(4, 4);
  for (int node = 0; node < nodes; ++node) {
    const double u = random.unit();
    members[static_cast<std::size_t>(u * u * 59.9)].push_back(node);
  }
  members.erase(std::remove(members.begin(), members.end(), std::vector<int>()), members.end());
  const auto numbered = [&](const std::vector<std::vector<int>>& clusters) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(nodes));
    for (std::size_t c = 0; c < clusters.size(); ++c)
      for (const int node : clusters[c])
        numbers[static_cast<std::size_t>(node)] = static_cast<std::int64_t>(c);
    const auto begin = numbers.begin() + UniformPartition(nodes, comm.size()).begin(comm.rank());
    return std::vector<std::int64_t>(
        begin, begin + UniformPartition(nodes, comm.size()).count(comm.rank()));
  };
  std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  const std::vector<std::int64_t> bySize = numbered(members);
  const auto renumbered = [&](ClusterOrder order) {
    std::vector<std::int64_t> clusters = bySize;
    renumber(clusters, order, comm);
    return clusters;
  };
  TEST_ASSERT(renumbered(ClusterOrder::bySize) == bySize);
  std::reverse(members.begin(), members.end());
  TEST_ASSERT(renumbered(ClusterOrder::byRisingSize) == numbered(members));
  std::sort(members.begin(), members.end());
  TEST_ASSERT(renumbered(ClusterOrder::byFirstNode) == numbered(members));
}

}  // namespace
