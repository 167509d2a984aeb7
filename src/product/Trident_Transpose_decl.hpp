// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPOSE_DECL_HPP
#define TRIDENT_TRANSPOSE_DECL_HPP

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
class PlannedTranspose;
}

/// A plan for transposes of a matrix A whose values change and whose structure does not. The plan
/// finds once all that the structure decides: the place of each value, the Maps, the column Map's
/// Import and the graph. A further transpose permutes values on the matrix's device. One transfer
/// sends the values that go to other ranks.
///
///     const Trident::TransposePlan plan(A);
///     const auto R = plan.transpose(A);  // as Trident::transpose(A)
///     ...                                // new values in A
///     const auto S = plan.transpose(A);  // on the graph of R
///
/// A plan holds the graph and, on each rank, 8 bytes for each entry and some 40 for each column
/// with entries (on a single rank, 4 for each entry). It must end before Tpetra does. If its
/// communicator is freed before the plan, the end of the plan's last copy is collective. Copies are
/// cheap: they share one plan. Only one thread at a time may use any of them.
template <class SC = Tpetra::Details::DefaultTypes::scalar_type,
          class LO = Tpetra::Details::DefaultTypes::local_ordinal_type,
          class GO = Tpetra::Details::DefaultTypes::global_ordinal_type,
          class NO = Tpetra::Details::DefaultTypes::node_type>
class TransposePlan {
  using Formed = Impl::ReportFor<SC>;  // compile error if the library has no products of SC

 public:
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix

  /// Makes an empty plan, to which a program may assign another one. transpose() of an empty plan
  /// throws Trident::Error on every rank of the matrix's communicator.
  TransposePlan() = default;
  /// Returns false if the plan is empty: made by default, or moved from. Local.
  explicit operator bool() const { return bool(plan_); }

  /// Plans the transpose of A, with the conditions and errors of Trident::transpose(A, params).
  /// Collective over A's communicator.
  /// @param label part of the timers' names, "Trident <label>: TransposePlan" and "Trident <label>:
  ///   TransposePlan::transpose"
  explicit TransposePlan(const crs_matrix_type& A,
                         const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
                         const std::string& label = std::string());

  /// Returns the transpose of A, fill-complete. All transposes of this plan share one constant
  /// graph. Collective over A's communicator. Throws Trident::Error on every rank if A is not
  /// fill-complete, or its structure differs from the planned one. Structure is the row, column,
  /// domain and range Maps, and the entries in their order. It is compared by fingerprints, as in
  /// MultiplyPlan::multiply().
  Teuchos::RCP<crs_matrix_type> transpose(const crs_matrix_type& A) const;

  /// Returns the transpose of A, without keeping a plan. Trident::transpose() calls it.
  static Teuchos::RCP<crs_matrix_type> transposeOnce(
      const crs_matrix_type& A, const Teuchos::RCP<Teuchos::ParameterList>& params,
      const std::string& label);

 private:
  std::shared_ptr<const Impl::PlannedTranspose<SC, LO, GO, NO>> plan_;
};

// Deduces the types, so that a program need not name them.
template <class SC, class LO, class GO, class NO>
TransposePlan(const Tpetra::CrsMatrix<SC, LO, GO, NO>&,
              const Teuchos::RCP<Teuchos::ParameterList>& = Teuchos::null,
              const std::string& = std::string()) -> TransposePlan<SC, LO, GO, NO>;

/// Returns the transpose of A, fill-complete, without conjugation, as
/// Tpetra::RowMatrixTransposer::createTranspose() makes it.
///
/// A is fill-complete, with one-to-one row, domain and range Maps. A has fewer than 2^31 rows, and
/// fewer than 2^32 entries on a rank. The transpose has A's domain Map as row and range Map, and
/// A's range Map as domain Map. Its rows are sorted. Its column Map has all domain indices of the
/// rank first. Other columns follow, sorted by owner and then by global index. (Tpetra leaves out
/// domain indices whose columns are empty on the rank, and takes A's row Map if all columns of A
/// are owned.) Entries go straight to the owners of their columns. All work is on A's device.
///
/// Collective over A's communicator. Throws on every rank, with A unchanged: Trident::Error for bad
/// input, and if parameters differ between ranks. Ranks whose own parameters are bad throw Teuchos'
/// validation exceptions. One thread of a process may be inside Trident at a time.
/// @param params may hold a sublist "Trident" (see getValidParameters()). The whole sublist is
///   checked, but only "timeout", "ranks per node" and the parameters of messages have an effect.
///   Beside the sublist, only "compute global constants" (bool, true by default) is read
/// @param label part of the name of the call's timer, "Trident <label>: transpose"
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>> transpose(
    const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
    const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
    const std::string& label = std::string()) {
  return TransposePlan<SC, LO, GO, NO>::transposeOnce(A, params, label);
}

}  // namespace Trident

#endif
