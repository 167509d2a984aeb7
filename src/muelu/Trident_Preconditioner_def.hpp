// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRECONDITIONER_DEF_HPP
#define TRIDENT_PRECONDITIONER_DEF_HPP

#include <MueLu_CreateTpetraPreconditioner.hpp>
#include <Teuchos_XMLParameterListHelpers.hpp>
#include <fstream>
#include <iterator>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_PlainNumbers.hpp"
#include "muelu/Trident_FactoryFactory_decl.hpp"
#include "muelu/Trident_FactoryParameters.hpp"
#include "muelu/Trident_FactoryReplacement.hpp"
#include "muelu/Trident_MueLuMatrix.hpp"
#include "muelu/Trident_Preconditioner_decl.hpp"
#include "product/Trident_ReadParameters.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident {
namespace Impl {

/// Adds a list's parameters to the values that must be the same on all ranks. Leaves out parameters
/// of smoothers and coarse solvers, which may differ. If a value is no number, text or bool, adds
/// only its type. `place` is the path of this list in the call's list.
inline void addParameters(const Teuchos::ParameterList& list, const std::string& place,
                          CollectiveArguments& values) {
  for (auto p = list.begin(); p != list.end(); ++p) {
    const std::string& name = list.name(p);
    const Teuchos::ParameterEntry& entry = list.entry(p);
    const auto begins = [&](const char* with) { return name.rfind(with, 0) == 0; };
    if (name == "output filename") continue;
    if (entry.isList()) {
      if (begins("smoother:") || begins("coarse:") || name == "ParameterList") continue;
      addParameters(Teuchos::getValue<Teuchos::ParameterList>(entry), place + name + ": ", values);
      continue;
    }
    std::string text = "of type " + entry.getAny(false).typeName();
    if (entry.isType<bool>()) text = Teuchos::getValue<bool>(entry) ? "true" : "false";
    if (entry.isType<int>()) text = std::to_string(Teuchos::getValue<int>(entry));
    if (entry.isType<double>()) text = plainText(Teuchos::getValue<double>(entry), 17);
    if (entry.isType<std::string>()) text = Teuchos::getValue<std::string>(entry);
    values.push_back({"\"" + place + name + "\"", text});
  }
}

/// Returns `list` and the parameters of its XML file, combined as by MueLu's interpreter. Throws on
/// every rank, even if the file is missing. (Teuchos would wait forever.) Collective.
inline Teuchos::ParameterList withFile(const Teuchos::ParameterList& list, MPI_Comm comm,
                                       const std::string& function) {
  const std::string name = "xml parameter file";
  std::string file;
  checkArguments(comm, function, [&](CollectiveArguments& values) -> std::string {
    if (list.isParameter(name)) file = list.get<std::string>(name);
    values.push_back({"\"" + name + "\"", file.empty() ? "not given" : file});
    return "";
  });
  Teuchos::ParameterList all(list);
  if (file.empty()) return all;
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  std::string text;
  runEverywhere(comm, function, [&] {
    if (rank > 0) return;
    std::ifstream in(file);
    text.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    if (text.empty()) throw Error("the file " + file + " of \"" + name + "\" cannot be read");
  });
  text = firstText(comm, text);
  runEverywhere(comm, function, [&] {
    Teuchos::updateParametersFromXmlString(text, Teuchos::ptr(&all));
    all.remove(name);
  });
  return all;
}

/// Sets data of the user on a level. The data must be in MueLu's form. Local.
template <class Data>
void setUserData(MueLu::Level& level, const std::string& name, const Data& data) {
  level.AddKeepFlag(name, MueLu::NoFactory::get(), MueLu::UserData);
  level.Set(name, data, MueLu::NoFactory::get());
}

/// Removes the Tpetra vectors `name` from a list's "user data". Returns `given`; if `given` is
/// null, returns the removed vectors. If `given` is not null, also removes vectors in MueLu's form.
template <class Vectors>
Teuchos::RCP<Vectors> takeUserData(Teuchos::ParameterList& list, const std::string& name,
                                   const Teuchos::RCP<Vectors>& given) {
  if (!list.isSublist("user data")) return given;
  Teuchos::ParameterList& data = list.sublist("user data");
  Teuchos::RCP<Vectors> taken = given;
  if (data.template isType<Teuchos::RCP<Vectors>>(name)) {
    if (taken.is_null()) taken = data.template get<Teuchos::RCP<Vectors>>(name);
    data.remove(name);
  } else if (!given.is_null()) {
    data.remove(name, false);
  }
  return taken;
}

/// The arguments of a call of CreatePreconditioner(), in the form that MueLu's interpreter needs.
template <class SC, class LO, class GO, class NO>
struct PreconditionerCall {
  using Result = Preconditioner<SC, LO, GO, NO>;
  Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>> A;
  Teuchos::ParameterList list, trident;
  Teuchos::RCP<typename Result::coordinates_type> coordinates;
  Teuchos::RCP<typename Result::null_space_type> nullSpace;

