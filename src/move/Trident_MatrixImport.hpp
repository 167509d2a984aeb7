// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MATRIXIMPORT_HPP
#define TRIDENT_MATRIXIMPORT_HPP

#include <memory>
#include <string>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_NumberedSpace.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_NumberedMatrix.hpp"
#include "matrix/Trident_OrderRows.hpp"
#include "matrix/Trident_SliceLocator.hpp"
#include "move/Trident_FindRuns.hpp"
#include "move/Trident_RunExchange.hpp"

namespace Trident::Impl {

/// Each entry's column in its tile.
template <class Device, class Columns>
Kokkos::View<int*, Device> tileColumns(const Columns& columns,
                                       const Kokkos::View<int*, Device>& local) {
  const auto to = uninitialized<int, Device>("Trident::columns", columns.extent(0));
  Kokkos::parallel_for(
      "Trident::tileColumns", Range<Device>(0, columns.extent(0)),
      TRIDENT_LAMBDA(long long e) { to(e) = local(columns(e)); });
  return to;
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
      TRIDENT_LAMBDA(long long r, std::size_t e) { to(places(r) + (e - begin(r))) = received(e); });
  return to;
}

/// In what order a row's entries lie on the grid: as they come, or by ascending column.
enum class EntryOrder { AsTheyCome, Ascending };

/// The way of a matrix onto the grid, where every entry goes straight to its owner: found by the
/// structure of what each rank has of it, then taken by its values and those of others of the same
/// structure. Rows may lie on several ranks in parts.
///
/// Making one and each matrix() are collective over the grid, also for a rank that has failed.
/// Where rows move they throw Trident::Error on every rank where one has failed before anything is
/// sent. What a rank lacks else is for the caller to tell the others.
template <class Scalar, class Device>
class MatrixImport {
 public:
  using Packed = PackedPayload<Scalar, Device>;

  /// @param local numbered along `rows` and `columns`
  /// @param failure of this rank before, with which `local` is not read; gets a lack of memory
  /// @param order the same on all ranks
  /// @param values null on all ranks, or gets the values of `local`, packed for matrix(): then
  ///   ranks need to agree only once
  MatrixImport(const NumberedMatrix<Scalar, Device>& local,
               const std::shared_ptr<GridTransport>& transport, const NumberedSpace& rows,
               const NumberedSpace& columns, const MessageOptions& options, Traffic& traffic,
               LocalFailure& failure, EntryOrder order = EntryOrder::AsTheyCome,
               Packed* values = nullptr)
      : transport_(transport),
        rows_(rows.space),
        columns_(columns.space),
        numColumns_(columns.space->tileColSize(transport->grid().me().j)) {
    const bool stay = local.rowNumbers.whole() && rows.rowsStay();
    Runs<Device> runs;
    failure.guard([&] {
      columnsStay_ = stay && columns.space->isOneTileWide() && local.columnNumbers.arePlaces();
      if (columnsStay_) return;
      const auto places = placeColumns<Device>(local.columnNumbers, *columns.space);
      columnsStay_ = stay && isIdentity(places.local);
      if (!columnsStay_) entries_ = tileColumns<Device>(local.matrix.graph.entries, places.local);
      if (!stay) runs = findRuns(local.matrix, local.rowNumbers, *rows.space, places.j);
    });
    if (stay) {
      if (order == EntryOrder::Ascending) failure.guard([&] { orderOwn(local.matrix); });
      return;
    }
    exchange_ = std::make_shared<RunExchange<Device>>(*transport, runs, options, failure);
    const auto columnsOfRuns = exchange_->pack(entries_, failure);
    if (values) *values = pack(local.matrix, failure);
    exchange_->agree(failure);
    exchange_->receiveRuns(traffic, failure);
    const auto received = exchange_->move(columnsOfRuns, traffic, failure);
    failure.guard([&] { placeRows(received, order); });
  }

  /// The matrix on the grid. Where rows stay (NumberedSpace::rowsStay) nothing moves, and the
  /// result shares the row offsets, and the values where no entry changes its place in a row:
  /// `local` must not change while it is in use.
  /// @param local has the structure of the one that this was made of
  /// @param failure as before; with one the matrix holds anything
  GridMatrix<Scalar, Device> matrix(const LocalMatrix<Scalar, Device>& local, Traffic& traffic,
                                    LocalFailure& failure) const {
    const Packed packed = pack(local, failure);
    if (exchange_) exchange_->agree(failure);
    return matrix(local, packed, traffic, failure);
  }

