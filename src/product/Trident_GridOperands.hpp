// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDOPERANDS_HPP
#define TRIDENT_GRIDOPERANDS_HPP

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "Trident_Error.hpp"
#include "Trident_Report.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "kernels/Trident_LocalMultiply.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "move/Trident_MatrixImport.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "product/Trident_ProductPlacement.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"
#include "rounds/Trident_GridMultiply.hpp"
#include "rounds/Trident_ProductFactors.hpp"
#include "tpetra/Trident_Operand.hpp"

namespace Trident::Impl {

/// What of a product depends on structure alone: kept from the first product for others of the same
/// structure.
template <class SC, class LO, class GO, class NO>
struct ProductPlan {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;

  std::vector<std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>> locals;
  /// One object for operands that are the same.
  std::vector<std::shared_ptr<const MatrixImport<Scalar, Device>>> imports;
  /// Of each operand but the last, and all behind it; sorted rows.
  std::vector<GridMatrix<Scalar, Device>> products;
  /// As products: what ranks learnt of each other before the rounds.
  std::vector<std::shared_ptr<const LearntFromPeers<Device>>> learnt;
  ValueExport<Scalar, Device> values;

  /// Adds the arrays that are kept. Local.
  void countArrays(ArrayBytes& bytes) const {
    for (const auto& local : locals) local->countArrays(bytes);
    for (const auto& import : imports) import->countArrays(bytes);
    for (const auto& product : products) {
      bytes.add(product.local().graph.row_map);
      bytes.add(product.local().graph.entries);
      bytes.add(product.local().values);
    }
    for (const auto& each : learnt)
      if (each) each->countArrays(bytes);
    values.countArrays(bytes);
  }
};

/// Operands of a product on its grid, of which nothing is known but where they are placed.
template <class SC, class LO, class GO, class NO>
class FreshOperands {
  using Plan = ProductPlan<SC, LO, GO, NO>;
  using Scalar = typename Plan::Scalar;
  using Device = typename Plan::Device;
  using Import = MatrixImport<Scalar, Device>;
  using Placement = ProductPlacement<SC, LO, GO, NO>;

 public:
  using Matrix = GridMatrix<Scalar, Device>;

  /// All outlive this.
  /// @param placement gives up what it has of each operand, when that is on the grid
  /// @param plan gets all but the export of the values, of products that are not filtered; may be
  ///   null
  FreshOperands(Placement& placement, Traffic& traffic, Plan* plan = nullptr)
      : placement_(placement), rounds_(placement.rounds()), traffic_(traffic), plan_(plan) {
    if (!plan) return;
    plan->imports.resize(size());
    plan->products.resize(size() - 1);
    plan->learnt.resize(size() - 1);
    for (std::size_t p = 0; p < size(); ++p) plan->locals.push_back(placement.operands().local(p));
  }

  std::size_t size() const { return placement_.operands().size(); }
  /// The last operand that is the same matrix in the same place as operand p: itself, mostly. The
  /// same on every rank.
  std::size_t sameAs(std::size_t p) const { return placement_.operands().sameAs(p); }

  /// Operand p on the grid; asked for once of all that are the same. Collective.
  Matrix bring(std::size_t p, LocalFailure& failure) {
    typename Import::Packed values;
    const auto import = std::make_shared<const Import>(importOf(p, values, failure));
    const Matrix brought =
        import->matrix(placement_.operands().numbered()[p].matrix, values, traffic_, failure);
    for (std::size_t q = 0; q <= p; ++q) {
      if (sameAs(q) != p) continue;
      placement_.operands().drop(q);
      if (plan_) plan_->imports[q] = import;
    }
    return brought;
  }

  /// Operand p times the product of all behind it. Collective.
  Matrix product(std::size_t p, const Matrix& left, const Matrix& right, RoundCounters& counters,
                 LocalFailure& failure) {
    if (p == 0 && rounds_.filters())
      return multiplyAndDrop(left, right, rounds_, &counters, &failure);
    std::shared_ptr<const LearntFromPeers<Device>> learnt;
    const Matrix C = multiplyOnGrid(left, right, rounds_, &counters, &learnt, &failure);
    if (plan_) {
      plan_->products[p] = C;
      plan_->learnt[p] = learnt;
    }
    return C;
  }

 private:
  /// @param values gets those of operand p, packed
  Import importOf(std::size_t p, typename Import::Packed& values, LocalFailure& failure) const {
    const bool ordered = isLeftFactor(p) ? addsInOrder<Scalar, Device>(rounds_)
                                         : rightFactorsAscend<Scalar, Device>(rounds_);
    return Import(placement_.operands().numbered()[p], placement_.exchanges(), placement_.space(p),
                  placement_.space(p + 1), rounds_, traffic_, failure,
                  ordered ? EntryOrder::Ascending : EntryOrder::AsTheyCome, &values);
  }
  /// Whether operand p, or one that is the same, is multiplied by what is behind it.
  bool isLeftFactor(std::size_t p) const {
    for (std::size_t q = 0; q + 1 < size(); ++q)
      if (sameAs(q) == p) return true;
    return false;
  }

