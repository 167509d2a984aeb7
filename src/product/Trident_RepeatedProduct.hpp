// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REPEATEDPRODUCT_HPP
#define TRIDENT_REPEATEDPRODUCT_HPP

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_RCP.hpp>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "Trident_Parameters.hpp"
#include "Trident_Report.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Wait.hpp"
#include "matrix/Trident_ArrayBytes.hpp"
#include "product/Trident_GridOperands.hpp"
#include "product/Trident_NewResult.hpp"
#include "product/Trident_Product.hpp"
#include "rounds/Trident_Rounds.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_ResultMatrix.hpp"

namespace Trident::Impl {

/// A product that was formed once, and what of it serves products of the same structure. Holds no
/// matrix, Map or communicator of the caller's. That a further product has this structure is for
/// who calls.
template <class SC, class LO, class GO, class NO>
class RepeatedProduct {
  using crs_matrix_type = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using Structure = ResultStructure<SC, LO, GO, NO>;
  using Result = ExportedMatrix<SC, LO, GO, NO>;

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// Forms it into C, which is new. Collective, after checkCall(); throws as Product.
  /// @param newResults whether further products may go into new matrices. Then C's structure is
  ///   kept: on devices 4 bytes more for each of its entries
  RepeatedProduct(const Operands& operands, crs_matrix_type& C, const Options& options,
                  const Teuchos::RCP<Teuchos::ParameterList>& params, bool newResults)
      : options_(options), globalConstants_(wantsGlobalConstants(params)) {
    if (newResults) structure_.emplace();
    report_ = Product<SC, LO, GO, NO>(operands, C, options_, params)
                  .run(&plan_, newResults ? &*structure_ : nullptr);
    constants_.emplace(C);
  }

  /// Forms it again, of operands in the same forms and of the same structure, into a C that is new
  /// (of `newResults`, on the same row Map), or has the structure of the first one, fill-complete
  /// or open. Collective; throws on every rank, C's values unchanged.
  /// @param begin gets what takes memory, calls it, and throws on every rank where that throws on
  ///   one, or C's arrays cannot be had
  template <class Begin>
  Report form(const Operands& operands, crs_matrix_type& C, const Begin& begin) const {
    Report report;
    report.grid = plan_.products[0].grid().shape();
    report.node = report_.node;
    report.partition = report_.partition;
    report.operands = report_.operands;
    const double start = steadySeconds();
    const bool fresh = isNew(C);
    LocalFailure failure;
    std::optional<PlannedImports<SC, LO, GO, NO>> imports;
    std::optional<Result> result;
    Values into;
    {
      const PhaseScope scope(report.seconds, Phase::Setup);
      begin([&] {
        if (fresh)
          result = structure_->newResult();
        else
          requireDeviceArrays(C);  // for the last step, when all have agreed
        if (plan_.values.inPlace())
          into = fresh ? Values(result->local.values) : valuesOf(operands, C);
        imports.emplace(plan_, operands, report, failure);
      });
    }
    if (fresh)
      formNew(operands, *imports, into, *result, C, report, failure);
    else
      formInto(*imports, into, C, report, failure);
    noteMoved(report.reasons, options_.movedNote);
    endReasons(report);
    report.totalSeconds = steadySeconds() - start;
    return report;
  }

  /// Of the first product.
  const Report& report() const { return report_; }
  double timeoutSeconds() const { return options_.timeoutSeconds; }
  /// Of the arrays that are kept on this rank; C shares some of them. Local.
  std::size_t bytes() const {
    ArrayBytes bytes;
    plan_.countArrays(bytes);
    if (structure_) {
      bytes.add(structure_->rows.offsets);
      bytes.add(structure_->rows.columns);
    }
    return bytes.sum();
  }
  /// The result's rows, of `newResults`. On hosts, who has a result can change them.
  const CrsArrays<typename TpetraTypes<SC, LO, GO, NO>::scalar_type, typename NO::device_type>&
  rows() const {
    return structure_->rows;
  }

 private:
  using Plan = ProductPlan<SC, LO, GO, NO>;
  using Imports = PlannedImports<SC, LO, GO, NO>;
  using Factor = typename Imports::Matrix;
  using Values = typename Factor::local_matrix_type::values_type;