  /// Makes room for the values and packs them, where rows move: before ranks agree that none has
  /// failed. Local.
  Packed pack(const LocalMatrix<Scalar, Device>& local, LocalFailure& failure) const {
    return exchange_ ? exchange_->pack(Kokkos::View<Scalar*, Device>(local.values), failure)
                     : Packed();
  }
  /// The same matrix, of values that were packed.
  GridMatrix<Scalar, Device> matrix(const LocalMatrix<Scalar, Device>& local, const Packed& packed,
                                    Traffic& traffic, LocalFailure& failure) const {
    Kokkos::View<Scalar*, Device> values = local.values;
    const Kokkos::View<int*, Device> entries =
        columnsStay_ ? Kokkos::View<int*, Device>(local.graph.entries) : entries_;
    const Kokkos::View<const std::size_t*, Device> offsets =
        exchange_ ? offsets_ : Kokkos::View<const std::size_t*, Device>(local.graph.row_map);
    if (exchange_) {
      const auto received = exchange_->move(packed, traffic, failure);
      failure.guard([&] {
        values =
            scatterRuns<Scalar, Device>(exchange_->begin(), places_, received, "Trident::values");
        Kokkos::fence();
      });
    }
    failure.guard([&] {
      if (order_.changes()) values = valuesInOrder<Device>(offsets, values, order_);
      Kokkos::fence();
    });
    if (failure.failed()) return GridMatrix<Scalar, Device>(transport_, rows_, columns_, {});
    using Matrix = LocalMatrix<Scalar, Device>;
    // A matrix without rows may have no offsets at all.
    const int rows = offsets.extent(0) > 0 ? static_cast<int>(offsets.extent(0)) - 1 : 0;
    return {
        transport_, rows_, columns_,
        Matrix("Trident::slice", rows, numColumns_, entries.extent(0), values, offsets, entries)};
  }

 private:
  /// Sets the rows together, of runs. Local.
  void placeRows(const Kokkos::View<int*, Device>& received, EntryOrder order) {
    const GridCoordinates& me = transport_->grid().me();
    const auto counts = entriesOfRows<Device>(exchange_->header(), rows_->localRows(me.i, me.k));
    countsToOffsets<std::size_t, Device>(counts);
    offsets_ = counts;
    places_ = placesOfRuns<Device>(exchange_->header(), counts);
    entries_ = scatterRuns<int, Device>(exchange_->begin(), places_, received, "Trident::columns");
    if (order == EntryOrder::Ascending)
      order_ = orderColumns<Device>(offsets_, entries_, numColumns_);
    Kokkos::fence();
  }

  /// Orders rows that stay. Local.
  void orderOwn(const LocalMatrix<Scalar, Device>& local) {
    const auto& graph = local.graph;
    if (columnsStay_) {
      if (columnsAscend<Device>(graph.row_map, graph.entries, numColumns_)) return;
      entries_ = uninitialized<int, Device>("Trident::columns", graph.entries.extent(0));
      Kokkos::deep_copy(entries_, graph.entries);
      columnsStay_ = false;
    }
    order_ = orderColumns<Device>(graph.row_map, entries_, numColumns_);
    Kokkos::fence();
  }

  // No view of the local matrix's own arrays: while one lives, Tpetra lets no host read them.
  std::shared_ptr<GridTransport> transport_;
  std::shared_ptr<const IndexSpace> rows_, columns_;
  int numColumns_;
  bool columnsStay_ = false;                          // the slice's columns are the matrix's own
  std::shared_ptr<RunExchange<Device>> exchange_;     // none where rows stay
  Kokkos::View<std::size_t*, Device> places_;         // of the runs that arrive, in the slice
  Kokkos::View<const std::size_t*, Device> offsets_;  // where rows move
  Kokkos::View<int*, Device> entries_;                // columns of the slice, where they change
  Reordering<Device> order_;                          // of the slice's rows, where they change
};

}  // namespace Trident::Impl

#endif
