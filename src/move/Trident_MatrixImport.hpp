// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MATRIXIMPORT_HPP
#define TRIDENT_MATRIXIMPORT_HPP

#include <memory>
#include <string>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_Device.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_OrderRows.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_SliceLocator.hpp"
#include "move/Trident_RunTransfer.hpp"
#include "move/Trident_Runs.hpp"

namespace Trident::Impl {

/// Places of a matrix's local rows on the grid.
template <class Device>
struct RowLocations {
  Kokkos::View<int*, Device> rank;   ///< grid rank that has the row in node column 0
  Kokkos::View<int*, Device> local;  ///< local row on that rank
  int ranksApart;                    ///< number of ranks from one node column to the next
};

template <class Device>
RowLocations<Device> locateRows(const IndexNumbers<Device>& rowNumbers, long long rows,
                                const IndexSpace& space) {
  const SliceLocator<Device> locator(space);
  const int lambda = space.shape().lambda, ranksInRow = space.shape().nodeCols * lambda;
  const RowLocations<Device> locations{scratch<int, Device>("Trident::rowRank", rows),
                                       scratch<int, Device>("Trident::rowLocal", rows), lambda};
  const IndexNumbers<Device> numbers = rowNumbers;
  Kokkos::parallel_for(
      "Trident::locateRows", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
        const auto row = locator.row(numbers(r));
        locations.rank(r) = row.i * ranksInRow + row.k;
        locations.local(r) = row.local;
      });
  return locations;
}

/// Finds the runs of all rows, with a thread for each row; on hosts.
template <class Matrix, class Device>
Runs<Device> runsByRow(const Matrix& matrix, const RowLocations<Device>& locations,
                       const Kokkos::View<int*, Device>& columnNode) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long rows = matrix.numRows();
  const auto runBegin = scratch<long long, Device>("Trident::runBegin", rows + 1);
  Kokkos::parallel_for(
      "Trident::countRowRuns", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
        long long count = 0;
        int before = -1;
        for (std::size_t e = offsets(r); e < offsets(r + 1); ++e) {
          const int j = columnNode(columns(e));
          count += j != before;
          before = j;
        }
        runBegin(r) = count;
      });
  const auto runs = uninitializedRuns<Device>(countsToOffsets<long long, Device>(runBegin));
  Kokkos::parallel_for(
      "Trident::findRuns", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
        std::size_t e = offsets(r);
        const std::size_t end = offsets(r + 1);
        for (long long run = runBegin(r); run < runBegin(r + 1); ++run) {
          const std::size_t begin = e;
          const int j = columnNode(columns(e));
          while (++e < end && columnNode(columns(e)) == j) {
          }
          runs.destination(run) = locations.rank(r) + j * locations.ranksApart;
          runs.header(run) = {locations.local(r), static_cast<int>(e - begin)};
          runs.source(run) = begin;
        }
      });
  return runs;
}

/// Returns the offsets of the entries that begin a run; on devices, where threads share a row.
/// Takes a byte of memory for each entry.
template <class Matrix, class Device>
Kokkos::View<std::size_t*, Device> runSourcesByEntry(const Matrix& matrix,
                                                     const Kokkos::View<int*, Device>& columnNode) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const long long entries = matrix.nnz();
  const auto begins = scratch<char, Device>("Trident::beginsRun", entries);
  forRowEntries<Device>(
      "Trident::beginsRun", matrix.numRows(), entries, offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        begins(e) = e == offsets(r) || columnNode(columns(e)) != columnNode(columns(e - 1));
      });
  // Kokkos 3.4 scans at most 2^31 numbers on CUDA, so this scans counts of blocks of entries.
  constexpr long long block = 64;
  const long long blocks = (entries + block - 1) / block;
  const auto before = scratch<long long, Device>("Trident::runsBefore", blocks + 1);
  Kokkos::parallel_for(
      "Trident::countRuns", Range<Device>(0, blocks), TRIDENT_LAMBDA(long long b) {
        long long sum = 0;
        for (long long e = b * block; e < entries && e < (b + 1) * block; ++e) sum += begins(e);
        before(b) = sum;
      });
  const auto source = scratch<std::size_t, Device>("Trident::runSource",
                                                   countsToOffsets<long long, Device>(before));
  Kokkos::parallel_for(
      "Trident::runSources", Range<Device>(0, blocks), TRIDENT_LAMBDA(long long b) {
        long long run = before(b);
        for (long long e = b * block; e < entries && e < (b + 1) * block; ++e)
          if (begins(e)) source(run++) = e;
      });
  return source;
}

