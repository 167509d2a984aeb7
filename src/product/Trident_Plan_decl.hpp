// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLAN_DECL_HPP
#define TRIDENT_PLAN_DECL_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_Report.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_Traffic.hpp"
#include "base/Trident_Wait.hpp"
#include "product/Trident_NewResult.hpp"
#include "product/Trident_ProductCall.hpp"
#include "product/Trident_ReadParameters.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_Fingerprint.hpp"
#include "tpetra/Trident_GlobalConstants.hpp"
#include "tpetra/Trident_Operand.hpp"
#include "tpetra/Trident_PlannedMatrix.hpp"
#include "tpetra/Trident_SeenStructures.hpp"

namespace Trident::Impl {

template <class SC, class LO, class GO, class NO>
struct ProductPlan;
template <class SC, class LO, class GO, class NO>
class PlannedImports;

/// Forms products of one structure again and again: of a product that was formed once it keeps the
/// data that serve the others. Either it compares matrices by itself, for which it holds Maps of
/// the first ones. Or its caller has done so, as a cache of plans does, and it holds nothing of the
/// caller's.
template <class SC, class LO, class GO, class NO>
class Plan {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Values = typename Types::local_matrix_type::values_type;

 public:
  using Call = ProductCall<SC, LO, GO, NO>;
  using Words = typename Fingerprint<crs_matrix_type>::Words;

  /// Forms the product of a call into its C. Collective over the operands' communicator; throws as
  /// the function called, C as it was.
  /// @param checks true if form() compares matrices with the first ones. If false, its caller does
  ///   so; then a further C may be new, and the first C may have a pattern
  Plan(const Call& call, bool checks);

  /// Forms a further product, of operands in the same forms and of the same structure, into C: of
  /// the first C's structure, fill-complete or open; or new, on such a row Map. Collective; throws
  /// Trident::Error on every rank, C's values unchanged.
  Report form(const Call& call) const;

  /// Returns the report of the first product.
  const Report& report() const { return report_; }

  // Only for checks == false. Local.

  /// Moves the fingerprint of C out; empty if this rank lacked memory for it.
  Words takeResult() { return std::move(result_); }
  /// Returns true if a new result can still be made: false if the options have columns read that
  /// results share, and somebody has changed them.
  bool makesResults() const;
  /// Returns the bytes of the arrays that are kept on this rank; C shares some of them.
  std::size_t bytes() const { return bytes_; }

 private:
  void formFirst(const Call& call, crs_matrix_type& C);
  void describeResult(const crs_matrix_type& C);
  Report formAgain(const Call& call) const;
  template <class TakeMemory>
  void checkAndTakeMemory(const Call& call, const TakeMemory& takeMemory) const;
  Values multiply(PlannedImports<SC, LO, GO, NO>& imports, std::vector<Values> values,
                  LocalFailure& failure) const;
  Values valuesOf(const Call& call) const;
  void complete(crs_matrix_type& C, const LocalFailure& failure) const;
  void exportInto(const Values& values, const Values& into, crs_matrix_type& C, Traffic& traffic,
                  LocalFailure& failure) const;
  void exportNew(const Values& values, ExportedMatrix<SC, LO, GO, NO>& result, const Call& call,
                 Traffic& traffic, LocalFailure& failure) const;

  const bool checks_;
  const std::string label_;  // label of all products, if the plan checks
  bool globalConstants_;
  Options options_;
  Report report_;
  std::shared_ptr<ProductPlan<SC, LO, GO, NO>> kept_;
  std::optional<GlobalConstants<crs_matrix_type>> constants_;  // constants of C
  std::vector<PlannedMatrix<crs_matrix_type>> planned_;        // operands and C, if the plan checks
  mutable SeenStructures seen_;
  // Only for checks == false.
  std::optional<ResultStructure<SC, LO, GO, NO>> structure_;  // a copy on devices: 4 bytes an entry
  Words result_;
  std::uint64_t columns_ = 0;  // hash of the result's
  std::size_t bytes_ = 0;
};

/// Returns a plan that checks by itself, of a call's product. Collective, as Plan's constructor.
template <class SC, class LO, class GO, class NO>
std::shared_ptr<const Plan<SC, LO, GO, NO>> planFor(const ProductCall<SC, LO, GO, NO>& call) {
  return std::make_shared<const Plan<SC, LO, GO, NO>>(call, true);
}

constexpr const char* emptyPlan =
    "this plan is empty; make it of matrices first, or use the one that it was moved to";

/// Throws Trident::Error on every rank, as this one's plan is empty. Collective over `comm`, beside
/// ranks that form() something by theirs.
inline void refuseEmptyPlan(const char* function, MPI_Comm comm) {
  const CallScope inside(function);
  const TimeoutScope polls(0, false);  // as of the others' plan, whose bound is not known here
  withErrorContext(function, [&] {
    checkArguments(comm, function, [](CollectiveArguments&) { return std::string(emptyPlan); });
  });
}

/// Forms a further product. Collective over C's communicator: where the plan is empty on a rank,
/// throws Trident::Error on every rank.
template <class SC, class LO, class GO, class NO>
Report formPlanned(const std::shared_ptr<const Plan<SC, LO, GO, NO>>& plan,
                   const ProductCall<SC, LO, GO, NO>& call) {
  if (plan) return plan->form(call);
  refuseEmptyPlan(call.function, rawComm(*call.C->getComm()));
  return {};  // not reached
}

/// Returns the report of the first product; throws Trident::Error if the plan is empty. Local.
template <class P>
const Report& reportOf(const std::shared_ptr<const P>& plan, const char* function) {
  if (!plan) throw Error(function, emptyPlan);
  return plan->report();
}

}  // namespace Trident::Impl

#endif
