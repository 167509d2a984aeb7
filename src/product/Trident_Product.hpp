// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCT_HPP
#define TRIDENT_PRODUCT_HPP

#include <Teuchos_RCP.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "Trident_Report.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_Wait.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "product/Trident_GridOperands.hpp"
#include "product/Trident_NewResult.hpp"
#include "product/Trident_NoteRounds.hpp"
#include "product/Trident_OneRankProduct.hpp"
#include "product/Trident_Placement.hpp"
#include "product/Trident_ProductCall.hpp"
#include "product/Trident_ProductExport.hpp"
#include "product/Trident_ReadParameters.hpp"
#include "rounds/Trident_FilteredMultiply.hpp"
#include "rounds/Trident_Rounds.hpp"
#include "tpetra/Trident_OpenResult.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace Trident::Impl {

/// One product of operands, from Tpetra to the grid and back.
template <class SC, class LO, class GO, class NO>
class Product {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using crs_matrix_type = typename Types::crs_matrix_type;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using GridFactor = GridMatrix<Scalar, Device>;
  using Sums = SumsOrOperands<Scalar, Device>;
  using Result = ExportedMatrix<SC, LO, GO, NO>;

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;
  using Plan = ProductPlan<SC, LO, GO, NO>;
  using Structure = ResultStructure<SC, LO, GO, NO>;

  /// Prepares the product of operands. Local. All arguments must outlive this object.
  /// @param operands two or more
  /// @param complete true if C becomes fill-complete
  Product(const Operands& operands, crs_matrix_type& C, const Options& options,
          const Teuchos::RCP<Teuchos::ParameterList>& params, bool complete = true)
      : operands_(operands), C_(C), options_(options), params_(params), complete_(complete) {}

  /// Forms C. Called once. Collective. Throws Trident::Error on every rank, with C unchanged.
  /// @param plan null, or gets the data for further products of the same structure. Must be null
  ///   for a filtered product
  /// @param structure null, or gets the structure of a new C. On hosts it shares C's arrays
  Report run(Plan* plan = nullptr, Structure* structure = nullptr) {
    const double start = steadySeconds();
    const bool alone = !plan && OneRankProduct<SC, LO, GO, NO>::suits(operands_, options_);
    Result result = alone ? formOnOneRank() : formOnGrid(plan);
    commit(std::move(result), structure);
    endReasons(report_);
    report_.totalSeconds = steadySeconds() - start;
    return std::move(report_);
  }

 private:
  /// Forms C's rows on the ranks that own them. If one rank fails, all throw at the next agreement.
  Result formOnGrid(Plan* plan) {
    // 1. Rows and columns get their places on the grid; entries get numbers. Nothing moves.
    place();  // on several nodes all ranks agree
    noteSemiring(report_, options_.rounds.semiring);

    // 2. Operands come onto the grid from right to left. Each multiplies the product so far.
    FirstImports<SC, LO, GO, NO> imports(operands_, *placement_, plan, report_, failure_);
    std::optional<Result> ahead;
    const auto multiply = [&](std::size_t p, const GridFactor& left, const GridFactor& right,
                              RoundCounters& counters) -> GridFactor {
      if (p == 0 && roundOptions().filters())
        return multiplyAndDrop(left, right, roundOptions(), counters, failure_);
      Rounds<Scalar, Device> rounds(left, right, roundOptions(), counters, failure_);
      Sums sums(defers(p, plan), roundOptions(), counters);
      rounds.run(sums);  // all ranks agree before the first round
      if (sums.isDeferred() && rounds.formed()) {
        ahead = exportAhead(sums);
        return {left.exchanges(), left.rows(), right.columns(), ahead->local.matrix(0)};
      }
      const GridFactor product = rounds.product(sums);
      if (plan) plan->keep(p, product, rounds.symbolic(), counters.multiplyAdds);
      return product;
    };
    GridFactor product = imports.product(multiply);
    placement_->dropAll();
    if (ahead) return std::move(*ahead);

    // 3. C's rows go to the ranks that own them, and get local columns.
    return exportRows(std::move(product), plan);  // all ranks agree
  }

  void place() {
    const PhaseScope scope(report_.seconds, Phase::Setup);
    placement_.emplace(operands_, options_, report_, failure_);
  }

