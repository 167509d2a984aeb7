// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORYREPLACEMENT_HPP
#define TRIDENT_FACTORYREPLACEMENT_HPP

#include <MueLu_FactoryManager.hpp>
#include <MueLu_NoFactory.hpp>
#include <MueLu_ParameterListInterpreter.hpp>
#include <MueLu_RAPShiftFactory.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#if __has_include(<MueLu_SaPFactory_kokkos.hpp>)  // a MueLu with two factories of prolongators
#include <MueLu_SaPFactory_kokkos.hpp>
#define TRIDENT_MUELU_HAS_KOKKOS_SAP
#endif

#include "muelu/Trident_AmalgamationFactory_decl.hpp"
#include "muelu/Trident_CoalesceDropFactory_decl.hpp"
#include "muelu/Trident_FactoryParameters.hpp"
#include "muelu/Trident_RAPFactory_decl.hpp"
#include "muelu/Trident_SaPFactory_decl.hpp"
#include "muelu/Trident_TransPFactory_decl.hpp"

namespace Trident::Impl {

/// A replacement of factories that MueLu's interpreter made from an "easy" list, one without
/// "Hierarchy". Trident's factories replace MueLu's, except factories of derived classes. Factories
/// and managers that used a replaced factory use Trident's instead, so nothing is built twice.
template <class SC, class LO, class GO, class NO>
class FactoryReplacement {
 public:
  using Factory = MueLu::FactoryBase;
  using FactoryPtr = Teuchos::RCP<const Factory>;
  using Manager = MueLu::FactoryManager<SC, LO, GO, NO>;

  /// @param trident sublist "Trident" of the list
  explicit FactoryReplacement(const Teuchos::ParameterList& trident)
      : smoothing_(trident), products_(trident) {
    products_.remove(eigenvalueEstimateName, false);
  }

  /// Notes a manager's transfer factories. If MueLu hides a factory, returns a reason to replace
  /// nothing; else an empty text. A hidden factory would go on using replaced factories. The caller
  /// must call this function for all managers before the first replace(). Local.
  std::string noteManager(const Manager& manager);
  /// Returns the factory to use for `theirs`: a factory of Trident's, or `theirs` itself. Replaces
  /// the inputs of this factory, too. Local.
  FactoryPtr replace(const FactoryPtr& theirs);
  /// Returns the factory with which replace() has replaced `theirs`, or else `theirs`. Local.
  const Factory* replacementOf(const Factory* theirs) const {
    const auto known = now_.find(theirs);
    return known == now_.end() ? theirs : known->second.get();
  }
  /// Returns lines such as "RAPFactory: Trident's", one for each class of factory and each
  /// reason. A line that says "MueLu's" also says why.
  std::vector<std::string> lines() const { return {lines_.begin(), lines_.end()}; }
#ifdef HAVE_MUELU_DEBUG
  /// Resets MueLu's debug data, because otherwise MueLu refuses another setup.
  void resetDebugData() const {
    for (const auto& pair : now_) pair.second->ResetDebugData();
  }
#endif

 private:
  using Made = Teuchos::RCP<MueLu::Factory>;

  Made inPlaceOf(const Factory& theirs);
  template <class Ours, class Theirs = typename Ours::base_type>
  Made place(const Factory& theirs) const;
  std::string reasonToStay(const Factory& theirs) const;

  /// Returns the input `name` of a factory; null if it has none.
  static FactoryPtr input(const FactoryPtr& factory, const std::string& name) {
    const auto holder = Teuchos::rcp_dynamic_cast<const MueLu::Factory>(factory);
    if (holder.is_null() || !holder->GetParameterList().template isType<FactoryPtr>(name))
      return Teuchos::null;
    return holder->GetParameterList().template get<FactoryPtr>(name);
  }
  /// Returns the first factory for which `wanted(factory)` is true, or null. Looks at the manager's
  /// factory `name`, then at the input `name` of that factory, and so on, because repartitioning
  /// wraps other factories.
  template <class Wanted>
  static FactoryPtr first(const Manager& manager, const std::string& name, const Wanted& wanted) {
    if (!manager.hasFactory(name)) return Teuchos::null;
    FactoryPtr factory = manager.GetFactory(name);
    for (int steps = 0; !factory.is_null() && steps < 10; ++steps) {  // ends even in a cycle
      if (wanted(*factory)) return factory;
      factory = input(factory, name);
    }
    return Teuchos::null;
  }

