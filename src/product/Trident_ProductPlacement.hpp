// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTPLACEMENT_HPP
#define TRIDENT_PRODUCTPLACEMENT_HPP

#include <memory>
#include <vector>

#include "Trident_Parameters.hpp"
#include "Trident_Report.hpp"
#include "exchange/Trident_Context.hpp"
#include "product/Trident_NumberedOperands.hpp"
#include "product/Trident_ShapeChoice.hpp"
#include "tpetra/Trident_MapNumbering.hpp"

namespace Trident::Impl {

/// Where the operands of a product lie on which grid: their indices numbered, the grid's shape
/// chosen, the index spaces cut.
template <class SC, class LO, class GO, class NO>
class ProductPlacement {
 public:
  using Space = MapSpace<LO, GO, NO>;

  /// Collective over the operands' communicator; throws Trident::Error on every rank where one
  /// lacks memory. What was chosen and why is noted in `report`.
  ProductPlacement(const std::vector<Operand<SC, LO, GO, NO>>& operands, const Options& options,
                   Report& report)
      : context_(Context::of(rawComm(*operands[0].matrix->getComm()))),
        operands_(operands, context_.layout(options.grid.ranksPerNode, orderOf(options.grid)),
                  context_.comm(), report.traffic.import, failure_),
        rounds_(options.rounds) {
    weighByWork(options, report.traffic.setup);
    ShapeChoice<SC, LO, GO, NO> choice(operands_, options, context_, report, failure_);
    spaces_ = choice.choose();
    rounds_.fetch = choice.fetch();
    exchanges_ = context_.grid(options.grid.ranksPerNode, report.grid);
    report.node = operands_.numbering(0).me / report.grid.lambda;
    operands_.dropWeights();
    for (const auto& operand : operands)
      report.operands.push_back(
          {operand.label(), static_cast<long long>(localEntries(*operand.matrix))});
  }

  MPI_Comm comm() const { return context_.comm(); }
  NumberedOperands<SC, LO, GO, NO>& operands() { return operands_; }
  const NumberedOperands<SC, LO, GO, NO>& operands() const { return operands_; }
  /// Rows of operand p; of p = their number, columns of the last.
  const Space& space(std::size_t p) const { return spaces_[operands_.mapOf(p)]; }
  const std::shared_ptr<GridExchanges>& exchanges() const { return exchanges_; }
  /// The options of the rounds, as far as they were open to this choice settled.
  const RoundOptions& rounds() const { return rounds_; }

 private:
  void weighByWork(const Options& options, Traffic& traffic) {
    if (options.grid.partition != PartitionKind::Work || isAlone(context_.comm())) return;
    operands_.weighByWork(context_.ranks(options.grid.ranksPerNode, orderOf(options.grid)),
                          rounds_.messageBytes, traffic, failure_);
  }

  Context& context_;
  LocalFailure failure_;  // until the spaces are cut, when all ranks hear of it
  NumberedOperands<SC, LO, GO, NO> operands_;
  RoundOptions rounds_;
  std::vector<Space> spaces_;  // of the operands' distinct Maps
  std::shared_ptr<GridExchanges> exchanges_;
};

}  // namespace Trident::Impl

#endif