/// Finds the runs of all rows, with threads that share rows; on devices.
template <class Matrix, class Device>
Runs<Device> runsByEntry(const Matrix& matrix, const RowLocations<Device>& locations,
                         const Kokkos::View<int*, Device>& columnNode) {
  const auto source = runSourcesByEntry<Matrix, Device>(matrix, columnNode);
  const long long count = source.extent(0), entries = matrix.nnz(), rows = matrix.numRows();
  Runs<Device> runs{scratch<int, Device>("Trident::runDestination", count),
                    scratch<RunHeader, Device>("Trident::runHeader", count), source};
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  Kokkos::parallel_for(
      "Trident::findRuns", Range<Device>(0, count), TRIDENT_LAMBDA(long long run) {
        const std::size_t begin = source(run);
        const std::size_t end = run + 1 < count ? source(run + 1) : entries;
        const long long row = intervalOf(offsets, rows, begin);
        runs.destination(run) =
            locations.rank(row) + columnNode(columns(begin)) * locations.ranksApart;
        runs.header(run) = {locations.local(row), static_cast<int>(end - begin)};
      });
  return runs;
}

/// Finds the runs of a local matrix: consecutive entries of a row that lie in one node column. A
/// row has at least one run for each node column in which it has entries.
template <class Matrix, class Device = typename Matrix::device_type>
Runs<Device> findRuns(const Matrix& matrix, const IndexNumbers<Device>& rowNumbers,
                      const IndexSpace& rowSpace, const Kokkos::View<int*, Device>& columnNode) {
  const auto locations = locateRows<Device>(rowNumbers, matrix.numRows(), rowSpace);
  if constexpr (isHost<Device>)
    return runsByRow<Matrix, Device>(matrix, locations, columnNode);
  else
    return runsByEntry<Matrix, Device>(matrix, locations, columnNode);
}

/// Returns each entry's column in its tile, in a scratch() array.
template <class Device, class Columns>
Kokkos::View<int*, Device> tileColumns(const Columns& columns,
                                       const Kokkos::View<int*, Device>& local) {
  const auto to = scratch<int, Device>("Trident::columns", columns.extent(0));
  Kokkos::parallel_for(
      "Trident::tileColumns", Range<Device>(0, columns.extent(0)),
      TRIDENT_LAMBDA(long long e) { to(e) = local(columns(e)); });
  return to;
}

/// Returns the elements of received runs, in the order of the slice's rows.
template <class T, class Device>
Kokkos::View<T*, Device> scatterRuns(const Kokkos::View<std::size_t*, Device>& begin,
                                     const Kokkos::View<std::size_t*, Device>& targets,
                                     const Kokkos::View<T*, Device>& received,
                                     const std::string& label) {
  const auto to = uninitialized<T, Device>(label, received.extent(0));
  forRowEntries<Device>(
      "Trident::scatterRuns", targets.extent(0), to.extent(0), begin,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        to(targets(r) + (e - begin(r))) = received(e);
      });
  return to;
}

/// The order of a row's entries on the grid: as they come, or by ascending column.
enum class EntryOrder { AsTheyCome, Ascending };

