// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORYFACTORY_DEF_HPP
#define TRIDENT_FACTORYFACTORY_DEF_HPP

#include <MueLu_FactoryFactory_def.hpp>  // templates that build a factory of a given class

#include "Trident_FactoryFactory_decl.hpp"
#include "Trident_RAPFactory.hpp"
#include "Trident_SaPFactory.hpp"

namespace Trident {

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<const MueLu::FactoryBase> FactoryFactory<SC, LO, GO, NO>::BuildFactory(
    const Teuchos::ParameterEntry& entry, const FactoryMap& factories,
    const ManagerMap& managers) const {
  Teuchos::ParameterList list;
  if (entry.isList()) list = Teuchos::getValue<Teuchos::ParameterList>(entry);
  const std::string name =
      entry.isList() ? list.get<std::string>("factory") : Teuchos::getValue<std::string>(entry);
  const bool also = names_ == Names::Also && factories.count(name) == 0;
  if (name == "TridentRAPFactory" || (also && name == "RAPFactory"))
    return this->template BuildRAPFactory<RAPFactory<SC, LO, GO, NO>>(list, factories, managers);
  if (name == "TridentSaPFactory" ||
      (also && (name == "SaPFactory" || name == "SaPFactory_kokkos")))
    return this->template Build2<SaPFactory<SC, LO, GO, NO>>(list, factories, managers);
  return base_type::BuildFactory(entry, factories, managers);
}

}  // namespace Trident

#define TRIDENT_FACTORYFACTORY_INSTANT(SC, LO, GO, NO) \
  template class Trident::FactoryFactory<SC, LO, GO, NO>;

#endif
