// SPDX-License-Identifier: BSD-3-Clause
// Several inflations of one graph: each run is as one of its own. And runs that prune nothing,
// whose matrices have no numbers that are lost in mcl's.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "Markov_Graphs.hpp"
#include "Trident_MarkovCluster.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestVerdict.hpp"
#include "matrix/Trident_Device.hpp"

namespace {

using namespace TridentTest;
using NO = map_type::node_type;
using Result = Trident::MarkovResult<LO, GO, NO>;
using Options = Trident::MarkovOptions;
using Found = std::function<void(double, const Result&)>;

void clusterEach(const matrix_type& A, const std::vector<double>& inflations, const Found& found,
                 const Options& options) {
  Trident::markovClusters<LO, GO, NO>(A, inflations, found, options);
}

MatrixPtr drawn(Random& random, int nodes) {
  return makeUniform(sparseOf(familyGraph(random, randomKind(random, nodes))), world());
}

/// Makes a grid of one node column, or of several if ranks allow it: then ranks share rows.
Teuchos::RCP<Teuchos::ParameterList> gridOf(bool sharesRows) {
  const auto list = tridentList();
  const int ranks = world()->getSize();
  if (sharesRows && ranks % 2 == 0)
    list->sublist("Trident").set("ranks per node", 1).set("grid", say(ranks / 2, "x2"));
  return list;
}

/// Returns the differences between a run of several inflations, and one of its own. Collective.
std::string differ(const Result& one, const Result& other) {
  std::string problem;
  const auto expect = [&](const char* what, auto is, auto shouldBe) {
    if (is != shouldBe) problem += say(what, " ", is, ", not ", shouldBe, "; ");
  };
  const auto labels = one.labels->getData(), expected = other.labels->getData();
  if (!std::equal(labels.begin(), labels.end(), expected.begin(), expected.end()))
    problem += "other labels; ";
  expect("clusters:", one.clusters, other.clusters);
  expect("largest:", one.largest, other.largest);
  expect("singletons:", one.singletons, other.singletons);
  expect("overlaps:", one.overlaps, other.overlaps);
  expect("iterations:", one.iterations, other.iterations);
  expect("converged:", one.converged, other.converged);
  expect("entries:", one.entries, other.entries);
  expect("most entries:", one.mostEntries, other.mostEntries);
  expect("expanded:", one.expanded, other.expanded);
  expect("dropped:", one.dropped, other.dropped);
  if (!(std::abs(one.chaos - other.chaos) <= 1e-9 + 1e-6 * other.chaos))
    problem += say("chaos ", one.chaos, ", not ", other.chaos, "; ");
  return everywhere(*world(), problem);
}

std::string checkRuns(const matrix_type& A, const Options& options,
                      const std::vector<double>& inflations) {
  std::vector<Result> results;
  std::vector<double> told;
  const Found found = [&](double inflation, const Result& result) {
    told.push_back(inflation);
    results.push_back(result);
  };
  clusterEach(A, inflations, found, options);
  if (told != inflations) return "other inflations were told";
  std::string problem;
  std::map<double, Result> owns;
  for (std::size_t n = 0; n < inflations.size(); ++n) {
    Options own = options;
    own.inflation = inflations[n];
    if (owns.count(own.inflation) == 0) owns[own.inflation] = Trident::markovCluster(A, own);
    const std::string differs = differ(results[n], owns[own.inflation]);
    if (!differs.empty()) problem += say("inflation ", inflations[n], ": ", differs);
  }
  return problem;
}

TEUCHOS_UNIT_TEST(Inflations, AsRunsOfTheirOwn) {
  // A device takes an iteration of a small graph no faster than a large one's. The first seven
  // repeats have all kinds of options; and most iterations are those of 1.3 and 0.7.
  constexpr bool host = Trident::Impl::isHost<NO::device_type>;
  Random random(21);
  for (int repeat = 0; repeat < (host ? 12 : 7); ++repeat) {
    const MatrixPtr A = drawn(random, 150);
    Options options;
    options.params = gridOf(repeat % 2 == 1);
    if (repeat % 3 == 1) options.precision = Trident::MarkovPrecision::Single;
    if (repeat % 4 == 2) {
      options.prune = 20;
      options.select = 6;
      options.recover = repeat % 8 == 2 ? 0 : 8;  // rows may become empty
    }
    if (repeat % 5 == 3) options.initialIterations = 2;
    if (repeat % 6 == 5) options.mostIterations = 1;
    std::vector<double> inflations{2.0, 1.3, 5.0, 0.7, 30.0, 2.0};
    if (!host) inflations.erase(inflations.begin() + (repeat / 2 % 2 == 0 ? 3 : 1));
    TRIDENT_TEST_OK(checkRuns(*A, options, inflations));
  }
}

TEUCHOS_UNIT_TEST(Inflations, NoNodesAndNoIterationOfTheirOwn) {
  TRIDENT_TEST_OK(checkRuns(*makeUniform(Sparse(0, 0), world()), Options(), {1.5, 2.0}));
  Random random(22);
  Options options;
  options.initialIterations = 3;
  options.mostIterations = 2;
  TRIDENT_TEST_OK(checkRuns(*drawn(random, 60), options, {1.5, 2.0}));
}

TEUCHOS_UNIT_TEST(Inflations, SharedIterationsAreToldOnce) {
  Random random(23);
  std::vector<std::pair<double, int>> told;
  int forecasts = 0, runs = 0;
  Options options;
  options.progress = [&](const Trident::MarkovProgress& now) {
    told.push_back({now.inflation, now.iteration});
  };
  options.forecast = [&](const Trident::MarkovForecast&) { ++forecasts; };
  clusterEach(
      *drawn(random, 90), {1.4, 3.0}, [&](double, const Result&) { ++runs; }, options);
  const auto times = [&](double inflation, int iteration) {
    return std::count(told.begin(), told.end(), std::make_pair(inflation, iteration));
  };
  TEST_EQUALITY(times(1.4, 1), 1);
  TEST_EQUALITY(times(3.0, 1), 0);
  TEST_EQUALITY(times(1.4, 2), 1);
  TEST_EQUALITY(times(3.0, 2), 1);
  TEST_EQUALITY(forecasts, 1);
  TEST_EQUALITY(runs, 2);
}

TEUCHOS_UNIT_TEST(Inflations, Errors) {
  Random random(24);
  const MatrixPtr A = drawn(random, 60);
  const Found nothing = [](double, const Result&) {};
  const auto refuses = [&](const std::vector<double>& inflations, const Found& found,
                           std::vector<std::string> words) {
    words.push_back("Trident::markovClusters");
    return expectThrow<Trident::Error>(*world(), words,
                                       [&] { clusterEach(*A, inflations, found, Options()); });
  };
  TRIDENT_TEST_OK(refuses({}, nothing, {"there is no inflation"}));
  TRIDENT_TEST_OK(refuses({2.0, 31.0}, nothing, {"inflation", "31"}));
  TRIDENT_TEST_OK(refuses({2.0}, Found(), {"is empty; set one"}));
  const int rank = world()->getRank(), last = world()->getSize() - 1;
  TRIDENT_TEST_OK(refuses({2.0, 3.0},
                          [&](double inflation, const Result&) {
                            if (inflation == 3 && rank == last)
                              throw std::runtime_error("no room for it");
                          },
                          {"no room for it"}));
  if (last == 0) return;
  TRIDENT_TEST_OK(refuses({2.0, rank == 0 ? 3.0 : 4.0}, nothing, {"inflations"}));
}

/// Makes a path of groups, each tied to the next by a weak edge: what flows along it becomes ever
/// less.
Sparse weakPath(int groups) {
  const int nodes = 3 * groups;
  Sparse graph(nodes, nodes);
  const auto join = [&](int a, int b, double weight) {
    graph.rows[a][b] = graph.rows[b][a] = weight;
  };
  for (int g = 0; g < groups; ++g) {
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < a; ++b) join(3 * g + a, 3 * g + b, 1);
    if (g > 0) join(3 * g - 1, 3 * g, 0.01);
  }
  return graph;
}

