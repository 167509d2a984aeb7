// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PLANNEDOPERANDS_HPP
#define TRIDENT_PLANNEDOPERANDS_HPP

#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "product/Trident_GridOperands.hpp"
#include "product/Trident_ProductStructure.hpp"
#include "rounds/Trident_GridMultiply.hpp"
#include "tpetra/Trident_Operand.hpp"

namespace Trident::Impl {

/// Operands in the forms and of the structure that a plan knows. Their products are those of the
/// plan, whose values are overwritten.
template <class SC, class LO, class GO, class NO>
class PlannedOperands : public GridOperands<typename ProductStructure<SC, LO, GO, NO>::Grid> {
  using Structure = ProductStructure<SC, LO, GO, NO>;
  using Import = MatrixImport<typename Structure::Scalar, typename Structure::Device>;
  using local_matrix_type = typename TpetraTypes<SC, LO, GO, NO>::local_matrix_type;

 public:
  using Grid = typename Structure::Grid;
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;
  using Values = typename Grid::local_matrix_type::values_type;

  /// Local; takes memory where an operand is not its matrix itself, or moves. All ranks agree that
  /// they have it before any operand is brought. All outlive this.
  /// @param into where values of the whole product go, where they are in place
  PlannedOperands(const Structure& structure, const Operands& operands, const RoundOptions& rounds,
                  Traffic& traffic, const Values& into)
      : structure_(structure),
        operands_(operands),
        rounds_(rounds),
        traffic_(traffic),
        into_(into),
        locals_(operands.size()),
        packed_(operands.size()) {
    LocalFailure failure;
    for (std::size_t p = 0; p < size(); ++p) {
      if (sameAs(p) != p) continue;
      locals_[p] = structure.locals[p]->matrix(operands[p]);
      packed_[p] = structure.imports[p]->pack(locals_[p], failure);
    }
    if (failure.failed()) throw Error(failure.text());
  }

  std::size_t size() const override { return operands_.size(); }
  std::size_t sameAs(std::size_t p) const override {
    std::size_t q = size() - 1;
    while (operands_[q].matrix != operands_[p].matrix ||
           structure_.imports[q] != structure_.imports[p])
      --q;
    return q;
  }
  Grid bring(std::size_t p, LocalFailure& failure) override {
    return structure_.imports[p]->matrix(std::exchange(locals_[p], {}),
                                         std::exchange(packed_[p], {}), traffic_, failure);
  }
  Grid product(std::size_t p, const Grid& left, const Grid& right, RoundCounters& counters,
               LocalFailure& failure) override {
    const Grid product = p == 0 && structure_.values.inPlace()
                             ? structure_.products[p].withValues(into_)
                             : structure_.products[p];
    multiplyValuesOnGrid(left, right, product, rounds_, &counters, structure_.known[p], &failure);
    return product;
  }

 private:
  const Structure& structure_;
  const Operands& operands_;
  const RoundOptions& rounds_;
  Traffic& traffic_;
  Values into_;
  // Of operands that are still to be brought.
  std::vector<local_matrix_type> locals_;
  std::vector<typename Import::Packed> packed_;
};

}  // namespace Trident::Impl

#endif