/// An import of matrices of one structure onto the grid. Each entry goes straight to the rank that
/// has its slice. The constructor finds these ranks, from the structure of each rank's part.
/// Several ranks may have parts of one row.
///
/// The constructor and matrix() are collective over the grid. A rank that has failed must call
/// them, too. If rows move, and a rank has failed before anything is sent, both throw
/// Trident::Error on every rank. After any other failure the caller must tell the other ranks.
template <class Scalar, class Device>
class MatrixImport {
 public:
  using Packed = PackedPayload<Scalar, Device>;

  /// @param local this rank's part, with numbers of `rows` and `columns`
  /// @param order the same on all ranks
  /// @param[out] values packed values of `local`, set only if rows move. Must be null on all ranks
  ///   or on none. If the caller passes `values` to matrix(), ranks agree once instead of twice
  MatrixImport(const NumberedMatrix<Scalar, Device>& local,
               const std::shared_ptr<GridExchanges>& exchanges,
               const std::shared_ptr<const IndexSpace>& rows,
               const std::shared_ptr<const IndexSpace>& columns, const MessageOptions& options,
               Traffic& traffic, LocalFailure& failure, EntryOrder order = EntryOrder::AsTheyCome,
               Packed* values = nullptr)
      : exchanges_(exchanges),
        rows_(rows),
        columns_(columns),
        numColumns_(columns->tileColSize(exchanges->grid().me().j)) {
    const bool stay = local.wholeRows && rows->rowsStay();
    Runs<Device> runs;
    failure.guard([&] {
      columnsStay_ = stay && columns->isOneTileWide() && local.columnNumbers.isIdentity();
      if (columnsStay_) return;
      const auto locations = locateColumns<Device>(local.columnNumbers, *columns);
      columnsStay_ = stay && isIdentity(locations.local);
      if (!columnsStay_)
        entries_ = tileColumns<Device>(local.matrix.graph.entries, locations.local);
      if (!stay) runs = findRuns(local.matrix, local.rowNumbers, *rows, locations.j);
    });
    if (stay) {
      if (order == EntryOrder::Ascending) failure.guard([&] { orderOwn(local.matrix); });
      return;
    }
    transfer_ = std::make_shared<RunTransfer<Device>>(*exchanges, runs, options, failure);
    const auto columnsOfRuns = transfer_->pack(entries_, failure);
    if (values) *values = pack(local.matrix, failure);
    transfer_->agree(failure);
    transfer_->receiveRuns(traffic, failure);
    const auto received = transfer_->move(columnsOfRuns, traffic, failure);
    failure.guard([&] { setRows(received, order); });
  }

  /// Makes the matrix on the grid. If rows stay (IndexSpace::rowsStay), nothing moves. Then the
  /// result shares the row offsets of `local`, and columns and values that stay as they are. So
  /// `local` must not change while the result is in use. Other arrays are from scratch(), and
  /// kernels may still be writing them.
  /// @param local matrix of the structure that the constructor was given
  GridMatrix<Scalar, Device> matrix(const LocalMatrix<Scalar, Device>& local, Traffic& traffic,
                                    LocalFailure& failure) const {
    const Packed packed = pack(local, failure);
    if (transfer_) transfer_->agree(failure);
    return matrix(local, packed, traffic, failure);
  }

  /// Packs values, and makes room for values that arrive, if rows move. To be called before ranks
  /// agree that none has failed. Local.
  Packed pack(const LocalMatrix<Scalar, Device>& local, LocalFailure& failure) const {
    return transfer_ ? transfer_->pack(Kokkos::View<Scalar*, Device>(local.values), failure)
                     : Packed();
  }
  /// Makes the matrix on the grid from packed values.
  GridMatrix<Scalar, Device> matrix(const LocalMatrix<Scalar, Device>& local, const Packed& packed,
                                    Traffic& traffic, LocalFailure& failure) const {
    Kokkos::View<Scalar*, Device> values = local.values;
    const Kokkos::View<int*, Device> entries =
        columnsStay_ ? Kokkos::View<int*, Device>(local.graph.entries) : entries_;
    const Kokkos::View<const std::size_t*, Device> offsets =
        transfer_ ? offsets_ : Kokkos::View<const std::size_t*, Device>(local.graph.row_map);
    if (transfer_) {
      const auto received = transfer_->move(packed, traffic, failure);
      failure.guard([&] {
        values =
            scatterRuns<Scalar, Device>(transfer_->begin(), targets_, received, "Trident::values");
        Kokkos::fence();
      });
    }
    failure.guard([&] {
      if (order_.changes()) values = ordered(offsets, values);
      if (transfer_) Kokkos::fence();
    });
    if (failure.failed()) return GridMatrix<Scalar, Device>(exchanges_, rows_, columns_, {});
    using Matrix = LocalMatrix<Scalar, Device>;
    // A matrix without rows may have no offsets at all.
    const int rows = offsets.extent(0) > 0 ? static_cast<int>(offsets.extent(0)) - 1 : 0;
    return {
        exchanges_, rows_, columns_,
        Matrix("Trident::slice", rows, numColumns_, entries.extent(0), values, offsets, entries)};
  }

