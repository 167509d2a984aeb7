// SPDX-License-Identifier: BSD-3-Clause
// Sets up MueLu's preconditioners by easy lists, solves with them, and sets them up again with
// other values. It knows Tpetra and MueLu alone. Run once as it is, with --write=FILE, and once
// under a library that takes the place of Tpetra's products, with --against=FILE: it fails where
// the hierarchies or the iterations are others. With --times it prints seconds, one JSON object a
// case.
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <MueLu_TpetraOperator.hpp>
#include <Teuchos_CommHelpers.hpp>
#include <Teuchos_CommandLineProcessor.hpp>
#include <Teuchos_Time.hpp>
#include <Xpetra_Matrix.hpp>
#include <Xpetra_VectorFactory.hpp>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>

#include "MueLu_PlainCases.hpp"
#include "MueLu_PlainProblem.hpp"

using Operator = Tpetra::Operator<SC, LO, GO, NO>;
using Preconditioner = MueLu::TpetraOperator<SC, LO, GO, NO>;
using Matrix = Xpetra::Matrix<SC, LO, GO, NO>;
using Facts = std::map<std::string, double>;

struct Options {
  std::string cases = "all", write, against;
  int laplaceSide = 12, elasticitySide = 7, times = 0;
};

static bool root() { return Tpetra::getDefaultComm()->getRank() == 0; }

static double greatest(double mine) {
  double all = 0;
  Teuchos::reduceAll(*Tpetra::getDefaultComm(), Teuchos::REDUCE_MAX, mine, Teuchos::outArg(all));
  return all;
}

static double sum(double mine) {
  double all = 0;
  Teuchos::reduceAll(*Tpetra::getDefaultComm(), Teuchos::REDUCE_SUM, mine, Teuchos::outArg(all));
  return all;
}

// --- setups -----------------------------------------------------------------------------------

/// The hierarchy that a case sets up, and sets up again. The coarsest level is MueLu's default, or
/// small and relaxed: then small problems have some levels, and KLU2, which is wrong on several
/// ranks in 13.2 (doc/muelu.md), has no part in it.
class Multigrid {
 public:
  Multigrid(const Case& what, const Problem& problem, bool defaults)
      : what_(what), problem_(problem), defaults_(defaults) {}

  void setup(const RCP<matrix_type>& A) {
    if (what_.reuse && !preconditioner_.is_null()) {
      MueLu::ReuseTpetraPreconditioner(A, *preconditioner_);
      return;
    }
    Teuchos::ParameterList list = easyList();
    preconditioner_ = MueLu::CreateTpetraPreconditioner<SC, LO, GO, NO>(A, list);
  }
  const RCP<Preconditioner>& preconditioner() const { return preconditioner_; }

 private:
  /// Makes a list. MueLu writes into the list that it gets, so each setup has one of its own.
  Teuchos::ParameterList easyList() const {
    Teuchos::ParameterList list;
    list.set("verbosity", "none");
    if (!defaults_) list.set("coarse: max size", 60).set("coarse: type", "RELAXATION");
    list.set("number of equations", problem_.equations);
    list.sublist("user data").set("Nullspace", problem_.nullspace);
    list.sublist("user data").set("Coordinates", problem_.coordinates);
    what_.set(list);
    return list;
  }

  const Case& what_;
  const Problem& problem_;
  bool defaults_;
  RCP<Preconditioner> preconditioner_;
};

static int iterations(const RCP<matrix_type>& A, const RCP<Preconditioner>& preconditioner) {
  const auto x = rcp(new vector_type(A->getDomainMap()));
  const auto problem = rcp(
      new Belos::LinearProblem<SC, multivector_type, Operator>(A, x, wave(A->getRangeMap(), 0)));
  problem->setLeftPrec(preconditioner);
  problem->setProblem();
  const auto list = Teuchos::parameterList();
  list->set("Maximum Iterations", 200);
  list->set("Convergence Tolerance", 1e-8);
  Belos::PseudoBlockCGSolMgr<SC, multivector_type, Operator> solver(problem, list);
  solver.solve();
  return solver.getNumIters();
}

// --- facts ------------------------------------------------------------------------------------

