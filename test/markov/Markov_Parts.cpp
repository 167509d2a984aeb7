// SPDX-License-Identifier: BSD-3-Clause
// Parts of markovCluster() that whole clusterings hardly reach: components with long paths, also of
// clusters, the order of many clusters, rows pruned in the ways of hosts and of devices, rows of a
// sample, memory as it is planned.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "Markov_Graphs.hpp"
#include "Markov_Rows.hpp"
#include "Trident_TestProduct.hpp"
#include "Trident_TestVerdict.hpp"
#include "exchange/Trident_Context.hpp"
#include "grid/Trident_Partition.hpp"
#include "markov/Trident_ClusterFinder.hpp"
#include "markov/Trident_ClusterOrder.hpp"
#include "markov/Trident_MarkovForecast.hpp"
#include "markov/Trident_PruneRule.hpp"
#include "markov/Trident_RowMarks.hpp"
#include "markov/Trident_ThinRows.hpp"
#include "matrix/Trident_FilterRows.hpp"

namespace {

using namespace TridentTest;
using namespace Trident::Impl;
using Device = map_type::device_type;

const GridRanks& gridRanks() { return Context::of(rawComm(*world())).ranks(0); }

/// Numbers dealt in ranges of random lengths, some of them empty.
Numbering drawNumbering(Random& random, Position size) {
  const int ranks = gridRanks().size();
  Numbering numbering;
  numbering.me = gridRanks().rank();
  numbering.rankBegin.assign(1, 0);
  for (int r = 1; r < ranks; ++r)
    numbering.rankBegin.push_back(random.chance(0.2) ? numbering.rankBegin.back()
                                                     : random.below(static_cast<int>(size) + 1));
  numbering.rankBegin.push_back(size);
  std::sort(numbering.rankBegin.begin(), numbering.rankBegin.end());
  return numbering;
}

/// Makes the part of a graph that this rank has; all edges count.
NodeEdges<Device> partOf(const std::vector<std::vector<int>>& edges, const Numbering& numbering) {
  const Position begin = numbering.begin(), end = numbering.end();
  std::vector<Position> remotes;
  for (Position i = begin; i < end; ++i)
    for (int j : edges[i])
      if (j < begin || j >= end) remotes.push_back(j);
  std::sort(remotes.begin(), remotes.end());
  remotes.erase(std::unique(remotes.begin(), remotes.end()), remotes.end());
  std::vector<std::size_t> offsets{0};
  std::vector<int> columns;
  for (Position i = begin; i < end; ++i) {
    for (int j : edges[i])
      columns.push_back(static_cast<int>(
          j >= begin && j < end
              ? j - begin
              : end - begin +
                    (std::lower_bound(remotes.begin(), remotes.end(), j) - remotes.begin())));
    offsets.push_back(columns.size());
  }
  return {toDevice<std::size_t, Device>(offsets), toDevice<int, Device>(columns),
          toDevice<char, Device>(std::vector<char>(columns.size(), 1)), remotes};
}

/// Finds the least node of each component, by a textbook's union and find.
std::vector<int> leastOfComponents(const std::vector<std::vector<int>>& edges) {
  std::vector<int> parent(edges.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto find = [&](int i) {
    while (parent[i] != i) i = parent[i];
    return i;
  };
  for (int i = 0; i < static_cast<int>(edges.size()); ++i)
    for (int j : edges[i]) {
      const int a = find(i), b = find(j);
      parent[std::max(a, b)] = std::min(a, b);
    }
  std::vector<int> least(edges.size());
  for (int i = 0; i < static_cast<int>(edges.size()); ++i) least[i] = find(i);
  return least;
}

std::string checkComponents(Random& random, const std::vector<std::vector<int>>& edges,
                            Teuchos::FancyOStream* out = nullptr) {
  const Numbering numbering = drawNumbering(random, static_cast<Position>(edges.size()));
  const NodeEdges<Device> graph = partOf(edges, numbering);
  LocalFailure failure;
  RemoteValues<Device> columns(gridRanks(), numbering, graph.remotes, 1 << 20, failure);
  const Kokkos::View<char*, Device> all("all", columns.size());
  Kokkos::deep_copy(all, 1);
  ConnectedComponents<Device> search(gridRanks(), numbering, graph, columns, all, 1 << 20);
  const auto found = search.roots(failure);
  const Kokkos::View<Position*, Device> own("own", found.extent(0));
  Kokkos::deep_copy(own, found);
  const auto roots = toHost<Position, Device>(own);
  // Whatever its paths: no more than twice the logarithm of a component's size.
  const double most = 3 + 2 * std::log2(static_cast<double>(edges.size()));
  const auto expected = leastOfComponents(edges);
  if (out) *out << edges.size() << " nodes: " << search.rounds() << " rounds\n";
  std::string problem =
      search.rounds() <= most ? "" : say(search.rounds(), " rounds for ", edges.size(), " nodes");
  for (Position i = numbering.begin(); i < numbering.end() && problem.empty(); ++i)
    if (roots[i - numbering.begin()] != expected[i])
      problem = say("node ", i, " has root ", roots[i - numbering.begin()], ", not ", expected[i]);
  return everywhere(*world(), problem);
}

TEUCHOS_UNIT_TEST(Components, LongPaths) {
  Random random(1);
  for (const int nodes : {1, 2, 50, 700, 5000}) {
    std::vector<int> order(nodes);
    std::iota(order.begin(), order.end(), 0);
    for (int shuffled = 0; shuffled < 2; ++shuffled) {
      std::vector<std::vector<int>> edges(nodes);
      for (int i = 1; i < nodes; ++i)
        if (random.chance(0.99)) {
          const bool back = random.chance(0.5);  // edges point one way alone
          edges[order[back ? i : i - 1]].push_back(order[back ? i - 1 : i]);
        }
      TRIDENT_TEST_OK(checkComponents(random, edges, &out));
      random.shuffle(order);
    }
  }
}

TEUCHOS_UNIT_TEST(Components, RandomGraphs) {
  Random random(2);
  for (int n = 0; n < 10; ++n) {
    const int nodes = random.between(1, 300);
    std::vector<std::vector<int>> edges(nodes);
    for (int e = random.below(2 * nodes); e > 0; --e)
      edges[random.below(nodes)].push_back(random.below(nodes));
    TRIDENT_TEST_OK(checkComponents(random, edges));
  }
}

/// Checks a limit with any clusters, split by any edges.
std::string checkSplit(Random& random, const std::vector<int>& clusters,
                       const std::vector<std::vector<int>>& edges) {
  const int nodes = static_cast<int>(edges.size());
  const Numbering numbering = drawNumbering(random, nodes);
  std::vector<std::vector<int>> limit(nodes), inside(nodes);
  std::map<int, int> attractors;
  for (int i = 0; i < nodes; ++i) {
    limit[i].push_back(attractors.insert({clusters[i], i}).first->second);
    for (const int j : edges[i])
      if (clusters[i] == clusters[j]) inside[i].push_back(j);
  }
  std::vector<long long> gids(numbering.end() - numbering.begin());
  std::iota(gids.begin(), gids.end(), numbering.begin());
  LocalFailure failure;
  const auto graph = partOf(limit, numbering), between = partOf(edges, numbering);
  const auto found = ClusterFinder<Device>(gridRanks(), numbering, graph,
                                           toDevice<long long, Device>(gids), 1 << 20, failure)
                         .run(0, nodes - 1, &between);
  const auto labels = toHost<long long, Device>(found.labels);

  const std::vector<int> roots = leastOfComponents(inside);
  std::map<int, int> sizes;
  for (const int root : roots) ++sizes[root];
  std::vector<std::pair<int, int>> order;  // of components: size, first node
  for (const auto& [root, size] : sizes) order.push_back({-size, root});
  std::sort(order.begin(), order.end());
  std::string problem;
  for (Position i = numbering.begin(); i < numbering.end(); ++i) {
    const long long label = labels[i - numbering.begin()];
    if (order.at(label).second != roots[i]) problem = say("node ", i, " has label ", label);
  }
  if (found.counts.clusters != static_cast<long long>(order.size())) problem += "; another count";
  return everywhere(*world(), problem);
}

TEUCHOS_UNIT_TEST(Components, OfClusters) {
  Random random(7);
  for (const int nodes : {1, 6, 90, 300}) {
    std::vector<int> clusters(nodes);
    std::vector<std::vector<int>> edges(nodes);
    for (int& cluster : clusters) cluster = random.below(5);
    for (int e = 2 * nodes; e > 0; --e) edges[random.below(nodes)].push_back(random.below(nodes));
    if (nodes == 300)  // a long path
      for (int i = 0; i < 200; ++i) {
        clusters[i] = 1;
        edges[i * 67 % 200].push_back((i + 1) * 67 % 200);
      }
    TRIDENT_TEST_OK(checkSplit(random, clusters, edges));
  }
}

TEUCHOS_UNIT_TEST(Order, OfManyClusters) {
  Random random(3);
  const int ranks = gridRanks().size(), me = gridRanks().rank();
  for (int n = 0; n < 12; ++n) {
    std::vector<ClusterKey> all;
    std::vector<int> owner;
    const long long base = random.chance(0.5) ? 0 : -1000, gap = random.chance(0.5) ? 1 : 12345;
    long long nodes = 0;
    const int clusters = random.below(200), most = random.oneOf<int>({1, 2, 10, 300});
    for (int c = 0; c < clusters; ++c) {
      all.push_back({random.between(1, most), base + gap * nodes});
      owner.push_back(random.below(ranks));
      nodes += all.back().size;
    }
    std::vector<ClusterKey> mine;
    for (int c = 0; c < clusters; ++c)
      if (owner[c] == me) mine.push_back(all[c]);
    random.shuffle(mine);  // differently long, so not again alike on all ranks
    LocalFailure failure;
    ClusterCounts counts;
    const auto numbers = clusterNumbers(gridRanks(), mine, nodes, base, base + gap * nodes, 1 << 20,
                                        counts, failure);
    std::sort(all.begin(), all.end(), [](const ClusterKey& a, const ClusterKey& b) {
      return a.size != b.size ? a.size > b.size : a.first < b.first;
    });
    std::string problem;
    for (std::size_t c = 0; c < mine.size(); ++c)
      if (all[numbers[c]].first != mine[c].first)
        problem = say("a cluster of ", mine[c].size, " is at ", numbers[c]);
    TRIDENT_TEST_OK(everywhere(*world(), problem));
    TEST_EQUALITY(counts.clusters, clusters);
    TEST_EQUALITY(counts.largest, clusters > 0 ? all.front().size : 0);
    TEST_EQUALITY(counts.singletons,
                  std::count_if(all.begin(), all.end(), [](auto& k) { return k.size == 1; }));
    random = Random(100 + n);  // alike on all ranks again
  }
}

// Differences of global indices near both ends of their type are no number of it.
TEUCHOS_UNIT_TEST(Order, OfIndicesAtBothEnds) {
  const long long least = std::numeric_limits<long long>::min(),
                  largest = std::numeric_limits<long long>::max();
  const int ranks = gridRanks().size(), me = gridRanks().rank();
  for (const auto& ends : std::vector<std::array<long long, 2>>{
           {least, largest}, {least, 0}, {-5, largest - 1}, {least + 3, least + 3}}) {
    const std::vector<ClusterKey> all{{2, ends[0]}, {1, ends[0] / 2 + ends[1] / 2}, {1, ends[1]}};
    std::vector<ClusterKey> mine;
    for (int c = 0; c < 3; ++c)
      if ((c + 1) % ranks == me) mine.push_back(all[c]);
    LocalFailure failure;
    ClusterCounts counts;
    const auto numbers =
        clusterNumbers(gridRanks(), mine, 4, ends[0], ends[1], 1 << 20, counts, failure);
    TEST_EQUALITY(counts.clusters, 3);
    TEST_EQUALITY(counts.singletons, 2);
    std::string problem;
    for (std::size_t c = 0; c < mine.size() && ends[0] < ends[1]; ++c)
      if (all[numbers[c]].first != mine[c].first)
        problem = say("the cluster of ", mine[c].first, " is at ", numbers[c]);
    TRIDENT_TEST_OK(everywhere(*world(), problem));
  }
}

/// Rows in the way of devices, on whatever this is.
struct TestTeamLoop {
  template <class D, class Work>
  static void run(const std::string& label, long long rows, long long longest, const Work& work) {
    forRowsByTeams<D>(label, rows, longest, work);
  }
};

LocalMatrix<double, Device> drawRows(Random& random, int rows, int longest) {
  std::vector<std::size_t> offsets{0};
  std::vector<int> columns;
  std::vector<double> values;
  for (int r = 0; r < rows; ++r) {
    const int length = random.below(longest + 1);
    double sum = 0;
    for (int e = 0; e < length; ++e) {
      columns.push_back(e);
      values.push_back(random.chance(0.3) ? 0.25 : random.real() * random.real());
      sum += values.back();
    }
    for (std::size_t e = offsets.back(); e < values.size(); ++e) values[e] /= sum;
    offsets.push_back(values.size());
  }
  CrsArrays<double, Device> arrays{toDevice<std::size_t, Device>(offsets),
                                   toDevice<int, Device>(columns),
                                   toDevice<double, Device>(values)};
  return arrays.matrix(longest);
}

TEUCHOS_UNIT_TEST(Pruning, NumbersOfSchemes) {
  Trident::MarkovOptions options;
  options.scheme = 7;
  options.select = 0;
  options.inflation = 3;
  const Trident::MarkovOptions all = Trident::withScheme(options);
  TEST_EQUALITY_CONST(all.prune, 10000);
  TEST_EQUALITY_CONST(all.select, 0);
  TEST_EQUALITY_CONST(all.recover, 1600);
  TEST_EQUALITY_CONST(all.percent, 90);
  TEST_EQUALITY_CONST(all.inflation, 3);
  for (const int scheme : {0, 8, -1}) {
    options.scheme = scheme;
    TEST_THROW(Trident::withScheme(options), Trident::Error);
  }
}

TEUCHOS_UNIT_TEST(Pruning, SameBitsInBothWays) {
  Random random(4);
  for (const auto& mcl : std::vector<std::array<int, 4>>{
           {10000, 1100, 1400, 90}, {50, 6, 8, 90}, {20, 3, 5, 95}, {300, 40, 60, 80}})
    for (const int longest : {400, 4 * leastLongRow}) {
      Trident::MarkovOptions options;
      options.prune = mcl[0];
      options.select = mcl[1];
      options.recover = mcl[2];
      options.percent = mcl[3];
      const auto matrix = drawRows(random, longest < leastLongRow ? 60 : 8, longest);
      const auto seen = emptyNotes<Device>(), other = emptyNotes<Device>();
      const PruneFilter<Device> one{{pruneScheme(options), 1.7, seen}};
      const PruneFilter<Device> two{{pruneScheme(options), 1.7, other}};
      using Verdicts = VerdictByRule<PruneRule<Device>>;
      const auto a = keepEntries(matrix, Verdicts{one.rule}, one.keepFrom(0));
      const auto b = keepEntries<TestTeamLoop>(matrix, Verdicts{two.rule}, two.keepFrom(0));
      using Values = std::remove_const_t<decltype(a.values)>;
      const auto valuesOf = [](const Values& view) {
        const Kokkos::View<double*, Device> values = view;
        return toHost<double, Device>(values);
      };
      TEST_ASSERT(valuesOf(a.values) == valuesOf(b.values));
      const PruneNotes first = combinedNotes<Device>(seen), second = combinedNotes<Device>(other);
      TEST_EQUALITY(first.chaos, second.chaos);
      TEST_EQUALITY(first.entries, second.entries);
      TEST_ASSERT(first.chaos > 0);
    }
}

/// Draws a space of so many positions, cut anywhere.
std::shared_ptr<const IndexSpace> drawSpace(Random& random, const Trident::GridShape& shape,
                                            int size) {
  std::vector<Position> cuts{0};
  for (int slice = 1; slice < shape.segments() * shape.lambda; ++slice)
    cuts.push_back(random.below(size + 1));
  cuts.push_back(size);
  std::sort(cuts.begin(), cuts.end());
  return std::make_shared<IndexSpace>(shape, cuts);
}

/// Draws a rank's part of a matrix: few entries in each row, columns ascending.
LocalMatrix<double, Device> drawPart(Random& random, int rows, int columns) {
  std::vector<std::size_t> offsets{0};
  std::vector<int> entries;
  std::vector<double> values;
  for (int r = 0; r < rows; ++r) {
    for (int c = random.below(40); c < columns; c += 1 + random.below(40)) {
      entries.push_back(c);
      values.push_back(random.real());
    }
    offsets.push_back(entries.size());
  }
  CrsArrays<double, Device> arrays{toDevice<std::size_t, Device>(offsets),
                                   toDevice<int, Device>(entries),
                                   toDevice<double, Device>(values)};
  return arrays.matrix(columns);
}

/// Marks the rows that a product needs, against a list of all positions; then takes a matrix apart
/// by the marks, and puts it together again.
std::string checkMarks(Random& random, const Trident::GridShape& shape) {
  const GridRanks ranks(rawComm(*world()),
                        layoutNodes(std::vector<int>(shape.ranks(), 0), shape.lambda));
  const auto exchanges = std::make_shared<GridExchanges>(ranks, shape);
  const auto space = drawSpace(random, shape, random.oneOf<int>({0, 3, 200, 900}));
  const auto me = exchanges->grid().me();
  Random own(random.below(1000) + 1000 * ranks.rank());
  const LocalMatrix<double, Device> part =
      drawPart(own, space->localRows(me.i, me.k), space->tileColSize(me.j));
  const auto marks =
      rowsNeededBy(GridMatrix<double, Device>(exchanges, space, space, part), std::size_t(1) << 20);

  std::vector<int> needed(static_cast<std::size_t>(space->size()), 0);
  const Kokkos::View<int*, Device> columns = part.graph.entries;
  for (const int column : toHost<int, Device>(columns))
    needed[static_cast<std::size_t>(space->tileColBegin(me.j) + column)] = 1;
  allReduce(MPI_IN_PLACE, needed.data(), static_cast<int>(needed.size()), MPI_INT, MPI_MAX,
            ranks.comm(), "the rows that are needed");
  std::vector<int> expected;
  int row = 0;
  for (const Position position : positionsOfRows(*space, me)) {
    if (needed[static_cast<std::size_t>(position)]) expected.push_back(row);
    ++row;
  }
  const RowMarks<Device> wanted = marksOf<Device>(expected, part.numRows());
  if (toHost<Word, Device>(marks) != toHost<Word, Device>(wanted)) return "other rows are needed";
  if (countMarks(marks) != static_cast<long long>(expected.size())) return "another count";

  std::vector<int> allRows(part.numRows());
  std::iota(allRows.begin(), allRows.end(), 0);
  const auto rest = marksWithout(marksOf<Device>(allRows, part.numRows()), marks);
  const auto both = rowsOfBoth(markedRows(part, marks), markedRows(part, rest));
  addMarks(rest, marks);
  if (countMarks(rest) != part.numRows()) return "marks are missing";
  const auto sameArray = [](const auto& a, const auto& b) {
    using T = typename std::decay_t<decltype(a)>::non_const_value_type;
    const Kokkos::View<T*, Device> first("first", a.extent(0)), second("second", b.extent(0));
    Kokkos::deep_copy(first, a);
    Kokkos::deep_copy(second, b);
    return toHost<T, Device>(first) == toHost<T, Device>(second);
  };
  return sameArray(both.graph.row_map, part.graph.row_map) &&
                 sameArray(both.graph.entries, part.graph.entries) &&
                 sameArray(both.values, part.values)
             ? ""
             : "another matrix";
}

TEUCHOS_UNIT_TEST(Sample, MarksRows) {
  Random random(6);
  const int ranks = world()->getSize();
  for (int lambda = 1; lambda <= ranks; ++lambda)
    if (ranks % lambda == 0)
      for (const auto& shape : Trident::allShapes(ranks / lambda, lambda))
        TRIDENT_TEST_OK(everywhere(*world(), checkMarks(random, shape)));
}

/// Returns the fault of what thinRows() left of a row; an empty text if there is none. Local.
/// @param most entries that were asked for
std::string checkThinRow(const std::vector<double>& row, const std::map<int, double>& thin,
                         int most) {
  double sum = 0, drawn = 0;
  for (const double value : row) sum += value;
  for (const auto& [column, value] : thin) drawn += value;
  if (row.size() <= static_cast<std::size_t>(most))
    return thin.size() == row.size() && drawn == sum ? "" : "a short row has changed";
  if (thin.size() > static_cast<std::size_t>(most) + 1) return "too many are left";
  if (std::abs(drawn - sum) > 0.01 * sum) return say("the sum is ", drawn, ", not ", sum);
  const bool allSeen = row.size() <= DrawEntries<double, Device>::mostRead;
  for (std::size_t c = 0; allSeen && c < row.size(); ++c)
    if (row[c] > 1.001 * sum / most && thin.count(static_cast<int>(c)) == 0)
      return "a heavy entry is missing";
  return "";
}

TEUCHOS_UNIT_TEST(Sample, ThinsLongRows) {
  Random random(8);
  for (const int most : {1, 16, 64, 30000}) {
    std::vector<std::vector<double>> rows;
    for (const int length : {0, 1, 16, 17, 64, 65, 500, 4096, 30000}) {
      rows.emplace_back();
      for (int c = 0; c < length; ++c)
        rows.back().push_back(random.chance(0.1) ? 5 * random.real() : 0.5);
    }
    std::vector<std::size_t> offsets{0};
    std::vector<int> columns, marked;
    std::vector<double> values;
    for (const auto& row : rows) {
      if (random.chance(0.8)) marked.push_back(static_cast<int>(offsets.size()) - 1);
      for (std::size_t c = 0; c < row.size(); ++c) columns.push_back(static_cast<int>(c));
      values.insert(values.end(), row.begin(), row.end());
      offsets.push_back(values.size());
    }
    const CrsArrays<double, Device> arrays{toDevice<std::size_t, Device>(offsets),
                                           toDevice<int, Device>(columns),
                                           toDevice<double, Device>(values)};
    const auto matrix = arrays.matrix(30000);
    const auto marks = marksOf<Device>(marked, matrix.numRows());
    const auto thin = thinRows(matrix, marks, most);
    const Kokkos::View<double*, Device> thinValues = thin.values;
    const Kokkos::View<int*, Device> thinColumns = thin.graph.entries;
    const auto v = toHost<double, Device>(thinValues);
    const auto c = toHost<int, Device>(thinColumns);
    const auto ends = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), thin.graph.row_map);
    double marksSum = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const bool isMarked = std::count(marked.begin(), marked.end(), static_cast<int>(r)) > 0;
      std::map<int, double> left;
      for (std::size_t e = ends(r); e < ends(r + 1); ++e) left[c[e]] = v[e];
      if (isMarked) marksSum += static_cast<double>(rows[r].size());
      TRIDENT_TEST_OK(checkThinRow(isMarked ? rows[r] : std::vector<double>(), left, most));
    }
    TEST_EQUALITY(static_cast<double>(countMarkedEntries(matrix, marks)), marksSum);
    const long long bound = countMarkedEntries(matrix, marks, most);
    TEST_COMPARE(static_cast<long long>(thin.nnz()), <=, bound + countMarks(marks));
    if (most == 30000) TEST_EQUALITY(static_cast<long long>(thin.nnz()), bound);  // none is long
  }
}

