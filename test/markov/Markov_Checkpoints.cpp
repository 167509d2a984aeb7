// SPDX-License-Identifier: BSD-3-Clause
// A run of markovCluster() that was interrupted and resumed finds what an unbroken one finds: from
// every iteration, on other Maps and grids. What cannot be resumed is an error on every rank.

#include <Teuchos_UnitTestHarness.hpp>
#include <Tpetra_Import.hpp>
#include <functional>
#include <limits>

#include "Markov_Graphs.hpp"
#include "Trident_MarkovCluster.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestProduct.hpp"
#include "Trident_TestVerdict.hpp"

namespace {

using namespace TridentTest;
using NO = map_type::node_type;
using Options = Trident::MarkovOptions;
using Checkpoints = Trident::MarkovCheckpoints<LO, GO, NO>;
using State = Trident::MarkovState<LO, GO, NO>;
using StatePtr = Teuchos::RCP<const State>;
using Result = Trident::MarkovResult<LO, GO, NO>;

/// Returns the label of each of the indices, on every rank. Collective.
std::vector<GO> labelsOf(const Result& result, const Indices& indices) {
  const auto places = indices.places();
  std::vector<GO> mine(indices.size(), 0), all(indices.size(), 0);
  const auto& map = *result.labels->getMap();
  const auto data = result.labels->getData();
  for (int l = 0; l < data.size(); ++l) mine[places.at(map.getGlobalElement(l))] = data[l];
  Teuchos::reduceAll(*map.getComm(), Teuchos::REDUCE_SUM, indices.size(), mine.data(), all.data());
  return all;
}

/// Returns the state with its matrix on another Map of the same indices. Collective.
StatePtr movedTo(const MapPtr& map, const State& state) {
  const Tpetra::Import<LO, GO, NO> way(state.matrix->getRowMap(), map);
  const auto matrix =
      Teuchos::rcp(new matrix_type(map, static_cast<std::size_t>(map->getGlobalNumElements())));
  matrix->doImport(*state.matrix, way, Tpetra::INSERT);
  matrix->fillComplete(map, map);
  const auto moved = Teuchos::rcp(new State(state));
  moved->matrix = matrix;
  return moved;
}

Checkpoints savingTo(std::vector<StatePtr>& states, int every) {
  Checkpoints checkpoints;
  checkpoints.every = every;
  checkpoints.save = [&](const State& state) { states.push_back(Teuchos::rcp(new State(state))); };
  return checkpoints;
}

Checkpoints resuming(const StatePtr& state) {
  Checkpoints checkpoints;
  checkpoints.resume = state;
  return checkpoints;
}

std::string differences(const Result& found, const Result& expected, const Indices& indices) {
  std::string problem;
  const auto expect = [&](const char* what, auto is, auto shouldBe) {
    if (is != shouldBe) problem += say(what, " ", is, ", not ", shouldBe, "; ");
  };
  if (labelsOf(found, indices) != labelsOf(expected, indices)) problem += "other labels; ";
  expect("clusters:", found.clusters, expected.clusters);
  expect("iterations:", found.iterations, expected.iterations);
  expect("converged:", found.converged, expected.converged);
  expect("entries:", found.entries, expected.entries);
  expect("most entries:", found.mostEntries, expected.mostEntries);
  expect("expanded:", found.expanded, expected.expanded);
  expect("dropped:", found.dropped, expected.dropped);
  return everywhere(*world(), problem);
}

Teuchos::RCP<Teuchos::ParameterList> anyGrid(Random& random) {
  const int ranks = world()->getSize();
  const auto list = tridentList();
  Teuchos::ParameterList& trident = list->sublist("Trident");
  trident.set("ranks per node", 1);
  const int columns = ranks % 2 == 0 && random.chance(0.6) ? 2 : 1;
  trident.set("grid", say(ranks / columns, "x", columns));
  return list;
}

/// A graph on some Map, and options under which pruning bites.
struct Drawn {
  Sparse graph;
  Indices indices;
  Options options;

