// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_EMPTYROWLOOPS_HPP
#define TRIDENT_EMPTYROWLOOPS_HPP

#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_SliceLocator.hpp"

namespace Trident::Impl {

/// The rows of a matrix that pruning left without an entry. Each row gets a loop of weight 1, as
/// in mcl. Call the methods in the order in which they stand.
template <class Scalar, class Device>
class EmptyRowLoops {
 public:
  using Local = LocalMatrix<Scalar, Device>;

  /// Finds the rows that have no entry on this rank. Local.
  void find(const Local& matrix) {
    empty_ = uninitialized<int, Device>("Trident::emptyRows", matrix.numRows());
    const auto offsets = matrix.graph.row_map;
    const auto empty = empty_;
    Kokkos::parallel_for(
        "Trident::emptyRows", Range<Device>(0, matrix.numRows()),
        TRIDENT_LAMBDA(long long r) { empty(r) = offsets(r + 1) == offsets(r); });
    onHost_ = toHost<int, Device>(empty_);
  }

  /// Drops the found rows that have an entry on another rank. Collective over the ranks that share
  /// rows, after find() on each of them.
  void agree(const ProcessGrid& grid) {
    if (grid.shape().nodeCols == 1) return;
    allReduce(MPI_IN_PLACE, onHost_.data(), static_cast<int>(onHost_.size()), MPI_INT, MPI_MIN,
              grid.rowLine(), "which rows are empty");
  }

  /// Returns `matrix` with loops in the empty rows whose diagonal lies on this rank. Local.
  /// @param onGrid the grid matrix whose part on this rank is `matrix`
  Local withLoops(const GridMatrix<Scalar, Device>& onGrid, const Local& matrix) const {
    const GridCoordinates& me = onGrid.grid().me();
    const auto loops = toDevice<int, Device>(onHost_);
    const auto counts = uninitialized<std::size_t, Device>("Trident::offsets", loops.extent(0) + 1);
    const RowPositions<Device> positions(*onGrid.rows(), me.i, me.k);
    const Position corner = onGrid.columns()->tileColBegin(me.j);
    const int width = matrix.numCols();
    const auto from = matrix;
    Kokkos::parallel_for(
        "Trident::countWithLoops", Range<Device>(0, matrix.numRows()), TRIDENT_LAMBDA(long long r) {
          const Position column = positions(static_cast<int>(r)) - corner;
          if (column < 0 || column >= width) loops(r) = 0;
          counts(r) = from.graph.row_map(r + 1) - from.graph.row_map(r) + loops(r);
        });
    const auto to = arraysForCounts<Scalar, Device>(counts);
    forRowEntries<Device>(
        "Trident::keepEntries", matrix.numRows(), matrix.nnz(), from.graph.row_map,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          const std::size_t at = to.offsets(r) + (e - from.graph.row_map(r));
          to.columns(at) = from.graph.entries(e);
          to.values(at) = from.values(e);
        });
    Kokkos::parallel_for(
        "Trident::addLoops", Range<Device>(0, matrix.numRows()), TRIDENT_LAMBDA(long long r) {
          if (!loops(r)) return;
          to.columns(to.offsets(r)) = static_cast<int>(positions(static_cast<int>(r)) - corner);
          to.values(to.offsets(r)) = 1;
        });
    Kokkos::fence();
    return to.matrix(width);
  }

 private:
  Kokkos::View<int*, Device> empty_;
  std::vector<int> onHost_;
};

}  // namespace Trident::Impl

#endif