/// Adds facts of a matrix that some ranks may not have: it lies on a part of the ranks. Collective
/// over all.
static void addMatrix(Facts& facts, const std::string& name, const RCP<Matrix>& M) {
  double rows = 0, entries = 0, mine = 0, frobenius = 0, image = 0;
  if (!M.is_null()) {
    rows = M->getGlobalNumRows();
    frobenius = M->getFrobeniusNorm();
    const auto x = Xpetra::VectorFactory<SC, LO, GO, NO>::Build(M->getDomainMap());
    const auto y = Xpetra::VectorFactory<SC, LO, GO, NO>::Build(M->getRangeMap());
    for (LO i = 0; i < static_cast<LO>(x->getLocalLength()); ++i)
      x->replaceLocalValue(i, std::sin(1.0 + 0.3 * M->getDomainMap()->getGlobalElement(i)));
    M->apply(*x, *y);
    mine = y->getLocalLength();
    const auto offsets = M->getLocalMatrixHost().graph.row_map;  // not all know the global number
    if (mine > 0) entries = offsets(offsets.extent(0) - 1);
    image = y->norm1();
  }
  facts[name + " rows"] = greatest(rows);
  facts[name + " entries"] = sum(entries);
  facts[name + " ranks with rows"] = sum(mine > 0);
  facts[name + " Frobenius norm"] = greatest(frobenius);
  facts[name + " image"] = greatest(image);
}

/// Returns true if a level has the matrix. It is not so on a rank that takes no part in the level:
/// what it has there is an operator that is null.
static bool hasMatrix(MueLu::Level& level, const std::string& what) {
  return level.IsAvailable(what) &&
         level.GetTypeName(what) == Teuchos::TypeNameTraits<RCP<Matrix>>::name();
}

/// Adds facts of all levels. Collective.
static void addHierarchy(Facts& facts, const std::string& name, Preconditioner& preconditioner) {
  const auto hierarchy = preconditioner.GetHierarchy();
  const int levels = static_cast<int>(greatest(hierarchy->GetNumLevels()));
  facts[name + " levels"] = levels;
  for (int l = 0; l < levels; ++l)
    for (const std::string what : {"A", "P"}) {
      if (l == 0 && what == "P") continue;
      RCP<Matrix> M;
      if (l < hierarchy->GetNumLevels() && hasMatrix(*hierarchy->GetLevel(l), what))
        M = hierarchy->GetLevel(l)->Get<RCP<Matrix>>(what);
      addMatrix(facts, name + ", level " + std::to_string(l) + ": " + what, M);
    }
}

/// Adds facts of three setups of the case, each with other values of A. Collective.
static void addCase(Facts& facts, const Case& what, const Problem& problem) {
  Multigrid multigrid(what, problem, false);
  for (int step = 0; step < 3; ++step) {
    const std::string name = what.name + ", setup " + std::to_string(step);
    const auto A = step == 0 ? problem.A : otherValues(*problem.A, step);
    multigrid.setup(A);
    addHierarchy(facts, name, *multigrid.preconditioner());
    facts[name + " iterations"] = iterations(A, multigrid.preconditioner());
  }
}