  /// Returns a reason to leave the whole call to MueLu, or an empty text. A reason is that the list
  /// asks for work that MueLu's interpreter cannot do. Local.
  std::string whyMueLu() const {
    const std::string syntax = "parameterlist: syntax";
    if (list.isType<std::string>(syntax) && list.get<std::string>(syntax) == "ml")
      return "the list has parameters of ML";
    return list.isSublist("kokkos tuning: muelu parameter mapping") ? "the list asks for tuning"
                                                                    : "";
  }
  /// Makes a FactoryFactory for a list that names factories. Returns null and sets `reason`, if
  /// MueLu would make its own factories from the list. Local.
  Teuchos::RCP<MueLu::FactoryFactory<SC, LO, GO, NO>> named(std::string& reason) const {
    using Named = FactoryFactory<SC, LO, GO, NO>;
    try {
      return Teuchos::rcp(new Named(list, Named::Names::Also));
    } catch (const Error& error) {
      reason = error.problem();
      return Teuchos::null;
    }
  }
  Teuchos::RCP<Result> result();

 private:
  Teuchos::RCP<Result> byMueLu(const std::string& reason);
};

/// Makes the preconditioner by MueLu alone. Collective.
template <class SC, class LO, class GO, class NO>
auto PreconditionerCall<SC, LO, GO, NO>::byMueLu(const std::string& reason)
    -> Teuchos::RCP<Result> {
  if (!coordinates.is_null()) list.sublist("user data").set("Coordinates", coordinates);
  if (!nullSpace.is_null()) list.sublist("user data").set("Nullspace", nullSpace);
  const Teuchos::RCP<Tpetra::Operator<SC, LO, GO, NO>> matrix = A;
  const auto theirs = MueLu::CreateTpetraPreconditioner<SC, LO, GO, NO>(matrix, list);
  return Teuchos::rcp(
      new Result(theirs->GetHierarchy(), {"all factories: MueLu's, as " + reason}, {}));
}

/// Makes the preconditioner from checked arguments. Collective. Throws on every rank if the
/// interpreter refuses the list.
template <class SC, class LO, class GO, class NO>
auto PreconditionerCall<SC, LO, GO, NO>::result() -> Teuchos::RCP<Result> {
  std::string reason = whyMueLu();
  if (!reason.empty()) return byMueLu(reason);
  using Interpreter = ReplacingInterpreter<SC, LO, GO, NO>;
  using Replacement = FactoryReplacement<SC, LO, GO, NO>;
  const auto matrix = mueLuMatrix(A);
  const auto replacement = Teuchos::rcp(new Replacement(trident));
  Teuchos::RCP<Interpreter> interpreter;
  Teuchos::RCP<typename Result::hierarchy_type> hierarchy;
  const bool easy = !list.isSublist("Hierarchy") && !list.isParameter("MueLu preconditioner");
  runEverywhere(rawComm(*A->getComm()), "Trident::CreatePreconditioner", [&] {
    if (!easy && trident.numParams() > 0)
      throw Error("a list that names factories has its sublist \"Trident\" in these");
    Teuchos::ParameterList serial, other;
    MueLu::ExtractNonSerializableData(list, serial, other);
    std::string label = A->getObjectLabel();
    if (serial.isParameter("hierarchy label")) label = serial.get<std::string>("hierarchy label");
    serial.remove("hierarchy label", false);
    interpreter =
        Teuchos::rcp(new Interpreter(serial, A->getComm(), easy ? Teuchos::null : named(reason)));
    hierarchy = interpreter->CreateHierarchy(label);
    hierarchy->setlib(matrix->getDomainMap()->lib());
    MueLu::Level& finest = *hierarchy->GetLevel(0);
    hierarchy->SetProcRankVerbose(A->getComm()->getRank());
    MueLu::HierarchyUtils<SC, LO, GO, NO>::AddNonSerializableDataToHierarchy(*interpreter,
                                                                             *hierarchy, other);
    finest.Set("A", matrix);
    if (!coordinates.is_null()) setUserData(finest, "Coordinates", mueLuVectors(coordinates));
    if (!nullSpace.is_null()) setUserData(finest, "Nullspace", mueLuVectors(nullSpace));
    if (easy) reason = interpreter->replace(replacement);
  });
  interpreter->SetupHierarchy(*hierarchy);
  std::vector<Teuchos::RCP<const MueLu::FactoryManagerBase>> managers;
  const int levels = hierarchy->GetGlobalNumLevels();  // includes levels without rows on this rank
  for (int level = 0; level < levels; ++level)
    managers.push_back(interpreter->GetFactoryManager(level));
  std::vector<std::string> lines{"RAPFactory, SaPFactory: Trident's, where the list names them"};
  if (easy) lines = replacement->lines();
  if (!reason.empty()) lines = {"all factories: MueLu's, as " + reason};
  return Teuchos::rcp(new Result(hierarchy, lines, managers));
}

}  // namespace Impl

