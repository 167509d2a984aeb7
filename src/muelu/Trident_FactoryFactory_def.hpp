// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORYFACTORY_DEF_HPP
#define TRIDENT_FACTORYFACTORY_DEF_HPP

#include <MueLu_FactoryFactory_def.hpp>  // templates that build a factory of a given class

#include "Trident_Error.hpp"
#include "muelu/Trident_AmalgamationFactory_decl.hpp"
#include "muelu/Trident_CoalesceDropFactory_decl.hpp"
#include "muelu/Trident_FactoryFactory_decl.hpp"
#include "muelu/Trident_FactoryParameters.hpp"
#include "muelu/Trident_RAPFactory_decl.hpp"
#include "muelu/Trident_SaPFactory_decl.hpp"
#include "muelu/Trident_TransPFactory_decl.hpp"
#include "product/Trident_ReadParameters.hpp"

namespace Trident {
namespace Impl {

/// Returns true if wanted(name, entry) is true for a parameter of a list or of its sublists.
template <class Wanted>
bool anyParameter(const Teuchos::ParameterList& list, const Wanted& wanted) {
  for (auto parameter = list.begin(); parameter != list.end(); ++parameter) {
    const Teuchos::ParameterEntry& entry = list.entry(parameter);
    if (entry.isList() ? anyParameter(Teuchos::getValue<Teuchos::ParameterList>(entry), wanted)
                       : wanted(list.name(parameter), entry))
      return true;
  }
  return false;
}

/// Returns a reason if MueLu would make its own factories from the list; else an empty text.
/// @param means function that returns true if a name means a factory of Trident's
template <class Means>
std::string whyNotTrident(const Teuchos::ParameterList& list, const Means& means) {
  const std::string remedy =
      "; MueLu would take its own factories without a word, so name Trident's as doc/muelu.md "
      "shows, or call Trident::CreatePreconditioner()";
  for (const char* part : {"Factories", "Hierarchy"})
    if (!list.isSublist(part))
      return std::string("the list has no sublist \"") + part + "\"" + remedy;
  for (const char* matrix : {"A", "P"})
    if (!anyParameter(list.sublist("Hierarchy"),
                      [&](const std::string& name, const auto&) { return name == matrix; }))
      return std::string("no level of the list's \"Hierarchy\" names a factory of \"") + matrix +
             "\"" + remedy;
  const auto named = [&](const std::string&, const Teuchos::ParameterEntry& entry) {
    return entry.isType<std::string>() && means(Teuchos::getValue<std::string>(entry));
  };
  if (!anyParameter(list.sublist("Factories"), named))
    return "the list's \"Factories\" name none of Trident's" + remedy;
  return "";
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
FactoryFactory<SC, LO, GO, NO>::FactoryFactory(const Teuchos::ParameterList& list, Names names)
    : names_(names) {
  const std::string problem =
      Impl::whyNotTrident(list, [&](const std::string& name) { return meansTrident(name); });
  if (!problem.empty()) throw Error("Trident::FactoryFactory", problem);
}

template <class SC, class LO, class GO, class NO>
bool FactoryFactory<SC, LO, GO, NO>::meansRAP(const std::string& name) const {
  return name == "TridentRAPFactory" || (names_ == Names::Also && name == "RAPFactory");
}

template <class SC, class LO, class GO, class NO>
bool FactoryFactory<SC, LO, GO, NO>::meansSaP(const std::string& name) const {
  return name == "TridentSaPFactory" ||
         (names_ == Names::Also && (name == "SaPFactory" || name == "SaPFactory_kokkos"));
}

template <class SC, class LO, class GO, class NO>
bool FactoryFactory<SC, LO, GO, NO>::meansTransP(const std::string& name) const {
  return name == "TridentTransPFactory" || (names_ == Names::Also && name == "TransPFactory");
}

template <class SC, class LO, class GO, class NO>
bool FactoryFactory<SC, LO, GO, NO>::meansTrident(const std::string& name) const {
  return meansRAP(name) || meansSaP(name) || meansTransP(name) ||
         name == "TridentCoalesceDropFactory" || name == "TridentAmalgamationFactory";
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const MueLu::FactoryBase> FactoryFactory<SC, LO, GO, NO>::BuildFactory(
    const Teuchos::ParameterEntry& entry, const FactoryMap& factories,
    const ManagerMap& managers) const {
  Teuchos::ParameterList list;
  if (entry.isList()) list = Teuchos::getValue<Teuchos::ParameterList>(entry);
  const std::string name =
      entry.isList() ? list.get<std::string>("factory") : Teuchos::getValue<std::string>(entry);
  const bool known = factories.count(name) > 0;  // true if "Factories" has an entry of this name
  if (!known && (meansRAP(name) || meansSaP(name) || meansTransP(name)))
    Impl::requireReadable(list);
  if (!known && meansSaP(name) && list.isParameter(Impl::eigenvalueEstimateName))
    Impl::failBeside(Impl::eigenvalueEstimateName);  // MueLu would ignore this parameter
  if (!known && meansRAP(name))
    return this->template BuildRAPFactory<RAPFactory<SC, LO, GO, NO>>(list, factories, managers);
  if (!known && meansSaP(name))
    return this->template Build2<SaPFactory<SC, LO, GO, NO>>(list, factories, managers);
  if (!known && meansTransP(name))
    return this->template Build2<TransPFactory<SC, LO, GO, NO>>(list, factories, managers);
  if (!known && name == "TridentCoalesceDropFactory")
    return this->template Build2<CoalesceDropFactory<SC, LO, GO, NO>>(list, factories, managers);
  if (!known && name == "TridentAmalgamationFactory")
    return this->template Build2<AmalgamationFactory<SC, LO, GO, NO>>(list, factories, managers);
  return base_type::BuildFactory(entry, factories, managers);
}

}  // namespace Trident

#define TRIDENT_FACTORYFACTORY_INSTANT(SC, LO, GO, NO) \
  template class Trident::FactoryFactory<SC, LO, GO, NO>;

#endif