  /// Multiplies from right to left, as Product does; the values of the kept products are
  /// overwritten. Collective.
  /// @param into where values of the whole product go, where they are in place
  Factor multiply(Imports& imports, const Values& into, Report& report,
                  LocalFailure& failure) const {
    Factor right = imports.last();
    for (std::size_t p = plan_.products.size(); p-- > 0;) {
      const Factor left = imports.operand(p), behind = std::exchange(right, Factor());
      right =
          p == 0 && plan_.values.inPlace() ? plan_.products[p].withValues(into) : plan_.products[p];
      RoundCounters counters;
      Rounds<typename Plan::Scalar, typename Plan::Device> rounds(
          left, behind, options_.rounds, counters, failure, plan_.learnt[p]);
      NumericSums<typename Plan::Scalar, typename Plan::Device> sums(right.local(), counters);
      rounds.run(sums);
      rounds.product(sums);  // a failure where products fall outside the structure
      noteRounds(report, counters, left.local(), behind.local(), right.local());
    }
    return right;
  }

  /// C's values are the last thing that changes. They are in place on one rank alone, which takes
  /// all memory before it writes.
  void formInto(Imports& imports, const Values& into, crs_matrix_type& C, Report& report,
                LocalFailure& failure) const {
    if (plan_.values.inPlace()) {
      const PhaseScope scope(report.seconds, Phase::Export);
      complete(C, {});
    }
    const auto product = multiply(imports, into, report, failure);
    const PhaseScope scope(report.seconds, Phase::Export);
    if (plan_.values.inPlace()) {
      throwEverywhere(rawComm(*C.getComm()), failure.text());
      if (firstValueOf(C) != into.data()) Kokkos::deep_copy(localMatrixOf(C).values, into);
    } else {
      const auto packed = plan_.values.pack(product.local().values, failure);
      complete(C, failure);
      plan_.values.move(packed, localMatrixOf(C).values, report.traffic.export_);
    }
  }

  void formNew(const Operands& operands, Imports& imports, const Values& into, Result& result,
               crs_matrix_type& C, Report& report, LocalFailure& failure) const {
    const auto product = multiply(imports, into, report, failure);
    const PhaseScope scope(report.seconds, Phase::Export);
    if (!plan_.values.inPlace()) {
      const auto packed = plan_.values.pack(product.local().values, failure);
      if (plan_.values.travels()) throwEverywhere(rawComm(*C.getComm()), failure.text());
      if (!failure.failed()) plan_.values.move(packed, result.local.values, report.traffic.export_);
    }
    result.columns = structure_->columns.make(operands.back().domainMap(), failure);
    commitNew(result, operands, globalConstants_, C, failure);
  }

  /// Makes C fill-complete, without what Tpetra had cached of its values.
  /// @param failure all throw where one has it
  void complete(crs_matrix_type& C, const LocalFailure& failure) const {
    if (C.isFillComplete()) return completeAgain(C, failure);
    // A rank that failed does not end fill, and must leave nobody waiting in Tpetra's reduction.
    if (endOfFillReduces(C)) throwEverywhere(rawComm(*C.getComm()), failure.text());
    completeOpenAlone(C, failure);
    if (constants_->known())
      constants_->restore(C);
    else
      computeGlobalConstants(C);
  }

  /// Where the product's values go, where they are in place: into C's, but where an operand has
  /// these too, as it is read while they are written.
  Values valuesOf(const Operands& operands, const crs_matrix_type& C) const {
    const Values ofC = localMatrixOf(C).values;
    for (const auto& operand : operands)
      if (firstValueOf(*operand.matrix) == ofC.data())
        return uninitialized<typename Values::non_const_value_type, typename Values::device_type>(
            "Trident::values", ofC.extent(0));
    return ofC;
  }

  Options options_;
  bool globalConstants_;
  Report report_;
  ProductPlan<SC, LO, GO, NO> plan_;
  std::optional<Structure> structure_;  // of new results
  std::optional<GlobalConstants<crs_matrix_type>> constants_;
};

}  // namespace Trident::Impl

#endif
