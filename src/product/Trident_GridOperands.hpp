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
#include "kernels/Trident_NumericProduct.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_RowReading.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "move/Trident_MatrixImport.hpp"
#include "move/Trident_StoredImport.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "product/Trident_Placement.hpp"
#include "rounds/Trident_RoundSetup.hpp"
#include "tpetra/Trident_Operand.hpp"

namespace Trident::Impl {

/// The data of a product that depend on structure alone. The first product makes them for further
/// products of the same structure.
template <class SC, class LO, class GO, class NO>
struct ProductPlan {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Values = typename Types::local_matrix_type::values_type;

  std::vector<std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>> locals;
  /// Imports of operands; null for operands in `stored`. Equal operands share one object.
  std::vector<std::shared_ptr<const MatrixImport<Scalar, Device>>> imports;
  /// Imports of operands that stay; null for those in `imports`. Equal operands share one object.
  std::vector<std::shared_ptr<const StoredImport<Scalar, Device>>> stored;
  /// Structures of products; element p is for operand p times all later operands. Rows are sorted,
  /// but putInOrder() may give rows of element 0 the order of C.
  std::vector<GridMatrix<Scalar, Device>> products;
  /// The symbolic data of `products`.
  std::vector<SymbolicData<Device>> symbolic;
  std::vector<PlannedWork<Scalar, Device>> work;  ///< work of `products`
  ValueExport<Scalar, Device> values;

  /// Keeps the structure of the product of operand p and all later operands. Local.
  /// @param multiplyAdds number of this rank's multiply-adds
  void keep(std::size_t p, const GridMatrix<Scalar, Device>& product,
            const SymbolicData<Device>& symbolicData, long long multiplyAdds) {
    if (products.size() <= p) {
      products.resize(p + 1);
      symbolic.resize(p + 1);
      work.resize(p + 1);
    }
    products[p] = product.withValues({});
    symbolic[p] = symbolicData;
    work[p].multiplyAdds = multiplyAdds;
  }
  /// Puts the columns of products[0] in C's order, but only on hosts and if C's rows stay. So
  /// numericProduct() forms the values in C's order. Local.
  void putInOrder(LocalFailure& failure) {
    if constexpr (isHost<Device>)
      if (!values.inPlace() && !values.travels())
        failure.guard([&] {
          GridMatrix<Scalar, Device>& product = products[0];
          const auto& local = product.local();
          product = {product.exchanges(), product.rows(), product.columns(),
                     typename Types::local_matrix_type(
                         "Trident::inOrder", local.numRows(), local.numCols(), local.nnz(),
                         Values(), local.graph.row_map, values.putInOrder(local.graph.entries))};
        });
  }
  /// Returns true if the plan keeps an array for values that are copied into C later. On devices it
  /// does if C is not formed in place; on hosts, if the values come in C's order. On an H200, to
  /// take and free 400 MB takes 1.5 ms, which may be as long as the product.
  bool keepsValues() const { return values.inOrder() || (isCuda<Device> && !values.inPlace()); }
  /// Returns an array for the values of products[p]. The values are not set. If keepsValues(), the
  /// plan keeps the array of products[0] for further calls. Other arrays take memory anew. Local.
  Kokkos::View<Scalar*, Device> newValues(std::size_t p) {
    const std::size_t entries = products[p].local().graph.entries.extent(0);
    if (p > 0 || !keepsValues()) return scratch<Scalar, Device>("Trident::productValues", entries);
    if (room_.extent(0) < entries)
      room_ = uninitialized<Scalar, Device>("Trident::productValues", entries);
    return room_;
  }

  /// Adds the bytes of the kept arrays, and of arrays that the second product makes. Local.
  void countArrays(ArrayBytes& bytes) const {
    for (const auto& local : locals) local->countArrays(bytes);
    for (const auto& import : imports)
      if (import) import->countArrays(bytes);
    for (const auto& import : stored)
      if (import) import->countArrays(bytes);
    for (const auto& product : products) {
      bytes.add(product.local().graph.row_map);
      bytes.add(product.local().graph.entries);
      bytes.addRoom((isCuda<Device> ? std::size_t(6) : 1) * product.local().numRows());
    }
    for (const auto& each : symbolic) each.countArrays(bytes);
    values.countArrays(bytes);
    if (keepsValues()) bytes.addRoom(sizeof(Scalar) * products[0].local().nnz());
  }

 private:
  Kokkos::View<Scalar*, Device> room_;  // values that are copied into C once all have agreed
};

/// The operands of a product, brought onto its grid one after another, the last one first. If
/// several operands have the same matrix, form and Maps, one import serves for all of them.
template <class Scalar, class Device>
class OperandImports {
 public:
  using Matrix = GridMatrix<Scalar, Device>;

  virtual ~OperandImports() = default;

