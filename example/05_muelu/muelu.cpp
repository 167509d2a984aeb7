// SPDX-License-Identifier: BSD-3-Clause
// Lesson 5: conjugate gradients with smoothed aggregation, set up by MueLu's factories and by
// Trident's. What a program changes is in setFactories().
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MueLu_FactoryManager.hpp>
#include <MueLu_Hierarchy.hpp>
#include <MueLu_TpetraOperator.hpp>
#include <Teuchos_CommandLineProcessor.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <Tpetra_Core.hpp>
#include <Trident_RAPFactory.hpp>
#include <Trident_SaPFactory.hpp>
#include <Trident_ScopeGuard.hpp>
#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_TpetraCrsMatrix.hpp>
#include <cstdio>
#include <iostream>
#include <string>

#include "Problem.hpp"

using Teuchos::RCP;
using Teuchos::rcp;
using Matrix = Xpetra::Matrix<SC, LO, GO, NO>;
using Hierarchy = MueLu::Hierarchy<SC, LO, GO, NO>;
using Factory = RCP<MueLu::Factory>;

struct Options {
  std::string problem = "laplace3d:n=30", matrix;
  int levels = 10, coarseSize = 200, repeat = 0, seed = 1, ranksPerNode = 0;
  double tolerance = 1e-10;
  bool implicit = true, phases = true;
};

/// The two factories that multiply matrices.
struct Factories {
  Factory coarse, prolongator;
};
Factories setFactories(MueLu::FactoryManager<SC, LO, GO, NO>& manager, const Options& options,
                       bool trident) {
  Factories use;
  if (trident) {
    use.coarse = rcp(new Trident::RAPFactory<SC, LO, GO, NO>());
    use.prolongator = rcp(new Trident::SaPFactory<SC, LO, GO, NO>());
    Teuchos::ParameterList list;  // see doc/parameters.md
    list.sublist("Trident").set("ranks per node", options.ranksPerNode);
    use.prolongator->SetParameterList(list);
    use.coarse->SetParameterList(list);
  } else {
    use.coarse = rcp(new MueLu::RAPFactory<SC, LO, GO, NO>());
    use.prolongator = rcp(new MueLu::SaPFactory<SC, LO, GO, NO>());
  }
  use.coarse->SetParameter("transpose: use implicit", Teuchos::ParameterEntry(options.implicit));
  manager.SetFactory("A", use.coarse);
  manager.SetFactory("P", use.prolongator);
  if (options.implicit) manager.SetFactory("R", Teuchos::null);  // or P is transposed for nobody
  return use;
}

RCP<Matrix> asXpetra(const RCP<matrix_type>& A) {
  const RCP<Xpetra::CrsMatrix<SC, LO, GO, NO>> inner =
      rcp(new Xpetra::TpetraCrsMatrix<SC, LO, GO, NO>(A));
  return rcp(new Xpetra::CrsMatrixWrap<SC, LO, GO, NO>(inner));
}

bool root() { return Tpetra::getDefaultComm()->getRank() == 0; }

/// Seconds of the slowest rank in `work`, from a barrier to a barrier.
template <class Work>
double seconds(Work&& work) {
  const auto comm = Tpetra::getDefaultComm();
  comm->barrier();
  const double start = Teuchos::Time::wallTime();
  work();
  comm->barrier();
  return Teuchos::Time::wallTime() - start;
}

/// MueLu's own timers, each without what it calls; the slowest rank.
void printPhases() {
  const std::string whole = "MueLu: ";
  Teuchos::stat_map_type data;
  std::vector<std::string> statistics;
  Teuchos::TimeMonitor::computeGlobalTimerStatistics(
      data, statistics, Tpetra::getDefaultComm().ptr(), Teuchos::Union);
  for (const auto& timer : data) {
    if (timer.first.compare(0, whole.size(), whole) != 0) continue;
    if (timer.first.find("level=") != std::string::npos) continue;
    const bool part = timer.first.find("(sub, total)") != std::string::npos;
    if (!part && timer.first.find("(total)") != std::string::npos) continue;
    const double slowest = timer.second.at(2).first;  // after least and mean
    if (root() && slowest > 1e-3)
      std::printf("  %8.3f s  %s%s\n", slowest, part ? "  " : "", timer.first.c_str());
  }
  Teuchos::TimeMonitor::zeroOutTimers();
}

void printLevels(Hierarchy& hierarchy) {
  for (int l = 0; l < hierarchy.GetNumLevels(); ++l) {
    const auto A = hierarchy.GetLevel(l)->Get<RCP<Matrix>>("A");
    const auto rows = A->getGlobalNumRows(), entries = A->getGlobalNumEntries();
    if (root())
      std::printf("  level %d: %10llu rows %12llu entries\n", l,
                  static_cast<unsigned long long>(rows), static_cast<unsigned long long>(entries));
  }
  const double complexity = hierarchy.GetOperatorComplexity();
  if (root()) std::printf("  operator complexity %.12f\n", complexity);
}

