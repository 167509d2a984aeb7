// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPFACTORY_DEF_HPP
#define TRIDENT_TRANSPFACTORY_DEF_HPP

#include <MueLu_Monitor.hpp>
#include <string>

#include "Trident_Error.hpp"
#include "muelu/Trident_FactoryParameters.hpp"
#include "muelu/Trident_TransPFactory_decl.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const Teuchos::ParameterList> TransPFactory<SC, LO, GO, NO>::GetValidParameterList()
    const {
  return Impl::withTridentSublist(*base_type::GetValidParameterList());
}

template <class SC, class LO, class GO, class NO>
void TransPFactory<SC, LO, GO, NO>::Build(MueLu::Level& fineLevel,
                                          MueLu::Level& coarseLevel) const {
  const auto P = this->template Get<Teuchos::RCP<matrix_type>>(coarseLevel, "P");
  const auto p = Impl::tpetraMatrix(P);
  if (p.is_null()) {
    if (!P.is_null())
      this->GetOStream(MueLu::Warnings0)
          << "Trident::TransPFactory: no matrix of Tpetra::CrsMatrix, left to "
             "MueLu::TransPFactory\n";
    return base_type::Build(fineLevel, coarseLevel);
  }
  const MueLu::FactoryMonitor timed(*this, "Transpose P", coarseLevel);
  const auto R = Impl::mueLuMatrix(transposed(*p, coarseLevel.GetLevelID()));
  if (P->IsView("stridedMaps")) R->CreateView("stridedMaps", P, true);
  Impl::printInfo(*this, *R, "R");
  this->Set(coarseLevel, "R", R);
}

/// Transposes P by the plan that is kept, or by a new one. Collective.
template <class SC, class LO, class GO, class NO>
auto TransPFactory<SC, LO, GO, NO>::transposed(const crs_matrix_type& P, int level) const
    -> Teuchos::RCP<crs_matrix_type> {
  TransposePlan<SC, LO, GO, NO>& plan = plans_[level];
  if (plan) {
    try {
      return plan.transpose(P);
    } catch (const Error& error) {  // on every rank
      this->GetOStream(MueLu::Runtime1)
          << "Trident::TransPFactory: not by the kept plan: " << error.what() << std::endl;
    }
    plan = {};  // frees it before there is another
  }
  const auto& list = this->GetParameterList();
  const std::string kernel = "matrixmatrix: kernel params", constants = "compute global constants";
  const bool wanted = list.isSublist(kernel) && list.sublist(kernel).isParameter(constants) &&
                      list.sublist(kernel).template get<bool>(constants);
  plan = TransposePlan<SC, LO, GO, NO>(P, Impl::productParameters(list, wanted),
                                       "MueLu::TransP-" + std::to_string(level));
  return plan.transpose(P);
}

}  // namespace Trident

#define TRIDENT_TRANSPFACTORY_INSTANT(SC, LO, GO, NO) \
  template class Trident::TransPFactory<SC, LO, GO, NO>;

#endif