  /// Multiplies the operands from right to left. Brings each operand just before it is multiplied.
  /// Returns the whole product. Collective.
  /// @param multiply a function multiply(p, left, right, counters) that returns left·right. `left`
  ///   is operand p, and `right` is the product of all later operands
  template <class Multiply>
  Matrix product(const Multiply& multiply) {
    Matrix right = operand(size() - 1);
    for (std::size_t p = size() - 1; p-- > 0;) {
      const Matrix left = operand(p), behind = std::exchange(right, Matrix());
      RoundCounters counters;
      right = multiply(p, left, behind, counters);
      noteRounds(report_, counters, left.local(), behind.local(), right.local());
    }
    return right;
  }

 protected:
  /// Prepares the imports of `size` operands. All arguments must outlive this object.
  OperandImports(std::size_t size, Report& report, LocalFailure& failure)
      : report_(report), failure_(failure), kept_(size) {}

  std::size_t size() const { return kept_.size(); }
  Traffic& traffic() { return report_.traffic.import; }
  LocalFailure& failure() { return failure_; }

 private:
  /// Returns operand p. Collective.
  Matrix operand(std::size_t p) {
    const PhaseScope scope(report_.seconds, Phase::Import);
    const std::size_t same = sameAs(p);
    if (same == p) kept_[p] = importOperand(p);
    for (std::size_t q = 0; q < p; ++q)
      if (sameAs(q) == same) return kept_[same];
    return std::exchange(kept_[same], Matrix());
  }
  /// Returns the index of the last operand that has operand p's matrix, form and Maps. This is p if
  /// no later operand has them. The same on every rank.
  virtual std::size_t sameAs(std::size_t p) const = 0;
  /// Brings operand p onto the grid. Called once for all equal operands. Collective.
  virtual Matrix importOperand(std::size_t p) = 0;