  explicit Drawn(Random& random) {
    GraphKind kind = randomKind(random, random.between(60, 110));
    kind.weighted = true;  // so that nothing hangs on the last bits of ties
    graph = sparseOf(familyGraph(random, kind));
    indices = randomIndices(random, static_cast<int>(graph.rows.size()));
    options.prune = 50;
    options.select = 8;
    options.recover = random.chance(0.5) ? 10 : 0;
  }
  MatrixPtr matrix(Random& random) const {
    const MapPtr map = makeMap(random, indices, randomLayout(random), world());
    return makeMatrix(graph, indices, indices, map, map, map);
  }
};

TEUCHOS_UNIT_TEST(Checkpoints, ResumeFromEach) {
  Random random(31);
  for (int n = 0; n < 3; ++n) {
    Drawn drawn(random);
    if (n == 2) drawn.options.precision = Trident::MarkovPrecision::Single;
    std::vector<StatePtr> states;
    drawn.options.params = anyGrid(random);
    const Result unbroken =
        Trident::markovCluster(*drawn.matrix(random), drawn.options, savingTo(states, 1));
    TEST_EQUALITY(static_cast<int>(states.size()), unbroken.iterations);
    for (const StatePtr& state : states) {
      const MatrixPtr A = drawn.matrix(random);
      drawn.options.params = anyGrid(random);
      const Result resumed =
          Trident::markovCluster(*A, drawn.options, resuming(movedTo(A->getRowMap(), *state)));
      TRIDENT_TEST_OK(differences(resumed, unbroken, drawn.indices));
    }
  }
}

TEUCHOS_UNIT_TEST(Checkpoints, EveryFewAndTheLast) {
  Random random(32);
  const Drawn drawn(random);
  const MatrixPtr A = drawn.matrix(random);
  const Result unbroken = Trident::markovCluster(*A, drawn.options);
  Options few = drawn.options;
  few.mostIterations = 5;
  std::vector<StatePtr> states;
  const Result stopped = Trident::markovCluster(*A, few, savingTo(states, 2));
  TEST_ASSERT(!stopped.converged);
  TEST_EQUALITY(states.size(), 3u);
  const int iterations[] = {2, 4, 5};
  for (std::size_t s = 0; s < states.size() && s < 3; ++s)
    TEST_EQUALITY(states[s]->iteration, iterations[s]);
  // No more are allowed: the limit is what was saved.
  TRIDENT_TEST_OK(differences(Trident::markovCluster(*A, few, resuming(states.back())), stopped,
                              drawn.indices));
  // More are: also with a scheme that says what the numbers have said.
  const auto result = Trident::markovCluster(*A, drawn.options, resuming(states.back()));
  TRIDENT_TEST_OK(differences(result, unbroken, drawn.indices));
}

TEUCHOS_UNIT_TEST(Checkpoints, SlowlyGrowingInflation) {
  // Inflation grows from the 40th iteration on; a run that never ends gets there.
  Random random(33);
  Drawn drawn(random);
  drawn.options.inflation = 1.02;
  drawn.options.mostIterations = 46;
  const MatrixPtr A = drawn.matrix(random);
  std::vector<StatePtr> states;
  const Result unbroken = Trident::markovCluster(*A, drawn.options, savingTo(states, 43));
  TEST_EQUALITY(unbroken.iterations, 46);
  const Result resumed = Trident::markovCluster(*A, drawn.options, resuming(states.front()));
  TRIDENT_TEST_OK(differences(resumed, unbroken, drawn.indices));
  TEST_EQUALITY(resumed.chaos, unbroken.chaos);
}

TEUCHOS_UNIT_TEST(Checkpoints, Interrupted) {
  Random random(34);
  const Drawn drawn(random);
  const MatrixPtr A = drawn.matrix(random);
  const Result unbroken = Trident::markovCluster(*A, drawn.options);
  Options options = drawn.options;
  options.progress = [](const Trident::MarkovProgress& progress) {
    if (progress.iteration == 4) throw std::runtime_error("interrupted");
  };
  std::vector<StatePtr> states;
  TEST_THROW(Trident::markovCluster(*A, options, savingTo(states, 1)), Trident::Error);
  TEST_EQUALITY(states.size(), 3u);
  TRIDENT_TEST_OK(differences(Trident::markovCluster(*A, drawn.options, resuming(states.back())),
                              unbroken, drawn.indices));
}

std::string refuses(const matrix_type& A, const Options& options, const Checkpoints& checkpoints,
                    std::vector<std::string> words) {
  words.push_back("Trident::markovCluster");
  return expectThrow<Trident::Error>(*world(), words,
                                     [&] { Trident::markovCluster(A, options, checkpoints); });
}

/// Returns a state of a graph after two iterations.
StatePtr anyState(const matrix_type& A, Options options) {
  std::vector<StatePtr> states;
  options.mostIterations = 2;
  Trident::markovCluster(A, options, savingTo(states, 2));
  return states.back();
}

TEUCHOS_UNIT_TEST(Checkpoints, OtherOptions) {
  Random random(35);
  const Drawn drawn(random);
  const MatrixPtr A = drawn.matrix(random);
  const StatePtr state = anyState(*A, drawn.options);
  const auto check = [&](const std::function<void(Options&)>& change, const std::string& word) {
    Options options = drawn.options;
    change(options);
    return refuses(*A, options, resuming(state), {word, "was", "resume with the same"});
  };
  TRIDENT_TEST_OK(check([](Options& o) { o.inflation = 2.5; }, "inflation"));
  TRIDENT_TEST_OK(check([](Options& o) { o.prune = 51; }, "prune"));
  TRIDENT_TEST_OK(check([](Options& o) { o.select = 9; }, "select"));
  TRIDENT_TEST_OK(check([](Options& o) { o.recover = 11; }, "recover"));
  TRIDENT_TEST_OK(check([](Options& o) { o.percent = 12; }, "percent"));
  TRIDENT_TEST_OK(check([](Options& o) { o.loopFactor = 2; }, "digest"));
  TRIDENT_TEST_OK(check([](Options& o) { o.firstInflation = 2; }, "digest"));
  TRIDENT_TEST_OK(check([](Options& o) { o.initialIterations = 2; }, "digest"));
  TRIDENT_TEST_OK(
      check([](Options& o) { o.precision = Trident::MarkovPrecision::Single; }, "precision"));
}

TEUCHOS_UNIT_TEST(Checkpoints, OtherGraph) {
  Random random(36);
  const Drawn drawn(random);
  const StatePtr state = anyState(*drawn.matrix(random), drawn.options);
  Drawn other = drawn;
  for (auto& row : other.graph.rows)
    for (auto& entry : row)
      if (entry.second > 0 && &row - other.graph.rows.data() != entry.first) {
        entry.second *= 1 + 1e-15;  // one edge, in its last bits
        const MatrixPtr B = other.matrix(random);
        TRIDENT_TEST_OK(refuses(*B, drawn.options, resuming(movedTo(B->getRowMap(), *state)),
                                {"the graph's digest", "resume with the same graph"}));
        return;
      }
  TEST_ASSERT(false);  // there was no edge
}

TEUCHOS_UNIT_TEST(Checkpoints, LoopsAndZerosAreNoEdges) {
  Random random(37);
  const Drawn drawn(random);
  const StatePtr state = anyState(*drawn.matrix(random), drawn.options);
  Drawn same = drawn;
  for (int i = 0; i < static_cast<int>(same.graph.rows.size()); i += 3) {
    same.graph.rows[i][i] = 7;
    same.graph.rows[i].insert({(i + 5) % static_cast<int>(same.graph.rows.size()), 0});
  }
  const MatrixPtr B = same.matrix(random);
  TEST_NOTHROW(
      Trident::markovCluster(*B, drawn.options, resuming(movedTo(B->getRowMap(), *state))));
}

TEUCHOS_UNIT_TEST(Checkpoints, BadOnes) {
  Random random(38);
  const Drawn drawn(random);
  const MatrixPtr A = drawn.matrix(random);
  const StatePtr good = anyState(*A, drawn.options);
  const auto check = [&](const std::function<void(Checkpoints&, State&)>& change,
                         const std::vector<std::string>& words) {
    const auto state = Teuchos::rcp(new State(*good));
    Checkpoints checkpoints = resuming(state);
    change(checkpoints, *state);
    return refuses(*A, drawn.options, checkpoints, words);
  };
  TRIDENT_TEST_OK(check([](auto& c, auto&) { c.every = -1; }, {"every", "-1"}));
  TRIDENT_TEST_OK(check([](auto& c, auto&) { c.every = 1; }, {"save is empty"}));
  TRIDENT_TEST_OK(check([](auto&, auto& s) { s.matrix = Teuchos::null; }, {"no fill-complete"}));
  TRIDENT_TEST_OK(check([](auto&, auto& s) { s.iteration = 0; }, {"iteration 0"}));
  TRIDENT_TEST_OK(check([](auto&, auto& s) { s.origin.nodes += 1; }, {"number of nodes"}));
  const MapPtr other = makeMap(random, contiguousIndices(5), Layout::Uniform, world());
  const MatrixPtr small =
      makeMatrix(Sparse(5, 5), contiguousIndices(5), contiguousIndices(5), other, other, other);
  TRIDENT_TEST_OK(check([&](auto&, auto& s) { s.matrix = small; }, {"other Maps than A"}));
  const auto negative = Teuchos::rcp(new matrix_type(*good->matrix, Teuchos::Copy));
  negative->resumeFill();
  negative->scale(-1);
  negative->fillComplete(A->getRowMap(), A->getRowMap());
  TRIDENT_TEST_OK(check([&](auto&, auto& s) { s.matrix = negative; },
                        {"the matrix to resume has", "negative or not finite"}));
}

TEUCHOS_UNIT_TEST(Checkpoints, RanksDiffer) {
  if (world()->getSize() == 1) return;
  Random random(39);
  const Drawn drawn(random);
  const MatrixPtr A = drawn.matrix(random);
  const StatePtr state = anyState(*A, drawn.options);
  const bool last = world()->getRank() + 1 == world()->getSize();
  std::vector<StatePtr> states;
  TRIDENT_TEST_OK(refuses(*A, drawn.options, savingTo(states, last ? 2 : 3), {"every"}));
  TRIDENT_TEST_OK(
      refuses(*A, drawn.options, last ? Checkpoints() : resuming(state), {"checkpoints.resume"}));
  const auto later = Teuchos::rcp(new State(*state));
  later->iteration += last ? 1 : 0;
  TRIDENT_TEST_OK(refuses(*A, drawn.options, resuming(later), {"resume->iteration"}));
}

TEUCHOS_UNIT_TEST(Checkpoints, SaveThrowsOnOneRank) {
  Random random(40);
  const Drawn drawn(random);
  const MatrixPtr A = drawn.matrix(random);
  Checkpoints checkpoints;
  checkpoints.every = 2;
  checkpoints.save = [](const State& state) {
    if (state.iteration == 4 && world()->getRank() + 1 == world()->getSize())
      throw std::runtime_error("no room for it");
  };
  TRIDENT_TEST_OK(refuses(*A, drawn.options, checkpoints, {"no room for it"}));
}

}  // namespace
