// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PRODUCTEXPORT_HPP
#define TRIDENT_PRODUCTEXPORT_HPP

#include <optional>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_NumberedSpace.hpp"
#include "grid/Trident_ProcessGrid.hpp"
#include "kernels/Trident_SumOrder.hpp"
#include "move/Trident_ResultColumns.hpp"
#include "product/Trident_MetRows.hpp"
#include "rounds/Trident_LastStep.hpp"

namespace Trident::Impl {

/// Whether a rank owns fewer than half of some columns of entries, by a sample. Local.
template <class Device, class Columns>
bool mostAreRemote(const Columns& columns, const Numbering& numbering) {
  const long long entries = columns.extent(0), step = entries / 4096 + 1;
  const long long samples = (entries + step - 1) / step;
  const Position begin = numbering.begin(), end = numbering.end();
  long long remote = 0;
  Kokkos::parallel_reduce(
      "Trident::sampleRemotes", Range<Device>(0, samples),
      TRIDENT_LAMBDA(long long s, long long& sum) {
        sum += columns(s * step) < begin || columns(s * step) >= end;
      },
      remote);
  return remote * 2 > samples;
}

/// A·B from its last step to the ranks that own its rows, which are where they are. Its local
/// product was put off: C's columns are found before, in the rows of B that A meets. These rows get
/// local columns, and so does the product when it is formed, which then is the result. Otherwise as
/// a MatrixExport, and other ranks may have one instead: what ranks do together is the same.
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

  /// Whether that pays for a·b. A device would sort rows of the relabelled product that have remote
  /// columns; hosts need not, and measured alike (doc/algorithm.md, "Columns first"). Local.
  /// @param columns of the product
  static bool findingFirstPays(const Matrix& a, const Matrix& b, const Numbering& columns) {
    if (isHost<Device> || b.numRows() == 0) return false;
    constexpr double enough = 2e7;  // multiply-adds
    return a.nnz() >= static_cast<std::size_t>(b.numRows()) &&
           static_cast<double>(a.nnz()) * b.nnz() / b.numRows() >= enough &&
           mostAreRemote<Device>(b.graph.entries, columns);
  }

  /// Local.
  /// @param step of the product, with operands; outlives this
  /// @param columns of the product
  /// @param failure of this rank before, with which there are no columns; gets what this rank fails
  ///   in, for the caller to tell the others
  ProductExport(const ProcessGrid& grid, const LastStep<Scalar, Device>& step,
                const NumberedSpace& columns, const RoundOptions& options, LocalFailure& failure)
      : grid_(grid),
        step_(step),
        ownedColumns_(static_cast<int>(columns.numbering->end() - columns.numbering->begin())),
        ascending_(rightFactorsAscend<Scalar, Device>(options)) {
    failure.guard([&] { findColumns(*columns.space, *columns.numbering); });
  }

  const ProcessGrid& grid() const { return grid_; }
  /// Numbers of the columns that entries here have and other ranks own, ascending.
  const std::vector<Position>& remotes() const { return remotes_; }

  /// As MatrixExport::rows(). Local.
  CrsArrays<Scalar, Device> rows(const std::vector<int>& order) {
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

  const ProcessGrid& grid_;
  const LastStep<Scalar, Device>& step_;
  int ownedColumns_;
  bool ascending_;  // the rows of B
  std::optional<MetRows<Scalar, Device>> met_;
  std::optional<ResultColumns<Device>> columns_;
  std::vector<Position> remotes_;
};

}  // namespace Trident::Impl

#endif
