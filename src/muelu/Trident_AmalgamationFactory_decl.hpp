// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_AMALGAMATIONFACTORY_DECL_HPP
#define TRIDENT_AMALGAMATIONFACTORY_DECL_HPP

// clang-format off
#include "muelu/Trident_MueLuMatrix.hpp"  // first: AmalgamationInfo needs it
#include <MueLu_AmalgamationFactory.hpp>
#include <MueLu_AmalgamationInfo.hpp>
// clang-format on
#include <MueLu_Level.hpp>

namespace Trident {

/// MueLu's factory of data about nodes of several unknowns. MueLu's own class makes a table of all
/// nodes. This class needs none if the numbers of nodes ascend along a Map, as they mostly do.
///
///     FactoryManager.SetFactory("UnAmalgamationInfo",
///                               Teuchos::rcp(new Trident::AmalgamationFactory<SC, LO, GO, NO>()));
///
/// Parameters, input, output and numbers of nodes are those of MueLu::AmalgamationFactory. On one
/// rank, rows and columns with the same indices share a Map of nodes. The base does the work if a
/// node has one unknown, if the matrix is no Tpetra::CrsMatrix, or for a block of a strided Map.
template <class SC = MueLu::DefaultScalar, class LO = MueLu::DefaultLocalOrdinal,
          class GO = MueLu::DefaultGlobalOrdinal, class NO = MueLu::DefaultNode>
class AmalgamationFactory : public MueLu::AmalgamationFactory<SC, LO, GO, NO> {
 public:
  using base_type = MueLu::AmalgamationFactory<SC, LO, GO, NO>;  ///< MueLu's class
  using matrix_type = Impl::MueLuMatrix<SC, LO, GO, NO>;         ///< matrix of a level

  /// Makes "UnAmalgamationInfo". MueLu's set-up calls it. Collective.
  void Build(MueLu::Level& level) const override;
};

}  // namespace Trident

#endif
