// SPDX-License-Identifier: BSD-3-Clause
// Lesson 5: conjugate gradients with smoothed aggregation, set up by MueLu's factories and by
// Trident's. What a program changes is in setFactories(). With --xml=hierarchy.xml, the file beside
// this one, Trident's factories are named by a list instead: what changes then is in fromXml(), and
// keepFromXml() says what further setups need.
//
// Look at the two ratios at the end: of a setup from nothing, and of one that keeps the
// prolongators. Both ways were warmed by a setup that is not timed. A further setup is where
// Trident gains. The lines "R*A*P" are one report a level: "kernel numeric" means that a plan of an
// earlier setup was used.
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MueLu_FactoryManager.hpp>
#include <MueLu_Hierarchy.hpp>
#include <MueLu_ParameterListInterpreter.hpp>
#include <MueLu_TpetraOperator.hpp>
#include <Teuchos_CommandLineProcessor.hpp>
#include <Teuchos_TimeMonitor.hpp>
#include <Teuchos_XMLParameterListHelpers.hpp>
#include <Tpetra_Core.hpp>
#include <Trident_FactoryFactory.hpp>
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
  std::string problem = "laplace3d:n=30", matrix, xml;
  int levels = 10, coarseSize = 200, repeat = 5, seed = 1, ranksPerNode = 0;
  double tolerance = 1e-10;
  bool implicit = true, phases = false;
};

/// Seconds of setups by one way.
struct Times {
  double first = 0;    ///< setup from nothing
  double further = 0;  ///< setup with kept prolongators, the mean of several
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

/// Returns the seconds of the slowest rank in `work`, from a barrier to a barrier.
template <class Work>
double seconds(Work&& work) {
  const auto comm = Tpetra::getDefaultComm();
  comm->barrier();
  const double start = Teuchos::Time::wallTime();
  work();
  comm->barrier();
  return Teuchos::Time::wallTime() - start;
}

/// Prints MueLu's own timers, each without what it calls; of the slowest rank.
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

/// Prints the report of Trident's factory for each level's coarse matrix. Collective.
void printReports(const RCP<const MueLu::FactoryBase>& coarse) {
  const auto rap = Teuchos::rcp_dynamic_cast<const Trident::RAPFactory<SC, LO, GO, NO>>(coarse);
  if (rap.is_null()) return;
  for (const auto& [level, report] : rap->reports()) {
    const auto summary = Trident::summarize(report, *Tpetra::getDefaultComm());
    const auto& rounds = summary.traffic.rounds;
    if (root())
      std::printf(
          "  level %d: R*A*P %8.4f s, kernel %s, grid %s, fetch %s, %lld bytes between nodes\n",
          level, summary.totalSeconds.max, report.kernel.c_str(), report.grid.name().c_str(),
          report.fetch.c_str(), rounds.internodeBytes);
  }
}

/// A hierarchy that is set up and may be set up again, by MueLu's factories or by Trident's.
class Multigrid {
 public:
  Multigrid(const Options& options, bool trident, const RCP<matrix_type>& A)
      : levels_(options.levels),
        factories_(setFactories(manager_, options, trident)),
        hierarchy_(rcp(new Hierarchy(asXpetra(A)))) {
    hierarchy_->SetMaxCoarseSize(options.coarseSize);
    hierarchy_->SetImplicitTranspose(options.implicit);
    if (options.repeat == 0) return;
    // Nearly MueLu's reuse type "RP": prolongators and patterns stay. Setup() makes each level from
    // the one before it, with what that keeps. So it is enough that level 0 is told.
    hierarchy_->Keep("P", factories_.prolongator.get());
    hierarchy_->Keep("Nullspace", manager_.GetFactory("Nullspace").get());
    hierarchy_->Keep("AP reuse data", factories_.coarse.get());
    hierarchy_->Keep("RAP reuse data", factories_.coarse.get());
  }
  /// Sets up from nothing, and returns the seconds.
  double setup() {
    return seconds([&] { hierarchy_->Setup(manager_, 0, levels_); });
  }
  /// Sets up with other values of A, and returns the seconds.
  double setupAgain(const RCP<matrix_type>& A) {
    hierarchy_->GetLevel(0)->Set("A", asXpetra(A));
    return seconds([&] { hierarchy_->SetupRe(); });
  }
  const RCP<Hierarchy>& hierarchy() const { return hierarchy_; }
  const Factory& coarse() const { return factories_.coarse; }