// Products fall on so many places at random, and meet from a few of them to all.
TEUCHOS_UNIT_TEST(Sample, MoreProductsMeetMoreOften) {
  const auto met = [](double places, double products) {
    return places * -std::expm1(-products / places);
  };
  for (const double places : {1.0, 50.0, 3e4, 1e9})
    for (const double products : {1.0, 40.0, 1e5})
      for (const double times : {1.0, 3.0, 1e3}) {
        const double expected = met(places, times * products);
        if (products > 20 * places) continue;  // all is met: nothing tells how often
        const double found = expandedOf(products, met(places, products), times);
        TEST_FLOATING_EQUALITY(found, expected, 1e-3);
      }
  TEST_EQUALITY(expandedOf(100, 100, 7), 700);
  TEST_EQUALITY(expandedOf(0, 0, 7), 0);
}

/// Plans memory for iterations of a matrix of many rows, none of which has an entry.
MemoryPlan planFor(double available, const std::vector<IterationEstimate>& iterations) {
  const int ranks = world()->getSize();
  const Trident::GridShape shape{1, ranks, 1};
  const GridRanks nodes(rawComm(*world()), layoutNodes(std::vector<int>(ranks, 0), 1));
  const auto exchanges = std::make_shared<GridExchanges>(nodes, shape);
  const int size = 200000;
  const auto space =
      std::make_shared<const IndexSpace>(shape, uniformCuts(size, shape.segments() * shape.lambda));
  const auto me = exchanges->grid().me();
  const GridMatrix<double, Device> first(
      exchanges, space, space,
      emptyMatrix<double, Device>(space->localRows(me.i, me.k), space->tileColSize(me.j)));
  const RoundOptions rounds;
  const MemoryModel<double, Device> model(first, rounds, 0, meanBytesOf(first), available);
  return model.plan(iterations, false, 0);
}

TEUCHOS_UNIT_TEST(Memory, PiecesFitWhatIsThere) {
  const double ranks = world()->getSize();
  const std::vector<IterationEstimate> iterations{{1e6 * ranks, 4e9 * ranks, 8e9 * ranks}};
  const MemoryPlan free = planFor(0, iterations);
  TEST_EQUALITY(free.pieceBytes.front(), 0);
  const MemoryPlan roomy = planFor(2 * free.forecast.bytes, iterations);
  TEST_EQUALITY(roomy.pieceBytes.front(), 0);
  TEST_EQUALITY(roomy.forecast.bytes, free.forecast.bytes);
  const MemoryPlan tight = planFor(0.8 * free.forecast.bytes, iterations);
  TEST_COMPARE(tight.pieceBytes.front(), >, 0);
  if (ranks > 1) {  // else pieces are small in any case on a host
    TEST_COMPARE(tight.forecast.bytes, <, 0.8 * free.forecast.bytes);
    TEST_NOTHROW(requireFits(tight.forecast, false));
  }
  TEST_THROW(requireFits(planFor(1e6, iterations).forecast, false), Trident::Error);
}

}  // namespace
