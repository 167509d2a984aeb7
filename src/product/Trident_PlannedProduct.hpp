// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLANNEDPRODUCT_HPP
#define TRIDENT_PLANNEDPRODUCT_HPP

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Names.hpp"
#include "base/Trident_Wait.hpp"
#include "product/Trident_GridOperands.hpp"
#include "product/Trident_Product.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_PlannedMatrix.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace Trident::Impl {

/// A product of operands, formed once and planned for new values of the same structure.
template <class SC, class LO, class GO, class NO>
class PlannedProduct {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// Forms the product into C. Collective over the operands' communicator; throws as Multiply().
  /// @param function in whose name, here and below
  /// @param name of C, for messages
  PlannedProduct(const char* function, const Operands& operands, crs_matrix_type& C,
                 const std::string& name, const Teuchos::RCP<Teuchos::ParameterList>& params)
      : name_(name) {
    const ThreadInside inside;
    inNameOf(function, [&] {
      options_ = checkCall(function, operands, C, name, ResultPattern::New, {}, params);
      const TimeoutScope timeout(options_.timeoutSeconds);
      if (options_.rounds.filters())
        throw Error(function,
                    "a plan keeps the structure of the product, and a filter changes it with the "
                    "values; leave \"drop tolerance\" and \"keep largest\" out");
      if (options_.rounds.semiring != SemiringKind::PlusTimes)
        throw Error(function,
                    std::string("a plan is over plus-times alone; leave \"semiring\" = \"") +
                        nameOf(options_.rounds.semiring) +
                        "\" out, or form the product without a plan");
      Product<SC, LO, GO, NO> product(operands, C, options_, params);
      plan_ = product.plan();
      report_ = product.report();
      runEverywhere(rawComm(*C.getComm()), [&] {
        for (const auto& operand : operands)
          planned_.emplace_back(*operand.matrix, operand.name, false);
        planned_.emplace_back(C, name, true);
      });
    });
  }

  /// Forms it again, of operands in the same forms and of the same structure. Collective; throws
  /// Trident::Error on every rank, nothing changed, where a matrix has another structure.
  Report multiply(const char* function, const Operands& operands, crs_matrix_type& C) const {
    const ThreadInside inside;
    const TimeoutScope timeout(options_.timeoutSeconds);
    return inNameOf(function, [&] { return formAgain(function, operands, C); });
  }

  /// Of the first product.
  const Report& report() const { return report_; }

 private:
  Report formAgain(const char* function, const Operands& operands, crs_matrix_type& C) const {
    Report report;
    report.grid = plan_.products[0].grid().shape();
    report.node = report_.node;
    report.partition = report_.partition;
    report.operands = report_.operands;
    const double start = steadySeconds();
    std::optional<PlannedOperands<SC, LO, GO, NO>> planned;
    Values into;
    {
      const PhaseScope scope(report.seconds, Phase::Setup);
      begin(function, operands, C, [&] {
        requireDeviceArrays(C);  // for the last step, when all have agreed
        into = valuesOf(operands, C);
        planned.emplace(plan_, operands, options_.rounds, report.traffic.import, into);
      });
    }
    // C's values are the last thing that changes. They are in place on one rank alone, which takes
    // all memory before it writes.
    LocalFailure failure;
    if (plan_.values.inPlace()) {
      const PhaseScope scope(report.seconds, Phase::Export);
      completeAgain(C);
    }
    const auto product = multiplyOperands(*planned, report, failure);
    const PhaseScope scope(report.seconds, Phase::Export);
    if (plan_.values.inPlace()) {
      throwEverywhere(rawComm(*C.getComm()), failure.text());
      if (firstValueOf(C) != into.data()) Kokkos::deep_copy(localMatrixOf(C).values, into);
    } else {
      const auto packed = plan_.values.pack(product.local().values, failure);
      completeAgain(C, failure);
      plan_.values.move(packed, localMatrixOf(C).values, report.traffic.export_);
    }
    noteMoved(report.reasons, options_.movedNote);
    endReasons(report);
    report.totalSeconds = steadySeconds() - start;
    return report;
  }

  using Values = typename PlannedOperands<SC, LO, GO, NO>::Values;

  /// Where the product's values go, where they are in place: into C's, but where an operand has
  /// these too, as it is read while they are written.
  Values valuesOf(const Operands& operands, crs_matrix_type& C) const {
    if (!plan_.values.inPlace()) return {};
    const Values ofC = localMatrixOf(C).values;
    for (const auto& operand : operands)
      if (firstValueOf(*operand.matrix) == ofC.data())
        return uninitialized<typename Values::non_const_value_type, typename Values::device_type>(
            "Trident::values", ofC.extent(0));
    return ofC;
  }

  /// Checks the matrices, and takes memory: all ranks agree on both at once.
  template <class TakeMemory>
  void begin(const char* function, const Operands& operands, const crs_matrix_type& C,
             const TakeMemory& takeMemory) const {
    const MPI_Comm comm = rawComm(*C.getComm());
    std::vector<const crs_matrix_type*> matrices;
    for (const auto& operand : operands) matrices.push_back(operand.matrix);
    matrices.push_back(&C);
    const auto check = [&](CommonValues& values) {
      addCommonValues(operands, C, name_, values);
      return std::string();
    };
    const bool otherMaps = checkArguments(comm, function, check, [&] {
      const bool veryMaps = requireStructures(planned_, matrices);
      for (const auto& operand : operands) requireDiagonalHere(operand);
      takeMemory();
      return !veryMaps;
    });
    if (otherMaps) requireMaps(comm, planned_, matrices);
    checkDiagonals(comm, function, operands);
  }

  std::string name_;  // of C
  Options options_;
  Report report_;
  ProductPlan<SC, LO, GO, NO> plan_;
  std::vector<PlannedMatrix<crs_matrix_type>> planned_;  // of the operands and of C
};

/// What the handle of a plan holds; throws Trident::Error in the name of `function` where the
/// handle was moved from. Local.
template <class Plan>
const Plan& planOf(const std::shared_ptr<const Plan>& plan, const char* function) {
  if (!plan) throw Error(function, "this plan was moved from; call the one that it went to");
  return *plan;
}

}  // namespace Trident::Impl

#endif
