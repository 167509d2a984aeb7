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

/// Forms products of one structure again and again. A plan keeps the data of its first product that
/// further products need. If a plan checks, form() compares matrices with the first ones, and the
/// plan holds their Maps. If a plan does not check, the caller of form() compares matrices, as a
/// cache of plans does, and the plan holds nothing of the caller's.
template <class SC, class LO, class GO, class NO>
class Plan {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Values = typename Types::local_matrix_type::values_type;

 public:
  using Call = ProductCall<SC, LO, GO, NO>;
  using Words = typename Fingerprint<crs_matrix_type>::Words;

  /// Forms the product of a call into its C. Collective over the operands' communicator. Throws the
  /// errors of the called function, and then leaves C as it was.
  /// @param checks true if form() compares matrices with the first ones; false if the caller of
  ///   form() compares them. If false, a further C may be new, and the first C may have a pattern
  Plan(const Call& call, bool checks);

  /// Forms a further product into C. The operands have the forms and the structures of the first
  /// ones. C is new on the first C's row Map, or has the first C's structure (fill-complete or
  /// open). Collective. Throws Trident::Error on every rank, and then leaves C's values unchanged.
  Report form(const Call& call) const;

  /// Returns the report of the first product.
  const Report& report() const { return report_; }

  // The next functions are only for checks == false. All are local.

  /// Moves the fingerprint of C out. The fingerprint is empty if this rank lacked memory for it.
  Words takeResult() { return std::move(result_); }
  /// Returns true if the plan can still make a new result. On hosts results share the plan's
  /// columns. With Options::rereadsStructures, returns false if somebody has changed these columns.
  bool makesResults() const;
  /// Returns the bytes of the arrays that are kept on this rank. C shares some of these arrays.
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
  const std::string label_;  // label of further products; empty unless the plan checks
  bool globalConstants_;
  Options options_;
  Report report_;
  std::shared_ptr<ProductPlan<SC, LO, GO, NO>> kept_;
  std::optional<GlobalConstants<crs_matrix_type>> constants_;  // global constants of C
  std::vector<PlannedMatrix<crs_matrix_type>> planned_;        // operands and C, for checks
  mutable SeenStructures seen_;
  // The next members are set only for checks == false.
  std::optional<ResultStructure<SC, LO, GO, NO>> structure_;  // a copy on devices, 4 bytes an entry
  Words result_;
  std::uint64_t columns_ = 0;  // hash of the result's columns
  std::size_t bytes_ = 0;
};

/// Forms a call's product, and returns a plan that checks matrices itself. Collective.
template <class SC, class LO, class GO, class NO>
std::shared_ptr<const Plan<SC, LO, GO, NO>> planFor(const ProductCall<SC, LO, GO, NO>& call) {
  return std::make_shared<const Plan<SC, LO, GO, NO>>(call, true);
}

constexpr const char* emptyPlan =
    "this plan is empty; make it of matrices first, or use the one that it was moved to";

/// Throws Trident::Error on every rank, because this rank's plan is empty. Collective over `comm`.
/// Other ranks may call form() of their plans meanwhile.
inline void refuseEmptyPlan(const char* function, MPI_Comm comm) {
  const CallScope inside(function);
  const TimeoutScope polls(0, false);  // plans' timeout is unknown here; ranks with plans poll, too
  withErrorContext(function, [&] {
    checkArguments(comm, function, [](CollectiveArguments&) { return std::string(emptyPlan); });
  });
}

/// Forms a further product. Collective over C's communicator. If the plan is empty on a rank,
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
