// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MULTIPLYPLAN_DECL_HPP
#define TRIDENT_MULTIPLYPLAN_DECL_HPP

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

/// A product C = A·B that is formed again and again as the values of A and B change and their
/// structure does not. All that structure decides is found once. A plan keeps the partitions and
/// send lists of import and export, C's graph, column Map and Import, and where each value goes. A
/// further product moves and multiplies values, on the matrices' device from end to end, without a
/// symbolic phase or a sort.
///
///     Trident::MultiplyPlan plan(A, B, C);  // C = A·B, as Trident::Multiply
///     ...                                   // new values in A and B
///     plan.multiply(A, B, C);
///
/// On several ranks a plan holds up to 16 bytes for each entry of C on a rank (of double), on one
/// rank of a device 4 and some 12 for each row, on one rank of hosts 3 for each row at most. Of
/// graphs that are gone it holds the row offsets until its next product. Where entries of A and B
/// move or are renumbered it holds 4 bytes and less for each of these; where entries of A are put
/// in order, 4 more for each. It lives as long as Tpetra at most; where its communicator's context
/// was released before, ending the last handle is collective. A cheap handle: copies share it, and
/// must not be used by two threads at once.
template <class SC = Tpetra::Details::DefaultTypes::scalar_type,
          class LO = Tpetra::Details::DefaultTypes::local_ordinal_type,
          class GO = Tpetra::Details::DefaultTypes::global_ordinal_type,
          class NO = Tpetra::Details::DefaultTypes::node_type>
class MultiplyPlan {
  using Formed = Impl::ReportFor<SC>;  // compiles only if there are products of SC

 public:
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix

  /// Makes an empty plan, to assign a plan to. multiply() by it throws Trident::Error on every rank
  /// of the result's communicator.
  MultiplyPlan() = default;
  /// Returns false if the plan is empty: made by default, or moved from. Local.
  explicit operator bool() const { return bool(plan_); }

  /// Forms C = A·B as Trident::Multiply(A, B, C, params) does, with its conditions and errors, and
  /// plans further products. Collective over A's communicator.
  /// @param label in the names of the timers, "Trident <label>: MultiplyPlan" and
  ///   "Trident <label>: MultiplyPlan::multiply"
  MultiplyPlan(const crs_matrix_type& A, const crs_matrix_type& B, crs_matrix_type& C,
               const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
               const std::string& label = std::string());

  /// Plans C = op(A)·op(B), with the flags of the Multiply() of eight arguments.
  MultiplyPlan(const crs_matrix_type& A, bool transposeA, const crs_matrix_type& B, bool transposeB,
               crs_matrix_type& C,
               const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
               const std::string& label = std::string());

  /// Forms C = A·B, or the product of their transposes as planned. Collective over A's
  /// communicator. Throws Trident::Error on every rank, with A, B and C as they were, if the
  /// structure of a matrix differs from the planned one. Structure is the row, column, domain and
  /// range Maps, and the entries in their order. It is compared by fingerprints: 64 bits of row
  /// offsets and 64 of columns. These are read on their device, but not again while the graph lives
  /// and Tpetra's functions leave its entries alone. The graph object may be another. A and B must
  /// be fill-complete. C, which becomes so, is the planned one, a matrix on its graph, or one made
  /// alike. Tpetra's cached data of C's values, such as its norm, are forgotten.
  Report multiply(const crs_matrix_type& A, const crs_matrix_type& B, crs_matrix_type& C) const;

  /// Returns the report of the first product.
  const Report& report() const;

 private:
  bool transposeA_ = false, transposeB_ = false;
  std::shared_ptr<const Impl::Plan<SC, LO, GO, NO>> plan_;
};

// Deduces the types, which a program then need not name.
template <class SC, class LO, class GO, class NO>
MultiplyPlan(const Tpetra::CrsMatrix<SC, LO, GO, NO>&, const Tpetra::CrsMatrix<SC, LO, GO, NO>&,
             Tpetra::CrsMatrix<SC, LO, GO, NO>&,
             const Teuchos::RCP<Teuchos::ParameterList>& = Teuchos::null,
             const std::string& = std::string()) -> MultiplyPlan<SC, LO, GO, NO>;
template <class SC, class LO, class GO, class NO>
MultiplyPlan(const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool,
             const Tpetra::CrsMatrix<SC, LO, GO, NO>&, bool, Tpetra::CrsMatrix<SC, LO, GO, NO>&,
             const Teuchos::RCP<Teuchos::ParameterList>& = Teuchos::null,
             const std::string& = std::string()) -> MultiplyPlan<SC, LO, GO, NO>;

}  // namespace Trident

#endif
