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
#include "product/Trident_Product.hpp"
#include "product/Trident_RepeatedProduct.hpp"
#include "tpetra/Trident_PlannedMatrix.hpp"

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
      const Options options = checkCall(ProductCall<SC, LO, GO, NO>{
          function, &C, name, ResultPattern::New, params, true, {}, operands});
      const TimeoutScope timeout(options.timeoutSeconds);
      if (options.rounds.filters())
        throw Error(function,
                    "a plan keeps the structure of the product, and a filter changes it with the "
                    "values; leave \"drop tolerance\" and \"keep largest\" out");
      if (options.rounds.semiring != SemiringKind::PlusTimes)
        throw Error(function,
                    std::string("a plan is over plus-times alone; leave \"semiring\" = \"") +
                        nameOf(options.rounds.semiring) +
                        "\" out, or form the product without a plan");
      product_.emplace(operands, C, options, params, false);
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
    const TimeoutScope timeout(product_->timeoutSeconds());
    return inNameOf(function, [&] {
      return product_->form(
          operands, C, [&](const auto& takeMemory) { begin(function, operands, C, takeMemory); });
    });
  }

  /// Of the first product.
  const Report& report() const { return product_->report(); }

 private:
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
  std::optional<RepeatedProduct<SC, LO, GO, NO>> product_;
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
