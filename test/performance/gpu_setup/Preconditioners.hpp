// SPDX-License-Identifier: BSD-3-Clause
// The program's preconditioners, by factories of MueLu or Trident, or by an easy list.
#ifndef GPU_SETUP_PRECONDITIONERS_HPP
#define GPU_SETUP_PRECONDITIONERS_HPP

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
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_XMLParameterListCoreHelpers.hpp>
#include <Tpetra_Core.hpp>
#include <Xpetra_CrsMatrixWrap.hpp>
#include <Xpetra_TpetraCrsMatrix.hpp>
#include <stdexcept>
#include <string>

#include "Assembly.hpp"
#include "Jacobi.hpp"
#ifdef GPU_SETUP_WITH_TRIDENT
#include <Xpetra_StridedMap_def.hpp>  // no library has all of these for this MueLu

#include "muelu/Trident_AmalgamationFactory_def.hpp"
#include "muelu/Trident_CoalesceDropFactory_def.hpp"
#include "muelu/Trident_RAPFactory_def.hpp"
#include "muelu/Trident_SaPFactory_def.hpp"
#include "muelu/Trident_TransPFactory_def.hpp"
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
              tentative, list, estimate;
  int n = 20, setups = 3, levels = 10, coarseSize = 200, sweeps = 2;
  double tolerance = 1e-8;
  bool implicit = false, phases = true, details = false, deterministic = true, solve = false;
};

inline RCP<Matrix> asXpetra(const RCP<TpetraMatrix>& A, int unknowns) {
  const RCP<Xpetra::CrsMatrix<SC, LO, GO, NO>> inner =
      rcp(new Xpetra::TpetraCrsMatrix<SC, LO, GO, NO>(A));
  const RCP<Matrix> result = rcp(new Xpetra::CrsMatrixWrap<SC, LO, GO, NO>(inner));
  result->SetFixedBlockSize(unknowns);
  return result;
}

/// The factories that are MueLu's or Trident's: of matrices' products and transposes, and of graphs
/// of nodes.
struct Products {
  Factory prolongator, coarse, restriction, graph, nodes;  // the last two may be null: MueLu's own
};

inline Products makeProducts(const Options& options) {
  const std::string& by = options.factories;
  const Factory transposes = rcp(new MueLu::TransPFactory<SC, LO, GO, NO>());
  if (by == "muelu")
    return {rcp(new MueLu::SaPFactory<SC, LO, GO, NO>()),
            rcp(new MueLu::RAPFactory<SC, LO, GO, NO>()), transposes, Teuchos::null, Teuchos::null};
#ifdef GPU_SETUP_WITH_TRIDENT
  const Factory prolongator = rcp(new Trident::SaPFactory<SC, LO, GO, NO>());
  Teuchos::ParameterList list;
  if (!options.estimate.empty())
    list.sublist("Trident").set("eigenvalue estimate", options.estimate);
  prolongator->SetParameterList(list);
  const Products trident = {prolongator, rcp(new Trident::RAPFactory<SC, LO, GO, NO>()),
                            rcp(new Trident::TransPFactory<SC, LO, GO, NO>()),
                            rcp(new Trident::CoalesceDropFactory<SC, LO, GO, NO>()),
                            rcp(new Trident::AmalgamationFactory<SC, LO, GO, NO>())};
  if (by == "trident") return trident;
  if (by == "trident-products")
    return {trident.prolongator, trident.coarse, transposes, Teuchos::null, Teuchos::null};
#endif
  throw std::invalid_argument("--factories=" + by + " is not in this program");
}

/// Makes MueLu's factory of tentative prolongators on the device, with or without QR, or on the
/// host. QR on the device wants (rows of an aggregate)² numbers of shared memory: too many for six
/// modes.
inline Factory makeTentative(const Options& options) {
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
  /// Replaces the first use of a preconditioner. MueLu 17.0 cannot set up one again before.
  void use() { hierarchy_->AllocateLevelMultiVectors(1); }
  /// Sets up again with the kept parts of the setup before.
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

/// A preconditioner by factories that the program makes.
class ByFactories : public Preconditioner {
 public:
  ByFactories(const Options& options, const RCP<Matrix>& A, const RCP<Vectors>& nullspace)
      : Preconditioner(rcp(new Hierarchy()), A, nullspace), levels_(options.levels) {
    setAggregation(options);
    const Products products = makeProducts(options);
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
    if (!products.graph.is_null()) manager_.SetFactory("Graph", products.graph);
    if (!products.nodes.is_null()) manager_.SetFactory("UnAmalgamationInfo", products.nodes);
    if (options.implicit)
      manager_.SetFactory("R", Teuchos::null);  // or P is transposed for nobody
    else
      manager_.SetFactory("R", products.restriction);
  }

  void setSmoothers(int sweeps) {
    using Smoothers = MueLu::SmootherFactory<SC, LO, GO, NO>;
    const auto jacobi = [](int times) { return rcp(new Jacobi<SC, LO, GO, NO>(times)); };
    const Factory smoothers = rcp(new Smoothers(jacobi(sweeps)));
    for (const char* name : {"Smoother", "PreSmoother", "PostSmoother"})
      manager_.SetFactory(name, smoothers);
    manager_.SetFactory("CoarseSolver", rcp(new Smoothers(jacobi(20), Teuchos::null)));
  }

  /// Keeps nearly what MueLu's reuse types keep: "RP" keeps prolongators and restrictions, "RAP"
  /// patterns alone.
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

/// A preconditioner by an easy list, as programs have them: see sa.xml.
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

inline RCP<Preconditioner> makePreconditioner(const Options& options, const RCP<Matrix>& A,
                                              const RCP<Vectors>& nullspace) {
  if (options.list.empty()) return rcp(new ByFactories(options, A, nullspace));
  return rcp(new ByList(options, A, nullspace));
}

#endif
