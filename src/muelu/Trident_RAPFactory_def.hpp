// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RAPFACTORY_DEF_HPP
#define TRIDENT_RAPFACTORY_DEF_HPP

#include <MueLu_Monitor.hpp>
#include <MueLu_PerfUtils.hpp>
#include <string>

#include "Trident_Error.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "muelu/Trident_FactoryParameters.hpp"
#include "muelu/Trident_MueLuMatrix.hpp"
#include "muelu/Trident_RAPFactory_decl.hpp"

namespace Trident {
namespace Impl {

/// The objects that a level keeps from one setup to the next.
template <class SC, class LO, class GO, class NO>
struct KeptRAP {
  MultiplyRAPPlan<SC, LO, GO, NO> plan;
  Teuchos::RCP<const Tpetra::CrsGraph<LO, GO, NO>> graph;  ///< graph of the planned result
};

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const Teuchos::ParameterList> RAPFactory<SC, LO, GO, NO>::GetValidParameterList()
    const {
  return Impl::withTridentSublist(*base_type::GetValidParameterList());
}

template <class SC, class LO, class GO, class NO>
void RAPFactory<SC, LO, GO, NO>::AddTransferFactory(
    const Teuchos::RCP<const MueLu::FactoryBase>& factory) {
  base_type::AddTransferFactory(factory);  // checks the factory, and declares its input
  transfers_.push_back(factory);
}

template <class SC, class LO, class GO, class NO>
void RAPFactory<SC, LO, GO, NO>::DeclareInput(MueLu::Level& fineLevel,
                                              MueLu::Level& coarseLevel) const {
  if (base_type::NumTransferFactories() != transfers_.size())
    throw Error("Trident::RAPFactory::DeclareInput",
                "a transfer factory was added through a pointer to MueLu::RAPFactory; call "
                "AddTransferFactory() on the Trident::RAPFactory");
  base_type::DeclareInput(fineLevel, coarseLevel);
}

template <class SC, class LO, class GO, class NO>
void RAPFactory<SC, LO, GO, NO>::Build(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const {
  const auto A = this->template Get<MatrixPtr>(fineLevel, "A");
  const auto P = this->template Get<MatrixPtr>(coarseLevel, "P");
  const auto R = restriction(coarseLevel);
  reports_.erase(coarseLevel.GetLevelID());
  const auto p = Impl::tpetraMatrix(P), r = Impl::tpetraMatrix(R);
  if (Impl::tpetraMatrix(A).is_null() || p.is_null() || r.is_null()) {
    this->GetOStream(MueLu::Warnings0)
        << "Trident::RAPFactory: not matrices of Tpetra::CrsMatrix, left to MueLu::RAPFactory\n";
    return base_type::Build(fineLevel, coarseLevel);
  }
  {
    const MueLu::FactoryMonitor timed(*this, "Computing Ac", coarseLevel);
    const std::string kind = implicit() ? "implicit" : "explicit";
    const std::string level = std::to_string(coarseLevel.GetLevelID());
    const auto kept = Impl::keptData(*this, coarseLevel, "RAP");
    auto Ac = kept->template get<MatrixPtr>("graph", Teuchos::null);
    if (Ac.is_null())
      Ac = Impl::mueLuMatrix(Teuchos::rcp(new Tpetra::CrsMatrix<SC, LO, GO, NO>(
          implicit() ? p->getDomainMap() : r->getRowMap(), 0)));
    {
      const MueLu::SubFactoryMonitor product(*this, "MxMxM: R x A x P (" + kind + ")", coarseLevel);
      reports_[coarseLevel.GetLevelID()] =
          multiply(R, A, P, Ac, coarseLevel.IsKept("RAP reuse data", this, MueLu::NextRun),
                   MueLu::FormattingHelper::getColonLabel(coarseLevel.getObjectLabel()) +
                       "MueLu::R*A*P-" + kind + "-" + level,
                   *kept);
    }
    Ac->CreateView("stridedMaps", R, implicit(), P, false);
    repair(Ac);
    Impl::printInfo(*this, *Ac, "Ac");
    Ac->setObjectLabel("A_" + level);
    this->Set(coarseLevel, "A", Ac);
    kept->set("graph", Ac);
    this->Set(coarseLevel, "RAP reuse data", kept);
  }
  buildTransfers(coarseLevel);
}

template <class SC, class LO, class GO, class NO>
bool RAPFactory<SC, LO, GO, NO>::implicit() const {
  return this->GetParameterList().template get<bool>("transpose: use implicit");
}

/// Returns R. With "transpose: use implicit", returns P, because R is P's transpose.
template <class SC, class LO, class GO, class NO>
auto RAPFactory<SC, LO, GO, NO>::restriction(MueLu::Level& coarseLevel) const -> MatrixPtr {
  return this->template Get<MatrixPtr>(coarseLevel, implicit() ? "P" : "R");
}

/// Forms Ac = R·A·P. If Ac has a pattern, Ac keeps this pattern.
/// @param keep true if the level keeps `kept` for further setups
template <class SC, class LO, class GO, class NO>
Report RAPFactory<SC, LO, GO, NO>::multiply(const MatrixPtr& R, const MatrixPtr& A,
                                            const MatrixPtr& P, const MatrixPtr& Ac, bool keep,
                                            const std::string& label,
                                            Teuchos::ParameterList& kept) const {
  using Kept = Impl::KeptRAP<SC, LO, GO, NO>;
  const auto params = Impl::productParameters(this->GetParameterList(), true);
  const auto r = Impl::tpetraMatrix(R), a = Impl::tpetraMatrix(A), p = Impl::tpetraMatrix(P),
             c = Impl::tpetraMatrix(Ac);
  const bool again = c->isFillComplete();
  // Smoothers and prolongators stored an eigenvalue estimate in the matrix. It is outdated now.
  if (again) Ac->SetMaxEigenvalueEstimate(-Teuchos::ScalarTraits<SC>::one());
  Report report;
  if (again && multiplyByPlan(R, A, P, Ac, kept, report)) return report;

  if (again || !keep)
    return MultiplyRAP(*r, implicit(), *a, false, *p, false, *c, true, label, params);
  const Kept plan{{*r, implicit(), *a, false, *p, false, *c, params, label}, c->getCrsGraph()};
  kept.set("Trident plan", Teuchos::rcp(new Kept(plan)));
  return plan.plan.report();
}

/// Forms Ac's values by the plan of an earlier setup. Returns false, and leaves Ac unchanged, if
/// there is no plan that fits.
/// @param report gets the product's report
template <class SC, class LO, class GO, class NO>
bool RAPFactory<SC, LO, GO, NO>::multiplyByPlan(const MatrixPtr& R, const MatrixPtr& A,
                                                const MatrixPtr& P, const MatrixPtr& Ac,
                                                Teuchos::ParameterList& kept,
                                                Report& report) const {
  using KeptPtr = Teuchos::RCP<Impl::KeptRAP<SC, LO, GO, NO>>;
  if (!kept.isParameter("Trident plan")) return false;
  const auto plan = kept.template get<KeptPtr>("Trident plan");
  const auto result = Impl::tpetraMatrix(Ac);
  if (result->getCrsGraph() == plan->graph) {
    try {
      report = plan->plan.multiply(*Impl::tpetraMatrix(R), *Impl::tpetraMatrix(A),
                                   *Impl::tpetraMatrix(P), *result);
      return true;
    } catch (const Error& error) {  // thrown on every rank, so all go on without the plan
      this->GetOStream(MueLu::Warnings0)
          << "Trident::RAPFactory: not by the kept plan: " << error.what() << std::endl;
    }
  }
  kept.remove("Trident plan");
  return false;
}

/// Repairs Ac's diagonal if the parameters ask for it. May set `Ac` to another matrix.
template <class SC, class LO, class GO, class NO>
void RAPFactory<SC, LO, GO, NO>::repair(MatrixPtr& Ac) const {
  using Utils = Impl::MueLuMatrixUtils<SC, LO, GO, NO>;
  using Magnitude = typename Teuchos::ScalarTraits<SC>::magnitudeType;
  const auto& list = this->GetParameterList();

  const auto floor = list.template get<Teuchos::Array<double>>("rap: relative diagonal floor");
  if (floor.size() > 0)
    Utils::RelativeDiagonalBoost(Ac, floor(), this->GetOStream(MueLu::Statistics2));

  const bool fix = list.template get<bool>("rap: fix zero diagonals");
  const bool repairs = fix || list.template get<bool>("RepairMainDiagonal");
  if (!repairs && !list.template get<bool>("CheckMainDiagonal")) return;
  const std::string threshold = "rap: fix zero diagonals threshold";
  const auto least = list.template isType<Magnitude>(threshold)
                         ? list.template get<Magnitude>(threshold)
                         : static_cast<Magnitude>(list.template get<double>(threshold));
  const SC replacement = list.template get<double>("rap: fix zero diagonals replacement");
  Utils::CheckRepairMainDiagonal(Ac, repairs, this->GetOStream(MueLu::Warnings1), least,
                                 replacement);
}

/// Calls the transfer factories, because no other factory asks for their results. Then releases the
/// inputs that DeclareInput() requested for them.
template <class SC, class LO, class GO, class NO>
void RAPFactory<SC, LO, GO, NO>::buildTransfers(MueLu::Level& coarseLevel) const {
  if (transfers_.empty()) return;
  const MueLu::SubFactoryMonitor timed(*this, "Projections", coarseLevel);
  for (const auto& transfer : transfers_) {
    this->GetOStream(MueLu::Runtime0)
        << "RAPFactory: call transfer factory: " << transfer->description() << std::endl;
    transfer->CallBuild(coarseLevel);
    coarseLevel.Release(*transfer);
  }
}

}  // namespace Trident

#define TRIDENT_RAPFACTORY_INSTANT(SC, LO, GO, NO) \
  template class Trident::RAPFactory<SC, LO, GO, NO>;

#endif
