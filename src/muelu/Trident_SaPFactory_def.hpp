// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SAPFACTORY_DEF_HPP
#define TRIDENT_SAPFACTORY_DEF_HPP

#include <MueLu_FactoryManagerBase.hpp>
#include <MueLu_Monitor.hpp>
#include <MueLu_Utilities.hpp>
#include <cmath>
#include <string>

#include "Trident_Error.hpp"
#include "Trident_Jacobi.hpp"
#include "base/Trident_Agreement.hpp"
#include "matrix/Trident_Device.hpp"
#include "muelu/Trident_EigenvalueEstimate.hpp"
#include "muelu/Trident_FactoryParameters.hpp"
#include "muelu/Trident_MueLuMatrix.hpp"
#include "muelu/Trident_SaPFactory_decl.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident {
namespace Impl {

/// Returns the vector by which MueLu's power iterations scale rows. A MueLu that inverts diagonals
/// on the device takes `inverse`, with 0 for a 0 of the diagonal.
template <class Utilities, class XMatrix, class TMatrix, class Vector>
auto powerScaling(const XMatrix& A, const TMatrix&, const Teuchos::RCP<Vector>& inverse, int)
    -> decltype(Utilities::GetMatrixDiagonalInverse(A, 0, 0, false), Teuchos::RCP<Vector>()) {
  return inverse;
}
/// Returns the vector by which an older MueLu scales rows. It has the reciprocals of the diagonal,
/// even of zeros.
template <class Utilities, class XMatrix, class TMatrix, class Vector>
Teuchos::RCP<Vector> powerScaling(const XMatrix&, const TMatrix& A, const Teuchos::RCP<Vector>&,
                                  long) {
  const auto reciprocals = Teuchos::rcp(new Vector(A.getRowMap(), false));
  A.getLocalDiagCopy(*reciprocals);
  reciprocals->reciprocal(*reciprocals);
  return reciprocals;
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const Teuchos::ParameterList> SaPFactory<SC, LO, GO, NO>::GetValidParameterList()
    const {
  return Impl::withTridentSublist(*base_type::GetValidParameterList());
}

template <class SC, class LO, class GO, class NO>
void SaPFactory<SC, LO, GO, NO>::Build(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const {
  const auto A = this->template Get<MatrixPtr>(fineLevel, "A");
  const auto Ptent = tentative(coarseLevel);
  reports_.erase(coarseLevel.GetLevelID());
  const Impl::SingleThreadGuard inside;
  Impl::checkArguments(Impl::rawComm(*A->getRowMap()->getComm()), "Trident::SaPFactory::Build",
                       [&](Impl::CollectiveArguments& values) -> std::string {
                         values.push_back({std::string("\"") + Impl::eigenvalueEstimateName + "\"",
                                           estimatesOnDevice() ? "device" : "MueLu"});
                         return "";
                       });
  if (leftToBase(A, Ptent)) return base_type::Build(fineLevel, coarseLevel);

  const MueLu::FactoryMonitor timed(*this, "Prolongator smoothing", coarseLevel);
  const std::string level = std::to_string(coarseLevel.GetLevelID());
  const auto kept = Impl::keptData(*this, coarseLevel, "AP");
  auto P = kept->template get<MatrixPtr>("graph", Teuchos::null);
  if (P.is_null())
    P = Impl::mueLuMatrix(Teuchos::rcp(
        new Tpetra::CrsMatrix<SC, LO, GO, NO>(Impl::tpetraMatrix(Ptent)->getRowMap(), 0)));

  const auto inverse =
      Impl::tpetraVector(MueLu::Utilities<SC, LO, GO, NO>::GetMatrixDiagonalInverse(*A));
  const SC lambdaMax = largestEigenvalue(A, inverse, coarseLevel);
  const SC omega = static_cast<SC>(damping()) / lambdaMax;
  this->GetOStream(MueLu::Statistics1) << "Prolongator damping factor = " << omega << " ("
                                       << damping() << " / " << lambdaMax << ")" << std::endl;
  const auto finite = [](const SC& x) {
    return std::isfinite(Teuchos::ScalarTraits<SC>::magnitude(x));
  };
  if (!finite(lambdaMax) || !finite(omega))
    throw Error("Trident::SaPFactory::Build",
                "the damping factor over the largest eigenvalue of D⁻¹·A is not finite; check A's "
                "diagonal, or give the eigenvalue by \"sa: max eigenvalue\"");
  {
    const MueLu::SubFactoryMonitor product(*this, "Fused (I-omega*D^{-1} A)*Ptent", coarseLevel);
    reports_[coarseLevel.GetLevelID()] = smooth(omega, inverse, A, Ptent, P, "MueLu::SaP-" + level);
  }
  P->CreateView("stridedMaps", A, false, Ptent, false);
  if (Ptent->IsView("stridedMaps")) P->CreateView("stridedMaps", Ptent);
  P->setObjectLabel("P_" + level);
  this->Set(coarseLevel, "P", P);
  kept->set("graph", P);
  this->Set(coarseLevel, "AP reuse data", kept);
  Impl::printInfo(*this, *P, "P");
}

template <class SC, class LO, class GO, class NO>
double SaPFactory<SC, LO, GO, NO>::damping() const {
  return this->GetParameterList().template get<double>("sa: damping factor");
}

/// Returns true if the base must do all work. Warns of it if there is smoothing to do.
template <class SC, class LO, class GO, class NO>
bool SaPFactory<SC, LO, GO, NO>::leftToBase(const MatrixPtr& A, const MatrixPtr& tentative) const {
  if (damping() == 0 || tentative.is_null()) return true;
  std::string reason = Impl::parameterOnlyMueLuReads(this->GetParameterList());
  if (Impl::tpetraMatrix(A).is_null() || Impl::tpetraMatrix(tentative).is_null())
    reason = "not matrices of Tpetra::CrsMatrix";
  if (this->restrictionMode_) reason = "restriction mode";
  if (reason.empty()) return false;
  this->GetOStream(MueLu::Warnings0)
      << "Trident::SaPFactory: " << reason << ", left to MueLu::SaPFactory\n";
  return true;
}

template <class SC, class LO, class GO, class NO>
auto SaPFactory<SC, LO, GO, NO>::tentative(MueLu::Level& coarseLevel) const -> MatrixPtr {
  auto factory = this->GetFactory("P");
  if (factory.is_null()) factory = coarseLevel.GetFactoryManager()->GetFactory("Ptent");
  return coarseLevel.template Get<MatrixPtr>("P", factory.get());
}

/// Returns true if Trident estimates eigenvalues on the device, as "eigenvalue estimate" or its
/// default says. Throws Teuchos' exceptions if that parameter has an unknown value.
template <class SC, class LO, class GO, class NO>
bool SaPFactory<SC, LO, GO, NO>::estimatesOnDevice() const {
  const auto& list = this->GetParameterList();
  const std::string name = Impl::eigenvalueEstimateName;
  if (!list.isSublist("Trident") || !list.sublist("Trident").isParameter(name))
    return !Impl::isHost<typename NO::device_type>;
  const auto way = list.sublist("Trident").template get<std::string>(name);
  if (way != "device" && way != "MueLu")
    throw Teuchos::Exceptions::InvalidParameterValue("Trident: \"" + name + "\" = \"" + way +
                                                     "\" is none of device, MueLu");
  return way == "device";
}

/// Returns the largest eigenvalue of D⁻¹·A: the user's, the one cached with A, or an estimate by
/// power iterations. Collective.
template <class SC, class LO, class GO, class NO>
SC SaPFactory<SC, LO, GO, NO>::largestEigenvalue(const MatrixPtr& A, const VectorPtr& inverse,
                                                 MueLu::Level& coarseLevel) const {
  using Utils = MueLu::Utilities<SC, LO, GO, NO>;
  const auto& list = this->GetParameterList();
  SC lambdaMax = list.template get<double>("sa: max eigenvalue");
  const SC unknown = -Teuchos::ScalarTraits<SC>::one();
  if (lambdaMax == unknown) {
    const MueLu::SubFactoryMonitor timed(*this, "Eigenvalue estimate", coarseLevel);
    lambdaMax = A->GetMaxEigenvalueEstimate();
    const bool fresh = list.template get<bool>("sa: calculate eigenvalue estimate");
    if (lambdaMax != unknown && !fresh) {
      this->GetOStream(MueLu::Statistics1) << "Using cached max eigenvalue estimate" << std::endl;
      return lambdaMax;
    }
    const int iterations = list.template get<int>("sa: eigenvalue estimate num iterations");
    const auto a = Impl::tpetraMatrix(A);
    const bool device = estimatesOnDevice() && a->getGraph()->getExporter().is_null() &&
                        a->getDomainMap()->isSameAs(*a->getRangeMap());
    this->GetOStream(MueLu::Statistics1)
        << "Calculating max eigenvalue estimate now (max iters = " << iterations
        << ", use point diagonal" << (device ? ", on the device)" : ")") << std::endl;
    lambdaMax = device ? Impl::estimateEigenvalue(
                             *a, *Impl::powerScaling<Utils>(*A, *a, inverse, 0), iterations)
                       : Utils::PowerMethod(*A, true, iterations, 1e-4);
  }
  A->SetMaxEigenvalueEstimate(lambdaMax);
  return lambdaMax;
}

/// Forms P = (I - ω·D⁻¹·A)·Ptent. If P has a pattern, P keeps this pattern.
template <class SC, class LO, class GO, class NO>
Report SaPFactory<SC, LO, GO, NO>::smooth(SC omega, const VectorPtr& inverse, const MatrixPtr& A,
                                          const MatrixPtr& tentative, const MatrixPtr& P,
                                          const std::string& label) const {
  const auto params = Impl::productParameters(this->GetParameterList(), false);
  params->sublist("Trident").remove(Impl::eigenvalueEstimateName, false);
  return Jacobi(omega, *inverse, *Impl::tpetraMatrix(A), *Impl::tpetraMatrix(tentative),
                *Impl::tpetraMatrix(P), true, label, params);
}

}  // namespace Trident

#define TRIDENT_SAPFACTORY_INSTANT(SC, LO, GO, NO) \
  template class Trident::SaPFactory<SC, LO, GO, NO>;

#endif