 private:
  int levels_;
  MueLu::FactoryManager<SC, LO, GO, NO> manager_;
  Factories factories_;
  RCP<Hierarchy> hierarchy_;
};

/// Runs one hierarchy, its solution, and further setups with other values.
RCP<vector_type> run(const Options& options, bool trident, const RCP<vector_type>& b,
                     Times& times) {
  if (root()) std::printf("%s\n", trident ? "Trident's factories" : "MueLu's factories");
  const auto A = problem(options.problem, options.matrix);
  Multigrid(options, trident, A).setup();  // makes what is made once; not timed
  Teuchos::TimeMonitor::zeroOutTimers();

  Multigrid multigrid(options, trident, A);
  times.first = multigrid.setup();
  if (root()) std::printf("  setup %.3f s\n", times.first);
  if (options.phases) printPhases();
  printLevels(*multigrid.hierarchy());
  printReports(multigrid.coarse());
  auto x = solve(A, multigrid.hierarchy(), b, options.tolerance);
  if (options.repeat == 0) return x;

  for (int step = 1; step <= options.repeat; ++step) {
    changeValues(*A, step);
    times.further += multigrid.setupAgain(A) / options.repeat;
  }
  if (root())
    std::printf("  %d further setups of new values, %.3f s each\n", options.repeat, times.further);
  if (options.phases) printPhases();
  printReports(multigrid.coarse());
  return solve(A, multigrid.hierarchy(), b, options.tolerance);
}

using Interpreter = MueLu::ParameterListInterpreter<SC, LO, GO, NO>;

/// Lets further setups keep prolongators and the structure of coarse matrices. The interpreter
/// makes levels that inherit nothing from level 0. So each level is told, and it is there only
/// after the first setup. The second setup forms all again, and plans; from the third one on plans
/// are used.
void keepFromXml(Hierarchy& hierarchy, const Interpreter& interpreter) {
  for (int l = 1; l < hierarchy.GetNumLevels(); ++l) {
    MueLu::Level& level = *hierarchy.GetLevel(l);
    const auto manager = interpreter.GetFactoryManager(l);
    level.Keep("P", manager->GetFactory("P").get());
    level.Keep("RAP reuse data", manager->GetFactory("A").get());
  }
}

/// Runs a hierarchy whose factories are named in an XML file, its solution, and further setups.
void fromXml(const Options& options, const RCP<vector_type>& b) {
  if (root()) std::printf("Trident's factories, named by %s\n", options.xml.c_str());
  const auto A = problem(options.problem, options.matrix);
  const auto list = Teuchos::getParametersFromXmlFile(options.xml);
  list->sublist("Hierarchy").set("coarse: max size", options.coarseSize);
  list->sublist("Hierarchy").set("verbosity", "none");
  const auto factories = rcp(new Trident::FactoryFactory<SC, LO, GO, NO>(*list));
  Interpreter interpreter(*list, A->getComm(), factories);
  const auto hierarchy = interpreter.CreateHierarchy();
  hierarchy->GetLevel(0)->Set("A", asXpetra(A));
  interpreter.SetupHierarchy(*hierarchy);
  printLevels(*hierarchy);
  solve(A, hierarchy, b, options.tolerance);
  if (options.repeat == 0) return;

  keepFromXml(*hierarchy, interpreter);
  const auto setupAgain = [&](int step) {
    changeValues(*A, step);
    hierarchy->GetLevel(0)->Set("A", asXpetra(A));
    return seconds([&] { hierarchy->SetupRe(); });
  };
  const double planning = setupAgain(1);
  double further = 0;
  for (int step = 2; step <= options.repeat + 1; ++step)
    further += setupAgain(step) / options.repeat;
  if (root())
    std::printf("  a setup that plans %.3f s, %d further setups, %.3f s each\n", planning,
                options.repeat, further);
  printReports(interpreter.GetFactoryManager(1)->GetFactory("A"));
  solve(A, hierarchy, b, options.tolerance);
}

void printRatio(const char* what, double mueLu, double trident) {
  if (root())
    std::printf("%s: MueLu %.4f s, Trident %.4f s, MueLu / Trident = %.2f\n", what, mueLu, trident,
                mueLu / trident);
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
  command.setOption("xml", &options.xml, "also a hierarchy of this file: hierarchy.xml, say");
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
  if (!options.xml.empty()) fromXml(options, b);
  Times ofMueLu, ofTrident;
  const auto theirs = run(options, false, b, ofMueLu);
  const auto ours = run(options, true, b, ofTrident);
  ours->update(-1.0, *theirs, 1.0);
  const double difference = ours->normInf(), largest = theirs->normInf();
  if (root())
    std::printf("largest difference of the solutions %.2e, largest entry %.2e\n", difference,
                largest);
  printRatio("first setup", ofMueLu.first, ofTrident.first);
  if (options.repeat > 0) printRatio("further setups", ofMueLu.further, ofTrident.further);
}
