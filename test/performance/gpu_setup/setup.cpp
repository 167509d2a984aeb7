// SPDX-License-Identifier: BSD-3-Clause
// Setups of MueLu's smoothed aggregation on GPUs: seconds of the first and of later ones, levels,
// and seconds by phase. With -DGPU_SETUP_WITH_TRIDENT also by Trident's factories.
#include <MueLu_CoalesceDropFactory_kokkos.hpp>
#include <MueLu_FactoryManager.hpp>
#include <MueLu_Hierarchy.hpp>
#include <MueLu_ParameterListInterpreter.hpp>
#include <MueLu_RAPFactory.hpp>
#include <MueLu_SaPFactory.hpp>
#include <MueLu_SmootherFactory.hpp>
#include <MueLu_TentativePFactory.hpp>
#include <MueLu_TentativePFactory_kokkos.hpp>
#include <MueLu_TransPFactory.hpp>
#include <MueLu_UncoupledAggregationFactory.hpp>
#include <Teuchos_CommandLineProcessor.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_XMLParameterListCoreHelpers.hpp>
#include <Teuchos_oblackholestream.hpp>
#include <Tpetra_Core.hpp>
#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_TpetraCrsMatrix.hpp>
#include <Xpetra_TpetraMultiVector.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "Jacobi.hpp"
#include "Problems.hpp"
#include "muelu_phases.hpp"
#ifdef GPU_SETUP_WITH_TRIDENT
#include <Trident_ScopeGuard.hpp>

#include "muelu/Trident_RAPFactory_def.hpp"  // no library has them for this MueLu
#include "muelu/Trident_SaPFactory_def.hpp"
#endif

using Teuchos::RCP;
using Teuchos::rcp;
using SC = double;
using LO = int;
using NO = Node;
using Matrix = Xpetra::Matrix<SC, LO, GO, NO>;
using Vectors = Xpetra::MultiVector<SC, LO, GO, NO>;
using Hierarchy = MueLu::Hierarchy<SC, LO, GO, NO>;
using Manager = MueLu::FactoryManager<SC, LO, GO, NO>;
using Factory = RCP<MueLu::Factory>;

struct Options {
  std::string problem = "laplace3d", factories = "muelu", coloring = "serial", reuse = "none",
              tentative, list;
  int n = 20, setups = 3, levels = 10, coarseSize = 200, sweeps = 2;
  double tolerance = 1e-8;
  bool implicit = false, phases = true, details = false, deterministic = true, solve = false;
};

bool root() { return Tpetra::getDefaultComm()->getRank() == 0; }

/// Seconds from a barrier to a barrier, the device included.
template <class Work>
double seconds(const Work& work) {
  const auto comm = Tpetra::getDefaultComm();
  Kokkos::fence();
  comm->barrier();
  const double start = Teuchos::Time::wallTime();
  work();
  Kokkos::fence();
  comm->barrier();
  return Teuchos::Time::wallTime() - start;
}

RCP<Matrix> asXpetra(const RCP<TpetraMatrix>& A, int unknowns) {
  const RCP<Xpetra::CrsMatrix<SC, LO, GO, NO>> inner =
      rcp(new Xpetra::TpetraCrsMatrix<SC, LO, GO, NO>(A));
  const RCP<Matrix> result = rcp(new Xpetra::CrsMatrixWrap<SC, LO, GO, NO>(inner));
  result->SetFixedBlockSize(unknowns);
  return result;
}

/// The factories that multiply matrices.
struct Products {
  Factory prolongator, coarse;
};

Products makeProducts(const std::string& by) {
  if (by == "muelu")
    return {rcp(new MueLu::SaPFactory<SC, LO, GO, NO>()),
            rcp(new MueLu::RAPFactory<SC, LO, GO, NO>())};
#ifdef GPU_SETUP_WITH_TRIDENT
  if (by == "trident")
    return {rcp(new Trident::SaPFactory<SC, LO, GO, NO>()),
            rcp(new Trident::RAPFactory<SC, LO, GO, NO>())};
#endif
  throw std::invalid_argument("--factories=" + by + " is not in this program");
}

/// MueLu's factory of tentative prolongators on the device, with or without QR, or on the host. QR
/// on the device wants (rows of an aggregate)² numbers of shared memory: too many for six modes.
Factory makeTentative(const Options& options) {
  if (options.tentative == "host") return rcp(new MueLu::TentativePFactory<SC, LO, GO, NO>());
  if (options.tentative != "device" && options.tentative != "no-qr")
    throw std::invalid_argument("--tentative is device, no-qr or host");
  const Factory result = rcp(new MueLu::TentativePFactory_kokkos<SC, LO, GO, NO>());
  result->SetParameter("tentative: calculate qr",
                       Teuchos::ParameterEntry(options.tentative == "device"));
  return result;
}

