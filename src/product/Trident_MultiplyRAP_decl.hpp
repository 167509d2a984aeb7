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
/// leaves the grid, and no transpose is formed. For R = Pᵀ, pass P as R, with transposeR. The
/// signature is that of Tpetra::TripleMatrixMultiply::MultiplyRAP.
///
/// op(R) is nc × n, op(A) is n × n and op(P) is n × nc. Maps and results follow the rules of
/// Trident::Multiply, so Ac may have a pattern (Tpetra refuses an Ac that is fill-complete).
///
/// Collective over A's communicator. Throws on every rank, with R, A, P and Ac unchanged:
/// Trident::Error for bad input, and Teuchos' validation exceptions for bad parameters.
/// @param label part of the name of the call's timer, "Trident <label>: MultiplyRAP"
/// @param call_FillComplete_on_result, params see Trident::Multiply
template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> MultiplyRAP(const Tpetra::CrsMatrix<SC, LO, GO, NO>& R, bool transposeR,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& A, bool transposeA,
                                const Tpetra::CrsMatrix<SC, LO, GO, NO>& P, bool transposeP,
                                Tpetra::CrsMatrix<SC, LO, GO, NO>& Ac,
                                bool call_FillComplete_on_result = true,
                                const std::string& label = std::string(),
                                const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

/// A plan for Galerkin products of matrices whose values change and whose structure does not. Keeps
/// the structures of Ac and of A·P. For memory, end and copies of a plan see MultiplyPlan.
template <class SC = Tpetra::Details::DefaultTypes::scalar_type,
          class LO = Tpetra::Details::DefaultTypes::local_ordinal_type,
          class GO = Tpetra::Details::DefaultTypes::global_ordinal_type,
          class NO = Tpetra::Details::DefaultTypes::node_type>
class MultiplyRAPPlan {
  using Formed = Impl::ReportFor<SC>;  // compile error if the library has no products of SC

 public:
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix

  /// Makes an empty plan, to which a program may assign another one. multiply() of an empty plan
  /// throws Trident::Error on every rank of the result's communicator.
  MultiplyRAPPlan() = default;
  /// Returns false if the plan is empty: made by default, or moved from. Local.
  explicit operator bool() const { return bool(plan_); }

  /// Forms Ac as Trident::MultiplyRAP does, and plans further products. Ac must be new.
  /// Collective over A's communicator.
  MultiplyRAPPlan(const crs_matrix_type& R, bool transposeR, const crs_matrix_type& A,
                  bool transposeA, const crs_matrix_type& P, bool transposeP, crs_matrix_type& Ac,
                  const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
                  const std::string& label = std::string());

  /// Forms Ac = op(R)·op(A)·op(P), transposed as planned. Conditions and errors are those of
  /// MultiplyPlan::multiply().
  Report multiply(const crs_matrix_type& R, const crs_matrix_type& A, const crs_matrix_type& P,
                  crs_matrix_type& Ac) const;

  /// Returns the report of the first product.
  const Report& report() const;

 private:
  bool transposeR_ = false, transposeA_ = false, transposeP_ = false;
  std::shared_ptr<const Impl::Plan<SC, LO, GO, NO>> plan_;
};

// Deduces the types, so that a program need not name them.
template <class SC, class LO, class GO, class NO>
MultiplyRAPPlan(const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool,
                const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, Tpetra::CrsMatrix<SC, LO, GO, NO>&,
                const Teuchos::RCP<Teuchos::ParameterList>& = Teuchos::null,
                const std::string& = std::string()) -> MultiplyRAPPlan<SC, LO, GO, NO>;

}  // namespace Trident

#endif
