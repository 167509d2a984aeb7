// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VALUEEXPORT_HPP
#define TRIDENT_VALUEEXPORT_HPP

#include <memory>
#include <utility>

#include "matrix/Trident_PlaceRows.hpp"
#include "move/Trident_RowAssembly.hpp"
#include "move/Trident_RunExchange.hpp"

namespace Trident::Impl {

/// Where in its row of a result each entry of the pieces has come to lie.
template <class Scalar, class Device>
Kokkos::View<int*, Device> placesInRows(const RowPieces<Scalar, Device>& pieces,
                                        const ColumnIndex<Device>& index,
                                        const CrsArrays<Scalar, Device>& result) {
  const RowPieces<Scalar, Device> p = pieces;
  const ColumnIndex<Device> local = index;
  const PlacesInRows<decltype(result.offsets), decltype(result.columns)> placeOf{
      result.offsets, result.columns, true};
  const auto places =
      uninitialized<int, Device>("Trident::placesInRows", pieces.runs.columns.extent(0));
  forRowEntries<Device>(
      "Trident::placesInRows", pieces.runs.count(), places.extent(0), pieces.runs.begin,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        places(e) = placeOf(p.runs.header(r).row, local.local(p.position(r, e)));
      });
  return places;
}

/// The way back for the values of matrices of one structure: from their slices on the grid to the
/// rows of the Tpetra result.
template <class Scalar, class Device>
class ValueExport {
 public:
  ValueExport() = default;
  /// Of values that lie on the grid as in the result; there is nothing to move.
  static ValueExport nothingMoves() {
    ValueExport way;
    way.inPlace_ = true;
    return way;
  }
  /// @param exchange none where rows stay
  ValueExport(std::shared_ptr<RunExchange<Device>> exchange,
              const RowPieces<Scalar, Device>& pieces, const ColumnIndex<Device>& index,
              const CrsArrays<Scalar, Device>& result)
      : exchange_(std::move(exchange)),
        header_(pieces.runs.header),
        begin_(pieces.runs.begin),
        offsets_(result.offsets),
        places_(placesInRows(pieces, index, result)) {}

  /// Whether values lie on the grid as in the result, so that a product can write them there. Then
  /// move() must not be called.
  bool inPlace() const { return inPlace_; }

  using Packed = PackedPayload<Scalar, Device>;
  /// Makes room for the values where they arrive, and packs them: before ranks agree that none has
  /// failed. Local.
  /// @param slice values of this rank's slice
  Packed pack(const Kokkos::View<Scalar*, Device>& slice, LocalFailure& failure) const {
    return exchange_ ? exchange_->pack(slice, failure) : Packed{slice, slice};
  }

  /// Brings what was packed. Collective over the grid; throws Trident::Error on every rank, the
  /// result untouched, where one has failed to.
  /// @param result values of this rank's rows of the result
  void move(const Packed& packed, const Kokkos::View<Scalar*, Device>& result,
            Traffic& traffic) const {
    auto from = packed.receive;
    if (exchange_) {
      LocalFailure failure;
      from = exchange_->move(packed, traffic, failure);
      exchange_->agree(failure);
    }
    const auto header = header_;
    const auto begin = begin_;
    const auto offsets = offsets_;
    const auto places = places_;
    forRowEntries<Device>(
        "Trident::exportValues", header.extent(0), from.extent(0), begin,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          result(offsets(header(r).row) + places(e)) = from(e);
        });
    Kokkos::fence();
  }

 private:
  bool inPlace_ = false;
  std::shared_ptr<RunExchange<Device>> exchange_;
  Kokkos::View<RunHeader*, Device> header_;     // of the runs that arrive
  Kokkos::View<std::size_t*, Device> begin_;    // of their entries
  Kokkos::View<std::size_t*, Device> offsets_;  // of the result's rows
  Kokkos::View<int*, Device> places_;           // in its row, of each entry that arrives
};

}  // namespace Trident::Impl

#endif