static void write(const Facts& facts, const std::string& path) {
  std::ofstream file(path);
  file.precision(17);
  for (const auto& [name, value] : facts) file << value << ' ' << name << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

static Facts read(const std::string& path) {
  std::ifstream file(path);
  Facts facts;
  double value = 0;
  std::string name;
  while (file >> value && std::getline(file >> std::ws, name)) facts[name] = value;
  if (facts.empty()) throw std::runtime_error("no facts in " + path);
  return facts;
}

/// Counts the facts that differ. Counts differ by more than what rounding does to a norm.
static int differences(const Facts& facts, const Facts& expected) {
  int count = 0;
  const auto differ = [&](const std::string& name, const char* how, double was, double is) {
    if (++count <= 20) std::printf("%s: %s, %.17g, now %.17g\n", name.c_str(), how, was, is);
  };
  for (const auto& [name, was] : expected) {
    const auto found = facts.find(name);
    if (found == facts.end())
      differ(name, "missing", was, 0);
    else if (!(std::abs(found->second - was) <= 1e-9 * std::abs(was)))
      differ(name, "differs", was, found->second);
  }
  for (const auto& [name, is] : facts)
    if (expected.count(name) == 0) differ(name, "new", 0, is);
  return count;
}

// --- seconds ----------------------------------------------------------------------------------

/// Seconds of the slowest rank.
struct Seconds {
  double wall = 0;  ///< time from a barrier to a barrier
  double cpu = 0;   ///< time of the process: with its waits, without other programs
};

template <class Work>
static Seconds seconds(Work&& work) {
  const auto comm = Tpetra::getDefaultComm();
  comm->barrier();
  const double start = Teuchos::Time::wallTime();
  const std::clock_t startOfCpu = std::clock();
  work();
  Seconds took;
  took.cpu = greatest(static_cast<double>(std::clock() - startOfCpu) / CLOCKS_PER_SEC);
  took.wall = greatest(Teuchos::Time::wallTime() - start);
  return took;
}

/// Returns "[1, 2]".
static std::string jsonList(const std::vector<Seconds>& all, double Seconds::*which) {
  std::ostringstream text;
  for (const Seconds& each : all) text << (text.tellp() == 0 ? "[" : ", ") << each.*which;
  return text.str() + "]";
}

/// Prints the times of the first setup of this structure, and of `count` later ones, each with
/// other values of A. What is made once in a process is made before, by a setup of another
/// structure. It is one line of JSON with lists of seconds: that setup, the first, the later ones.
static void printTimes(const Case& what, const Problem& problem, const Problem& other, int count) {
  Multigrid warm(what, other, true), multigrid(what, problem, true);
  std::vector<Seconds> took;
  took.push_back(seconds([&] { warm.setup(other.A); }));
  took.push_back(seconds([&] { multigrid.setup(problem.A); }));
  for (int step = 1; step <= count; ++step) {
    const auto A = otherValues(*problem.A, step);
    took.push_back(seconds([&] { multigrid.setup(A); }));
  }
  if (root())
    std::cout << "{\"case\": \"" << what.name << "\", \"rows\": " << problem.A->getGlobalNumRows()
              << ", \"wall\": " << jsonList(took, &Seconds::wall)
              << ", \"cpu\": " << jsonList(took, &Seconds::cpu) << "}" << std::endl;
}

// --- the program ------------------------------------------------------------------------------

static Problem problemOf(const Case& what, const Options& options, bool smaller = false) {
  const bool elasticity = what.problem == "Elasticity3D";
  const GO side = elasticity ? options.elasticitySide : options.laplaceSide;
  return plainProblem(what.problem, smaller ? side - side / 4 : side, what.idleRank ? 1 : -1,
                      what.stretch);
}

static bool chosen(const Case& what, const std::string& names) {
  return names == "all" || (";" + names + ";").find(";" + what.name + ";") != std::string::npos;
}

static int run(const Options& options) {
  Facts facts;
  for (const Case& what : plainCases()) {
    if (!chosen(what, options.cases)) continue;
    const Problem problem = problemOf(what, options);
    if (options.times > 0)
      printTimes(what, problem, problemOf(what, options, true), options.times);
    else
      addCase(facts, what, problem);
  }
  int wrong = 0;
  if (root() && options.times == 0) {
    if (facts.empty()) throw std::runtime_error("no case of the name " + options.cases);
    if (!options.write.empty()) write(facts, options.write);
    if (!options.against.empty()) wrong = differences(facts, read(options.against));
    std::printf("%d facts, %d of them differ\n", static_cast<int>(facts.size()), wrong);
  }
  return greatest(wrong) > 0;
}

int main(int argc, char* argv[]) {
  const Tpetra::ScopeGuard scope(&argc, &argv);
  Options options;
  Teuchos::CommandLineProcessor command(false);
  command.setOption("cases", &options.cases, "names, with ; between them");
  command.setOption("write", &options.write, "a file for what is found");
  command.setOption("against", &options.against, "a file that another run wrote");
  command.setOption("laplace-side", &options.laplaceSide, "points along an axis");
  command.setOption("elasticity-side", &options.elasticitySide, "points along an axis");
  command.setOption("times", &options.times, "later setups that are timed, in place of facts");
  const auto parsed = command.parse(argc, argv);
  if (parsed == Teuchos::CommandLineProcessor::PARSE_HELP_PRINTED) return 0;
  if (parsed != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL) return 2;
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::cerr << "MueLu_UnderPreload: " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}
