// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FRESHOPERANDS_HPP
#define TRIDENT_FRESHOPERANDS_HPP

#include <memory>
#include <utility>

#include "kernels/Trident_LocalMultiply.hpp"
#include "move/Trident_MatrixImport.hpp"
#include "product/Trident_GridOperands.hpp"
#include "product/Trident_ProductPlacement.hpp"
#include "product/Trident_ProductStructure.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"
#include "rounds/Trident_GridMultiply.hpp"

namespace Trident::Impl {

/// Operands of which nothing is known but where they are placed.
template <class SC, class LO, class GO, class NO>
class FreshOperands
    : public GridOperands<GridMatrix<typename TpetraTypes<SC, LO, GO, NO>::scalar_type,
                                     typename TpetraTypes<SC, LO, GO, NO>::device_type>> {
  using Types = TpetraTypes<SC, LO, GO, NO>;

 public:
  using Grid = GridMatrix<typename Types::scalar_type, typename Types::device_type>;
  using Import = MatrixImport<typename Types::scalar_type, typename Types::device_type>;
  using Placement = ProductPlacement<SC, LO, GO, NO>;

  /// All outlive this.
  /// @param placement gives up what it has of each operand, when that is on the grid
  FreshOperands(Placement& placement, Traffic& traffic)
      : placement_(placement), rounds_(placement.rounds()), traffic_(traffic) {}

  std::size_t size() const override { return placement_.operands().size(); }
  std::size_t sameAs(std::size_t p) const override { return placement_.operands().sameAs(p); }
  Grid bring(std::size_t p, LocalFailure& failure) override {
    typename Import::Packed values;
    const Import import = importOf(p, values, failure);
    return bringAlong(import, values, p, failure);
  }
  Grid product(std::size_t p, const Grid& left, const Grid& right, RoundCounters& counters,
               LocalFailure& failure) override {
    if (p == 0 && rounds_.filters())
      return multiplyAndDrop(left, right, rounds_, &counters, &failure);
    std::shared_ptr<const KnownProduct<typename Types::device_type>> unseen;
    return multiplyOnGrid(left, right, rounds_, &counters, &unseen, &failure);
  }

 protected:
  /// @param values gets those of operand p, packed
  Import importOf(std::size_t p, typename Import::Packed& values, LocalFailure& failure) const {
    using Scalar = typename Types::scalar_type;
    using Device = typename Types::device_type;
    const bool ordered = isLeftFactor(p) ? addsInOrder<Scalar, Device>(rounds_)
                                         : rightFactorsAscend<Scalar, Device>(rounds_);
    return Import(placement_.operands().numbered()[p], placement_.transport(), placement_.space(p),
                  placement_.space(p + 1), rounds_, traffic_, failure,
                  ordered ? EntryOrder::Ascending : EntryOrder::AsTheyCome, &values);
  }
  /// Whether operand p, or one that is the same, is multiplied by what is behind it.
  bool isLeftFactor(std::size_t p) const {
    for (std::size_t q = 0; q + 1 < size(); ++q)
      if (sameAs(q) == p) return true;
    return false;
  }
  Grid bringAlong(const Import& import, const typename Import::Packed& values, std::size_t p,
                  LocalFailure& failure) {
    const Grid brought =
        import.matrix(placement_.operands().numbered()[p].matrix, values, traffic_, failure);
    for (std::size_t q = 0; q <= p; ++q)
      if (sameAs(q) == p) placement_.operands().drop(q);
    return brought;
  }

  Placement& placement_;
  const RoundOptions& rounds_;
  Traffic& traffic_;
};

/// Fresh operands that keep what products of the same structure need.
template <class SC, class LO, class GO, class NO>
class PlanningOperands : public FreshOperands<SC, LO, GO, NO> {
  using Base = FreshOperands<SC, LO, GO, NO>;
  using Structure = ProductStructure<SC, LO, GO, NO>;

 public:
  using typename Base::Grid;
  using typename Base::Import;

  PlanningOperands(typename Base::Placement& placement, Traffic& traffic)
      : Base(placement, traffic) {
    structure_.imports.resize(this->size());
    structure_.products.resize(this->size() - 1);
    structure_.known.resize(this->size() - 1);
    for (std::size_t p = 0; p < this->size(); ++p)
      structure_.locals.push_back(placement.operands().local(p));
  }

  Grid bring(std::size_t p, LocalFailure& failure) override {
    typename Import::Packed values;
    const auto import = std::make_shared<const Import>(this->importOf(p, values, failure));
    for (std::size_t q = 0; q <= p; ++q)
      if (this->sameAs(q) == p) structure_.imports[q] = import;
    return this->bringAlong(*import, values, p, failure);
  }

  Grid product(std::size_t p, const Grid& left, const Grid& right, RoundCounters& counters,
               LocalFailure& failure) override {
    structure_.products[p] =
        multiplyOnGrid(left, right, this->rounds_, &counters, &structure_.known[p], &failure);
    return structure_.products[p];
  }

  /// All but the way of the values out, of operands that were multiplied.
  Structure takeStructure() { return std::move(structure_); }

 private:
  Structure structure_;
};

}  // namespace Trident::Impl

#endif
