// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLANNEDOPERANDS_HPP
#define TRIDENT_PLANNEDOPERANDS_HPP

#include <utility>
#include <vector>

#include "Trident_GridMultiply.hpp"
#include "Trident_GridOperands.hpp"
#include "Trident_Operand.hpp"
#include "Trident_ProductStructure.hpp"

namespace Trident::Impl {

/// Operands in the forms and of the structure that a plan knows. Their products are those of the
/// plan, whose values are overwritten.
template <class SC, class LO, class GO, class NO>
class PlannedOperands : public GridOperands<typename ProductStructure<SC, LO, GO, NO>::Grid> {
  using Structure = ProductStructure<SC, LO, GO, NO>;
  using local_matrix_type = typename TpetraTypes<SC, LO, GO, NO>::local_matrix_type;

 public:
  using Grid = typename Structure::Grid;
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;
  using Values = typename Grid::local_matrix_type::values_type;

  /// Local; takes memory where an operand is not its matrix itself. All outlive this.
  /// @param into where values of the whole product go, where they are in place
  PlannedOperands(const Structure& structure, const Operands& operands, const RoundOptions& rounds,
                  Traffic& traffic, const Values& into)
      : structure_(structure),
        operands_(operands),
        rounds_(rounds),
        traffic_(traffic),
        into_(into),
        locals_(operands.size()) {
    for (std::size_t p = 0; p < size(); ++p)
      if (sameAs(p) == p) locals_[p] = structure.locals[p]->matrix(operands[p]);
  }

  std::size_t size() const override { return operands_.size(); }
  std::size_t sameAs(std::size_t p) const override {
    std::size_t q = size() - 1;
    while (operands_[q].matrix != operands_[p].matrix ||
           structure_.imports[q] != structure_.imports[p])
      --q;
    return q;
  }
  Grid bring(std::size_t p) override {
    return structure_.imports[p]->matrix(std::exchange(locals_[p], {}), traffic_);
  }
  Grid product(std::size_t p, const Grid& left, const Grid& right,
               RoundCounters& counters) override {
    const Grid product = p == 0 && structure_.values.inPlace()
                             ? structure_.products[p].withValues(into_)
                             : structure_.products[p];
    RoundOptions rounds = rounds_;
    if (!structure_.needed[p]) rounds.fetch = FetchKind::Tiles;  // as the first product found
    multiplyValuesOnGrid(left, right, product, rounds, &counters, structure_.needed[p]);
    return product;
  }

 private:
  const Structure& structure_;
  const Operands& operands_;
  const RoundOptions& rounds_;
  Traffic& traffic_;
  Values into_;
  std::vector<local_matrix_type> locals_;  // of operands that are still to be brought
};

}  // namespace Trident::Impl

#endif