  Report& report_;
  LocalFailure& failure_;
  std::vector<Matrix> kept_;  // imported operands that an equal operand will need again
};

/// Imports of operands that no plan knows yet. A Placement knows their places.
template <class SC, class LO, class GO, class NO>
class FirstImports final : public OperandImports<typename ProductPlan<SC, LO, GO, NO>::Scalar,
                                                 typename NO::device_type> {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Plan = ProductPlan<SC, LO, GO, NO>;
  using Scalar = typename Plan::Scalar;
  using Device = typename Plan::Device;
  using Import = MatrixImport<Scalar, Device>;
  using Stored = StoredImport<Scalar, Device>;
  using Placement = Impl::Placement<SC, LO, GO, NO>;
  using Base = OperandImports<Scalar, Device>;

 public:
  using typename Base::Matrix;
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// Prepares the imports. All arguments must outlive this object.
  /// @param placement gives up its data of an operand once that operand is on the grid
  /// @param plan gets the imports; may be null
  FirstImports(const Operands& operands, Placement& placement, Plan* plan, Report& report,
               LocalFailure& failure)
      : Base(placement.size(), report, failure),
        operands_(operands),
        placement_(placement),
        plan_(plan) {
    if (!plan) return;
    plan->imports.resize(this->size());
    plan->stored.resize(this->size());
    for (std::size_t p = 0; p < this->size(); ++p) plan->locals.push_back(placement.local(p));
  }

 private:
  std::size_t sameAs(std::size_t p) const override { return placement_.sameAs(p); }

  Matrix importOperand(std::size_t p) override {
    const Matrix brought = staysStored(p) ? asStored(p) : moved(p);
    for (std::size_t q = 0; q <= p; ++q)
      if (sameAs(q) == p) placement_.drop(q);
    return brought;
  }

  /// Returns true if operand p is a left factor that is read where its rows are stored. This
  /// requires that the rows stay on their ranks, and that no other rank needs them.
  bool staysStored(std::size_t p) const {
    const RoundOptions& rounds = placement_.rounds();
    return p + 1 < this->size() && readsRows<Scalar, Device>(rounds) &&
           addsInOrder<Scalar, Device>(rounds) && !rounds.filters() &&
           placement_.exchanges()->grid().shape().nodes() == 1 && placement_.space(p)->rowsStay() &&
           placement_.space(p + 1)->isOneTileWide() && !operands_[p].transposed();
  }
  Matrix asStored(std::size_t p) {
    std::shared_ptr<Stored> inPlace;
    typename Types::local_matrix_type stored;
    RowReading<Scalar, Device> reading;
    this->failure().guard([&] {
      inPlace = std::make_shared<Stored>(
          placement_.numbered()[p], placement_.local(p)->zeros(operands_[p]),
          placement_.exchanges(), placement_.space(p), placement_.space(p + 1));
      stored = placement_.local(p)->stored(operands_[p]);
      reading = placement_.local(p)->reading(operands_[p]);
    });
    if (this->failure().failed())  // a failed rank needs a matrix, to take part in the product
      return {placement_.exchanges(), placement_.space(p), placement_.space(p + 1), stored,
              reading};
    if (plan_) keepForPlan(p, inPlace, stored);
    return inPlace->matrix(stored, reading);
  }
  /// Keeps operand p's import in the plan. This is `inPlace`, unless products would sort most rows
  /// at each reading. In that case it is an import of a sorted copy, and `inPlace` loses its marks
  /// of plain rows. Local.
  void keepForPlan(std::size_t p, const std::shared_ptr<Stored>& inPlace,
                   const typename Types::local_matrix_type& stored) {
    std::shared_ptr<const Import> copy;
    const auto& structure = placement_.numbered()[p].matrix;
    if (stored.nnz() == structure.nnz() && inPlace->mostlyNotPlain(stored)) {
      copy = newImport(p, placement_.numbered()[p], nullptr);
      inPlace->clearPlain();
    }
    for (std::size_t q = 0; q <= p; ++q) {
      if (sameAs(q) != p) continue;
      if (copy)
        plan_->imports[q] = copy;
      else
        plan_->stored[q] = inPlace;
    }
  }

  Matrix moved(std::size_t p) {
    auto numbered = placement_.numbered()[p];
    this->failure().guard([&] { numbered = placement_.local(p)->numbered(operands_[p]); });
    typename Import::Packed values;
    const auto import = newImport(p, numbered, &values);
    for (std::size_t q = 0; plan_ && q <= p; ++q)
      if (sameAs(q) == p) plan_->imports[q] = import;
    return import->matrix(numbered.matrix, values, this->traffic(), this->failure());
  }
  /// Makes an import of operand p. The import sorts rows if their order decides the order of sums.
  /// Collective if rows move.
  /// @param values parameter of MatrixImport's constructor
  std::shared_ptr<const Import> newImport(std::size_t p, const typename Placement::Numbered& local,
                                          typename Import::Packed* values) {
    const RoundOptions& rounds = placement_.rounds();
    const bool ordered = isLeftFactor(p) ? addsInOrder<Scalar, Device>(rounds)
                                         : rightFactorsAscend<Scalar, Device>(rounds);
    return std::make_shared<const Import>(
        local, placement_.exchanges(), placement_.space(p), placement_.space(p + 1), rounds,
        this->traffic(), this->failure(), ordered ? EntryOrder::Ascending : EntryOrder::AsTheyCome,
        values);
  }
  /// Returns true if operand p, or an equal operand, is a left factor.
  bool isLeftFactor(std::size_t p) const {
    for (std::size_t q = 0; q + 1 < this->size(); ++q)
      if (sameAs(q) == p) return true;
    return false;
  }

  const Operands& operands_;
  Placement& placement_;
  Plan* plan_;
};

/// Imports of operands by a plan. Operands have the forms and the structure that the plan knows.
template <class SC, class LO, class GO, class NO>
class PlannedImports final : public OperandImports<typename ProductPlan<SC, LO, GO, NO>::Scalar,
                                                   typename NO::device_type> {
  using Plan = ProductPlan<SC, LO, GO, NO>;
  using Base = OperandImports<typename Plan::Scalar, typename Plan::Device>;
  using Import = MatrixImport<typename Plan::Scalar, typename Plan::Device>;
  using local_matrix_type = typename TpetraTypes<SC, LO, GO, NO>::local_matrix_type;

 public:
  using typename Base::Matrix;
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// Prepares the imports by a plan. Local. May take memory, so ranks must agree before the first
  /// import starts. All arguments must outlive this object.
  PlannedImports(const Plan& plan, const Operands& operands, Report& report, LocalFailure& failure)
      : Base(operands.size(), report, failure),
        plan_(plan),
        operands_(operands),
        locals_(operands.size()),
        readings_(operands.size()),
        packed_(operands.size()) {
    LocalFailure packing;
    for (std::size_t p = 0; p < operands.size(); ++p) {
      if (sameAs(p) != p) continue;
      if (plan.stored[p]) {
        locals_[p] = plan.locals[p]->stored(operands[p]);
        readings_[p] = plan.locals[p]->reading(operands[p]);
        continue;
      }
      locals_[p] = plan.locals[p]->matrix(operands[p]);
      packed_[p] = plan.imports[p]->pack(locals_[p], packing);
    }
    if (packing.failed()) throw Error(packing.text());
  }

 private:
  std::size_t sameAs(std::size_t p) const override {
    std::size_t q = this->size() - 1;
    while (operands_[q].matrix != operands_[p].matrix || plan_.imports[q] != plan_.imports[p] ||
           plan_.stored[q] != plan_.stored[p])
      --q;
    return q;
  }
  Matrix importOperand(std::size_t p) override {
    if (plan_.stored[p])
      return plan_.stored[p]->matrix(std::exchange(locals_[p], {}),
                                     std::exchange(readings_[p], {}));
    return plan_.imports[p]->matrix(std::exchange(locals_[p], {}), std::exchange(packed_[p], {}),
                                    this->traffic(), this->failure());
  }

  const Plan& plan_;
  const Operands& operands_;
  // The next members have data of operands that are not yet on the grid.
  std::vector<local_matrix_type> locals_;
  std::vector<RowReading<typename Plan::Scalar, typename Plan::Device>> readings_;
  std::vector<typename Import::Packed> packed_;
};

}  // namespace Trident::Impl

#endif