  /// Returns the rule by which a device decides to put off: to multiply in the export. An empty
  /// rule means never. It is empty with a plan, which keeps the product, and with
  /// "synchronize", whose last barrier stands between product and export.
  typename Sums::DeferRule defers([[maybe_unused]] std::size_t p,
                                  [[maybe_unused]] const Plan* plan) const {
    if constexpr (!isHost<Device>)
      if (p == 0 && !plan && !roundOptions().synchronize &&
          ProductExport<Scalar, Device>::suits(*placement_->space(0), *columns()))
        return ProductExport<Scalar, Device>::findingFirstPays;
    return {};
  }

  /// Exports a product that this rank forms during the export. A failed rank takes part without
  /// rows.
  Result exportAhead(const Sums& sums) {
    const PhaseScope scope(report_.seconds, Phase::Export);
    ProductExport<Scalar, Device> ahead(placement_->exchanges()->grid(), sums, *columns(),
                                        options_.rounds, failure_);
    return exportMatrix<SC, LO, GO, NO>(ahead, placement_->numbering(operands_.size()),
                                        options_.rounds, report_.traffic.export_, failure_);
  }

  Result exportRows(GridFactor product, Plan* plan) {
    const PhaseScope scope(report_.seconds, Phase::Export);
    Traffic& traffic = report_.traffic.export_;
    MatrixExport<Scalar, Device> outgoing(
        std::move(product), plan ? SliceUsers::SharedStructure : SliceUsers::Sole,
        placement_->space(0), columns(), options_.rounds, traffic, failure_);
    Result result =
        exportMatrix<SC, LO, GO, NO>(outgoing, placement_->numbering(operands_.size()),
                                     options_.rounds, traffic, failure_, outgoing.entries());
    if (plan) {
      plan->values = outgoing.values(failure_);
      plan->putInOrder(failure_);
    }
    return result;
  }

  Result formOnOneRank() {
    Result result;
    failure_.guard([&] {
      result.local = arraysOf(OneRankProduct<SC, LO, GO, NO>(operands_, options_, report_).run());
    });
    result.columns = {operands_.back().domainMap(), Teuchos::null};
    result.entries = static_cast<long long>(result.local.columns.extent(0));
    return result;
  }

  /// Makes C from its rows. Collective; throws on every rank, with C unchanged, if a rank failed.
  void commit(Result result, Structure* structure) {
    const PhaseScope scope(report_.seconds, Phase::Export);
    report_.resultBytes = result.local.columns.extent(0) * (sizeof(int) + sizeof(Scalar)) +
                          result.local.offsets.extent(0) * sizeof(std::size_t);
    if (isWider(operands_, C_)) widen(result.local);
    if (structure) failure_.guard([&] { *structure = Structure(result); });
    if (!isNew(C_))
      commitToPattern(result, complete_, options_.dropsOutside, C_, failure_);
    else if (complete_)
      commitNew(result, operands_, wantsGlobalConstants(params_), C_, failure_);
    else
      commitOpen(result, C_, failure_);
  }

  void widen(CrsArrays<Scalar, Device>& local) {
    failure_.guard([&] {
      widenRows(local, rowsWithin(*operands_[0].rowMap(), *C_.getRowMap()),
                static_cast<int>(localSize(*C_.getRowMap())));
      Kokkos::fence();
    });
  }

  /// Returns the options of the rounds. The placement may have changed `fetch` from Auto to Tiles.
  const RoundOptions& roundOptions() const { return placement_->rounds(); }
  /// Returns the space of C's columns.
  const auto& columns() const { return placement_->space(operands_.size()); }

  const Operands& operands_;
  crs_matrix_type& C_;
  const Options& options_;
  const Teuchos::RCP<Teuchos::ParameterList>& params_;
  const bool complete_;
  Report report_;
  LocalFailure failure_;  // all ranks learn of it at their next agreement
  std::optional<Placement<SC, LO, GO, NO>> placement_;
};

/// Checks a call's input, forms its product, and names the call's function in errors.
template <class SC, class LO, class GO, class NO>
Report formProduct(ProductCall<SC, LO, GO, NO> call) {
  const CallScope inside(call.function, call.label);
  return withErrorContext(call.function, [&] {
    call.collectiveArguments.push_back(
        {"call_FillComplete_on_result", call.complete ? "true" : "false"});
    const Options options = checkCall(call);  // all ranks agree
    const TimeoutScope timeout(options.timeoutSeconds);
    requireSemiring(call, options.rounds.semiring);
    Report report =
        Product<SC, LO, GO, NO>(call.operands, *call.C, options, *call.params, call.complete).run();
    if (call.afterCommit) call.afterCommit();
    return report;
  });
}

}  // namespace Trident::Impl

#endif
