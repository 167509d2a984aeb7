// SPDX-License-Identifier: BSD-3-Clause
// markovCluster() against the emulation of mcl: drawn graphs on drawn Maps and grids, with pruning
// that bites, and the graphs whose clusterings by mcl are known.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include "Markov_Graphs.hpp"
#include "Trident_MarkovCluster.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestNeeds.hpp"
#include "Trident_TestProduct.hpp"
#include "Trident_TestVerdict.hpp"

namespace {

using namespace TridentTest;
using Result = Trident::MarkovResult<LO, GO, map_type::node_type>;

/// A graph whose node i has the i-th smallest global index, so that mcl's order is that of indices.
struct Spread {
  Indices indices;  // ascending
  MapPtr map;
  MatrixPtr A;

  Spread(Random& random, const Graph& graph, Layout layout, const CommPtr& comm)
      : indices(randomIndices(random, static_cast<int>(graph.size()))) {
    std::sort(indices.gids.begin(), indices.gids.end());
    map = makeMap(random, indices, layout, comm);
    A = makeMatrix(sparseOf(graph), indices, indices, map, map, map);
  }

  /// Returns the label of each node, on every rank. Collective.
  std::vector<long long> labels(const Result& result) const {
    const auto places = indices.places();
    std::vector<long long> mine(indices.size(), 0), all(indices.size(), 0);
    const auto data = result.labels->getData();
    for (int l = 0; l < data.size(); ++l) mine[places.at(map->getGlobalElement(l))] = data[l];
    Teuchos::reduceAll(*map->getComm(), Teuchos::REDUCE_SUM, indices.size(), mine.data(),
                       all.data());
    return all;
  }
};

Trident::MarkovOptions optionsOf(const MclOptions& mcl) {
  Trident::MarkovOptions options;
  options.inflation = mcl.inflation;
  options.prune = mcl.prune;
  options.select = mcl.select;
  options.recover = mcl.recover;
  options.percent = mcl.percent;
  options.mostIterations = mcl.mostIterations;
  options.loopFactor = mcl.loops;
  options.firstInflation = mcl.firstInflation;
  options.initialIterations = mcl.initialIterations;
  options.initialInflation = mcl.initialInflation;
  return options;
}

/// Returns the differences from mcl's result, as a text. Collective.
std::string compare(const Spread& spread, const Result& found, const MclResult& expected) {
  const std::vector<long long> labels = spread.labels(found);
  const Clusters clusters = clustersOf(labels);
  std::string problem;
  const auto expect = [&](const std::string& what, auto is, auto shouldBe) {
    if (is != shouldBe) problem += say(what, " ", is, ", not ", shouldBe, "; ");
  };
  const long long last = labels.empty() ? -1 : *std::max_element(labels.begin(), labels.end());
  expect("the last label is", last, static_cast<long long>(expected.clusters.size()) - 1);
  if (clusters != expected.clusters)
    problem += inOrder(clusters) == inOrder(expected.clusters) ? "another order of clusters; "
                                                               : "other clusters; ";
  expect("clusters:", found.clusters, static_cast<long long>(expected.clusters.size()));
  expect("iterations:", found.iterations, expected.iterations);
  expect("nodes of several clusters:", found.overlaps, expected.overlaps);
  expect("converged:", found.converged, expected.chaos < 0.0001);
  if (!(std::abs(found.chaos - expected.chaos) <= 1e-9 + 1e-6 * expected.chaos))
    problem += say("chaos ", found.chaos, ", not ", expected.chaos, "; ");
  if (!expected.clusters.empty())
    expect("the largest cluster has", found.largest,
           static_cast<long long>(expected.clusters.front().size()));
  expect("singletons:", found.singletons,
         static_cast<long long>(std::count_if(expected.clusters.begin(), expected.clusters.end(),
                                              [](const auto& c) { return c.size() == 1; })));
  return everywhere(*world(), problem);
}

/// Draws any shape of nodes of any size, or the one that is chosen.
Teuchos::RCP<Teuchos::ParameterList> randomGrid(Random& random, int ranks) {
  std::vector<std::pair<int, std::string>> shapes;
  for (int size = 1; size <= ranks; ++size) {
    if (ranks % size != 0) continue;
    const int nodes = ranks / size;
    shapes.push_back({size, "auto"});
    for (int rows = 1; rows <= nodes; ++rows)
      if (nodes % rows == 0) shapes.push_back({size, say(rows, "x", nodes / rows)});
  }
  const auto shape = random.oneOf(shapes);
  const auto list = tridentList();
  list->sublist("Trident")
      .set("ranks per node", shape.first)
      .set("grid", shape.second)
      .set("partition", random.oneOf<std::string>({"aligned", "balanced", "uniform", "work"}));
  return list;
}

/// Splits clusters by walking along edges inside of them, whichever way these point.
Clusters connectedParts(const Graph& graph, const Clusters& clusters) {
  std::vector<std::vector<int>> neighbours(graph.size());
  for (int node = 0; node < static_cast<int>(graph.size()); ++node)
    for (const auto& [other, weight] : graph[node])
      if (weight > 0) {
        neighbours[node].push_back(other);
        neighbours[other].push_back(node);
      }
  Clusters parts;
  for (const auto& cluster : clusters) {
    std::set<int> left(cluster.begin(), cluster.end());
    while (!left.empty()) {
      std::vector<int> part{*left.begin()};
      left.erase(left.begin());
      for (std::size_t at = 0; at < part.size(); ++at)
        for (const int other : neighbours[part[at]])
          if (left.erase(other) > 0) part.push_back(other);
      std::sort(part.begin(), part.end());
      parts.push_back(part);
    }
  }
  return inOrder(parts);
}

std::string check(Random& random, const Graph& graph, const MclOptions& mcl, Layout layout,
                  bool forceConnected = false) {
  const Spread spread(random, graph, layout, world());
  Trident::MarkovOptions options = optionsOf(mcl);
  options.params = randomGrid(random, world()->getSize());
  options.forceConnected = forceConnected;
  if (random.chance(0.3)) options.productMemoryBytes = random.between(1, 20000);
  MclResult expected = emulateMcl(graph, mcl);
  if (forceConnected) expected.clusters = connectedParts(graph, expected.clusters);
  return compare(spread, Trident::markovCluster(*spread.A, options), expected);
}

TEUCHOS_UNIT_TEST(Cluster, DrawnGraphs) {
  Random random(5);
  for (int n = 0; n < 12; ++n) {
    const GraphKind kind = randomKind(random, random.between(1, 130));
    MclOptions mcl;
    mcl.inflation = random.oneOf<double>({1.4, 2, 2, 4});
    const Layout layout = randomLayout(random);
    out << n << ": " << kind.nodes << " nodes, inflation " << mcl.inflation << ", "
        << layoutNames[static_cast<int>(layout)] << "\n";
    TRIDENT_TEST_OK(check(random, familyGraph(random, kind), mcl, layout));
  }
}

TEUCHOS_UNIT_TEST(Cluster, LoopsAndFirstInflation) {
  Random random(12);
  for (const auto& [loops, firstInflation] : std::vector<std::pair<double, double>>{
           {0, 1}, {0.2, 1}, {3, 1}, {1, 0}, {1, 2.5}, {2, 0.5}}) {
    MclOptions mcl;
    mcl.loops = loops;
    mcl.firstInflation = firstInflation;
    out << "loops " << loops << ", first inflation " << firstInflation << "\n";
    TRIDENT_TEST_OK(check(random, familyGraph(random, randomKind(random, random.between(20, 90))),
                          mcl, randomLayout(random)));
  }
}

TEUCHOS_UNIT_TEST(Cluster, InitialIterations) {
  Random random(19);
  for (const auto& [iterations, inflation] :
       std::vector<std::pair<int, double>>{{1, 5}, {3, 1.3}, {45, 2}}) {
    MclOptions mcl;
    mcl.initialIterations = iterations;
    mcl.initialInflation = inflation;
    out << iterations << " with inflation " << inflation << "\n";
    TRIDENT_TEST_OK(check(random, familyGraph(random, randomKind(random, random.between(20, 90))),
                          mcl, randomLayout(random)));
  }
}

// Small whole numbers, so that sums of some rows are 0, and of some negative.
TEUCHOS_UNIT_TEST(Cluster, SignedWeights) {
  Random random(23);
  for (int n = 0; n < 12; ++n) {
    Graph graph = familyGraph(random, randomKind(random, random.between(5, 60)));
    for (auto& row : graph)
      for (auto& edge : row) edge.second = random.between(-6, 9);
    const Spread spread(random, graph, randomLayout(random), world());
    Trident::MarkovOptions options;
    options.params = randomGrid(random, world()->getSize());
    options.signedWeights = true;
    TRIDENT_TEST_OK(compare(spread, Trident::markovCluster(*spread.A, options),
                            emulateMcl(graph, MclOptions())));
  }
}

// Inflations at both ends let no power overflow, and none of a largest entry underflow.
TEUCHOS_UNIT_TEST(Cluster, ExtremeInflations) {
  Random random(8);
  for (const double inflation : {0.001, 0.04, 30.0}) {
    const GraphKind kind = randomKind(random, 60);
    MclOptions mcl;
    mcl.inflation = inflation;
    out << "inflation " << inflation << "\n";
    TRIDENT_TEST_OK(check(random, familyGraph(random, kind), mcl, randomLayout(random)));
  }
}

TEUCHOS_UNIT_TEST(Cluster, PruningThatBites) {
  Random random(6);
  const std::vector<MclOptions> schemes{
      {2, 200, 12, 16, 90}, {2, 50, 6, 8, 90},   {2, 20, 3, 5, 95}, {2, 10, 0, 4, 80},
      {2, 0, 7, 0, 90},     {2, 1000, 5, 0, 90}, {2, 8, 0, 0, 90},  {4, 4, 2, 9, 0},
      {1.4, 30, 4, 20, 90}, {2, 100, 8, 8, 99}};
  for (const MclOptions& mcl : schemes) {
    GraphKind kind = randomKind(random, random.between(60, 150));
    kind.weighted = true;  // so that nothing hangs on the last bits of ties
    TRIDENT_TEST_OK(check(random, familyGraph(random, kind), mcl, randomLayout(random)));
  }
}

TEUCHOS_UNIT_TEST(Cluster, Ties) {
  Random random(7);
  for (int n = 0; n < 6; ++n)
    TRIDENT_TEST_OK(check(random, tiedGraph(random, random.between(1, 90)), MclOptions(),
                          randomLayout(random)));
}

// Numbers behind the entries of a matrix count neither as edges nor as negative weights.
TEUCHOS_UNIT_TEST(Cluster, LongerArrays) {
  Random random(9);
  const Graph graph = familyGraph(random, randomKind(random, 60));
  for (const Arrays how : {Arrays::Constructor, Arrays::SetAll, Arrays::LocalMatrix}) {
    Spread spread(random, graph, randomLayout(random), world());
    spread.A = withRoom(*spread.A, how, 100000000);
    TRIDENT_TEST_OK(compare(spread, Trident::markovCluster(*spread.A, optionsOf(MclOptions())),
                            emulateMcl(graph, MclOptions())));
  }
}

TEUCHOS_UNIT_TEST(Cluster, NoEdges) {
  Random random(8);
  for (const int nodes : {1, 2, 40})
    TRIDENT_TEST_OK(check(random, Graph(nodes), MclOptions(), randomLayout(random)));
  const auto map = Teuchos::rcp(new map_type(0, 0, world()));
  const auto none = makeMatrix(Sparse(0, 0), Indices(), Indices(), map, map, map);
  const Result result = Trident::markovCluster(*none);
  TEST_EQUALITY(result.clusters, 0);
  TEST_EQUALITY(result.labels->getGlobalLength(), 0u);
}

/// Checks the labels of a triangle, a pair, a lone node and a triangle, at both ends of global
/// indices. Collective.
std::string checkAtBothEnds(GO least, GO largest) {
  const std::vector<GO> gids{least, least + 1,   least + 2,   -2,     0,
                             7,     largest - 2, largest - 1, largest};
  const std::vector<long long> expected{0, 0, 0, 2, 2, 3, 1, 1, 1};
  const int nodes = 9, ranks = world()->getSize(), me = world()->getRank();
  std::vector<GO> mine;
  std::vector<long long> labels;
  for (int n = 0; n < nodes; ++n) {
    if ((n * 5 + 1) % ranks != me) continue;
    mine.push_back(gids[n]);
    labels.push_back(expected[n]);
  }
  const Teuchos::ArrayView<const GO> view(mine.data(), static_cast<Teuchos::Ordinal>(mine.size()));
  const auto map = Teuchos::rcp(new map_type(nodes, view, least, world()));
  matrix_type A(map, 2);
  for (std::size_t l = 0; l < mine.size(); ++l)
    for (int m = 0; m < nodes; ++m)
      if (expected[m] == labels[l] && gids[m] != mine[l])
        A.insertGlobalValues(mine[l], Teuchos::tuple<GO>(gids[m]), Teuchos::tuple<double>(1));
  A.fillComplete();
  const Result result = Trident::markovCluster(A);
  std::string problem;
  const auto found = result.labels->getData();
  for (std::size_t l = 0; l < mine.size(); ++l)
    if (found[l] != labels[l])
      problem += say("node ", mine[l], " has label ", found[l], ", not ", labels[l], "; ");
  if (result.clusters != 4) problem += say(result.clusters, " clusters, not 4; ");
  return everywhere(*world(), problem);
}

// Tpetra's fillComplete() on several ranks wants all indices within 2^63. It takes an index for a
// missing one if its distance from the first index of a rank's part ends in 32 ones.
TEUCHOS_UNIT_TEST(Cluster, IndicesAtBothEnds) {
  const GO least = std::numeric_limits<GO>::min(), largest = std::numeric_limits<GO>::max();
  TRIDENT_TEST_OK(checkAtBothEnds(least / 2 + 987654321, largest / 2 - 123456789));
  TRIDENT_TEST_OK(checkAtBothEnds(-8, largest - 123456789));
  TRIDENT_TEST_OK(checkAtBothEnds(least + 987654321, 12));
  if (world()->getSize() == 1) TRIDENT_TEST_OK(checkAtBothEnds(least + 1, largest - 1));
}

TEUCHOS_UNIT_TEST(Cluster, FewIterations) {
  // Limits that are none: long ways to attractors, overlap, nodes that reach nothing.
  Random random(9);
  for (int most = 1; most <= 6; ++most) {
    MclOptions mcl;
    mcl.mostIterations = most;
    if (most % 2 == 0) mcl.inflation = 1.2;
    const Graph graph = familyGraph(random, randomKind(random, random.between(30, 100)));
    TRIDENT_TEST_OK(check(random, graph, mcl, randomLayout(random)));
  }
}

/// Makes directed cycles of odd lengths. Without loops of their own, nodes have none after
/// expansions either: none is an attractor, and all are one cluster.
Graph oddCycles() {
  Graph graph;
  for (const int length : {3, 7, 5, 3, 41})
    for (int step = 0, first = static_cast<int>(graph.size()); step < length; ++step)
      graph.push_back({{first + (step + 1) % length, 1}});
  return graph;
}

TEUCHOS_UNIT_TEST(Cluster, ForceConnected) {
  Random random(14);
  MclOptions mcl;
  for (int n = 0; n < 3; ++n)
    TRIDENT_TEST_OK(check(random, familyGraph(random, randomKind(random, random.between(30, 150))),
                          mcl, randomLayout(random), true));
  mcl.loops = 0;
  const Graph cycles = oddCycles();
  TEST_EQUALITY(emulateMcl(cycles, mcl).clusters.size(), 1u);
  TEST_EQUALITY(connectedParts(cycles, emulateMcl(cycles, mcl).clusters).size(), 5u);
  for (const bool forceConnected : {false, true})
    for (int n = 0; n < 3; ++n)
      TRIDENT_TEST_OK(check(random, cycles, mcl, randomLayout(random), forceConnected));
}

/// Makes a matrix that holds each entry of another `times` times, its value times `factor` each
/// time.
MatrixPtr repeated(const matrix_type& A, int times, double factor) {
  using Pack = std::pair<LO, double>;
  const auto local = A.getLocalMatrixHost();
  const std::size_t rows = local.numRows();
  Teuchos::ArrayRCP<std::size_t> offsets(rows + 1, 0);
  std::vector<Pack> entries;
  for (std::size_t r = 0; r < rows; ++r) {
    for (int n = 0; n < times; ++n)  // not side by side: rows need not be sorted
      for (auto e = local.graph.row_map(r); e < local.graph.row_map(r + 1); ++e)
        entries.push_back({local.graph.entries(e), factor * local.values(e)});
    offsets[r + 1] = entries.size();
  }
  Teuchos::ArrayRCP<LO> columns(entries.size());
  Teuchos::ArrayRCP<double> values(entries.size());
  for (std::size_t e = 0; e < entries.size(); ++e) {
    columns[e] = entries[e].first;
    values[e] = entries[e].second;
  }
  const auto matrix =
      Teuchos::rcp(new matrix_type(A.getRowMap(), A.getColMap(), offsets, columns, values));
  matrix->fillComplete(A.getDomainMap(), A.getRangeMap());
  return matrix;
}

// Weights that are stored in parts count as their sums, also where these are no numbers.
TEUCHOS_UNIT_TEST(Cluster, EntriesStoredInParts) {
  Random random(12);
  const double halfOfMost = std::ldexp(1, 1023);
  for (int n = 0; n < 8; ++n) {
    GraphKind kind = randomKind(random, random.between(3, 60));
    kind.weighted = n % 2 == 0;
    const Graph graph = familyGraph(random, kind);
    const Spread spread(random, graph, randomLayout(random), world());
    const MclResult expected = emulateMcl(graph, MclOptions());
    Trident::MarkovOptions options;
    options.params = randomGrid(random, world()->getSize());
    TRIDENT_TEST_OK(
        compare(spread, Trident::markovCluster(*repeated(*spread.A, 2, 0.5), options), expected));
    TRIDENT_TEST_OK(
        compare(spread, Trident::markovCluster(*repeated(*spread.A, 4, 0.25), options), expected));
    double most = 0;
    for (const auto& row : graph)
      for (const auto& edge : row) most = std::max<double>(most, edge.second);
    if (!(most > 0)) continue;
    const double factor = std::ldexp(halfOfMost, -std::ilogb(most));
    TRIDENT_TEST_OK(compare(
        spread, Trident::markovCluster(*repeated(*spread.A, 4, factor), options), expected));
  }
}

TEUCHOS_UNIT_TEST(Cluster, ProgressAndSummary) {
  Random random(10);
  const Spread spread(random, familyGraph(random, randomKind(random, 80)), Layout::Scattered,
                      world());
  Trident::MarkovOptions options;
  std::vector<Trident::MarkovProgress> seen;
  options.progress = [&](const Trident::MarkovProgress& progress) { seen.push_back(progress); };
  const Result result = Trident::markovCluster(*spread.A, options);
  TEST_EQUALITY(static_cast<int>(seen.size()), result.iterations);
  long long expanded = 0, most = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    TEST_EQUALITY(seen[i].iteration, static_cast<int>(i) + 1);
    expanded += seen[i].expanded;
    most = std::max(most, seen[i].entries);
  }
  TEST_EQUALITY(seen.back().chaos, result.chaos);
  TEST_EQUALITY(seen.back().entries, result.entries);
  TEST_EQUALITY(expanded, result.expanded);
  TEST_EQUALITY(most, result.mostEntries);
  TEST_ASSERT(result.converged);
  TEST_ASSERT(result.dropped > 0);
  TEST_ASSERT(result.peakBytes > 0);
}

