// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORYPARAMETERS_HPP
#define TRIDENT_FACTORYPARAMETERS_HPP

#include <MueLu_Factory.hpp>
#include <MueLu_Level.hpp>
#include <MueLu_PerfUtils.hpp>
#include <MueLu_VerboseObject.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <string>

#include "muelu/Trident_MueLuMatrix.hpp"

namespace Trident::Impl {

/// The name of a parameter in the sublist "Trident" that only SaPFactory reads. Products refuse it.
constexpr const char* eigenvalueEstimateName = "eigenvalue estimate";

/// Returns a MueLu factory's valid parameters and a sublist "Trident", which products validate.
inline Teuchos::RCP<Teuchos::ParameterList> withTridentSublist(const Teuchos::ParameterList& base) {
  const auto list = Teuchos::rcp(new Teuchos::ParameterList(base));
  list->sublist("Trident", false, "Parameters of Trident").disableRecursiveValidation();
  return list;
}

/// Looks for parameters that only MueLu's factory of smoothed prolongators supports. Returns the
/// name of one that the list sets to true; an empty text if there is none.
inline std::string parameterOnlyMueLuReads(const Teuchos::ParameterList& list) {
  for (const char* name :
       {"sa: use rowsumabs diagonal scaling", "sa: enforce constraints", "sa: maxwell1 smoothing"})
    if (list.isParameter(name) && list.get<bool>(name)) return name;
  return "";
}

/// Returns the parameters for a product, from a factory's list.
/// @param constants true if the result needs its global constants
inline Teuchos::RCP<Teuchos::ParameterList> productParameters(const Teuchos::ParameterList& list,
                                                              bool constants) {
  const auto params = Teuchos::parameterList();
  params->set("compute global constants", constants);
  if (list.isSublist("Trident")) params->sublist("Trident") = list.sublist("Trident");
  return params;
}

/// Returns the data that an earlier setup kept on the level, or a new list if there are none.
/// @param product "RAP" or "AP": MueLu's name of the data
inline Teuchos::RCP<Teuchos::ParameterList> keptData(const MueLu::Factory& factory,
                                                     MueLu::Level& level,
                                                     const std::string& product) {
  const std::string name = product + " reuse data";
  if (!level.IsAvailable(name, &factory)) return Teuchos::parameterList();
  factory.GetOStream(static_cast<MueLu::MsgType>(MueLu::Runtime0 | MueLu::Test))
      << "Reusing previous " << product << " data" << std::endl;
  return level.Get<Teuchos::RCP<Teuchos::ParameterList>>(name, &factory);
}

/// Prints statistics of a matrix, if the verbosity of the factory asks for them. Collective.
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
