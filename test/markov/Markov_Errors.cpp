// SPDX-License-Identifier: BSD-3-Clause
// Refusals of markovCluster(): one exception on every rank, with its name and a remedy.

#include <Teuchos_UnitTestHarness.hpp>
#include <functional>
#include <limits>

#include "Trident_MarkovCluster.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using Options = Trident::MarkovOptions;

/// Makes a cycle of n nodes on a uniform Map.
Sparse cycle(int n) {
  Sparse graph(n, n);
  for (int i = 0; i < n; ++i) graph.rows[i][(i + 1) % n] = 1;
  return graph;
}

std::string refuses(const matrix_type& A, const Options& options, std::vector<std::string> words) {
  words.push_back("Trident::markovCluster");
  return expectThrow<Trident::Error>(*world(), words, [&] { Trident::markovCluster(A, options); });
}

TEUCHOS_UNIT_TEST(Errors, Weights) {
  const int n = 3 * world()->getSize();
  for (const double bad :
       {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Sparse graph = cycle(n);
    graph.rows[n - 1][0] = bad;  // of the last rank
    TRIDENT_TEST_OK(
        refuses(*makeUniform(graph, world()), Options(), {"negative or not finite", "from 0 on"}));
    Options signedToo;
    signedToo.signedWeights = true;
    if (!(bad < 0))
      TRIDENT_TEST_OK(refuses(*makeUniform(graph, world()), signedToo, {"not finite"}));
  }
}

TEUCHOS_UNIT_TEST(Errors, NoGraph) {
  Random random(3);
  TRIDENT_TEST_OK(refuses(*makeUniform(Sparse(6, 5), world()), Options(), {"6 x 5", "square"}));
  matrix_type open(makeUniform(cycle(6), world())->getRowMap(), 1);
  TRIDENT_TEST_OK(refuses(open, Options(), {"fillComplete()"}));
  if (world()->getSize() == 1) return;  // there is one way to deal indices
  const Indices indices = contiguousIndices(12);
  const MapPtr rows = makeMap(random, indices, Layout::Uniform, world());
  const MapPtr domain = makeMap(random, indices, Layout::OneRank, world());
  TRIDENT_TEST_OK(refuses(*makeMatrix(cycle(12), indices, indices, rows, domain, rows), Options(),
                          {"row and domain Maps differ"}));
}

TEUCHOS_UNIT_TEST(Errors, OptionsOutOfRange) {
  const MatrixPtr A = makeUniform(cycle(12), world());
  const auto with = [](const std::function<void(Options&)>& change) {
    Options options;
    change(options);
    return options;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -2.0, 30.5, nan})
    TRIDENT_TEST_OK(refuses(*A, with([&](Options& o) { o.inflation = bad; }), {"inflation", "30"}));
  for (const int bad : {0, 8})
    TRIDENT_TEST_OK(refuses(*A, with([&](Options& o) { o.scheme = bad; }), {"scheme", "1 to 7"}));
  TRIDENT_TEST_OK(refuses(*A, with([](Options& o) { o.prune = -2; }), {"prune", "-2"}));
  TRIDENT_TEST_OK(refuses(*A, with([](Options& o) { o.select = -2; }), {"select", "-2"}));
  TRIDENT_TEST_OK(refuses(*A, with([](Options& o) { o.recover = -5; }), {"recover", "-5"}));
  for (const int bad : {-2, 100})
    TRIDENT_TEST_OK(refuses(*A, with([&](Options& o) { o.percent = bad; }), {"percent", "99"}));
  for (const double bad : {-1.0, 2e9, nan})
    TRIDENT_TEST_OK(refuses(*A, with([&](Options& o) { o.loopFactor = bad; }), {"loopFactor"}));
  for (const double bad : {-1.0, 31.0, nan})
    TRIDENT_TEST_OK(
        refuses(*A, with([&](Options& o) { o.firstInflation = bad; }), {"firstInflation", "30"}));
  TRIDENT_TEST_OK(
      refuses(*A, with([](Options& o) { o.initialIterations = -1; }), {"initialIterations"}));
  for (const double bad : {0.0, 31.0, nan})
    TRIDENT_TEST_OK(refuses(*A, with([&](Options& o) { o.initialInflation = bad; }),
                            {"initialInflation", "30"}));
  TRIDENT_TEST_OK(refuses(*A, with([](Options& o) { o.mostIterations = 0; }), {"mostIterations"}));
  TRIDENT_TEST_OK(
      refuses(*A, with([&](Options& o) { o.productMemoryBytes = nan; }), {"productMemoryBytes"}));
  TRIDENT_TEST_OK(
      refuses(*A, with([&](Options& o) { o.availableBytes = -1; }), {"availableBytes"}));
}

TEUCHOS_UNIT_TEST(Errors, AnotherSemiring) {
  const MatrixPtr A = makeUniform(cycle(12), world());
  Options options;
  options.params = Teuchos::parameterList();
  options.params->sublist("Trident").set("semiring", std::string("min-plus"));
  TRIDENT_TEST_OK(refuses(*A, options, {"plus-times alone", "leave"}));
}

TEUCHOS_UNIT_TEST(Errors, RanksDiffer) {
  if (world()->getSize() == 1) return;
  const MatrixPtr A = makeUniform(cycle(12), world());
  const bool last = world()->getRank() + 1 == world()->getSize();
  Options options;
  options.inflation = last ? 2.5 : 2;
  TRIDENT_TEST_OK(refuses(*A, options, {"inflation"}));
  options = Options();
  options.select = last ? 7 : 8;
  TRIDENT_TEST_OK(refuses(*A, options, {"select"}));
  options = Options();
  if (last) options.progress = [](const Trident::MarkovProgress&) {};
  TRIDENT_TEST_OK(refuses(*A, options, {"progress"}));
  options = Options();
  options.scheme = last ? 9 : 6;  // bad on one rank
  TRIDENT_TEST_OK(refuses(*A, options, {"scheme"}));
}

TEUCHOS_UNIT_TEST(Errors, ProgressThrowsOnOneRank) {
  const MatrixPtr A = makeUniform(cycle(12), world());
  Options options;
  options.progress = [](const Trident::MarkovProgress& progress) {
    if (progress.iteration == 2 && world()->getRank() + 1 == world()->getSize())
      throw std::runtime_error("enough of this");
  };
  TRIDENT_TEST_OK(refuses(*A, options, {"enough of this"}));
  options.progress = nullptr;
  TEST_NOTHROW(Trident::markovCluster(*A, options));
}

TEUCHOS_UNIT_TEST(Errors, BadParameters) {
  const MatrixPtr A = makeUniform(cycle(12), world());
  Options options;
  options.params = tridentList();
  options.params->sublist("Trident").set("no such parameter", 1);
  TRIDENT_TEST_OK(expectThrow<Teuchos::Exceptions::InvalidParameter>(
      *world(), {"no such parameter"}, [&] { Trident::markovCluster(*A, options); }));
}

}  // namespace