TEUCHOS_UNIT_TEST(Cluster, SinglePrecision) {
  Random random(11);
  for (int n = 0; n < 6; ++n) {
    GraphKind kind = randomKind(random, random.between(60, 130));
    kind.weighted = true;  // so that nothing hangs on the last bits of ties
    const Spread spread(random, familyGraph(random, kind), randomLayout(random), world());
    Trident::MarkovOptions options = optionsOf(MclOptions());
    options.params = randomGrid(random, world()->getSize());
    const Result inDouble = Trident::markovCluster(*spread.A, options);
    options.precision = Trident::MarkovPrecision::Single;
    const Result inSingle = Trident::markovCluster(*spread.A, options);
    TEST_ASSERT(spread.labels(inSingle) == spread.labels(inDouble));
    TEST_ASSERT(inSingle.converged);
  }
}

/// Bytes that Kokkos has allocated, beside those when it was started anew.
struct Allocated {
  static inline long long now = 0, most = 0;

  Allocated() {
    now = most = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char*, const void*, const std::uint64_t size) {
          most = std::max(most, now += static_cast<long long>(size));
        });
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char*, const void*, const std::uint64_t size) {
          now -= static_cast<long long>(size);
        });
  }
  ~Allocated() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
};

/// Makes a mesh, whose matrices grow from iteration to iteration.
Graph meshGraph(int side) {
  Graph graph(static_cast<std::size_t>(side * side));
  const auto join = [&](int i, int j) {
    graph[i].emplace_back(j, 1);
    graph[j].emplace_back(i, 1);
  };
  for (int i = 0; i < side * side; ++i) {
    if (i % side + 1 < side) join(i, i + 1);
    if (i + side < side * side) join(i, i + side);
  }
  return graph;
}