/// A preconditioner: a hierarchy and what makes it.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual void setup() = 0;
  /// What the first use of a preconditioner does. MueLu 17.0 cannot set up one again before.
  void use() { hierarchy_->AllocateLevelMultiVectors(1); }
  /// The same with the kept parts of the setup before.
  void setupAgain(const RCP<Matrix>& A) {
    hierarchy_->GetLevel(0)->Set("A", A);
    hierarchy_->SetupRe();
  }
  Hierarchy& hierarchy() { return *hierarchy_; }

 protected:
  Preconditioner(const RCP<Hierarchy>& hierarchy, const RCP<Matrix>& A,
                 const RCP<Vectors>& nullspace)
      : hierarchy_(hierarchy) {
    hierarchy_->GetLevel(0)->Set("A", A);
    hierarchy_->GetLevel(0)->Set("Nullspace", nullspace);
  }
  const RCP<Hierarchy> hierarchy_;
};

/// By factories that the program makes.
class ByFactories : public Preconditioner {
 public:
  ByFactories(const Options& options, const RCP<Matrix>& A, const RCP<Vectors>& nullspace)
      : Preconditioner(rcp(new Hierarchy()), A, nullspace), levels_(options.levels) {
    setAggregation(options);
    const Products products = makeProducts(options.factories);
    setTransfer(options, products);
    if (options.solve) setSmoothers(options.sweeps);
    hierarchy_->SetMaxCoarseSize(options.coarseSize);
    hierarchy_->SetImplicitTranspose(options.implicit);
    if (options.reuse != "none") keep(products, options.reuse);
  }
  void setup() override { hierarchy_->Setup(manager_, 0, levels_); }

 private:
  void setAggregation(const Options& options) {
    Teuchos::ParameterList list;
    list.set("aggregation: coloring algorithm", options.coloring);
    list.set("aggregation: deterministic", options.deterministic);
    const Factory aggregates = rcp(new MueLu::UncoupledAggregationFactory<LO, GO, NO>());
    aggregates->SetParameterList(list);
    manager_.SetFactory("Aggregates", aggregates);
  }

  void setTransfer(const Options& options, const Products& products) {
    products.coarse->SetParameter("transpose: use implicit",
                                  Teuchos::ParameterEntry(options.implicit));
    manager_.SetFactory("Ptent", makeTentative(options));
    products.prolongator->SetFactory("P", manager_.GetFactory("Ptent"));
    manager_.SetFactory("P", products.prolongator);
    manager_.SetFactory("A", products.coarse);
    if (options.implicit)
      manager_.SetFactory("R", Teuchos::null);  // or P is transposed for nobody
    else
      manager_.SetFactory("R", rcp(new MueLu::TransPFactory<SC, LO, GO, NO>()));
  }

  void setSmoothers(int sweeps) {
    using Smoothers = MueLu::SmootherFactory<SC, LO, GO, NO>;
    const auto jacobi = [](int times) { return rcp(new Jacobi<SC, LO, GO, NO>(times)); };
    const Factory smoothers = rcp(new Smoothers(jacobi(sweeps)));
    for (const char* name : {"Smoother", "PreSmoother", "PostSmoother"})
      manager_.SetFactory(name, smoothers);
    manager_.SetFactory("CoarseSolver", rcp(new Smoothers(jacobi(20), Teuchos::null)));
  }

  /// Nearly MueLu's reuse types: "RP" keeps prolongators and restrictions, "RAP" patterns alone.
  void keep(const Products& products, const std::string& what) {
    for (const char* data : {"AP reuse data", "RAP reuse data"})
      hierarchy_->Keep(data, products.coarse.get());
    if (what != "RP") return;
    hierarchy_->Keep("P", products.prolongator.get());
    hierarchy_->Keep("Nullspace", manager_.GetFactory("Nullspace").get());
    const auto R = manager_.GetFactory("R");
    if (!R.is_null()) hierarchy_->Keep("R", R.get());
  }

  Manager manager_;
  int levels_;
};

/// By an easy list, as programs have them: see sa.xml.
class ByList : public Preconditioner {
  using Interpreter = MueLu::ParameterListInterpreter<SC, LO, GO, NO>;

 public:
  ByList(const Options& options, const RCP<Matrix>& A, const RCP<Vectors>& nullspace)
      : ByList(interpret(options), A, nullspace) {}
  void setup() override { interpreter_->SetupHierarchy(*hierarchy_); }