template <class SC, class LO, class GO, class NO>
auto Preconditioner<SC, LO, GO, NO>::manager(int level) const -> Teuchos::RCP<const manager_type> {
  if (level < 0 || level >= static_cast<int>(managers_.size()))
    throw Error("Trident::Preconditioner::manager",
                "there is no manager of level " + std::to_string(level) + ", only of " +
                    std::to_string(managers_.size()) + " from 0 on");
  return managers_[static_cast<std::size_t>(level)];
}

template <class SC, class LO, class GO, class NO>
Teuchos::RCP<Preconditioner<SC, LO, GO, NO>> CreatePreconditioner(
    const Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>>& A, const Teuchos::ParameterList& list,
    const Teuchos::RCP<typename Preconditioner<SC, LO, GO, NO>::coordinates_type>& coordinates,
    const Teuchos::RCP<typename Preconditioner<SC, LO, GO, NO>::null_space_type>& nullSpace) {
  const std::string function = "Trident::CreatePreconditioner";
  const Impl::SingleThreadGuard inside;
  if (A.is_null()) throw Error(function, "A is null");
  const MPI_Comm comm = Impl::rawComm(*A->getComm());

  // Before it reads a file, withFile() throws if another thread is inside Trident.
  const Teuchos::ParameterList all = Impl::withFile(list, comm, function);
  Impl::PreconditionerCall<SC, LO, GO, NO> call{A, all, {}, coordinates, nullSpace};
  const auto check = [&](Impl::CollectiveArguments& values) -> std::string {
    if (!A->isFillComplete()) return "A is not fill-complete; call A->fillComplete() first";
    Impl::requireReadable(call.list);
    const auto params = Teuchos::parameterList();
    if (call.list.isSublist("Trident")) call.trident = call.list.sublist("Trident");
    call.list.remove("Trident", false);
    params->sublist("Trident") = call.trident;
    params->sublist("Trident").remove(Impl::eigenvalueEstimateName, false);
    Impl::readParameters(params, &values);

    call.coordinates = Impl::takeUserData(call.list, "Coordinates", coordinates);
    call.nullSpace = Impl::takeUserData(call.list, "Nullspace", nullSpace);
    const std::string external = "use external multigrid package";
    if (call.list.template isType<std::string>(external) &&
        call.list.template get<std::string>(external) == "amgx")
      return "AmgX makes no hierarchy; call MueLu::CreateTpetraPreconditioner() for it";
    const std::size_t rows = Impl::localSize(*A->getRowMap());
    const std::size_t nodes =
        call.coordinates.is_null() ? rows : call.coordinates->getLocalLength();
    if (nodes > rows || (rows > 0 && (nodes == 0 || rows % nodes != 0)))
      return "a rank has coordinates of " + std::to_string(nodes) + " nodes, and " +
             std::to_string(rows) + " rows of A";
    if (!call.nullSpace.is_null() && call.nullSpace->getLocalLength() != rows)
      return "the null space has another number of rows than A on a rank";
    values.push_back({"coordinates", call.coordinates.is_null() ? "not given" : "given"});
    values.push_back({"the null space", call.nullSpace.is_null() ? "not given" : "given"});
    Teuchos::ParameterList serial, other;
    MueLu::ExtractNonSerializableData(call.list, serial, other);
    Impl::addParameters(serial, "", values);
    Impl::addParameters(other, "", values);  // objects, so this adds only their types
    return "";
  };
  Impl::checkArguments(comm, function, check);
  return call.result();
}

template <class SC, class LO, class GO, class NO>
void ReusePreconditioner(const Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>>& A,
                         MueLu::TpetraOperator<SC, LO, GO, NO>& preconditioner) {
  const Impl::SingleThreadGuard inside;
  const auto rows = preconditioner.getRangeMap();
  const auto check = [&](Impl::CollectiveArguments&) -> std::string {
    if (A.is_null()) return "A is null";
    if (!A->isFillComplete()) return "A is not fill-complete; call A->fillComplete() first";
    if (Impl::localSize(*A->getRowMap()) == Impl::localSize(*rows)) return "";
    return "A has another number of rows than the preconditioner on a rank; make another one by "
           "CreatePreconditioner()";
  };
  Impl::checkArguments(Impl::rawComm(*rows->getComm()), "Trident::ReusePreconditioner", check);
  MueLu::ReuseTpetraPreconditioner(A, preconditioner);
}

}  // namespace Trident

#define TRIDENT_PRECONDITIONER_INSTANT(SC, LO, GO, NO)                                         \
  template class Trident::Preconditioner<SC, LO, GO, NO>;                                      \
  template Teuchos::RCP<Trident::Preconditioner<SC, LO, GO, NO>>                               \
  Trident::CreatePreconditioner<SC, LO, GO, NO>(                                               \
      const Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>>&, const Teuchos::ParameterList&,   \
      const Teuchos::RCP<typename Trident::Preconditioner<SC, LO, GO, NO>::coordinates_type>&, \
      const Teuchos::RCP<typename Trident::Preconditioner<SC, LO, GO, NO>::null_space_type>&); \
  template void Trident::ReusePreconditioner<SC, LO, GO, NO>(                                  \
      const Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>>&,                                  \
      MueLu::TpetraOperator<SC, LO, GO, NO>&);

#endif
