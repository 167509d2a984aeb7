// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCT_HPP
#define TRIDENT_PRODUCT_HPP

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Trident_CheckInput.hpp"
#include "Trident_ExportMatrix.hpp"
#include "Trident_GridMultiply.hpp"
#include "Trident_ImportMatrix.hpp"
#include "Trident_NoteRounds.hpp"
#include "Trident_PatternResult.hpp"
#include "Trident_ProductPlacement.hpp"
#include "Trident_SortRows.hpp"

namespace Trident {
namespace Impl {

/// What of a product depends on structure alone: kept from the first product for others of the same
/// structure.
template <class SC, class LO, class GO, class NO>
struct ProductStructure {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Grid = GridMatrix<Scalar, Device>;

  std::vector<std::shared_ptr<const LocalOperand<SC, LO, GO, NO>>> locals;
  std::vector<std::shared_ptr<const MatrixImport<Scalar, Device>>> imports;
  /// Of each operand but the last, and all behind it; sorted rows.
  std::vector<Grid> products;
  /// As products: what was fetched of their right factors; null where these travelled whole.
  std::vector<std::shared_ptr<const NeededRows<Device>>> needed;
  ValueExport<Scalar, Device> values;
};

/// One product of operands, from Tpetra to the grid and back. Steps are methods, in order.
template <class SC, class LO, class GO, class NO>
class Product {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using crs_matrix_type = typename Types::crs_matrix_type;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Grid = GridMatrix<Scalar, Device>;

 public:
  using Operands = std::vector<Operand<SC, LO, GO, NO>>;

  /// @param operands of which there are two or more; they are multiplied from right to left
  /// @param complete whether C is to be fill-complete
  Product(const Operands& operands, crs_matrix_type& C, const Options& options,
          const Teuchos::RCP<Teuchos::ParameterList>& params, bool complete = true)
      : operands_(operands), C_(C), options_(options), params_(params), complete_(complete) {}

  /// @param keep where given, gets what products of the same structure need; it is kept at the
  ///   price of a second C
  Report run(ProductStructure<SC, LO, GO, NO>* keep = nullptr) {
    keep_ = keep;
    const double start = steadySeconds();
    {
      const PhaseScope scope(report_.seconds, Phase::Setup);
      placement_.emplace(operands_, options_, report_);
    }
    multiplyOnGrid();
    exportResult();
    endReasons(report_);
    report_.totalSeconds = steadySeconds() - start;
    return report_;
  }

 private:
  MPI_Comm comm() const { return placement_->comm(); }
  std::size_t last() const { return operands_.size() - 1; }

  void multiplyOnGrid() {
    grids_.resize(operands_.size());
    imports_.resize(operands_.size());
    product_ = bring(last());
    for (std::size_t p = last(); p-- > 0;) {
      const Grid left = bring(p), right = std::exchange(product_, Grid());
      RoundCounters counters;
      std::shared_ptr<const NeededRows<Device>> needed;
      product_ = multiply(left, right, options_.rounds, &counters, &needed);
      noteRounds(report_, counters, left, right, product_);
      if (keep_) keepProduct(needed);
    }
    if (keep_) {
      std::reverse(keep_->products.begin(), keep_->products.end());
      std::reverse(keep_->needed.begin(), keep_->needed.end());
      for (std::size_t p = 0; p <= last(); ++p) keep_->locals.push_back(placement_->local(p));
      keep_->imports = std::move(imports_);
    }
    grids_.clear();
    placement_->dropOperands();
  }

  /// Operand p on the grid. It stays there where another is the same.
  Grid bring(std::size_t p) {
    const PhaseScope scope(report_.seconds, Phase::Import);
    const std::size_t same = placement_->sameAs(p);
    if (same != p) {
      imports_[p] = imports_[same];
      placement_->drop(p);
      return grids_[same];
    }
    const auto import = std::make_shared<MatrixImport<Scalar, Device>>(
        placement_->numbered(p), placement_->transport(), placement_->space(p),
        placement_->space(p + 1), options_.rounds, report_.traffic.import);
    const Grid grid = import->matrix(placement_->numbered(p).matrix, report_.traffic.import);
    if (keep_) imports_[p] = import;
    placement_->drop(p);
    for (std::size_t q = 0; q < p; ++q)
      if (placement_->sameAs(q) == p) grids_[p] = grid;
    return grid;
  }

  void keepProduct(const std::shared_ptr<const NeededRows<Device>>& needed) {
    runEverywhere(comm(), "Trident::MultiplyPlan", [&] {
      sortRows(product_.local());
      Kokkos::fence();
    });
    keep_->products.push_back(product_);
    keep_->needed.push_back(needed);
  }

  void exportResult() {
    const PhaseScope scope(report_.seconds, Phase::Export);
    const auto& rows = placement_->space(0);
    auto result = exportMatrix<SC, LO, GO, NO>(
        std::exchange(product_, Grid()), rows, placement_->space(operands_.size()), options_.rounds,
        report_.traffic.export_, keep_ ? &keep_->values : nullptr);
    report_.resultBytes = result.local.columns.extent(0) * (sizeof(int) + sizeof(Scalar)) +
                          result.local.offsets.extent(0) * sizeof(std::size_t);
    if (wider()) widen(result.local);
    if (!isNew(C_))
      commitToPattern(result, complete_, C_);
    else if (complete_)
      commitResult(result, operands_[last()].domainMap(),
                   wider() ? C_.getRowMap() : operands_[0].rangeMap(),
                   wider() ? Teuchos::null : operands_[0].exporter(), globalConstants(), C_);
    else
      commitOpen(result, C_);
  }

  /// Whether C has more rows than the product.
  bool wider() const {
    return C_.getRowMap()->getGlobalNumElements() > operands_[0].rowMap()->getGlobalNumElements();
  }

  void widen(CrsArrays<Scalar, Device>& local) {
    runEverywhere(comm(), "Trident::Multiply", [&] {
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
  ProductStructure<SC, LO, GO, NO>* keep_ = nullptr;
  std::optional<ProductPlacement<SC, LO, GO, NO>> placement_;
  std::vector<Grid> grids_;  // of operands that others are the same as
  std::vector<std::shared_ptr<const MatrixImport<Scalar, Device>>> imports_;
  Grid product_;  // of the operands so far
};

}  // namespace Impl
}  // namespace Trident

#endif
