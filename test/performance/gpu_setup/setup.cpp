// SPDX-License-Identifier: BSD-3-Clause
// Setups of MueLu's smoothed aggregation on GPUs: seconds of the first and of later ones, levels,
// and seconds by phase. With -DGPU_SETUP_WITH_TRIDENT also by Trident's factories.
#include <Teuchos_CommandLineProcessor.hpp>
#include <Teuchos_oblackholestream.hpp>
#include <Tpetra_Core.hpp>
#include <Xpetra_TpetraMultiVector.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "Preconditioners.hpp"
#include "muelu_phases.hpp"
#ifdef GPU_SETUP_WITH_TRIDENT
#include <Trident_ScopeGuard.hpp>
#endif

bool root() { return Tpetra::getDefaultComm()->getRank() == 0; }

/// Returns the seconds from a barrier to a barrier, the device included.
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

/// Solves by conjugate gradients; returns the number of iterations, or -1.
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

/// Returns the part of a setup to which a timer belongs, by its factory's class.
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

/// Prints the seconds of each part without the parts inside it, all levels; the slowest rank.
/// Collective.
void printPhases(bool details) {
  std::map<std::string, double> sums;
  for (const char* part : {"dropping", "aggregation", "tentative prolongator",
                           "smoothed prolongator", "transpose", "R*A*P", "smoothers", "the rest"})
    sums[part] = 0;
  const std::map<std::string, double> phases = MueLuPhases::seconds();
  if (phases.empty()) return;
  for (const auto& phase : phases) sums[partOf(phase.first)] += phase.second;
  for (const auto& sum : sums) {
    double slowest = 0;
    Teuchos::reduceAll(*Tpetra::getDefaultComm(), Teuchos::REDUCE_MAX, sum.second,
                       Teuchos::outArg(slowest));
    if (root()) std::printf("  %9.5f s  %s\n", slowest, sum.first.c_str());
  }
  if (!details || !root()) return;
  std::map<std::string, double> timers;
  for (const auto& phase : phases)
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
  command.setOption("factories", &options.factories,
                    "muelu, trident, or trident-products: not those of graphs");
  command.setOption("list", &options.list, "a file with an easy list instead: see sa.xml");
  command.setOption("setups", &options.setups, "how many, each with other values");
  command.setOption("reuse", &options.reuse, "none: each setup is a new one; RAP; RP");
  command.setOption("tentative", &options.tentative,
                    "prolongators: device, no-qr or host; by default device, for bodies no-qr");
  command.setOption("estimate", &options.estimate,
                    "of the largest eigenvalue, by Trident's factories: device or MueLu");
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
