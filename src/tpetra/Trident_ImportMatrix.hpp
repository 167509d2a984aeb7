// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_IMPORTMATRIX_HPP
#define TRIDENT_IMPORTMATRIX_HPP

#include <memory>

#include "Trident_GridMatrix.hpp"
#include "Trident_MapSpace.hpp"
#include "Trident_RunExchange.hpp"
#include "Trident_SliceLocator.hpp"

namespace Trident {
namespace Impl {

/// Where each local column of a matrix lies on the grid.
template <class Device>
struct ColumnPlaces {
  Kokkos::View<int*, Device> j;      ///< node column
  Kokkos::View<int*, Device> local;  ///< column in its tiles
};

template <class Device>
ColumnPlaces<Device> placeColumns(const Kokkos::View<Position*, Device>& numbers,
                                  const IndexSpace& space) {
  const SliceLocator<Device> locator(space);
  ColumnPlaces<Device> places{
      uninitialized<int, Device>("Trident::columnNode", numbers.extent(0)),
      uninitialized<int, Device>("Trident::columnLocal", numbers.extent(0))};
  const auto j = places.j;
  const auto local = places.local;
  Kokkos::parallel_for(
      "Trident::placeColumns", Range<Device>(0, numbers.extent(0)), KOKKOS_LAMBDA(long long l) {
        const auto column = locator.column(numbers(l));
        j(l) = column.j;
        local(l) = column.local;
      });
  return places;
}

/// Each entry's column in its tile.
template <class Device, class Columns>
Kokkos::View<int*, Device> tileColumns(const Columns& columns,
                                       const Kokkos::View<int*, Device>& local) {
  const auto to = uninitialized<int, Device>("Trident::columns", columns.extent(0));
  Kokkos::parallel_for(
      "Trident::tileColumns", Range<Device>(0, columns.extent(0)),
      KOKKOS_LAMBDA(long long e) { to(e) = local(columns(e)); });
  return to;
}

template <class Device>
bool isIdentity(const Kokkos::View<int*, Device>& map) {
  long long moved = 0;
  Kokkos::parallel_reduce(
      "Trident::isIdentity", Range<Device>(0, map.extent(0)),
      KOKKOS_LAMBDA(long long l, long long& sum) { sum += map(l) != l; }, moved);
  return moved == 0;
}

/// The runs of a local matrix: consecutive entries of a row with one node column. A row goes to
/// the nodes of one node row, so it has at least as many runs as it meets node columns.
template <class Matrix, class Device = typename Matrix::device_type>
Runs<Device> findRuns(const Matrix& matrix, Position firstNumber, const IndexSpace& rowSpace,
                      const Kokkos::View<int*, Device>& columnNode) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long rows = matrix.numRows();
  const auto runBegin = uninitialized<long long, Device>("Trident::runBegin", rows + 1);
  Kokkos::parallel_for(
      "Trident::countRowRuns", Range<Device>(0, rows), KOKKOS_LAMBDA(long long r) {
        long long count = 0;
        int before = -1;
        for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) {
          const int j = columnNode(columns(e));
          count += j != before;
          before = j;
        }
        runBegin(r) = count;
      });
  const long long count = countsToOffsets<long long, Device>(runBegin);

  Runs<Device> runs{uninitialized<int, Device>("Trident::runDestination", count),
                    uninitialized<RunHeader, Device>("Trident::runHeader", count),
                    uninitialized<std::size_t, Device>("Trident::runSource", count)};
  const SliceLocator<Device> locator(rowSpace);
  const GridShape shape = rowSpace.shape();
  const int nodeCols = shape.nodeCols, lambda = shape.lambda;
  const auto destination = runs.destination;
  const auto header = runs.header;
  const auto source = runs.source;
  Kokkos::parallel_for(
      "Trident::findRuns", Range<Device>(0, rows), KOKKOS_LAMBDA(long long r) {
        const auto row = locator.row(firstNumber + r);
        long long run = runBegin(r) - 1;
        int before = -1;
        for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) {
          const int j = columnNode(columns(e));
          if (j != before) {
            ++run;
            destination(run) = (row.i * nodeCols + j) * lambda + row.k;
            header(run) = {row.local, 0};
            source(run) = e;
            before = j;
          }
          ++header(run).length;
        }
      });
  return runs;
}

