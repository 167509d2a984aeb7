// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLANNEDPRODUCT_HPP
#define TRIDENT_PLANNEDPRODUCT_HPP

#include <string>
#include <vector>

#include "Trident_CheckArguments.hpp"
#include "Trident_CheckCall.hpp"
#include "Trident_CompleteAgain.hpp"
#include "Trident_Error.hpp"
#include "Trident_PlannedStructure.hpp"
#include "Trident_Product.hpp"
#include "Trident_Wait.hpp"

namespace Trident {
namespace Impl {

/// A product of operands, formed once and planned for new values of the same structure.
template <class SC, class LO, class GO, class NO>
class PlannedProduct {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using local_matrix_type = typename TpetraTypes<SC, LO, GO, NO>::local_matrix_type;
  using Grid = typename ProductStructure<SC, LO, GO, NO>::Grid;

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
      const Patience patience(options_.timeoutSeconds);
      report_ = Product<SC, LO, GO, NO>(operands, C, options_, params).run(&structure_);
      runEverywhere(rawComm(*C.getComm()), function, [&] {
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
    const Patience patience(options_.timeoutSeconds);
    return inNameOf(function, [&] { return formAgain(function, operands, C); });
  }

  /// Of the first product.
  const Report& report() const { return report_; }

 private:
  Report formAgain(const char* function, const Operands& operands, crs_matrix_type& C) const {
    Report report;
    report.grid = structure_.products[0].grid().shape();
    report.partition = report_.partition;
    report.operands = report_.operands;
    const double start = steadySeconds();
    std::vector<local_matrix_type> locals(operands.size());
    {
      const PhaseScope scope(report.seconds, Phase::Setup);
      checkAgain(function, operands, C);
      runEverywhere(rawComm(*C.getComm()), function, [&] {
        for (std::size_t p = 0; p < operands.size(); ++p)
          locals[p] = structure_.locals[p]->matrix(operands[p]);
      });
    }
    std::vector<Grid> grids(operands.size());
    Grid product = bring(operands, operands.size() - 1, locals, grids, report);
    for (std::size_t p = operands.size() - 1; p-- > 0;) {
      const Grid left = bring(operands, p, locals, grids, report);
      RoundCounters counters;
      RoundOptions rounds = options_.rounds;
      if (!structure_.needed[p]) rounds.fetch = FetchKind::Tiles;  // as the first product found
      multiplyValues(left, product, structure_.products[p], rounds, &counters,
                     structure_.needed[p]);
      noteRounds(report, counters, left, product, structure_.products[p]);
      product = structure_.products[p];
    }
    const PhaseScope scope(report.seconds, Phase::Export);
    // Before its values come: then these are the last thing that changes.
    completeAgain(C, C.getCrsGraph()->haveGlobalConstants());
    structure_.values.move(product.local().values, C.getLocalMatrixDevice().values,
                           report.traffic.export_);
    endReasons(report);
    report.totalSeconds = steadySeconds() - start;
    return report;
  }

  void checkAgain(const char* function, const Operands& operands, const crs_matrix_type& C) const {
    const MPI_Comm comm = rawComm(*C.getComm());
    std::vector<const crs_matrix_type*> matrices;
    for (const auto& operand : operands) matrices.push_back(operand.matrix);
    matrices.push_back(&C);
    checkArguments(comm, function, [&](CommonValues& values) {
      values = commonValues(operands, C, name_);
      return std::string();
    });
    requireStructures(comm, function, planned_, matrices);
    checkDiagonals(comm, function, operands);
  }

  /// Operand p on the grid, once for all that are the same.
  Grid bring(const Operands& operands, std::size_t p, std::vector<local_matrix_type>& locals,
             std::vector<Grid>& grids, Report& report) const {
    const PhaseScope scope(report.seconds, Phase::Import);
    for (std::size_t q = p + 1; q < operands.size(); ++q)
      if (operands[q].matrix == operands[p].matrix &&
          structure_.imports[q] == structure_.imports[p])
        return grids[p] = grids[q];
    grids[p] = structure_.imports[p]->matrix(locals[p], report.traffic.import);
    locals[p] = {};
    return grids[p];
  }

  std::string name_;  // of C
  Options options_;
  Report report_;
  ProductStructure<SC, LO, GO, NO> structure_;
  std::vector<PlannedStructure<crs_matrix_type>> planned_;  // of the operands and of C
};

}  // namespace Impl
}  // namespace Trident

#endif