RCP<vector_type> solve(const RCP<matrix_type>& A, const RCP<Hierarchy>& hierarchy,
                       const RCP<vector_type>& b, double tolerance) {
  using MV = Tpetra::MultiVector<SC, LO, GO, NO>;
  using OP = Tpetra::Operator<SC, LO, GO, NO>;
  hierarchy->IsPreconditioner(true);
  const auto x = rcp(new vector_type(A->getDomainMap()));
  const auto problem = rcp(new Belos::LinearProblem<SC, MV, OP>(A, x, b));
  problem->setLeftPrec(rcp(new MueLu::TpetraOperator<SC, LO, GO, NO>(hierarchy)));
  problem->setProblem();
  const auto list = Teuchos::parameterList();
  list->set("Maximum Iterations", 500);
  list->set("Convergence Tolerance", tolerance);
  Belos::PseudoBlockCGSolMgr<SC, MV, OP> solver(problem, list);
  bool converged = false;
  const double time = seconds([&] { converged = solver.solve() == Belos::Converged; });
  if (root())
    std::printf("  %s after %d iterations, %.3f s\n", converged ? "converged" : "NOT converged",
                solver.getNumIters(), time);
  return x;
}

/// One hierarchy, its solution, and further setups with other values.
RCP<vector_type> run(const Options& options, bool trident, const RCP<vector_type>& b) {
  if (root()) std::printf("%s\n", trident ? "Trident's factories" : "MueLu's factories");
  const auto A = problem(options.problem, options.matrix);
  MueLu::FactoryManager<SC, LO, GO, NO> manager;
  const Factories factories = setFactories(manager, options, trident);

  const auto hierarchy = rcp(new Hierarchy(asXpetra(A)));
  hierarchy->SetMaxCoarseSize(options.coarseSize);
  hierarchy->SetImplicitTranspose(options.implicit);
  if (options.repeat > 0) {  // nearly MueLu's reuse type "RP": prolongators and patterns stay
    hierarchy->Keep("P", factories.prolongator.get());
    hierarchy->Keep("Nullspace", manager.GetFactory("Nullspace").get());
    hierarchy->Keep("AP reuse data", factories.coarse.get());
    hierarchy->Keep("RAP reuse data", factories.coarse.get());
  }
  const double first = seconds([&] { hierarchy->Setup(manager, 0, options.levels); });
  if (root()) std::printf("  setup %.3f s\n", first);
  if (options.phases) printPhases();
  printLevels(*hierarchy);
  auto x = solve(A, hierarchy, b, options.tolerance);

  double again = 0;
  for (int step = 1; step <= options.repeat; ++step) {
    changeValues(*A, step);
    hierarchy->GetLevel(0)->Set("A", asXpetra(A));
    again += seconds([&] { hierarchy->SetupRe(); });
  }
  if (options.repeat > 0) {
    if (root())
      std::printf("  %d further setups of new values, %.3f s each\n", options.repeat,
                  again / options.repeat);
    if (options.phases) printPhases();
    x = solve(A, hierarchy, b, options.tolerance);
  }
  return x;
}

int main(int argc, char* argv[]) {
  const Trident::ScopeGuard scope(&argc, &argv);  // Tpetra's, and threads for the exchange
  Options options;
  Teuchos::CommandLineProcessor command(false);
  command.setDocString(
      "Solves A x = b by conjugate gradients with smoothed aggregation, set up by MueLu's "
      "factories "
      "and by Trident's, and compares the two.");
  command.setOption("problem", &options.problem, "laplace3d:n=N or brick3d:n=N, N points a side");
  command.setOption("matrix", &options.matrix, "a Matrix Market file instead: symmetric, positive");
  command.setOption("levels", &options.levels, "of the hierarchy, at most");
  command.setOption("coarse-size", &options.coarseSize, "rows of the coarsest matrix, about");
  command.setOption("tolerance", &options.tolerance, "residual over the first one");
  command.setOption("implicit", "explicit", &options.implicit,
                    "whether R is P transposed, or formed");
  command.setOption("repeat", &options.repeat, "further setups with changed values, one pattern");
  command.setOption("ranks-per-node", &options.ranksPerNode, "0: by shared memory");
  command.setOption("seed", &options.seed, "of the right-hand side");
  command.setOption("phases", "no-phases", &options.phases, "print setup time by phase");
  const auto parsed = command.parse(argc, argv);
  if (parsed == Teuchos::CommandLineProcessor::PARSE_HELP_PRINTED) return 0;
  if (parsed != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL) return 2;

  // Timers of phases, and no other output.
  MueLu::VerboseObject::SetDefaultVerbLevel(MueLu::Timings);
  const auto b =
      randomVector(problem(options.problem, options.matrix)->getRangeMap(), options.seed);
  const auto theirs = run(options, false, b);
  const auto ours = run(options, true, b);
  ours->update(-1.0, *theirs, 1.0);
  const double difference = ours->normInf(), largest = theirs->normInf();
  if (root())
    std::printf("largest difference of the solutions %.2e, largest entry %.2e\n", difference,
                largest);
}
