// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORYFACTORY_DECL_HPP
#define TRIDENT_FACTORYFACTORY_DECL_HPP

#include <MueLu_FactoryFactory.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <map>
#include <string>

namespace Trident {

/// A maker of factories by which MueLu's XML files, and lists with a sublist "Factories", can name
/// Trident's factories: "TridentRAPFactory", "TridentSaPFactory", "TridentTransPFactory",
/// "TridentCoalesceDropFactory" and "TridentAmalgamationFactory" beside all that MueLu knows.
///
///     const auto factories = Teuchos::rcp(new Trident::FactoryFactory<SC, LO, GO, NO>(list));
///     MueLu::ParameterListInterpreter<SC, LO, GO, NO> interpreter(list, comm, factories);
///
/// MueLu asks a FactoryFactory only for names in a list's "Factories". For an "easy" list, MueLu
/// makes its own factories without a message. If a level names no "A" or no "P", MueLu makes its
/// own for that, too. So the constructor refuses an "easy" list, a list that names no "A", and a
/// list that names no "P".
template <class SC = MueLu::DefaultScalar, class LO = MueLu::DefaultLocalOrdinal,
          class GO = MueLu::DefaultGlobalOrdinal, class NO = MueLu::DefaultNode>
class FactoryFactory : public MueLu::FactoryFactory<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::FactoryFactory<SC, LO, GO, NO>;  ///< MueLu's class
  /// Factories by name, as MueLu passes them.
  using FactoryMap = std::map<std::string, Teuchos::RCP<const MueLu::FactoryBase>>;
  /// Managers by name, as MueLu passes them.
  using ManagerMap = std::map<std::string, Teuchos::RCP<MueLu::FactoryManagerBase>>;

  /// The names that mean Trident's factories.
  enum class Names {
    Trident,  ///< names of Trident's factories, such as "TridentRAPFactory"
    /// Names of Trident's factories, and "RAPFactory", "SaPFactory", "SaPFactory_kokkos" and
    /// "TransPFactory". Files for MueLu then need no change.
    Also
  };

  /// Throws Trident::Error if MueLu would make its own factories from the list. MueLu would if the
  /// list lacks a sublist "Factories" or "Hierarchy", if no level names an "A", if no level names a
  /// "P", or if no factory has one of `names`.
  /// @param list the list that MueLu's interpreter will get; a caller must parse an XML file first
  /// @param names the names that mean Trident's factories
  explicit FactoryFactory(const Teuchos::ParameterList& list, Names names = Names::Trident);

  /// Makes the factory that an entry names: Trident's, or the base's. MueLu's interpreter calls it.
  Teuchos::RCP<const MueLu::FactoryBase> BuildFactory(const Teuchos::ParameterEntry& entry,
                                                      const FactoryMap& factories,
                                                      const ManagerMap& managers) const override;

 private:
  bool meansRAP(const std::string& name) const;
  bool meansSaP(const std::string& name) const;
  bool meansTransP(const std::string& name) const;
  bool meansTrident(const std::string& name) const;

  Names names_;
};

}  // namespace Trident

#endif
