// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_JACOBI_DECL_HPP
#define TRIDENT_JACOBI_DECL_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_CrsMatrix_decl.hpp>
#include <Tpetra_Vector_decl.hpp>
#include <memory>
#include <string>

#include "Trident_Report.hpp"
#include "base/Trident_CompiledScalars.hpp"

namespace Trident {
namespace Impl {
template <class SC, class LO, class GO, class NO>
class Plan;
}

/// Forms C = B - ω D⁻¹ A B on the trident grid, as the product (I - ω D⁻¹ A)·B. This is one step of
/// damped Jacobi on each column of B. Smoothed aggregation makes its prolongators in this way. The
/// signature is that of Tpetra::MatrixMatrix::Jacobi.
///
/// A is n × n and B is n × m. Rows of B have the global indices of A's rows. Maps and results
/// follow the rules of Trident::Multiply, so C may have a pattern (Tpetra refuses a C that is
/// fill-complete). C has the entries of B and of A·B.
///
/// Collective over A's communicator. Throws on every rank, with A, B and C unchanged:
/// Trident::Error for bad input, and Teuchos' validation exceptions for bad parameters.
/// @param omega ω
/// @param Dinv D⁻¹, on A's row Map
/// @param label part of the name of the call's timer, "Trident <label>: Jacobi"
/// @param call_FillComplete_on_result, params see Trident::Multiply
template <class SC, class LO, class GO, class NO>
Impl::ReportFor<SC> Jacobi(SC omega, const Tpetra::Vector<SC, LO, GO, NO>& Dinv,
                           const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                           const Tpetra::CrsMatrix<SC, LO, GO, NO>& B,
                           Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                           bool call_FillComplete_on_result = true,
                           const std::string& label = std::string(),
                           const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null);

/// A plan for Jacobi steps on matrices whose values change and whose structure does not. For
/// memory, end and copies of a plan see MultiplyPlan.
template <class SC = Tpetra::Details::DefaultTypes::scalar_type,
          class LO = Tpetra::Details::DefaultTypes::local_ordinal_type,
          class GO = Tpetra::Details::DefaultTypes::global_ordinal_type,
          class NO = Tpetra::Details::DefaultTypes::node_type>
class JacobiPlan {
  using Formed = Impl::ReportFor<SC>;  // compile error if the library has no products of SC

 public:
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix
  using vector_type = Tpetra::Vector<SC, LO, GO, NO>;         ///< Tpetra's vector

  /// Makes an empty plan, to which a program may assign another one. multiply() of an empty plan
  /// throws Trident::Error on every rank of the result's communicator.
  JacobiPlan() = default;
  /// Returns false if the plan is empty: made by default, or moved from. Local.
  explicit operator bool() const { return bool(plan_); }

  /// Forms C as Trident::Jacobi does, and plans further steps. C must be new. Collective over A's
  /// communicator.
  JacobiPlan(SC omega, const vector_type& Dinv, const crs_matrix_type& A, const crs_matrix_type& B,
             crs_matrix_type& C, const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
             const std::string& label = std::string());

  /// Forms C = B - ω D⁻¹ A B by the plan. Conditions and errors are those of
  /// MultiplyPlan::multiply().
  Report multiply(SC omega, const vector_type& Dinv, const crs_matrix_type& A,
                  const crs_matrix_type& B, crs_matrix_type& C) const;

  /// Returns the report of the first step, which the constructor computed.
  const Report& report() const;

 private:
  std::shared_ptr<const Impl::Plan<SC, LO, GO, NO>> plan_;
};

// Deduces the types from the matrices alone, so that `omega` may be an int.
template <class SC, class LO, class GO, class NO>
JacobiPlan(typename Tpetra::Vector<SC, LO, GO, NO>::scalar_type,
           const Tpetra::Vector<SC, LO, GO, NO>&, const Tpetra::CrsMatrix<SC, LO, GO, NO>&,
           const Tpetra::CrsMatrix<SC, LO, GO, NO>&, Tpetra::CrsMatrix<SC, LO, GO, NO>&,
           const Teuchos::RCP<Teuchos::ParameterList>& = Teuchos::null,
           const std::string& = std::string()) -> JacobiPlan<SC, LO, GO, NO>;

}  // namespace Trident

#endif
