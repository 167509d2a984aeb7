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

/// A product C = A·B that is formed again when the values of A and B have changed but not their
/// structure. The plan finds once all that the structure decides. The plan keeps the partitions,
/// the send lists of import and export, C's graph, column Map and Import, and the place of each
/// value. A further product moves and multiplies values on the matrices' device, without a symbolic
/// phase or a sort.
///
///     Trident::MultiplyPlan plan(A, B, C);  // C = A·B, as Trident::Multiply
///     ...                                   // new values in A and B
///     plan.multiply(A, B, C);
///
/// A plan takes memory on each rank:
/// - on several ranks, up to 16 bytes for each entry of C (of double);
/// - on one rank of a device, 4 bytes for each entry of C and some 12 for each row;
/// - on one rank of hosts, at most 3 bytes for each row;
/// - at most 4 bytes for each entry of A and B that moves or is renumbered;
/// - 4 more bytes for each entry of A, if entries of A are put in order;
/// - the row offsets of graphs that the program has released, until the next product.
///
/// A plan must end before Tpetra does. If its communicator is freed before the plan, the end of
/// the plan's last copy is collective. Copies are cheap: they share one plan. Only one thread at a
/// time may use any of them.
template <class SC = Tpetra::Details::DefaultTypes::scalar_type,
          class LO = Tpetra::Details::DefaultTypes::local_ordinal_type,
          class GO = Tpetra::Details::DefaultTypes::global_ordinal_type,
          class NO = Tpetra::Details::DefaultTypes::node_type>
class MultiplyPlan {
  using Formed = Impl::ReportFor<SC>;  // compile error if the library has no products of SC

 public:
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;  ///< Tpetra's matrix

  /// Makes an empty plan, to which a program may assign another one. multiply() of an empty plan
  /// throws Trident::Error on every rank of the result's communicator.
  MultiplyPlan() = default;
  /// Returns false if the plan is empty: made by default, or moved from. Local.
  explicit operator bool() const { return bool(plan_); }

  /// Forms C = A·B as Trident::Multiply(A, B, C, params) does, with its conditions and errors, and
  /// plans further products. C must be new. Collective over A's communicator.
  /// @param label part of the timers' names, "Trident <label>: MultiplyPlan" and "Trident <label>:
  ///   MultiplyPlan::multiply"
  MultiplyPlan(const crs_matrix_type& A, const crs_matrix_type& B, crs_matrix_type& C,
               const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
               const std::string& label = std::string());

  /// Forms C = op(A)·op(B) as Trident::Multiply() does, and plans further products. C must be new.
  MultiplyPlan(const crs_matrix_type& A, bool transposeA, const crs_matrix_type& B, bool transposeB,
               crs_matrix_type& C,
               const Teuchos::RCP<Teuchos::ParameterList>& params = Teuchos::null,
               const std::string& label = std::string());

  /// Forms C = A·B, with A, B or both transposed if so planned. Collective over A's
  /// communicator. A and B must be fill-complete. C is the planned C, a matrix on its graph, or a
  /// matrix made like it. C becomes fill-complete. Tpetra's cached data of C's values, such as its
  /// norm, are forgotten.
  ///
  /// If the structure of a matrix differs from the planned one, throws Trident::Error on every
  /// rank, with A, B and C unchanged. A structure is the row, column, domain and range Maps, and
  /// the entries in their order. Entries are compared by fingerprints: 64 bits of row offsets and
  /// 64 of columns. The device reads a graph for this, but only once unless Tpetra's functions
  /// change the graph. A matrix may have another graph object than the planned one.
  Report multiply(const crs_matrix_type& A, const crs_matrix_type& B, crs_matrix_type& C) const;

  /// Returns the report of the first product.
  const Report& report() const;

 private:
  bool transposeA_ = false, transposeB_ = false;
  std::shared_ptr<const Impl::Plan<SC, LO, GO, NO>> plan_;
};

// Deduces the types, so that a program need not name them.
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
