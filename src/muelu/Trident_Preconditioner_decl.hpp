// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRECONDITIONER_DECL_HPP
#define TRIDENT_PRECONDITIONER_DECL_HPP

#include <MueLu_FactoryManagerBase.hpp>
#include <MueLu_Hierarchy.hpp>
#include <MueLu_TpetraOperator.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Teuchos_ScalarTraits.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <Tpetra_MultiVector.hpp>
#include <string>
#include <vector>

namespace Trident {

/// MueLu's hierarchy as an operator of Tpetra. It also tells which factories are Trident's.
template <class SC = MueLu::DefaultScalar, class LO = MueLu::DefaultLocalOrdinal,
          class GO = MueLu::DefaultGlobalOrdinal, class NO = MueLu::DefaultNode>
class Preconditioner : public MueLu::TpetraOperator<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::TpetraOperator<SC, LO, GO, NO>;  ///< MueLu's class
  using hierarchy_type = MueLu::Hierarchy<SC, LO, GO, NO>;  ///< MueLu's class
  /// Coordinates of nodes, with a row for each node.
  using coordinates_type =
      Tpetra::MultiVector<typename Teuchos::ScalarTraits<SC>::coordinateType, LO, GO, NO>;
  /// Near-null space: a row for each row of the matrix.
  using null_space_type = Tpetra::MultiVector<SC, LO, GO, NO>;

  /// MueLu's manager of a level's factories.
  using manager_type = MueLu::FactoryManagerBase;

  /// Makes an operator of a set-up hierarchy. factories() and manager() return the other arguments.
  Preconditioner(const Teuchos::RCP<hierarchy_type>& hierarchy,
                 const std::vector<std::string>& factories,
                 const std::vector<Teuchos::RCP<const manager_type>>& managers)
      : base_type(hierarchy), factories_(factories), managers_(managers) {}

  /// Returns lines such as "RAPFactory: Trident's": one for each class of factory in use and
  /// each reason, or one line in all. A line that says "MueLu's" also says why. Lines are sorted.
  const std::vector<std::string>& factories() const { return factories_; }
  /// Returns a level's manager. If the manager's factory of "A" is a Trident::RAPFactory, that
  /// factory has a report of each level. Throws Trident::Error if there is no such level, or if the
  /// list had ML's parameters.
  Teuchos::RCP<const manager_type> manager(int level) const;

 private:
  std::vector<std::string> factories_;
  std::vector<Teuchos::RCP<const manager_type>> managers_;
};

/// Makes a preconditioner from a list, as MueLu::CreateTpetraPreconditioner does, but with
/// Trident's factories in the place of MueLu's. Preconditioner::factories() names the factories.
/// Collective over A's communicator.
///
///     const auto M = Trident::CreatePreconditioner(A, list);
///
/// MueLu's interpreter reads the list, and factories are replaced before the setup. Trident's
/// factories keep the same data for further setups as MueLu's ("reuse: type"). In a list with
/// "Factories", names mean Trident's factories as with FactoryFactory::Names::Also. MueLu alone
/// takes a list of ML's parameters ("parameterlist: syntax" = "ml").
///
/// If A is null, this rank alone throws. Otherwise every rank throws Trident::Error if A is not
/// fill-complete, if the null space or coordinates do not fit A's number of rows, if the list asks
/// for AmgX, if its sublist "Trident" is bad, if MueLu's interpreter refuses the list, or if lists
/// differ between ranks (parameters of smoothers and coarse solvers may differ). Exceptions of
/// MueLu's setup are passed on.
/// @param list MueLu's list. It may have a sublist "Trident" with parameters of products, and
///   "eigenvalue estimate" of SaPFactory. It is not changed
/// @param coordinates coordinates to use instead of those in the sublist "user data"; may be null
/// @param nullSpace null space to use instead of that in the sublist "user data"; may be null
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<Preconditioner<SC, LO, GO, NO>> CreatePreconditioner(
    const Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>>& A, const Teuchos::ParameterList& list,
    const Teuchos::RCP<typename Preconditioner<SC, LO, GO, NO>::coordinates_type>& coordinates =
        Teuchos::null,
    const Teuchos::RCP<typename Preconditioner<SC, LO, GO, NO>::null_space_type>& nullSpace =
        Teuchos::null);

/// Sets a preconditioner up again, as MueLu::ReuseTpetraPreconditioner does, for new values or for
/// another matrix with as many rows on each rank. Uses data that levels kept. Collective over the
/// preconditioner's communicator. Throws Trident::Error on every rank if on some rank A is null, is
/// not fill-complete, or has another number of rows.
template <class SC, class LO, class GO, class NO>
void ReusePreconditioner(const Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>>& A,
                         MueLu::TpetraOperator<SC, LO, GO, NO>& preconditioner);

}  // namespace Trident

#endif
