// SPDX-License-Identifier: BSD-3-Clause
// Rows of a Markov process as they are dealt by work.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>

#include "Markov_Graphs.hpp"
#include "Markov_Rows.hpp"
#include "Trident_TestProduct.hpp"
#include "markov/Trident_PlacedGraph.hpp"

namespace {

using namespace TridentTest;
using namespace Trident::Impl;

/// Makes a community of many edges, whose nodes come first, and others of few.
Graph graphWithHeavyBegin(Random& random, int nodes, int heavy) {
  Graph graph(static_cast<std::size_t>(nodes));
  const auto join = [&](int i, int j) {
    if (i == j) return;
    graph[i].emplace_back(j, 1);
    graph[j].emplace_back(i, 1);
  };
  for (int i = 0; i < heavy; ++i)
    for (int j = 0; j < i; ++j)
      if (random.chance(0.5)) join(i, j);
  for (int i = heavy; i < nodes; ++i) join(i, i > heavy ? i - 1 : 0);
  return graph;
}

using Placed = PlacedGraph<LO, GO, map_type::node_type>;

/// Returns the multiply-adds of the first product on the rank that has most, over the mean.
/// Collective.
double unevenness(Placed& placed, const Graph& graph) {
  const auto matrix = placed.take();
  const auto entries = [&](int i) { return static_cast<double>(graph[i].size() + 1); };
  double work = 0, sum = 0, most = 0;
  for (const Position at : positionsOfRows(*placed.spaces().space(0), matrix.grid().me())) {
    work += entries(static_cast<int>(at));
    for (const auto& [j, weight] : graph[at]) work += entries(j);
  }
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_SUM, 1, &work, &sum);
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_MAX, 1, &work, &most);
  return most * world()->getSize() / sum;
}

TEUCHOS_UNIT_TEST(Work, RowsAreCutByIt) {
  Random random(9);
  const int nodes = 2000, heavy = 300, ranks = world()->getSize();
  const Graph graph = graphWithHeavyBegin(random, nodes, heavy);
  const auto A = makeUniform(sparseOf(graph), world());
  for (const int perNode : {0, 1, 2}) {
    if (perNode > 0 && ranks % perNode != 0) continue;
    Options gridOptions;
    gridOptions.grid.ranksPerNode = perNode;
    chooseShape(gridOptions.grid, rawComm(*world()));
    Placed placed(*A, Trident::MarkovOptions(), gridOptions, rawComm(*world()));
    const double uneven = unevenness(placed, graph);
    TEST_COMPARE(uneven, <, 1.5);
    out << placed.spaces().description() << ": " << uneven << " times the mean\n";
  }
}

// The first product is even to a factor of 2 also where the second is much more work: families of
// 20, in which two ways mostly meet in one node, are taken to keep more than they do.
TEUCHOS_UNIT_TEST(Work, LeavesTheFirstProductEven) {
  Random random(11);
  const int nodes = 3000, heavy = 220, family = 20;
  Graph graph = graphWithHeavyBegin(random, heavy, heavy);
  graph.resize(nodes);
  for (int i = heavy; i < nodes; ++i)
    for (int j = i - (i - heavy) % family; j < std::min(nodes, i - (i - heavy) % family + family);
         ++j)
      if (i != j) graph[i].emplace_back(j, 1);
  const auto A = makeUniform(sparseOf(graph), world());
  Placed placed(*A, Trident::MarkovOptions(), Options(), rawComm(*world()));
  TEST_COMPARE(unevenness(placed, graph), <, 2.1);
}

// Ranks keep rows evenly to a factor of 2, even if the first product is nearly all of the work.
TEUCHOS_UNIT_TEST(Work, LeavesMemoryEven) {
  Random random(10);
  const int nodes = 2000;
  const auto A = makeUniform(sparseOf(graphWithHeavyBegin(random, nodes, 300)), world());
  Trident::MarkovOptions options;
  options.select = options.recover = 5;
  const Placed placed(*A, options, Options(), rawComm(*world()));
  const auto& me = placed.spaces().grid().me();
  const int rows = placed.spaces().space(0)->localRows(me.i, me.k);
  int most = 0;
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_MAX, 1, &rows, &most);
  TEST_COMPARE(most, <=, 2.1 * nodes / world()->getSize());
}

}  // namespace
