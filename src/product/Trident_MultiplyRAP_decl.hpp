// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYRAP_DECL_HPP
#define TRIDENT_MULTIPLYRAP_DECL_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <memory>
#include <string>

#include "Trident_Report.hpp"
#include "base/Trident_CompiledScalars.hpp"

namespace Trident {
namespace Impl {
template <class SC, class LO, class GO, class NO>
class Plan;
}

/// Forms Ac = op(R)·(op(A)·op(P)) on the trident grid, the Galerkin product of multigrid. A·P never
/// leaves the grid, and a transposed matrix is never formed (R = Pᵀ: pass P with transposeR). The
/// signature is that of Tpetra::TripleMatrixMultiply::MultiplyRAP.
///
/// R is nc × n, A n × n, P n × nc after their transposes; Maps and results are as of
/// Trident::Multiply, also an Ac that has a pattern: Tpetra refuses one that is fill-complete.
///
/// Collective over A's communicator. Throws on every rank, with R, A and P untouched and Ac as it
/// was: Trident::Error for bad input, Teuchos' validation exceptions for bad parameters.
/// @param label in the name of the call's timer, "Trident <label>: MultiplyRAP"
/// @param call_FillComplete_on_result, params as of Trident::Multiply
template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> MultiplyRAP(const Tpetra::CrsMatrix<SC, LO, GO, NO>& R, bool transposeR,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& P, bool transposeP,
                                Tpetra::CrsMatrix<SC, LO, GO, NO>& Ac,
                                bool call_FillComplete_on_result = true,
                                const std::string& label = std::string(),
                                const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

/// A Galerkin product that is formed again and again as values change and structure does not; like
/// a MultiplyPlan for a product of two. Besides Ac's structure it keeps that of A·P.
template <class SC = Tpetra::Details::DefaultTypes::scalar_type,
          class LO = Tpetra::Details::DefaultTypes::local_ordinal_type,
          class GO = Tpetra::Details::DefaultTypes::global_ordinal_type,
          class NO = Tpetra::Details::DefaultTypes::node_type>
class MultiplyRAPPlan {
  using Formed = Impl::ReportFor<SC>;  // compiles only if there are products of SC

 public:
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix

  /// Makes an empty plan, to assign a plan to. multiply() by it throws Trident::Error on every rank
  /// of the result's communicator.
  MultiplyRAPPlan() = default;
  /// Returns false if the plan is empty: made by default, or moved from. Local.
  explicit operator bool() const { return bool(plan_); }

  /// Forms Ac as Trident::MultiplyRAP does, and plans further products. Ac must be new.
  /// Collective over A's communicator.
  MultiplyRAPPlan(const crs_matrix_type& R, bool transposeR, const crs_matrix_type& A,
                  bool transposeA, const crs_matrix_type& P, bool transposeP, crs_matrix_type& Ac,
                  const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
                  const std::string& label = std::string());

  /// Forms Ac = op(R)·op(A)·op(P), transposed as planned; otherwise as MultiplyPlan::multiply().
  Report multiply(const crs_matrix_type& R, const crs_matrix_type& A, const crs_matrix_type& P,
                  crs_matrix_type& Ac) const;

  /// Returns the report of the first product.
  const Report& report() const;

 private:
  bool transposeR_ = false, transposeA_ = false, transposeP_ = false;
  std::shared_ptr<const Impl::Plan<SC, LO, GO, NO>> plan_;
};

// Deduces the types, which a program then need not name.
template <class SC, class LO, class GO, class NO>
MultiplyRAPPlan(const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, Tpetra::CrsMatrix<SC, LO, GO, NO>&,
                const Teuchos::RCP<Teuchos::ParameterList>& = Teuchos::null,
                const std::string& = std::string()) -> MultiplyRAPPlan<SC, LO, GO, NO>;

}  // namespace Trident

#endif
