// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCT_HPP
#define TRIDENT_PRODUCT_HPP

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "product/Trident_FreshOperands.hpp"
#include "product/Trident_GridOperands.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "product/Trident_OneRankProduct.hpp"
#include "product/Trident_ProductExport.hpp"
#include "product/Trident_ProductPlacement.hpp"
#include "product/Trident_ProductStructure.hpp"
#include "rounds/Trident_GridMultiply.hpp"
#include "rounds/Trident_PartialSums.hpp"
#include "tpetra/Trident_CheckInput.hpp"
#include "tpetra/Trident_ExportMatrix.hpp"
#include "tpetra/Trident_PatternResult.hpp"

namespace Trident::Impl {

/// One product of operands, from Tpetra to the grid and back, once.
template <class SC, class LO, class GO, class NO>
class Product {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using crs_matrix_type = typename Types::crs_matrix_type;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Grid = GridMatrix<Scalar, Device>;
  using Way = MatrixExport<Scalar, Device>;

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// @param operands of which there are two or more; they are multiplied from right to left
  /// @param complete whether C is to be fill-complete
  Product(const Operands& operands, crs_matrix_type& C, const Options& options,
          const Teuchos::RCP<Teuchos::ParameterList>& params, bool complete = true)
      : operands_(operands), C_(C), options_(options), params_(params), complete_(complete) {}

  /// Forms it into C. Collective; throws Trident::Error on every rank.
  Report run() {
    const bool alone = OneRankProduct<SC, LO, GO, NO>::suits(operands_, options_);
    timed([&] { alone ? runOnOneRank() : runOnGrid(); });
    return report_;
  }

  /// The same; returns what products of the same structure need, mostly at the price of a second C,
  /// which is kept. report() is what run() returns.
  ProductStructure<SC, LO, GO, NO> plan() {
    ProductStructure<SC, LO, GO, NO> structure;
    timed([&] {
      place();
      PlanningOperands<SC, LO, GO, NO> operands(*placement_, report_.traffic.import);
      Grid product = multiplyOnGrid(operands);
      structure = operands.takeStructure();
      exportResult(std::move(product), SliceOwner::SharedStructure,
                   [&](const Way& way) { structure.values = way.values(failure_); });
      if (structure.values.inPlace())  // C has the values, and the plan needs none
        structure.products[0] = structure.products[0].withValues({});
    });
    return structure;
  }

  const Report& report() const { return report_; }

 private:
  /// Does the work, and notes its time.
  template <class Work>
  void timed(const Work& work) {
    const double start = steadySeconds();
    work();
    noteMoved(report_.reasons, options_.movedNote);
    endReasons(report_);
    report_.totalSeconds = steadySeconds() - start;
  }

  void runOnOneRank() {
    CrsArrays<Scalar, Device> local;
    failure_.guard([&] {
      const auto product = OneRankProduct<SC, LO, GO, NO>(operands_, options_, report_).run();
      local = ownArrays(product);
    });
    const auto entries = static_cast<long long>(local.columns.extent(0));
    commit({local, {operands_.back().domainMap(), Teuchos::null}, entries});
  }

  void runOnGrid() {
    place();
    FreshOperands<SC, LO, GO, NO> operands(*placement_, report_.traffic.import);
    // Where rounds are synchronized, the last barrier is before the export on all ranks.
    if (!placement_->rounds().filters() && !placement_->rounds().synchronize &&
        ProductExport<Scalar, Device>::suits(placement_->space(0), columns()))
      multiplyIntoResult(operands);
    else
      exportResult(multiplyOnGrid(operands), SliceOwner::Sole, [](const Way&) {});
  }

  /// Where a rank puts its local product off, its rows leave as they are formed; elsewhere they
  /// leave when the factors are gone. What ranks do together is the same.
  void multiplyIntoResult(FreshOperands<SC, LO, GO, NO>& operands) {
    noteSemiring(report_, options_.rounds.semiring);
    LastFactors<Grid> factors = lastFactors(operands, report_, failure_);
    RoundCounters counters;
    LocalMatrix<Scalar, Device> C;
    std::optional<ExportedMatrix<SC, LO, GO, NO>> result;
    const LastStepTaker<Scalar, Device> taker{
        [&](const auto& a, const auto& b) {
          return ProductExport<Scalar, Device>::findingFirstPays(a, b, *columns().numbering);
        },
        [&](const LastStep<Scalar, Device>& step) {
          if (step.operands)
            result = exportedAhead(step);
          else
            C = step.C;
        }};
    multiplyUpToLast(factors.left, factors.right, taker, placement_->rounds(), counters, failure_);
    noteRounds(report_, counters, factors.left.local(), factors.right.local(),
               result ? result->local.matrix(0) : C);
    placement_->operands().dropAll();
    if (result) {
      factors = {};
      return commit(std::move(*result));
    }
    Grid product(factors.left.transport(), factors.left.rows(), factors.right.columns(), C,
                 RowOrder::Ascending);
    factors = {};
    C = {};
    exportResult(std::move(product), SliceOwner::Sole, [](const Way&) {});
  }

