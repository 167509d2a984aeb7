// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLANNEDPRODUCT_HPP
#define TRIDENT_PLANNEDPRODUCT_HPP

#include <string>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_Parameters.hpp"
#include "Trident_Product.hpp"
#include "Trident_SameStructure.hpp"

namespace Trident {
namespace Impl {

/// A product of operands, formed once and planned for new values of the same structure.
template <class SC, class LO, class GO, class NO>
class PlannedProduct {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using graph_type = typename crs_matrix_type::crs_graph_type;
  using local_matrix_type = typename TpetraTypes<SC, LO, GO, NO>::local_matrix_type;
  using Grid = typename ProductStructure<SC, LO, GO, NO>::Grid;

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// Forms the product into C. Collective over the operands' communicator; throws as Multiply().
  /// @param function in whose name, here and below
  /// @param name of C, for messages
  PlannedProduct(const char* function, const Operands& operands, crs_matrix_type& C,
                 const std::string& name, const Teuchos::RCP<Teuchos::ParameterList>& params)
      : options_(readParameters(params)), name_(name) {
    inNameOf(function, [&] {
      checkInput(function, operands, C, name, ResultPattern::New);
      report_ = Product<SC, LO, GO, NO>(operands, C, options_, params).run(&structure_);
    });
    for (const auto& operand : operands) graphs_.push_back(operand.matrix->getCrsGraph());
    graphs_.push_back(C.getCrsGraph());
  }

  /// Forms it again, of operands in the same forms and of the same structure. Collective; throws
  /// Trident::Error on every rank, nothing changed, where a matrix has another structure.
  Report multiply(const char* function, const Operands& operands, crs_matrix_type& C) const {
    return inNameOf(function, [&] { return formAgain(function, operands, C); });
  }

  /// Of the first product.
  const Report& report() const { return report_; }

 private:
  Report formAgain(const char* function, const Operands& operands, crs_matrix_type& C) const {
    Report report;
    report.grid = structure_.products[0].grid().shape();
    report.partition = report_.partition;
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
    structure_.values.move(product.local().values, C.getLocalMatrixDevice().values,
                           report.traffic.export_);
    endReasons(report);
    report.totalSeconds = steadySeconds() - start;
    return report;
  }

  void checkAgain(const char* function, const Operands& operands, const crs_matrix_type& C) const {
    const MPI_Comm comm = rawComm(*C.getComm());
    std::vector<PlannedMatrix<crs_matrix_type>> all;
    for (std::size_t p = 0; p < operands.size(); ++p)
      all.push_back({*operands[p].matrix, *graphs_[p], operands[p].name});
    all.push_back({C, *graphs_.back(), name_});
    requireStructures(comm, function, all);
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

  Options options_;
  std::string name_;
  Report report_;
  ProductStructure<SC, LO, GO, NO> structure_;
  std::vector<Teuchos::RCP<const graph_type>> graphs_;  // of the operands and of C
};

}  // namespace Impl
}  // namespace Trident

#endif
