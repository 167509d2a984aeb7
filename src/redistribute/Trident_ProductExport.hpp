// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTEXPORT_HPP
#define TRIDENT_PRODUCTEXPORT_HPP

#include <memory>
#include <optional>
#include <vector>

#include "Trident_Agreement.hpp"
#include "Trident_GridMatrix.hpp"
#include "Trident_LastStep.hpp"
#include "Trident_MatrixExport.hpp"
#include "Trident_MetRows.hpp"
#include "Trident_NumberedSpace.hpp"
#include "Trident_ResultColumns.hpp"
#include "Trident_SumOrder.hpp"

namespace Trident::Impl {

/// A·B from the last step of its product to the ranks that own its rows, which are where they are.
/// As a MatrixExport, but where the local product was put off the columns are found first: in the
/// rows of B that A meets. These rows get local columns, and so does the product when it is formed,
/// which then is the result. Otherwise the product is relabelled. Each rank chooses for itself.
template <class Scalar, class Device>
class ProductExport {
 public:
  using Matrix = LocalMatrix<Scalar, Device>;

  /// Whether a product can leave so: its rows stay, its columns lie by their numbers in one tile,
  /// and there are other ranks, which may own columns. The same on every rank.
  static bool suits(const NumberedSpace& rows, const NumberedSpace& columns) {
    return rows.rowsStay() && columns.space->isOneTileWide() &&
           columns.space->permutation().isIdentity() && columns.numbering->ranks() > 1;
  }

  /// Whether that pays. A device would sort the rows of a relabelled product; hosts need not, and
  /// measured alike (doc/algorithm.md). A small product is relabelled before its columns are found.
  static bool findingFirstPays(const Matrix& a, const Matrix& b) {
    if (isHost<Device> || b.numRows() == 0) return false;
    constexpr double enough = 2e7;  // multiply-adds
    return a.nnz() >= static_cast<std::size_t>(b.numRows()) &&
           static_cast<double>(a.nnz()) * b.nnz() / b.numRows() >= enough;
  }

  /// Local.
  /// @param A, B the factors, by whose spaces the product lies
  /// @param step of their product, which outlives this
  /// @param failure of this rank before, with which there are no columns; gets what this rank fails
  ///   in, for the caller to tell the others
  ProductExport(const GridMatrix<Scalar, Device>& A, const GridMatrix<Scalar, Device>& B,
                const LastStep<Scalar, Device>& step, const NumberedSpace& rows,
                const NumberedSpace& columns, const RoundOptions& options, LocalFailure& failure)
      : transport_(A.transport()),
        step_(step),
        ownedColumns_(static_cast<int>(columns.numbering->end() - columns.numbering->begin())),
        ascending_(rightFactorsAscend<Scalar, Device>(options)) {
    if (step.operands) {
      failure.guard([&] { findColumns(*columns.space, *columns.numbering); });
      return;
    }
    Traffic none;  // rows stay
    formed_.emplace(
        GridMatrix<Scalar, Device>{transport_, A.rows(), B.columns(), step.C, RowOrder::Ascending},
        SliceOwner::Sole, rows, columns, options, none, failure);
  }

  const ProcessGrid& grid() const { return transport_->grid(); }
  /// Numbers of the columns that entries here have and other ranks own, ascending.
  const std::vector<Position>& remotes() const { return formed_ ? formed_->remotes() : remotes_; }

  /// As MatrixExport::rows(). Local.
  CrsArrays<Scalar, Device> rows(const std::vector<int>& order) {
    if (formed_) return formed_->rows(order);
    const int columns = ownedColumns_ + static_cast<int>(remotes_.size());
    columns_->setOrder(order);
    const Matrix b = ascending_ ? met_->relabelledAscending(columns_->index(), columns)
                                : met_->relabelled(columns_->index(), columns);
    met_.reset();
    return ownArrays(step_.multiply(step_.operands->a, b));
  }

 private:
  void findColumns(const IndexSpace& space, const Numbering& numbering) {
    met_.emplace(step_.operands->a, step_.operands->tile);
    columns_.emplace(space, numbering, step_.operands->tile.nnz());
    remotes_ = columns_->listRemotes(met_->indexColumns(columns_->index()));
  }

  std::shared_ptr<GridTransport> transport_;
  const LastStep<Scalar, Device>& step_;
  int ownedColumns_;
  bool ascending_;  // the rows of B
  std::optional<MetRows<Scalar, Device>> met_;
  std::optional<ResultColumns<Device>> columns_;
  std::vector<Position> remotes_;
  std::optional<MatrixExport<Scalar, Device>> formed_;  // where the product came first
};

}  // namespace Trident::Impl

#endif
