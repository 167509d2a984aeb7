// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPFACTORY_DEF_HPP
#define TRIDENT_TRANSPFACTORY_DEF_HPP

#include <MueLu_Monitor.hpp>
#include <string>

#include "Trident_Transpose.hpp"
#include "matrix/Trident_Device.hpp"
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
  if (p.is_null() && !P.is_null())
    this->GetOStream(MueLu::Warnings0)
        << "Trident::TransPFactory: no matrix of Tpetra::CrsMatrix, left to "
           "MueLu::TransPFactory\n";
  const bool lone =
      !Impl::isHost<typename NO::device_type> && !p.is_null() && p->getComm()->getSize() == 1;
  if (p.is_null() || lone) return base_type::Build(fineLevel, coarseLevel);
  const MueLu::FactoryMonitor timed(*this, "Transpose P", coarseLevel);
  const auto& list = this->GetParameterList();
  const std::string kernel = "matrixmatrix: kernel params", constants = "compute global constants";
  const bool wanted = list.isSublist(kernel) && list.sublist(kernel).isParameter(constants) &&
                      list.sublist(kernel).template get<bool>(constants);
  const auto R =
      Impl::mueLuMatrix(transpose(*p, Impl::productParameters(list, wanted),
                                  "MueLu::TransP-" + std::to_string(coarseLevel.GetLevelID())));
  if (P->IsView("stridedMaps")) R->CreateView("stridedMaps", P, true);
  Impl::printInfo(*this, *R, "R");
  this->Set(coarseLevel, "R", R);
}

}  // namespace Trident

#define TRIDENT_TRANSPFACTORY_INSTANT(SC, LO, GO, NO) \
  template class Trident::TransPFactory<SC, LO, GO, NO>;

#endif
