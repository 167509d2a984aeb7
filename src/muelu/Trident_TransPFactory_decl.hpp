// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPFACTORY_DECL_HPP
#define TRIDENT_TRANSPFACTORY_DECL_HPP

#include <MueLu_Level.hpp>
#include <MueLu_TransPFactory.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <map>
#include <string>

#include "Trident_Transpose.hpp"
#include "muelu/Trident_MueLuMatrix.hpp"

namespace Trident {

/// MueLu's factory of restrictions R = Pᵀ, which transposes by a Trident::TransposePlan.
///
///     FactoryManager.SetFactory("R", Teuchos::rcp(new Trident::TransPFactory<SC, LO, GO, NO>()));
///
/// Parameters are those of MueLu::TransPFactory, and a sublist "Trident" (see
/// getValidParameters()). Of "matrixmatrix: kernel params" "compute global constants" acts, false
/// by default, as in the base. The factory keeps the plan of each level: where P of a further setup
/// has the structure of the last one, only values are moved. R is on the plan's graph, a constant
/// one.
///
/// What is not a matrix of Tpetra::CrsMatrix (blocked matrices, Epetra's) is left to the base, with
/// a warning.
template <class SC = MueLu::DefaultScalar, class LO = MueLu::DefaultLocalOrdinal,
          class GO = MueLu::DefaultGlobalOrdinal, class NO = MueLu::DefaultNode>
class TransPFactory : public MueLu::TransPFactory<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::TransPFactory<SC, LO, GO, NO>;  ///< MueLu's
  using matrix_type = Impl::MueLuMatrix<SC, LO, GO, NO>;   ///< of levels

  /// Returns the base's parameters, and the sublist "Trident".
  Teuchos::RCP<const Teuchos::ParameterList> GetValidParameterList() const override;
  /// Transposes P. MueLu's set-up calls it. Collective.
  void Build(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const override;

 private:
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;

  Teuchos::RCP<crs_matrix_type> transposed(const crs_matrix_type& P, int level) const;

  // By the level's number. MueLu builds by a const function.
  mutable std::map<int, TransposePlan<SC, LO, GO, NO>> plans_;
};

}  // namespace Trident

#endif