/// Measures the bytes that the iterations take on the rank that takes the most; the forecast must
/// be near. Collective.
double takenAsForecast(const Spread& spread, Trident::MarkovPrecision precision,
                       Teuchos::FancyOStream& out, bool& success,
                       Trident::MarkovOptions options = Trident::MarkovOptions()) {
  options.precision = precision;
  double forecast = 0;
  const Allocated allocated;
  options.forecast = [&](const Trident::MarkovForecast& found) {
    forecast = found.bytes;
    Allocated::now = Allocated::most = 0;
    TEST_ASSERT(found.available > 0);
  };
  const Result result = Trident::markovCluster(*spread.A, options);
  // Of several ranks as they count it: what they gather is not Kokkos'.
  const double taken =
      world()->getSize() == 1 ? static_cast<double>(Allocated::most) : result.peakBytes;
  out << "forecast " << forecast << ", taken " << taken << "\n";
  TEST_COMPARE(forecast, <, Trident::MarkovForecast::factor * taken);
  TEST_COMPARE(taken, <, Trident::MarkovForecast::factor * forecast);
  return taken;
}

TEUCHOS_UNIT_TEST(Forecast, IsNearWhatIsTaken) {
  GraphKind kind;
  kind.nodes = 500;
  kind.family = 30;
  Random random(12);
  // So large that what ranks have apart from their matrices does not count.
  const int side = world()->getSize() > 8 ? 60 : 24;
  for (const Graph& graph : {familyGraph(random, kind), meshGraph(side)}) {
    const Spread spread(random, graph, Layout::Uniform, world());
    using Precision = Trident::MarkovPrecision;
    const double inDouble = takenAsForecast(spread, Precision::Double, out, success);
    const double inSingle = takenAsForecast(spread, Precision::Single, out, success);
    TEST_COMPARE(inSingle, <, 0.75 * inDouble);  // entries two thirds, but not rows' offsets
  }
}