/// Returns the least value that the matrices of a run have, after each iteration, on this rank.
double leastValue(const matrix_type& A, const Options& options) {
  double least = 1;
  Trident::MarkovCheckpoints<LO, GO, NO> checkpoints;
  checkpoints.every = 1;
  checkpoints.save = [&](const Trident::MarkovState<LO, GO, NO>& state) {
    const auto values = state.matrix->getLocalMatrixHost().values;
    for (std::size_t e = 0; e < values.extent(0); ++e) least = std::min(least, values(e));
  };
  Trident::markovCluster(A, options, checkpoints);
  return least;
}

TEUCHOS_UNIT_TEST(TinyNumbers, GoWhereNothingIsPruned) {
  const MatrixPtr A = makeUniform(weakPath(20), world());
  Options options;
  options.prune = options.select = options.recover = 0;
  for (const double inflation : {0.8, 1.4, 2.0, 6.0, 30.0}) {
    options.inflation = inflation;
    const double least = leastValue(*A, options);
    TRIDENT_TEST_OK(everywhere(
        *world(), least > 0x1p-150 ? "" : say("inflation ", inflation, ": a value is ", least)));
  }
  options.inflation = 2;
  TEST_EQUALITY(Trident::markovCluster(*A, options).clusters, 20);
  TRIDENT_TEST_OK(checkRuns(*A, options, {1.4, 2.0, 30.0}));
}

}  // namespace