  /// The product of a local product that was put off.
  ExportedMatrix<SC, LO, GO, NO> exportedAhead(const LastStep<Scalar, Device>& step) {
    const PhaseScope scope(report_.seconds, Phase::Export);
    ProductExport<Scalar, Device> way(placement_->transport()->grid(), step, columns(),
                                      options_.rounds, failure_);
    return exportMatrix<SC, LO, GO, NO>(way, *columns().numbering, options_.rounds,
                                        report_.traffic.export_, failure_);
  }

  void place() {
    const PhaseScope scope(report_.seconds, Phase::Setup);
    placement_.emplace(operands_, options_, report_);
  }

  Grid multiplyOnGrid(GridOperands<Grid>& operands) {
    noteSemiring(report_, options_.rounds.semiring);
    Grid product = multiplyOperands(operands, report_, failure_);
    placement_->operands().dropAll();
    return product;
  }

  /// @param keep gets the way of the product out, while there is one
  template <class Keep>
  void exportResult(Grid product, SliceOwner owner, const Keep& keep) {
    ExportedMatrix<SC, LO, GO, NO> result;
    {
      const PhaseScope scope(report_.seconds, Phase::Export);
      result = exported(std::move(product), owner, keep);
    }
    commit(std::move(result));
  }

  /// Makes C of it: a phase of its own, in which nothing communicates before the last agreement
  /// but Tpetra.
  void commit(ExportedMatrix<SC, LO, GO, NO> result) {
    const PhaseScope scope(report_.seconds, Phase::Export);
    report_.resultBytes = result.local.columns.extent(0) * (sizeof(int) + sizeof(Scalar)) +
                          result.local.offsets.extent(0) * sizeof(std::size_t);
    if (wider()) widen(result.local);
    if (!isNew(C_))
      commitToPattern(result, complete_, C_, failure_);
    else if (complete_)
      commitResult(
          result, operands_.back().domainMap(), wider() ? C_.getRowMap() : operands_[0].rangeMap(),
          wider() ? Teuchos::null : operands_[0].exporter(), globalConstants(), C_, failure_);
    else
      commitOpen(result, C_, failure_);
  }

  /// The product's rows on the ranks that own them.
  template <class Keep>
  ExportedMatrix<SC, LO, GO, NO> exported(Grid product, SliceOwner owner, const Keep& keep) {
    Traffic& traffic = report_.traffic.export_;
    Way way(std::move(product), owner, placement_->space(0), columns(), options_.rounds, traffic,
            failure_);
    auto result =
        exportMatrix<SC, LO, GO, NO>(way, *columns().numbering, options_.rounds, traffic, failure_);
    keep(way);
    return result;
  }

  /// The product's.
  const auto& columns() const { return placement_->space(operands_.size()); }

  /// Whether C has more rows than the product.
  bool wider() const {
    return C_.getRowMap()->getGlobalNumElements() > operands_[0].rowMap()->getGlobalNumElements();
  }

  void widen(CrsArrays<Scalar, Device>& local) {
    failure_.guard([&] {
      widenRows(local, rowsWithin(*operands_[0].rowMap(), *C_.getRowMap()),
                static_cast<int>(localSize(*C_.getRowMap())));
      Kokkos::fence();
    });
  }

  /// Whether the caller's list lets C have global constants.
  bool globalConstants() const {
    const std::string name = "compute global constants";
    return params_.is_null() || !params_->isParameter(name) || params_->template get<bool>(name);
  }

  const Operands& operands_;
  crs_matrix_type& C_;
  const Options& options_;
  const Teuchos::RCP<Teuchos::ParameterList>& params_;
  const bool complete_;
  Report report_;
  LocalFailure failure_;  // since the spaces were cut: all ranks hear of it where they agree next
  std::optional<ProductPlacement<SC, LO, GO, NO>> placement_;
};

}  // namespace Trident::Impl

#endif