/// Neighbours drawn at random: a few rows need most rows of the matrix before.
Graph hairyGraph(Random& random, int nodes, int neighbours) {
  Graph graph(static_cast<std::size_t>(nodes));
  for (int i = 0; i < nodes; ++i)
    for (int n = 0; n < neighbours; ++n) {
      const int j = random.below(nodes);
      graph[i].emplace_back(j, 1);
      graph[j].emplace_back(i, 1);
    }
  return graph;
}

TEUCHOS_UNIT_TEST(Forecast, IsNearWhereRowsNeedMostOthers) {
  Random random(14);
  const Spread spread(random, hairyGraph(random, 9000, 8), Layout::Uniform, world());
  Trident::MarkovOptions options;
  options.prune = 1000;
  options.select = 160;
  options.recover = 200;
  options.mostIterations = 3;
  takenAsForecast(spread, Trident::MarkovPrecision::Double, out, success, options);
}

TEUCHOS_UNIT_TEST(Forecast, RefusesWhatCannotFit) {
  Random random(13);
  const Spread spread(random, familyGraph(random, randomKind(random, 80)), Layout::Uniform,
                      world());
  Trident::MarkovOptions options;
  double bytes = 0;
  options.forecast = [&](const Trident::MarkovForecast& found) { bytes = found.bytes; };
  options.availableBytes = 1;
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(
      *world(), {"Trident::markovCluster", "GB are free", "--memory", "--precision=single"},
      [&] { Trident::markovCluster(*spread.A, options); }));
  options.availableBytes = bytes;
  TEST_NOTHROW(Trident::markovCluster(*spread.A, options));
}

