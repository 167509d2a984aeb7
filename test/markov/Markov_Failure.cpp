// SPDX-License-Identifier: BSD-3-Clause
// A rank that runs out of memory anywhere in markovCluster() becomes an exception on all ranks, and
// nobody waits for it.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <functional>
#include <iostream>

#include "Trident_FailingAllocation.hpp"
#include "Trident_MarkovCluster.hpp"
#include "Trident_TestErrors.hpp"
#include "matrix/Trident_Device.hpp"

namespace {

using namespace TridentTest;
using Trident::Impl::TestTools::FailingAllocation;
using NO = map_type::node_type;
using Checkpoints = Trident::MarkovCheckpoints<LO, GO, NO>;
using State = Trident::MarkovState<LO, GO, NO>;

/// Returns the rank that runs out of memory.
int victim() { return world()->getSize() / 2; }

/// Draws a cycle with chords, on scattered rows.
MatrixPtr drawGraph(Random& random) {
  const int n = 40;
  Sparse graph(n, n);
  for (int i = 0; i < n; ++i) {
    graph.rows[i][(i + 1) % n] = 1 + random.real();
    graph.rows[i][random.below(n)] = random.real();
  }
  const Indices indices = randomIndices(random, n);
  const MapPtr map = makeMap(random, indices, Layout::Scattered, world());
  return makeMatrix(graph, indices, indices, map, map, map);
}

/// Returns an empty text if all ranks get the exception, or none does because the memory was not
/// needed.
std::string checkFailure(const std::function<void()>& run, int number) {
  std::string text;
  {
    const bool fails = world()->getRank() == victim();
    const FailingAllocation now(fails ? number : FailingAllocation::never, "Trident::");
    try {
      run();
    } catch (const Trident::Error& error) {
      text = error.what();
    } catch (const std::exception& error) {  // a device's error, say; others may wait for this rank
      std::cerr << say("allocation ", number, " of ", FailingAllocation::label(), ", rank ",
                       world()->getRank(), " alone: ", error.what(), "\n");
      throw;
    }
  }
  int mine = text.empty() ? 0 : 1, all = 0;
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_SUM, 1, &mine, &all);
  const std::string name = FailingAllocation::label();
  if (all != 0 && all != world()->getSize()) return say("allocation ", number, " of ", name);
  if (all > 0 && text.find("injected failure") == std::string::npos) return text;
  return "";
}

/// Makes options under which a run has all steps.
Trident::MarkovOptions allSteps() {
  Trident::MarkovOptions options;
  options.mostIterations = 2;
  options.recover = 0;
  options.prune = 4;
  options.forceConnected = true;
  options.params = tridentList();
  const int ranks = world()->getSize();
  options.params->sublist("Trident")
      .set("ranks per node", 1)
      .set("grid", ranks % 2 == 0 ? say(ranks / 2, "x2") : say(ranks, "x1"));
  return options;
}

/// Lets one allocation after the other fail; some of them where there are many, or a run takes
/// long, as on devices. \param part 0 to 2, by which tests of like runs take other ones
/// \return what went wrong. Collective.
std::string checkFailures(const std::function<void()>& run, int part) {
  run();  // makes what is made once
  const int many = 1 << 30;
  int used = 0;
  {
    const FailingAllocation counted(many, "Trident::");
    run();
    used = many - FailingAllocation::left();
  }
  Teuchos::broadcast(*world(), victim(), 1, &used);
  if (used <= 20) return say("there are only ", used, " allocations");
  constexpr bool onHost = Trident::Impl::isHost<NO::device_type>;
  const int step = std::max(1, used / (onHost ? 200 : 25));  // all of them where ranks are few
  std::string problem;
  for (int number = part * step / 3; problem.empty() && number < used; number += step)
    problem = everywhere(*world(), checkFailure(run, number));
  return problem;
}

std::string checkFailures(const matrix_type& A, const Trident::MarkovOptions& options,
                          const Checkpoints& checkpoints, int part) {
  return checkFailures([&] { Trident::markovCluster(A, options, checkpoints); }, part);
}

TEUCHOS_UNIT_TEST(Failure, OfSeveralInflations) {
  Random random(14);
  const MatrixPtr A = drawGraph(random);
  const auto ignore = [](double, const Trident::MarkovResult<LO, GO, NO>&) {};
  TRIDENT_TEST_OK(checkFailures(
      [&] {
        Trident::markovClusters<LO, GO, NO>(*A, {2.0, 3.0}, ignore, allSteps());
      },
      0));
}

TEUCHOS_UNIT_TEST(Failure, OfEachAllocation) {
  Random random(12);
  const MatrixPtr A = drawGraph(random);
  Trident::MarkovOptions options = allSteps();
  options.forecast = [](const Trident::MarkovForecast&) {};
  TRIDENT_TEST_OK(checkFailures(*A, options, Checkpoints(), 0));
  TEST_NOTHROW(Trident::markovCluster(*A, allSteps()));
}

TEUCHOS_UNIT_TEST(Failure, WithCheckpoints) {
  Random random(13);
  const MatrixPtr A = drawGraph(random);
  Checkpoints checkpoints;
  checkpoints.every = 1;
  Teuchos::RCP<const State> last;
  checkpoints.save = [&](const State& state) { last = Teuchos::rcp(new State(state)); };
  TRIDENT_TEST_OK(checkFailures(*A, allSteps(), checkpoints, 1));
}

TEUCHOS_UNIT_TEST(Failure, Resumed) {
  Random random(13);
  const MatrixPtr A = drawGraph(random);
  Checkpoints checkpoints;
  checkpoints.every = 1;
  Teuchos::RCP<const State> last;
  checkpoints.save = [&](const State& state) { last = Teuchos::rcp(new State(state)); };
  Trident::markovCluster(*A, allSteps(), checkpoints);
  Trident::MarkovOptions more = allSteps();
  more.mostIterations = 3;
  Checkpoints resumed;
  resumed.resume = last;
  TRIDENT_TEST_OK(checkFailures(*A, more, resumed, 2));
}

}  // namespace