  Teuchos::ParameterList smoothing_, products_;  // parameters of SaPFactory, and of other factories
  // Transfer factories of each factory of coarse matrices.
  std::map<const Factory*, std::vector<FactoryPtr>> transfers_;
  std::map<const Factory*, FactoryPtr> now_;  // replacement of each factory, or the factory itself
  std::vector<FactoryPtr> theirs_;            // factories that are kept alive as keys of now_
  std::set<std::string> lines_;
};

template <class SC, class LO, class GO, class NO>
std::string FactoryReplacement<SC, LO, GO, NO>::noteManager(const Manager& manager) {
  const auto chooses = [](const Factory& f) { return f.ShortClassName().rfind("Toggle", 0) == 0; };
  for (const char* name : {"P", "Ptent", "Coordinates", "Nullspace"})
    if (!first(manager, name, chooses).is_null())
      return "line coarsening hides the factories that it chooses from";

  using Rap = MueLu::RAPFactory<SC, LO, GO, NO>;
  using Shift = MueLu::RAPShiftFactory<SC, LO, GO, NO>;
  std::size_t count = 0;
  const FactoryPtr coarse = first(manager, "A", [&](const Factory& f) {
    if (const auto* rap = dynamic_cast<const Rap*>(&f))
      return count = rap->NumTransferFactories(), true;
    if (const auto* rap = dynamic_cast<const Shift*>(&f))
      return count = rap->NumTransferFactories(), true;
    return false;
  });
  if (count == 0) return "";
  // MueLu tells the number of transfer factories, but hides the factories. A manager can name only
  // these three. If the number is larger, MueLu's interpreter has added a hidden factory.
  auto& transfers = transfers_[coarse.get()];
  for (const auto& [data, classes] :
       {std::make_pair("Coordinates", "CoordinatesTransferFactory"),
        std::make_pair("Material", "MultiVectorTransferFactory"),
        std::make_pair("BlockNumber", "LocalOrdinalTransferFactory")}) {
    const FactoryPtr transfer = first(manager, data, [prefix = classes](const Factory& f) {
      return f.ShortClassName().rfind(prefix, 0) == 0;  // finds classes *_kokkos, too
    });
    if (!transfer.is_null()) transfers.push_back(transfer);
  }
  if (transfers.size() == count) return "";
  return "the factory of coarse matrices hides a transfer factory, as of \"aggregation: export "
         "visualization data\"";
}

template <class SC, class LO, class GO, class NO>
auto FactoryReplacement<SC, LO, GO, NO>::replace(const FactoryPtr& theirs) -> FactoryPtr {
  if (theirs.is_null() || theirs.get() == MueLu::NoFactory::get()) return theirs;
  const auto known = now_.find(theirs.get());
  if (known != now_.end()) return known->second;

  const Made made = inPlaceOf(*theirs);
  const auto now = made.is_null() ? Teuchos::rcp_const_cast<MueLu::Factory>(
                                        Teuchos::rcp_dynamic_cast<const MueLu::Factory>(theirs))
                                  : made;
  theirs_.push_back(theirs);
  now_[theirs.get()] =
      now.is_null() ? theirs : FactoryPtr(now);  // set first, so that a cycle of inputs ends
  if (now.is_null()) return theirs;
  now_[now.get()] = now;

  std::vector<std::string> names;
  const Teuchos::ParameterList& list = now->GetParameterList();
  for (auto p = list.begin(); p != list.end(); ++p)
    if (list.entry(p).template isType<FactoryPtr>()) names.push_back(list.name(p));
  for (const std::string& name : names) {
    const FactoryPtr before = input(now, name), after = replace(before);
    if (after != before) now->SetFactory(name, after);
  }
  const auto rap = Teuchos::rcp_dynamic_cast<RAPFactory<SC, LO, GO, NO>>(made);
  if (!rap.is_null())
    for (const FactoryPtr& transfer : transfers_[theirs.get()])
      rap->AddTransferFactory(replace(transfer));
  return now;
}

/// Returns Trident's replacement of `theirs`, or null if `theirs` stays. Adds a line to lines().
template <class SC, class LO, class GO, class NO>
auto FactoryReplacement<SC, LO, GO, NO>::inPlaceOf(const Factory& theirs) -> Made {
  Made made;
  std::string reason = reasonToStay(theirs);
  if (reason.empty()) {
    made = place<RAPFactory<SC, LO, GO, NO>>(theirs);
    if (made.is_null()) made = place<SaPFactory<SC, LO, GO, NO>>(theirs);
#ifdef TRIDENT_MUELU_HAS_KOKKOS_SAP
    if (made.is_null())
      made = place<SaPFactory<SC, LO, GO, NO>, MueLu::SaPFactory_kokkos<SC, LO, GO, NO>>(theirs);
#endif
    if (made.is_null()) made = place<TransPFactory<SC, LO, GO, NO>>(theirs);
    if (made.is_null()) made = place<CoalesceDropFactory<SC, LO, GO, NO>>(theirs);
    if (made.is_null()) made = place<AmalgamationFactory<SC, LO, GO, NO>>(theirs);
    if (made.is_null()) reason = "as Trident has none";
  }
  lines_.insert(theirs.ShortClassName() +
                (made.is_null() ? ": MueLu's, " + reason : std::string(": Trident's")));
  return made;
}

/// Returns the reason to keep a factory of MueLu's that Trident could replace; else an empty text.
template <class SC, class LO, class GO, class NO>
std::string FactoryReplacement<SC, LO, GO, NO>::reasonToStay(const Factory& theirs) const {
#ifndef TRIDENT_MUELU_DROPS_BY_KERNELS
  if (typeid(theirs) == typeid(typename CoalesceDropFactory<SC, LO, GO, NO>::base_type))
    return "as this release has no graphs of nodes for devices";
#endif
  const auto* factory = dynamic_cast<const MueLu::Factory*>(&theirs);  // includes SaPFactory_kokkos
  const std::string name = factory ? parameterOnlyMueLuReads(factory->GetParameterList()) : "";
  return name.empty() ? "" : "for \"" + name + "\"";
}

/// Returns a factory of class Ours with the parameters and inputs of `theirs`; null if `theirs` is
/// not exactly of class Theirs.
template <class SC, class LO, class GO, class NO>
template <class Ours, class Theirs>
auto FactoryReplacement<SC, LO, GO, NO>::place(const Factory& theirs) const -> Made {
  if (typeid(theirs) != typeid(Theirs)) return Teuchos::null;
  const Made made = Teuchos::rcp(new Ours());
  const auto valid = made->GetValidParameterList();
  const Teuchos::ParameterList& old = static_cast<const Theirs&>(theirs).GetParameterList();
  Teuchos::ParameterList list;
  for (auto p = old.begin(); p != old.end(); ++p)
    if (valid->isParameter(old.name(p))) list.setEntry(old.name(p), old.entry(p));
  if (valid->isSublist("Trident"))
    list.sublist("Trident") =
        std::is_same_v<Ours, SaPFactory<SC, LO, GO, NO>> ? smoothing_ : products_;
  made->SetParameterList(list);
  return made;
}

/// A manager of MueLu's that replaces each factory when a caller asks for the factory. So factories
/// that the manager itself makes are replaced, too.
template <class SC, class LO, class GO, class NO>
class ReplacingManager : public MueLu::FactoryManager<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::FactoryManager<SC, LO, GO, NO>;
  using Replacement = FactoryReplacement<SC, LO, GO, NO>;