TEUCHOS_UNIT_TEST(RealClusterings, AsMcl) {
  const std::string folder = TRIDENT_TEST_MATRICES;
  TRIDENT_TEST_NEEDS(std::ifstream(folder + "/yeast-bim.mtx.gz"),
                     "the matrices with clusterings by mcl are not here (Trident_MATRICES)");
  Random random(11);
  const auto checkFile = [&](const std::string& name, const std::string& suffix,
                             double inflation) -> std::string {
    const Spread spread(random, readGraph(folder + "/" + name + ".mtx.gz"), randomLayout(random),
                        world());
    Trident::MarkovOptions options;
    options.inflation = inflation;
    options.params = randomGrid(random, world()->getSize());
    const Clusters found = clustersOf(spread.labels(Trident::markovCluster(*spread.A, options)));
    return found == readClusters(folder + "/" + name + suffix) ? "" : name + ": other clusters";
  };
  for (const char* name : {"mcl-falkner", "mcl-proteins", "sfld-amido", "yeast-bim",
                           "yeast-collins", "yeast-krogan-ext"})
    TRIDENT_TEST_OK(checkFile(name, ".mcl-I20.txt.gz", 2));
  TRIDENT_TEST_OK(checkFile("ortho-myco5", ".mcl-I15.txt.gz", 1.5));
}

}  // namespace
