// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWINFLATION_HPP
#define TRIDENT_ROWINFLATION_HPP

#include <vector>

#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "markov/Trident_PruneRule.hpp"
#include "matrix/Trident_FilterRows.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_RowLanes.hpp"

namespace Trident::Impl {

/// The inflation of a matrix that a PruneAloneFilter pruned. The result is that of a PruneFilter,
/// except for rounding: entries of a row are added in another order. Call the methods in the order
/// in which they stand.
template <class Scalar, class Device>
class RowInflation {
 public:
  using Local = LocalMatrix<Scalar, Device>;
  using PerRow = Kokkos::View<double*, Device>;

  explicit RowInflation(double inflation) : inflation_(inflation) {}

  /// Finds the largest value of each row on this rank. Local.
  void findLargest(const Local& matrix) {
    largest_ = uninitialized<double, Device>("Trident::largestOfRows", matrix.numRows());
    forRowsByLanes<Device>("Trident::largestOfRows", matrix.numRows(), matrix.numCols(),
                           LargestOfRow{matrix, largest_});
    Kokkos::fence();
  }
  /// Replaces each row's largest value by the largest of all ranks. Collective over the ranks that
  /// share rows, after findLargest() on each of them.
  void agreeOnLargest(const ProcessGrid& grid, LocalFailure& failure) {
    agree(grid, largest_, MPI_MAX, "the largest values of rows", failure);
  }
  /// Sums the powers of each row's values on this rank. Local.
  void sumPowers(const Local& matrix) {
    sums_ = uninitialized<double, Device>("Trident::sumsOfRows", matrix.numRows());
    forRowsByLanes<Device>("Trident::sumsOfRows", matrix.numRows(), matrix.numCols(),
                           SumOfPowers{matrix, largest_, sums_, inflation_});
    Kokkos::fence();
  }
  /// Replaces each row's sum by the sum over all ranks. Collective as agreeOnLargest().
  void agreeOnSums(const ProcessGrid& grid, LocalFailure& failure) {
    agree(grid, sums_, MPI_SUM, "the sums of rows", failure);
  }
  /// Returns the inflated matrix. Local; waits for its kernels.
  Local inflated(const Local& matrix) const {
    const Kokkos::View<PruneCut*, Device> verdicts("Trident::inflateRows", largest_.extent(0));
    const auto largest = largest_, sums = sums_;
    Kokkos::parallel_for(
        "Trident::inflateRows", Range<Device>(0, matrix.numRows()), TRIDENT_LAMBDA(long long r) {
          verdicts(r) = {{0, 0, largest(r)}, 1 / sums(r)};
        });
    return keepEntries(matrix, KnownVerdicts<PruneCut, Device>{verdicts}, KeepInflated{inflation_});
  }

  // Public, because CUDA wants functions with kernels to be public.

  struct LargestOfRow {
    Local matrix;
    PerRow largest;

    KOKKOS_INLINE_FUNCTION int lengthOf(long long r) const { return rowLength(matrix, r); }
    template <class Lanes>
    KOKKOS_INLINE_FUNCTION void operator()(const Lanes& lanes, long long r) const {
      const std::size_t begin = matrix.graph.row_map(r);
      const int length = lengthOf(r);
      const double found = lanes.template largest<double>(
          length, 0.0, [&](int e) { return static_cast<double>(matrix.values(begin + e)); });
      lanes.once([&] { largest(r) = found; });
    }
  };
  struct SumOfPowers {
    Local matrix;
    PerRow largest, sums;
    double inflation;

    KOKKOS_INLINE_FUNCTION int lengthOf(long long r) const { return rowLength(matrix, r); }
    template <class Lanes>
    KOKKOS_INLINE_FUNCTION void operator()(const Lanes& lanes, long long r) const {
      const std::size_t begin = matrix.graph.row_map(r);
      const int length = lengthOf(r);
      const double most = largest(r), power = inflation;
      const double found = lanes.template sum<double>(length, [&](int e) {
        return Impl::inflated(static_cast<double>(matrix.values(begin + e)) / most, power);
      });
      lanes.once([&] { sums(r) = found; });
    }
  };

 private:
  /// Reduces one number for each row over the ranks that share rows.
  static void agree(const ProcessGrid& grid, PerRow& numbers, MPI_Op op, const char* what,
                    LocalFailure& failure) {
    if (grid.shape().nodeCols == 1) return;
    std::vector<double> onHost;
    failure.guard([&] { onHost = toHost<double, Device>(numbers); });
    throwEverywhere(grid.comm(), failure.text());
    allReduce(MPI_IN_PLACE, onHost.data(), static_cast<int>(onHost.size()), MPI_DOUBLE, op,
              grid.rowLine(), what);
    failure.guard([&] { numbers = toDevice<double, Device>(onHost); });
  }

  double inflation_;
  PerRow largest_, sums_;
};

/// Inflates a matrix whose rows were pruned and not inflated. Collective; throws Trident::Error on
/// every rank if a rank fails.
template <class Scalar, class Device>
GridMatrix<Scalar, Device> inflateRows(const GridMatrix<Scalar, Device>& matrix, double inflation) {
  RowInflation<Scalar, Device> rows(inflation);
  LocalFailure failure;
  failure.guard([&] { rows.findLargest(matrix.local()); });
  throwEverywhere(matrix.grid().comm(), failure.text());
  rows.agreeOnLargest(matrix.grid(), failure);
  failure.guard([&] { rows.sumPowers(matrix.local()); });
  throwEverywhere(matrix.grid().comm(), failure.text());
  rows.agreeOnSums(matrix.grid(), failure);
  LocalMatrix<Scalar, Device> local;
  failure.guard([&] { local = rows.inflated(matrix.local()); });
  throwEverywhere(matrix.grid().comm(), failure.text());
  return {matrix.exchanges(), matrix.rows(), matrix.columns(), local, RowOrder::Ascending};
}

}  // namespace Trident::Impl

#endif
