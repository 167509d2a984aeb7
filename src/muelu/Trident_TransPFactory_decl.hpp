// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPFACTORY_DECL_HPP
#define TRIDENT_TRANSPFACTORY_DECL_HPP

#include <MueLu_Level.hpp>
#include <MueLu_TransPFactory.hpp>
#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>

#include "muelu/Trident_MueLuMatrix.hpp"

namespace Trident {

/// MueLu's factory of restrictions R = Pᵀ, which transposes by Trident::transpose().
///
///     FactoryManager.SetFactory("R", Teuchos::rcp(new Trident::TransPFactory<SC, LO, GO, NO>()));
///
/// Parameters are those of MueLu::TransPFactory, and a sublist "Trident" (see
/// getValidParameters()). Of "matrixmatrix: kernel params", only "compute global constants" has an
/// effect; it is false by default, as in the base.
///
/// On a single rank with a device the base transposes, because it was twice as fast there
/// (doc/results/gpu_setup.md). The base also transposes matrices that are not Tpetra::CrsMatrix
/// (blocked ones, Epetra's), with a warning.
template <class SC = MueLu::DefaultScalar, class LO = MueLu::DefaultLocalOrdinal,
          class GO = MueLu::DefaultGlobalOrdinal, class NO = MueLu::DefaultNode>
class TransPFactory : public MueLu::TransPFactory<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::TransPFactory<SC, LO, GO, NO>;  ///< MueLu's class
  using matrix_type = Impl::MueLuMatrix<SC, LO, GO, NO>;   ///< matrix of a level

  /// Returns the base's parameters, and the sublist "Trident".
  Teuchos::RCP<const Teuchos::ParameterList> GetValidParameterList() const override;
  /// Transposes P. MueLu's set-up calls it. Collective.
  void Build(MueLu::Level& fineLevel, MueLu::Level& coarseLevel) const override;
};

}  // namespace Trident

#endif