/// Places received runs in their rows. A row's runs all come from one rank, so a rank's runs take
/// their places one source after another; inside a row the order of entries does not matter.
template <class Scalar, class Device>
LocalMatrix<Scalar, Device> placeRuns(const ReceivedRuns<Scalar, Device>& received, int rows,
                                      int columns) {
  const auto to = arraysForCounts<Scalar, Device>(entriesOfRows<Device>(received.header, rows));
  const auto cursor = uninitialized<std::size_t, Device>("Trident::cursor", rows + 1);
  Kokkos::deep_copy(cursor, to.offsets);
  const auto header = received.header;
  const auto toColumns = to.columns;
  const auto toValues = to.values;
  const auto fromColumns = received.columns;
  const auto fromValues = received.values;
  const auto begin = received.begin;
  Kokkos::parallel_for(
      "Trident::placeRuns", Range<Device>(0, header.extent(0)), KOKKOS_LAMBDA(long long r) {
        const std::size_t at = Kokkos::atomic_fetch_add(&cursor(header(r).row),
                                                        static_cast<std::size_t>(header(r).length));
        for (int e = 0; e < header(r).length; ++e) {
          toColumns(at + e) = fromColumns(begin(r) + e);
          toValues(at + e) = fromValues(begin(r) + e);
        }
      });
  return to.matrix(columns);
}

}  // namespace Impl

/// Takes a Tpetra matrix onto the grid: every entry goes straight to its owner. Collective over
/// the grid. Where rows stay (MapSpace::rowsStay) nothing moves, and the result shares A's values
/// and row offsets: A must not change while it is in use.
/// @param columnNumbers the number of each local column of A in `columns` (see columnNumbers())
template <class SC, class LO, class GO, class NO>
auto importMatrix(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                  const std::shared_ptr<GridTransport>& transport, const MapSpace<LO, GO, NO>& rows,
                  const MapSpace<LO, GO, NO>& columns,
                  const Kokkos::View<Position*, typename NO::device_type>& columnNumbers,
                  std::size_t messageBytes, Traffic& traffic) {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Matrix = LocalMatrix<Scalar, Device>;
  const ProcessGrid& grid = transport->grid();
  const auto local = A.getLocalMatrixDevice();
  const int numColumns = columns.space->tileColSize(grid.me().j);
  const auto places = Impl::placeColumns<Device>(columnNumbers, *columns.space);
  Matrix slice;
  if (rows.rowsStay() && Impl::isIdentity<Device>(places.local)) {
    slice = Matrix("Trident::slice", local.numRows(), numColumns, local.nnz(), local.values,
                   local.graph.row_map, local.graph.entries);
  } else {
    const auto entryColumns = Impl::tileColumns<Device>(local.graph.entries, places.local);
    if (rows.rowsStay()) {
      slice = Matrix("Trident::slice", local.numRows(), numColumns, local.nnz(), local.values,
                     local.graph.row_map, entryColumns);
    } else {
      const auto runs = Impl::findRuns(local, rows.numbering.begin(), *rows.space, places.j);
      const auto received = exchangeRuns<Scalar, Device>(grid, runs, entryColumns, local.values,
                                                         messageBytes, traffic);
      slice =
          Impl::placeRuns(received, rows.space->localRows(grid.me().i, grid.me().k), numColumns);
    }
  }
  return GridMatrix<Scalar, Device>(transport, rows.space, columns.space, slice);
}

}  // namespace Trident

#endif