 private:
  ByList(const RCP<Interpreter>& interpreter, const RCP<Matrix>& A, const RCP<Vectors>& nullspace)
      : Preconditioner(interpreter->CreateHierarchy(), A, nullspace), interpreter_(interpreter) {}
  static RCP<Interpreter> interpret(const Options& options) {
    const auto list = Teuchos::getParametersFromXmlFile(options.list);
    list->set("verbosity", options.phases || options.details ? "extreme" : "none");
    list->set("coarse: max size", options.coarseSize);
    list->set("max levels", options.levels);
    list->set("reuse: type", options.reuse);
    list->set("transpose: use implicit", options.implicit);
    return rcp(new Interpreter(*list, Tpetra::getDefaultComm()));
  }

  RCP<Interpreter> interpreter_;
};

RCP<Preconditioner> makePreconditioner(const Options& options, const RCP<Matrix>& A,
                                       const RCP<Vectors>& nullspace) {
  if (options.list.empty()) return rcp(new ByFactories(options, A, nullspace));
  return rcp(new ByList(options, A, nullspace));
}

/// Conjugate gradients; the number of iterations, or -1.
int solve(const Matrix& A, Hierarchy& hierarchy, double tolerance) {
  const auto make = [&] {
    return Xpetra::MultiVectorFactory<SC, LO, GO, NO>::Build(A.getRowMap(), 1);
  };
  const auto dot = [](const Vectors& a, const Vectors& b) {
    Teuchos::Array<SC> result(1);
    a.dot(b, result());
    return result[0];
  };
  const auto x = make(), r = make(), z = make(), p = make(), q = make();
  r->setSeed(3);
  r->randomize();
  const double first = std::sqrt(dot(*r, *r));
  double before = 0;
  for (int step = 0; step < 500; ++step) {
    if (std::sqrt(dot(*r, *r)) <= tolerance * first) return step;
    z->putScalar(0.0);
    hierarchy.Iterate(*r, *z, 1, true);
    const double now = dot(*r, *z);
    p->update(1.0, *z, step == 0 ? 0.0 : now / before);
    before = now;
    A.apply(*p, *q);
    const double length = now / dot(*p, *q);
    x->update(length, *p, 1.0);
    r->update(-length, *q, 1.0);
  }
  return -1;
}

void printLevels(Hierarchy& hierarchy) {
  for (int l = 0; l < hierarchy.GetNumLevels(); ++l) {
    const auto A = hierarchy.GetLevel(l)->Get<RCP<Matrix>>("A");
    const auto rows = A->getGlobalNumRows(), entries = A->getGlobalNumEntries();
    const double norm = A->getFrobeniusNorm();
    if (root())
      std::printf("  level %d: %10llu rows %12llu entries, norm %.10g\n", l,
                  static_cast<unsigned long long>(rows), static_cast<unsigned long long>(entries),
                  norm);
  }
}

/// Which part of a setup a timer belongs to, by its factory's class.
std::string partOf(const std::string& timer) {
  const std::pair<const char*, const char*> parts[] = {{"CoalesceDrop", "dropping"},
                                                       {"Amalgamation", "dropping"},
                                                       {"Aggregation", "aggregation"},
                                                       {"TentativeP", "tentative prolongator"},
                                                       {"CoarseMap", "tentative prolongator"},
                                                       {"Nullspace", "tentative prolongator"},
                                                       {"SaPFactory", "smoothed prolongator"},
                                                       {"TransPFactory", "transpose"},
                                                       {"RAPFactory", "R*A*P"},
                                                       {"Jacobi", "smoothers"}};
  const std::string owner = timer.substr(0, timer.find(':'));
  for (const auto& part : parts)
    if (owner.find(part.first) != std::string::npos) return part.second;
  return "the rest";
}

/// Seconds of each part without the parts inside it, all levels; the slowest rank. Collective.
void printPhases(bool details) {
  std::map<std::string, double> sums;
  for (const char* part : {"dropping", "aggregation", "tentative prolongator",
                           "smoothed prolongator", "transpose", "R*A*P", "smoothers", "the rest"})
    sums[part] = 0;
  for (const auto& phase : MueLuPhases::seconds()) sums[partOf(phase.first)] += phase.second;
  for (const auto& sum : sums) {
    double slowest = 0;
    Teuchos::reduceAll(*Tpetra::getDefaultComm(), Teuchos::REDUCE_MAX, sum.second,
                       Teuchos::outArg(slowest));
    if (root()) std::printf("  %9.5f s  %s\n", slowest, sum.first.c_str());
  }
  if (!details || !root()) return;
  std::map<std::string, double> timers;
  for (const auto& phase : MueLuPhases::seconds())
    timers[phase.first.substr(0, phase.first.find(" (total"))] += phase.second;
  for (const auto& timer : timers)
    if (timer.second > 5e-5) std::printf("      %9.5f s  %s\n", timer.second, timer.first.c_str());
}

