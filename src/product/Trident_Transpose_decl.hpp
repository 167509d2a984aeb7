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

/// A transpose that is formed again and again as the values of A change and its structure does not.
/// All that structure decides is found once: the place of each value, the Maps, the column Map's
/// Import and the graph. A further transpose permutes values, on the matrix's device, and sends
/// those that have another owner in one exchange.
///
///     const Trident::TransposePlan plan(A);
///     const auto R = plan.transpose(A);  // as Trident::transpose(A)
///     ...                                // new values in A
///     const auto S = plan.transpose(A);  // on the graph of R
///
/// A plan holds the graph, and 8 bytes for each entry and some 40 for each column with entries on a
/// rank (4 for each entry on one rank). It lives as long as Tpetra at most; where its
/// communicator's context was released before, ending the last handle is collective. A cheap
/// handle: copies share it, and must not be used by two threads at once.
template <class SC = Tpetra::Details::DefaultTypes::scalar_type,
          class LO = Tpetra::Details::DefaultTypes::local_ordinal_type,
          class GO = Tpetra::Details::DefaultTypes::global_ordinal_type,
          class NO = Tpetra::Details::DefaultTypes::node_type>
class TransposePlan {
  using Formed = Impl::ReportFor<SC>;  // compiles only if there are products of SC

 public:
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix

  /// Makes an empty plan, to assign a plan to. transpose() by it throws Trident::Error on every
  /// rank of the matrix's communicator.
  TransposePlan() = default;
  /// Returns false if the plan is empty: made by default, or moved from. Local.
  explicit operator bool() const { return bool(plan_); }

  /// Plans the transpose of A, with the conditions and errors of Trident::transpose(A, params).
  /// Collective over A's communicator.
  /// @param label in the names of the timers, "Trident <label>: TransposePlan" and
  ///   "Trident <label>: TransposePlan::transpose"
  explicit TransposePlan(const crs_matrix_type& A,
                         const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
                         const std::string& label = std::string());

  /// Returns the transpose of A, fill-complete, on the graph that all transposes of this plan
  /// share: a constant one. Collective over A's communicator. Throws Trident::Error on every rank
  /// if A is not fill-complete, or its structure differs from the planned one. Structure is the
  /// row, column, domain and range Maps, and the entries in their order. It is compared by
  /// fingerprints, as of MultiplyPlan::multiply().
  Teuchos::RCP<crs_matrix_type> transpose(const crs_matrix_type& A) const;

  /// Transposes A as Trident::transpose().
  static Teuchos::RCP<crs_matrix_type> transposeOnce(
      const crs_matrix_type& A, const Teuchos::RCP<Teuchos::ParameterList>& params,
      const std::string& label);

 private:
  std::shared_ptr<const Impl::PlannedTranspose<SC, LO, GO, NO>> plan_;
};

// Deduces the types, which a program then need not name.
template <class SC, class LO, class GO, class NO>
TransposePlan(const Tpetra::CrsMatrix<SC, LO, GO, NO>&,
              const Teuchos::RCP<Teuchos::ParameterList>& = Teuchos::null,
              const std::string& = std::string()) -> TransposePlan<SC, LO, GO, NO>;

/// Returns the transpose of A, fill-complete, without conjugation, as
/// Tpetra::RowMatrixTransposer::createTranspose() makes it.
///
/// A is fill-complete, in one-to-one row, domain and range Maps, with fewer than 2^31 rows, and
/// with fewer than 2^32 entries on a rank; so is the transpose. That has A's domain Map as row and
/// range Map, and A's range Map as domain Map. Its rows are sorted. Its column Map has all domain
/// indices of the rank first, then the others, by owner and there by global index. (Tpetra's leaves
/// out domain indices whose columns are empty on the rank. It has A's row Map where no column of A
/// is another rank's.) Entries go straight to the owners of their columns; all work is done on the
/// matrix's device.
///
/// Collective over A's communicator. Throws on every rank, with A untouched: Trident::Error for bad
/// input, and where ranks pass other parameters than each other; Teuchos' validation exceptions on
/// ranks whose own parameters are bad. One thread of a process may be inside Trident at a time.
/// @param params may hold a sublist "Trident" (see getValidParameters()), which is checked whole;
///   "timeout", "ranks per node" and what is said of messages act here. Of the rest "compute global
///   constants" (bool, true by default) is honoured and everything else left alone
/// @param label in the name of the call's timer, "Trident <label>: transpose"
template <class SC, class LO, class GO, class NO>
Teuchos::RCP<Tpetra::CrsMatrix<SC, LO, GO, NO>> transpose(
    const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
    const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
    const std::string& label = std::string()) {
  return TransposePlan<SC, LO, GO, NO>::transposeOnce(A, params, label);
}

}  // namespace Trident

#endif