  Placement& placement_;
  const RoundOptions& rounds_;
  Traffic& traffic_;
  Plan* plan_;
};

/// Operands in the forms and of the structure that a plan knows. Their products are those of the
/// plan, whose values are overwritten.
template <class SC, class LO, class GO, class NO>
class PlannedOperands {
  using Plan = ProductPlan<SC, LO, GO, NO>;
  using Import = MatrixImport<typename Plan::Scalar, typename Plan::Device>;
  using local_matrix_type = typename TpetraTypes<SC, LO, GO, NO>::local_matrix_type;

 public:
  using Matrix = GridMatrix<typename Plan::Scalar, typename Plan::Device>;
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;
  using Values = typename Matrix::local_matrix_type::values_type;

  /// Local; takes memory where an operand is not its matrix itself, or moves. All ranks agree that
  /// they have it before any operand is brought. All outlive this.
  /// @param into where values of the whole product go, where they are in place
  PlannedOperands(const Plan& plan, const Operands& operands, const RoundOptions& rounds,
                  Traffic& traffic, const Values& into)
      : plan_(plan),
        operands_(operands),
        rounds_(rounds),
        traffic_(traffic),
        into_(into),
        locals_(operands.size()),
        packed_(operands.size()) {
    LocalFailure failure;
    for (std::size_t p = 0; p < size(); ++p) {
      if (sameAs(p) != p) continue;
      locals_[p] = plan.locals[p]->matrix(operands[p]);
      packed_[p] = plan.imports[p]->pack(locals_[p], failure);
    }
    if (failure.failed()) throw Error(failure.text());
  }

  // As those of FreshOperands.

  std::size_t size() const { return operands_.size(); }
  std::size_t sameAs(std::size_t p) const {
    std::size_t q = size() - 1;
    while (operands_[q].matrix != operands_[p].matrix || plan_.imports[q] != plan_.imports[p]) --q;
    return q;
  }
  Matrix bring(std::size_t p, LocalFailure& failure) {
    return plan_.imports[p]->matrix(std::exchange(locals_[p], {}), std::exchange(packed_[p], {}),
                                    traffic_, failure);
  }
  Matrix product(std::size_t p, const Matrix& left, const Matrix& right, RoundCounters& counters,
                 LocalFailure& failure) {
    const Matrix C =
        p == 0 && plan_.values.inPlace() ? plan_.products[p].withValues(into_) : plan_.products[p];
    multiplyValuesOnGrid(left, right, C, rounds_, &counters, plan_.learnt[p], &failure);
    return C;
  }

 private:
  const Plan& plan_;
  const Operands& operands_;
  const RoundOptions& rounds_;
  Traffic& traffic_;
  Values into_;
  // Of operands that are still to be brought.
  std::vector<local_matrix_type> locals_;
  std::vector<typename Import::Packed> packed_;
};

/// The factors of the last product on the grid.
template <class Matrix>
struct LastFactors {
  Matrix left, right;
};

/// Multiplies operands from right to left, but for the last product. Each is brought when its turn
/// comes, and stays while another that is the same is to come. Collective.
/// @tparam Operands FreshOperands, or PlannedOperands
/// @param report gets what the rounds did, and the time of import and rounds
template <class Operands>
auto lastFactors(Operands& operands, Report& report, LocalFailure& failure) {
  using Matrix = typename Operands::Matrix;
  std::vector<Matrix> kept(operands.size());
  const auto bring = [&](std::size_t p) {
    const PhaseScope scope(report.seconds, Phase::Import);
    const std::size_t same = operands.sameAs(p);
    if (same != p) return kept[same];
    const Matrix brought = operands.bring(p, failure);
    for (std::size_t q = 0; q < p; ++q)
      if (operands.sameAs(q) == p) kept[p] = brought;
    return brought;
  };
  const auto bringLast = [&] {
    const Matrix last = bring(operands.size() - 1);
    const PhaseScope scope(report.seconds, Phase::Import);
    return withAscendingColumns(last, failure);
  };
  Matrix right = bringLast();
  for (std::size_t p = operands.size() - 2; p > 0; --p) {
    const Matrix left = bring(p), behind = std::exchange(right, Matrix());
    RoundCounters counters;
    right = operands.product(p, left, behind, counters, failure);
    noteRounds(report, counters, left.local(), behind.local(), right.local());
  }
  return LastFactors<Matrix>{bring(0), right};
}

/// The product of operands. Collective; as lastFactors().
template <class Operands>
auto multiplyOperands(Operands& operands, Report& report, LocalFailure& failure) {
  const auto factors = lastFactors(operands, report, failure);
  RoundCounters counters;
  const auto product = operands.product(0, factors.left, factors.right, counters, failure);
  noteRounds(report, counters, factors.left.local(), factors.right.local(), product.local());
  return product;
}

}  // namespace Trident::Impl

#endif
