// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORYPARAMETERS_HPP
#define TRIDENT_FACTORYPARAMETERS_HPP

#include <MueLu_PerfUtils.hpp>
#include <MueLu_VerboseObject.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <string>

#include "muelu/Trident_MueLuMatrix.hpp"

namespace Trident::Impl {

/// Returns the valid parameters of a MueLu factory, and a sublist "Trident", which the products
/// validate.
inline Teuchos::RCP<Teuchos::ParameterList> withTridentSublist(const Teuchos::ParameterList& base) {
  const auto list = Teuchos::rcp(new Teuchos::ParameterList(base));
  list->sublist("Trident", false, "Parameters of Trident").disableRecursiveValidation();
  return list;
}

/// Returns what of a factory's list a product takes.
/// @param constants true if the result needs its global constants
inline Teuchos::RCP<Teuchos::ParameterList> productParameters(const Teuchos::ParameterList& list,
                                                              bool constants) {
  const auto params = Teuchos::parameterList();
  params->set("compute global constants", constants);
  if (list.isSublist("Trident")) params->sublist("Trident") = list.sublist("Trident");
  return params;
}

/// Prints statistics of a matrix that a factory made, if its verbosity asks for them. Collective.
template <class SC, class LO, class GO, class NO>
void printInfo(const MueLu::VerboseObject& factory, const MueLuMatrix<SC, LO, GO, NO>& matrix,
               const std::string& name) {
  if (!factory.IsPrint(MueLu::Statistics2)) return;
  const auto params = Teuchos::parameterList();
  params->set("printLoadBalancingInfo", true);
  params->set("printCommInfo", true);
  factory.GetOStream(MueLu::Statistics2)
      << MueLu::PerfUtils<SC, LO, GO, NO>::PrintMatrixInfo(matrix, name, params);
}

}  // namespace Trident::Impl

#endif
