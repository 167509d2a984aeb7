// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_IMPORTMATRIX_HPP
#define TRIDENT_IMPORTMATRIX_HPP

#include <memory>
#include <string>

#include "Trident_FindRuns.hpp"
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

/// Brings what arrived run by run to the runs' places in their rows.
template <class T, class Device>
Kokkos::View<T*, Device> scatterRuns(const Kokkos::View<std::size_t*, Device>& begin,
                                     const Kokkos::View<std::size_t*, Device>& places,
                                     const Kokkos::View<T*, Device>& received,
                                     const std::string& label) {
  const auto to = uninitialized<T, Device>(label, received.extent(0));
  forRowEntries<Device>(
      "Trident::placeRuns", places.extent(0), to.extent(0), begin,
      KOKKOS_LAMBDA(long long r, std::size_t e) { to(places(r) + (e - begin(r))) = received(e); });
  return to;
}

}  // namespace Impl

/// The way of a Tpetra matrix onto the grid, where every entry goes straight to its owner: found by
/// the matrix's structure, then taken by its values and those of others of the same structure.
///
/// Making one and each matrix() are collective over the grid; where a rank lacks memory, they throw
/// Trident::Error on every rank.
template <class SC, class LO, class GO, class NO>
class MatrixImport {
  using Types = TpetraTypes<SC, LO, GO, NO>;
  using crs_matrix_type = typename Types::crs_matrix_type;
  using Scalar = typename Types::scalar_type;
  using Device = typename Types::device_type;
  using Space = MapSpace<LO, GO, NO>;

 public:
  /// @param columnNumbers the number of each local column of A in `columns` (see columnNumbers())
  MatrixImport(const crs_matrix_type& A, const std::shared_ptr<GridTransport>& transport,
               const Space& rows, const Space& columns,
               const Kokkos::View<Position*, Device>& columnNumbers, const MessageOptions& options,
               Traffic& traffic)
      : transport_(transport),
        rows_(rows.space),
        columns_(columns.space),
        numColumns_(columns.space->tileColSize(transport->grid().me().j)) {
    const auto local = A.getLocalMatrixDevice();
    LocalFailure failure;
    Runs<Device> runs;
    failure.guard([&] {
      const auto places = Impl::placeColumns<Device>(columnNumbers, *columns.space);
      columnsStay_ = rows.rowsStay() && Impl::isIdentity<Device>(places.local);
      if (!columnsStay_) entries_ = Impl::tileColumns<Device>(local.graph.entries, places.local);
      if (!rows.rowsStay())
        runs = Impl::findRuns(local, rows.numbering.begin(), *rows.space, places.j);
    });
    if (rows.rowsStay()) {
      throwEverywhere(transport->grid().comm(), "Trident::Multiply", failure.text());
    } else {
      exchange_ =
          std::make_shared<RunExchange<Device>>(*transport, runs, options, traffic, failure);
      placeRows(exchange_->move(entries_, traffic));
    }
  }

  /// A on the grid. Where rows stay (MapSpace::rowsStay) nothing moves, and the result shares A's
  /// values and row offsets: A must not change while it is in use.
  /// @param A has the structure of the matrix that this was made of
  GridMatrix<Scalar, Device> matrix(const crs_matrix_type& A, Traffic& traffic) const {
    const auto local = A.getLocalMatrixDevice();
    Kokkos::View<Scalar*, Device> values = local.values;
    const Kokkos::View<int*, Device> entries =
        columnsStay_ ? Kokkos::View<int*, Device>(local.graph.entries) : entries_;
    const Kokkos::View<const std::size_t*, Device> offsets =
        exchange_ ? offsets_ : Kokkos::View<const std::size_t*, Device>(local.graph.row_map);
    if (exchange_) {
      const auto received = exchange_->move(values, traffic);
      runEverywhere(transport_->grid().comm(), "Trident::Multiply", [&] {
        values = Impl::scatterRuns<Scalar, Device>(exchange_->begin(), places_, received,
                                                   "Trident::values");
      });
    }
    using Matrix = LocalMatrix<Scalar, Device>;
    // A matrix without rows may have no offsets at all.
    const int rows = offsets.extent(0) > 0 ? static_cast<int>(offsets.extent(0)) - 1 : 0;
    return {
        transport_, rows_, columns_,
        Matrix("Trident::slice", rows, numColumns_, entries.extent(0), values, offsets, entries)};
  }

 private:
  /// Sets the rows together, of runs. Inside a row the order of entries does not matter.
  void placeRows(const Kokkos::View<int*, Device>& received) {
    const GridCoordinates& me = transport_->grid().me();
    runEverywhere(transport_->grid().comm(), "Trident::Multiply", [&] {
      const auto counts = entriesOfRows<Device>(exchange_->header(), rows_->localRows(me.i, me.k));
      countsToOffsets<std::size_t, Device>(counts);
      offsets_ = counts;
      places_ = placesOfRuns<Device>(exchange_->header(), counts);
      entries_ =
          Impl::scatterRuns<int, Device>(exchange_->begin(), places_, received, "Trident::columns");
    });
  }

  // No view of the matrix's own arrays: while one lives, Tpetra lets no host read them.
  std::shared_ptr<GridTransport> transport_;
  std::shared_ptr<const IndexSpace> rows_, columns_;
  int numColumns_;
  bool columnsStay_ = false;                          // the slice's columns are the matrix's own
  std::shared_ptr<RunExchange<Device>> exchange_;     // none where rows stay
  Kokkos::View<std::size_t*, Device> places_;         // of the runs that arrive, in the slice
  Kokkos::View<const std::size_t*, Device> offsets_;  // where rows move
  Kokkos::View<int*, Device> entries_;                // columns of the slice, where they change
};

/// Takes a Tpetra matrix onto the grid, once.
template <class SC, class LO, class GO, class NO>
auto importMatrix(const Tpetra::CrsMatrix<SC, LO, GO, NO>& A,
                  const std::shared_ptr<GridTransport>& transport, const MapSpace<LO, GO, NO>& rows,
                  const MapSpace<LO, GO, NO>& columns,
                  const Kokkos::View<Position*, typename NO::device_type>& columnNumbers,
                  const MessageOptions& options, Traffic& traffic) {
  return MatrixImport<SC, LO, GO, NO>(A, transport, rows, columns, columnNumbers, options, traffic)
      .matrix(A, traffic);
}

}  // namespace Trident

#endif
