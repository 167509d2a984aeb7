// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_TRANSPOSEEXPORT_HPP
#define TRIDENT_TRANSPOSEEXPORT_HPP

#include <limits>
#include <memory>
#include <optional>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_TransposeRows.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "move/Trident_RowAssembly.hpp"
#include "move/Trident_RunTransfer.hpp"

namespace Trident::Impl {

/// Returns the number of each entry's column, which must fit an `int`. Returns `columns` itself if
/// columns are numbers already. Local.
template <class Device, class Columns>
Kokkos::View<int*, Device> columnsByNumber(const Columns& columns,
                                           const IndexNumbers<Device>& numbers) {
  if (numbers.isIdentity()) return columns;
  const auto to = scratch<int, Device>("Trident::columns", columns.extent(0));
  Kokkos::parallel_for(
      "Trident::columnsByNumber", Range<Device>(0, columns.extent(0)),
      TRIDENT_LAMBDA(long long e) { to(e) = static_cast<int>(numbers(columns(e))); });
  return to;
}

/// Returns the numbers 0, 1, ... in a scratch() array. Local.
template <class Device>
Kokkos::View<unsigned*, Device> countUp(std::size_t count) {
  const auto numbers = scratch<unsigned, Device>("Trident::arrivals", count);
  Kokkos::parallel_for(
      "Trident::arrivals", Range<Device>(0, count),
      TRIDENT_LAMBDA(long long e) { numbers(e) = static_cast<unsigned>(e); });
  return numbers;
}

/// An export of transposes of one structure, from the ranks that store a matrix to those that own
/// its columns. The constructor moves the structure, and notes the place of each value. Then a
/// matrix's values are put into the order of sending, sent, and put into the order of the rows.
///
/// The constructor is collective over the grid. If a rank has failed before anything is sent, it
/// throws Trident::Error on every rank.
template <class Scalar, class Device>
class TransposeExport {
 public:
  using Values = Kokkos::View<Scalar*, Device>;
  using Packed = PackedPayload<Scalar, Device>;

  /// @param local transpose of this rank's part of a matrix. Its values are the entries' offsets in
  ///   that part, which has fewer than 2^32 entries
  /// @param rows, columns numberings of the transpose, which has fewer than 2^31 columns
  TransposeExport(const NumberedMatrix<unsigned, Device>& local,
                  const std::shared_ptr<GridExchanges>& exchanges, const Numbering& rows,
                  const Numbering& columns, const MessageOptions& options, Traffic& traffic,
                  LocalFailure& failure)
      : exchanges_(exchanges),
        numRows_(static_cast<int>(rows.end() - rows.begin())),
        ownedColumns_(static_cast<int>(columns.end() - columns.begin())) {
    const auto& graph = local.matrix.graph;
    Kokkos::View<int*, Device> numbers;
    failure.guard([&] { numbers = columnsByNumber<Device>(graph.entries, local.columnNumbers); });
    if (local.wholeRows) {
      failure.guard([&] {
        parts_.runs = rowsAsRuns(LocalMatrix<unsigned, Device>(
            "Trident::transposed", local.matrix.numRows(), 0, numbers.extent(0),
            local.matrix.values, graph.row_map, numbers));
      });
    } else {
      receive(local, rows, numbers, options, traffic, failure);
    }
    failure.guard([&] {
      index_.emplace(columns.size(), columns.begin(), columns.end(), parts_.runs.columns.extent(0));
      remotes_ = indexColumns(parts_, *index_);
    });
  }

  const ProcessGrid& grid() const { return exchanges_->grid(); }
  /// Returns the numbers of remote columns with entries here, ascending.
  const Kokkos::View<Position*, Device>& remotes() const { return remotes_; }

  /// Forms the rows that this rank owns, as MatrixExport::rows() does, without setting values. May
  /// be called once. Local.
  CrsArrays<Scalar, Device> rows(const Kokkos::View<int*, Device>& order) {
    index_->setOrder(order);
    const auto arrays = assembleRows(parts_, *index_, numRows_,
                                     ownedColumns_ + static_cast<int>(remotes_.extent(0)));
    from_ = arrays.values;
    parts_ = {};
    index_.reset();
    return {arrays.offsets, arrays.columns, newValues()};
  }

  /// Returns an array for the values of this rank's rows. Values are not set. Local.
  Values newValues() const {
    return uninitialized<Scalar, Device>("Trident::values", from_.extent(0));
  }
  /// Packs a matrix's values, and makes room for values that arrive. To be called before ranks
  /// agree that none has failed. Local.
  Packed pack(const Values& stored, LocalFailure& failure) const {
    Packed packed{stored, stored};
    if (!transfer_) return packed;
    failure.guard([&] {
      const auto send = scratch<Scalar, Device>("Trident::packed", send_.extent(0));
      gatherValues(stored, send_, send);
      packed = transfer_->packed(send);
      Kokkos::fence();
    });
    return packed;
  }
  /// Moves packed values, and writes the values of this rank's rows. Collective over the grid.
  void move(const Packed& packed, const Values& values, Traffic& traffic,
            LocalFailure& failure) const {
    const Values from = transfer_ ? transfer_->move(packed, traffic, failure) : packed.receive;
    failure.guard([&] {
      gatherValues(from, from_, values);
      Kokkos::fence();
    });
  }

 private:
  /// Sends rows to their owners, and receives this rank's rows. Collective over the grid.
  /// @param numbers number of each entry's column
  void receive(const NumberedMatrix<unsigned, Device>& local, const Numbering& rows,
               const Kokkos::View<int*, Device>& numbers, const MessageOptions& options,
               Traffic& traffic, LocalFailure& failure) {
    Runs<Device> runs;
    failure.guard([&] { runs = runsToOwners(local.matrix, rows, local.rowNumbers); });
    transfer_ = std::make_shared<RunTransfer<Device>>(*exchanges_, runs, options, failure);
    const auto columns = transfer_->pack(numbers, failure);
    send_ = transfer_->pack(Kokkos::View<unsigned*, Device>(local.matrix.values), failure).send;
    transfer_->agree(failure);
    transfer_->receiveRuns(traffic, failure);
    const auto received = transfer_->move(columns, traffic, failure);
    failure.guard([&] {
      if (received.extent(0) > std::numeric_limits<unsigned>::max())
        throw Error("a transpose has 2^32 entries or more on a rank; use more ranks");
      parts_.runs = {transfer_->header(), transfer_->begin(), received,
                     countUp<Device>(received.extent(0))};
    });
  }

  std::shared_ptr<GridExchanges> exchanges_;
  int numRows_, ownedColumns_;
  std::shared_ptr<RunTransfer<Device>> transfer_;  // null where the rank has all rows
  Kokkos::View<unsigned*, Device> send_;           // offset of each sent value in the matrix
  Kokkos::View<unsigned*, Device> from_;  // offset of each result value in the arriving values
  // Parts and index, which rows() uses and then frees.
  ReceivedRowParts<unsigned, Device> parts_;
  std::optional<ColumnIndex<Device>> index_;
  Kokkos::View<Position*, Device> remotes_;
};

}  // namespace Trident::Impl

#endif