  void countArrays(ArrayBytes& bytes) const {
    if (transfer_) transfer_->countArrays(bytes);
    bytes.add(targets_);
    bytes.add(offsets_);
    bytes.add(entries_);
    bytes.add(order_.from);
    bytes.add(order_.begin);
  }

 private:
  /// Returns the values in the order of the slice's rows. If rows stay, the array is from
  /// scratch(). A caller that keeps the matrix beyond the call must then copy the array.
  template <class Offsets>
  Kokkos::View<Scalar*, Device> ordered(const Offsets& offsets,
                                        const Kokkos::View<Scalar*, Device>& values) const {
    if (transfer_) return valuesInOrder<Device>(offsets, values, order_);
    const auto to = scratch<Scalar, Device>("Trident::values", values.extent(0));
    putInOrder<Device>(offsets, values, order_, to);
    return to;
  }

  /// Forms the rows from received runs. Local.
  void setRows(const Kokkos::View<int*, Device>& received, EntryOrder order) {
    const GridCoordinates& me = exchanges_->grid().me();
    const auto counts = entriesOfRows<Device>(transfer_->header(), rows_->localRows(me.i, me.k));
    countsToOffsets<std::size_t, Device>(counts);
    offsets_ = counts;
    targets_ = targetsOfRuns<Device>(transfer_->header(), counts);
    entries_ = scatterRuns<int, Device>(transfer_->begin(), targets_, received, "Trident::columns");
    if (order == EntryOrder::Ascending)
      order_ = orderColumns<Device>(offsets_, entries_, numColumns_);
    Kokkos::fence();
  }

  /// Sorts rows that stay. If this moves columns, the slice gets its own array of columns. Local.
  void orderOwn(const LocalMatrix<Scalar, Device>& local) {
    const auto& graph = local.graph;
    if (columnsStay_) {
      if (columnsAscend<Device>(graph.row_map, graph.entries, numColumns_)) return;
      entries_ = scratch<int, Device>("Trident::columns", graph.entries.extent(0));
      Kokkos::deep_copy(entries_, graph.entries);
      columnsStay_ = false;
    }
    order_ = orderColumns<Device>(graph.row_map, entries_, numColumns_);
    Kokkos::fence();
  }

  // No member may be a view of the local matrix, or Tpetra would let no host read the matrix.
  std::shared_ptr<GridExchanges> exchanges_;
  std::shared_ptr<const IndexSpace> rows_, columns_;
  int numColumns_;
  // True if the slice shares the matrix's array of columns.
  bool columnsStay_ = false;
  std::shared_ptr<RunTransfer<Device>> transfer_;     // null where rows stay
  Kokkos::View<std::size_t*, Device> targets_;        // places of arriving runs in the slice
  Kokkos::View<const std::size_t*, Device> offsets_;  // offsets of rows that move
  // Columns of the slice; not used if columnsStay_.
  Kokkos::View<int*, Device> entries_;
  Reordering<Device> order_;  // new order of entries in rows, if it changes
};

}  // namespace Trident::Impl

#endif