  ReplacingManager(const base_type& theirs, const Teuchos::RCP<Replacement>& replacement)
      : base_type(theirs), replacement_(replacement) {
    this->SetVerbLevel(theirs.GetVerbLevel());
  }
  const Teuchos::RCP<const MueLu::FactoryBase> GetFactory(const std::string& name) const override {
    return replacement_->replace(base_type::GetFactory(name));
  }
#ifdef HAVE_MUELU_DEBUG
  void ResetDebugData() const override { replacement_->resetDebugData(); }
#endif

 private:
  Teuchos::RCP<Replacement> replacement_;
};

/// MueLu's interpreter, which can replace the factories that it made from an "easy" list.
template <class SC, class LO, class GO, class NO>
class ReplacingInterpreter : public MueLu::ParameterListInterpreter<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::ParameterListInterpreter<SC, LO, GO, NO>;
  using Replacement = FactoryReplacement<SC, LO, GO, NO>;
  using base_type::base_type;

  /// Replaces factories before a setup. Returns the reason if it replaces none; else "". Local.
  std::string replace(const Teuchos::RCP<Replacement>& replacement) {
    using Manager = typename Replacement::Manager;
    std::vector<Teuchos::RCP<Manager>> theirs;
    for (int level = 0; level < static_cast<int>(this->getNumFactoryManagers()); ++level) {
      theirs.push_back(Teuchos::rcp_dynamic_cast<Manager>(this->GetFactoryManager(level), true));
      const std::string reason = replacement->noteManager(*theirs.back());
      if (!reason.empty()) return reason;
    }
    for (std::size_t level = 0; level < theirs.size(); ++level) {
      const auto ours =
          Teuchos::rcp(new ReplacingManager<SC, LO, GO, NO>(*theirs[level], replacement));
      // These calls replace factories and inputs. So replacementOf() finds the factories for keep_.
      for (const char* name : {"A", "P", "R", "Nullspace", "Coordinates"})
        if (ours->hasFactory(name)) ours->GetFactory(name);
      this->AddFactoryManager(static_cast<int>(level), 1, ours);
    }
    for (auto& level : this->keep_)
      for (auto& kept : level.second) kept.second = replacement->replacementOf(kept.second);
    return "";
  }
};

}  // namespace Trident::Impl

#endif