void report(const Options& options, const char* what, double time) {
  if (root()) std::printf("%s %.5f s\n", what, time);
  if (options.phases || options.details) printPhases(options.details);
}

void run(Options options) {
  if (options.tentative.empty())
    options.tentative = options.problem == "elasticity3d" ? "no-qr" : "device";
  const auto problem = makeProblem(options.problem, options.n);
  const Assembly assembly(*problem, Tpetra::getDefaultComm());
  const RCP<Vectors> nullspace =
      rcp(new Xpetra::TpetraMultiVector<SC, LO, GO, NO>(assembly.nullspace()));
  const auto inner = assembly.matrix(0);
  if (root())
    std::printf("%s:n=%d by %s, R %s, reuse %s, tentative %s, %d ranks\n", options.problem.c_str(),
                options.n, (options.list.empty() ? options.factories : options.list).c_str(),
                options.implicit ? "implicit" : "explicit", options.reuse.c_str(),
                options.tentative.c_str(), Tpetra::getDefaultComm()->getSize());
  RCP<Matrix> A;
  RCP<Preconditioner> kept;
  for (int step = 0; step < options.setups; ++step) {
    assembly.change(*inner, step);
    A = asXpetra(inner, problem->unknowns());  // which remembers no eigenvalue
    MueLuPhases::clear();
    const bool again = !kept.is_null() && options.reuse != "none";
    if (!again) kept = Teuchos::null;  // the hierarchy before goes first
    const double time = seconds([&] {
      if (again) return kept->setupAgain(A);
      kept = makePreconditioner(options, A, nullspace);
      kept->setup();
    });
    report(options,
           (std::string(again ? "kept " : "new ") + "setup " + std::to_string(step)).c_str(), time);
    kept->use();
  }
  printLevels(kept->hierarchy());
  if (!options.solve) return;
  int iterations = 0;
  const double time =
      seconds([&] { iterations = solve(*A, kept->hierarchy(), options.tolerance); });
  if (root()) std::printf("  %d iterations, %.5f s\n", iterations, time);
}

int main(int argc, char* argv[]) {
#ifdef GPU_SETUP_WITH_TRIDENT
  const Trident::ScopeGuard scope(&argc, &argv);
#else
  const Tpetra::ScopeGuard scope(&argc, &argv);
#endif
  Options options;
  Teuchos::CommandLineProcessor command(false);
  command.setOption("problem", &options.problem, "laplace3d, brick3d or elasticity3d");
  command.setOption("n", &options.n, "points a side");
  command.setOption("factories", &options.factories, "muelu or trident");
  command.setOption("list", &options.list, "a file with an easy list instead: see sa.xml");
  command.setOption("setups", &options.setups, "how many, each with other values");
  command.setOption("reuse", &options.reuse, "none: each setup is a new one; RAP; RP");
  command.setOption("tentative", &options.tentative,
                    "prolongators: device, no-qr or host; by default device, for bodies no-qr");
  command.setOption("levels", &options.levels, "at most");
  command.setOption("coarse-size", &options.coarseSize, "rows of the coarsest matrix, about");
  command.setOption("coloring", &options.coloring, "MueLu's \"aggregation: coloring algorithm\"");
  command.setOption("deterministic", "fast", &options.deterministic, "aggregation");
  command.setOption("implicit", "explicit", &options.implicit, "whether R is formed");
  command.setOption("phases", "no-phases", &options.phases, "timers, which wait for the device");
  command.setOption("details", "no-details", &options.details, "each timer of the first rank");
  command.setOption("solve", "no-solve", &options.solve, "with smoothers, and conjugate gradients");
  command.setOption("sweeps", &options.sweeps, "of Jacobi");
  command.setOption("tolerance", &options.tolerance, "residual over the first one");
  const auto parsed = command.parse(argc, argv);
  if (parsed == Teuchos::CommandLineProcessor::PARSE_HELP_PRINTED) return 0;
  if (parsed != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL) return 2;
  if (!options.list.empty())  // MueLu's text; its timers come with it
    MueLu::VerboseObject::SetMueLuOStream(
        Teuchos::getFancyOStream(rcp(new Teuchos::oblackholestream())));
  MueLu::VerboseObject::SetDefaultVerbLevel(options.phases || options.details ? MueLu::Timings
                                                                              : MueLu::None);
  try {
    run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d: %s\n", Tpetra::getDefaultComm()->getRank(), error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}
