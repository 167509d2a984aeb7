// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MATRIXEXPORT_HPP
#define TRIDENT_MATRIXEXPORT_HPP

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "matrix/Trident_ColumnIndex.hpp"
#include "matrix/Trident_GridMatrix.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_Search.hpp"
#include "matrix/Trident_SliceLocator.hpp"
#include "move/Trident_RowAssembly.hpp"
#include "move/Trident_RunTransfer.hpp"

namespace Trident::Impl {

/// Returns, for each entry of the parts, the entry's offset in its row of the result.
template <class Scalar, class Device>
Kokkos::View<int*, Device> offsetsInRows(const ReceivedRowParts<Scalar, Device>& parts,
                                         const ColumnIndex<Device>& index,
                                         const CrsArrays<Scalar, Device>& result) {
  const ReceivedRowParts<Scalar, Device> p = parts;
  const ColumnIndex<Device> local = index;
  const ColumnSearch<decltype(result.offsets), decltype(result.columns)> search{
      result.offsets, result.columns, true};
  const auto inRow = scratch<int, Device>("Trident::offsetsInRows", parts.runs.columns.extent(0));
  forRowEntries<Device>(
      "Trident::offsetsInRows", parts.runs.count(), inRow.extent(0), parts.runs.begin,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        inRow(e) = search(p.runs.header(r).row, local.local(p.position(r, e)));
      });
  return inRow;
}

/// Returns an array that a second matrix may take: on hosts `array` itself, on devices a copy.
/// On devices Tpetra lets no host read an array that a second object holds. Local.
template <class Array>
Array sharedOrCopied(const Array& array) {
  if constexpr (isHost<typename Array::device_type>) {
    return array;
  } else {
    const auto copy =
        uninitialized<typename Array::non_const_value_type, typename Array::device_type>(
            array.label(), array.extent(0));
    Kokkos::deep_copy(copy, array);
    return copy;
  }
}

/// An export of values, for matrices of one structure. The values go from the slices on the grid to
/// the rows of the Tpetra result.
template <class Scalar, class Device>
class ValueExport {
 public:
  ValueExport() = default;
  /// Makes an export that moves nothing, because values lie in the result just as on the grid.
  static ValueExport nothingMoves() {
    ValueExport none;
    none.inPlace_ = true;
    return none;
  }
  /// @param transfer null if rows stay
  ValueExport(std::shared_ptr<RunTransfer<Device>> transfer,
              const ReceivedRowParts<Scalar, Device>& parts, const ColumnIndex<Device>& index,
              const CrsArrays<Scalar, Device>& result)
      : transfer_(std::move(transfer)),
        header_(parts.runs.header),
        begin_(parts.runs.begin),
        offsets_(result.offsets),
        offsetInRow_(offsetsInRows(parts, index, result)) {}

  /// Returns true if values lie in the result just as on the grid. Then a product can write them
  /// into the result, and move() must not be called.
  bool inPlace() const { return inPlace_; }
  /// Returns true if values go to other ranks. Equal on all ranks.
  bool travels() const { return transfer_ != nullptr; }
  /// Returns true after putInOrder(), when callers must pass values in the result's order.
  bool inOrder() const { return inOrder_; }

  /// Returns a slice's columns in the order of the result's entries. From then on the caller must
  /// pass values in that order. Called only if rows stay. Local; takes memory.
  Kokkos::View<int*, Device> putInOrder(const Kokkos::View<int*, Device>& columns) {
    const auto ordered = uninitialized<int, Device>("Trident::orderedColumns", columns.extent(0));
    scatter(columns, ordered);
    *this = ValueExport();
    inOrder_ = true;
    return ordered;
  }

  void countArrays(ArrayBytes& bytes) const {
    if (transfer_) transfer_->countArrays(bytes);
    bytes.add(header_);
    bytes.add(begin_);
    bytes.add(offsets_);
    bytes.add(offsetInRow_);
  }

  using Packed = PackedPayload<Scalar, Device>;
  /// Packs values, and makes room for values that arrive. To be called before ranks agree that none
  /// has failed. Local.
  /// @param slice values of this rank's slice
  Packed pack(const Kokkos::View<Scalar*, Device>& slice, LocalFailure& failure) const {
    return transfer_ ? transfer_->pack(slice, failure) : Packed{slice, slice};
  }

  /// Moves packed values to the result. Collective over the grid. If a rank fails, throws
  /// Trident::Error on every rank and leaves the result as it is.
  /// @param result values of this rank's rows of the result
  void move(const Packed& packed, const Kokkos::View<Scalar*, Device>& result,
            Traffic& traffic) const {
    auto from = packed.receive;
    if (transfer_) {
      LocalFailure failure;
      from = transfer_->move(packed, traffic, failure);
      transfer_->agree(failure);
    }
    if (inOrder_)
      Kokkos::deep_copy(Kokkos::subview(result, std::make_pair(std::size_t(0), from.extent(0))),
                        from);
    else
      scatter(from, result);
  }

  // Public, because CUDA requires this of functions that have kernels.

  /// Writes elements, one for each entry that has arrived, to the entries' places in the result.
  template <class T>
  void scatter(const Kokkos::View<T*, Device>& from, const Kokkos::View<T*, Device>& to) const {
    const auto header = header_;
    const auto begin = begin_;
    const auto offsets = offsets_;
    const auto inRow = offsetInRow_;
    forRowEntries<Device>(
        "Trident::exportValues", header.extent(0), from.extent(0), begin,
        TRIDENT_LAMBDA(long long r, std::size_t e) {
          to(offsets(header(r).row) + inRow(e)) = from(e);
        });
    Kokkos::fence();
  }

 private:
  bool inPlace_ = false, inOrder_ = false;
  std::shared_ptr<RunTransfer<Device>> transfer_;
  Kokkos::View<RunHeader*, Device> header_;           // headers of the runs that arrive
  Kokkos::View<const std::size_t*, Device> begin_;    // start of each run's entries
  Kokkos::View<const std::size_t*, Device> offsets_;  // offsets of the result's rows
  Kokkos::View<int*, Device> offsetInRow_;            // offset of each arriving entry in its row
};

/// Makes a run of each row that has entries. The run goes to the rank that owns the row.
/// @param numbers function for kernels: numbers(r) is the number of row r of the slice
template <class Scalar, class Device, class Numbers>
Runs<Device> runsToOwners(const LocalMatrix<Scalar, Device>& slice, const Numbering& rows,
                          const Numbers& numbers) {
  const auto offsets = slice.graph.row_map;
  const long long count = slice.numRows();
  const auto runBefore = scratch<long long, Device>("Trident::runBefore", count + 1);
  Kokkos::parallel_for(
      "Trident::nonEmptyRows", Range<Device>(0, count),
      TRIDENT_LAMBDA(long long r) { runBefore(r) = offsets(r + 1) > offsets(r); });
  const long long runCount = countsToOffsets<long long, Device>(runBefore);

  const auto runs = uninitializedRuns<Device>(runCount);
  const int ranks = rows.ranks();
  const auto rankBegin = toDevice<Position, Device>(rows.rankBegin);
  const auto destination = runs.destination;
  const auto header = runs.header;
  const auto source = runs.source;
  Kokkos::parallel_for(
      "Trident::runsToOwners", Range<Device>(0, count), TRIDENT_LAMBDA(long long r) {
        if (runBefore(r + 1) == runBefore(r)) return;
        const Position number = numbers(static_cast<int>(r));
        const long long owner = intervalOf(rankBegin, ranks, number);
        const long long run = runBefore(r);
        destination(run) = static_cast<int>(owner);
        header(run) = {static_cast<int>(number - rankBegin(owner)),
                       static_cast<int>(offsets(r + 1) - offsets(r))};
        source(run) = offsets(r);
      });
  return runs;
}

/// Makes a run of each row of a slice, for rows that stay. Copies no entries.
template <class Scalar, class Device>
ReceivedRuns<Scalar, Device> rowsAsRuns(const LocalMatrix<Scalar, Device>& slice) {
  ReceivedRuns<Scalar, Device> runs;
  const auto offsets = slice.graph.row_map;
  const long long rows = slice.numRows();
  runs.header = scratch<RunHeader, Device>("Trident::runHeader", rows);
  const auto header = runs.header;
  Kokkos::parallel_for(
      "Trident::rowsAsRuns", Range<Device>(0, rows), TRIDENT_LAMBDA(long long r) {
        header(r) = {static_cast<int>(r), static_cast<int>(offsets(r + 1) - offsets(r))};
      });
  runs.begin = offsets;
  runs.columns = slice.graph.entries;
  runs.values = slice.values;
  return runs;
}

/// Returns, for each run, the position of column 0: the first column of the sender's tile. Returns
/// an empty list if there is one tile column.
template <class Device>
Kokkos::View<Position*, Device> cornersOfRuns(const std::vector<long long>& runOffsets,
                                              const IndexSpace& columns) {
  const GridShape shape = columns.shape();
  if (shape.nodeCols == 1) return {};
  const int ranks = shape.ranks();
  std::vector<Position> corners;
  for (int j = 0; j < shape.nodeCols; ++j) corners.push_back(columns.tileColBegin(j));
  const auto offsets = toDevice<long long, Device>(runOffsets);
  const auto cornerOf = toDevice<Position, Device>(corners);
  const auto corner = scratch<Position, Device>("Trident::columnBegin", runOffsets.back());
  Kokkos::parallel_for(
      "Trident::cornersOfRuns", Range<Device>(0, runOffsets.back()), TRIDENT_LAMBDA(long long r) {
        const auto source = static_cast<int>(intervalOf(offsets, ranks, r));
        corner(r) = cornerOf(shape.coordinates(source).j);
      });
  return corner;
}

/// Users of an exported matrix's arrays. Sole: only the export. Shared: others read the arrays
/// later. SharedStructure: others read the structure later, but no values. So the result may take
/// the values.
enum class SliceUsers { Sole, Shared, SharedStructure };

/// An export of one matrix from the grid to the ranks that own its rows. The constructor moves the
/// entries. rows() forms the rows, with local columns in the caller's order.
///
/// The constructor is collective over the grid. If a rank has failed before anything is sent, it
/// throws Trident::Error on every rank.
template <class Scalar, class Device>
class MatrixExport {
 public:
  /// Takes the matrix over, to free its slice as soon as the entries are moved. If rows stay and
  /// nobody else holds the slice, the slice becomes the result.
  MatrixExport(GridMatrix<Scalar, Device> matrix, SliceUsers users,
               const std::shared_ptr<const IndexSpace>& rows,
               const std::shared_ptr<const IndexSpace>& columns, const MessageOptions& options,
               Traffic& traffic, LocalFailure& failure)
      : exchanges_(matrix.exchanges()),
        numRows_(static_cast<int>(rows->numbering().end() - rows->numbering().begin())),
        ownedColumns_(static_cast<int>(columns->numbering().end() - columns->numbering().begin())),
        inPlace_(rows->rowsStay() && users == SliceUsers::Sole),
        numbersAscend_(matrix.columns()->isOneTileWide() && matrix.rowsAscend()),
        sharesStructure_(users == SliceUsers::SharedStructure),
        asIs_(numbersAscend_ && rows->rowsStay() && users != SliceUsers::Shared &&
              ownsAll(*columns)),
        slice_(matrix.local()) {
    const std::shared_ptr<const IndexSpace> space = matrix.columns();
    matrix = {};
    if (asIs_) return;
    if (rows->rowsStay()) {
      failure.guard([&] { parts_.runs = rowsAsRuns(slice_); });
    } else {
      Runs<Device> runs;
      failure.guard([&] {
        const GridCoordinates& me = grid().me();
        runs = runsToOwners(slice_, rows->numbering(), RowPositions<Device>(*rows, me.i, me.k));
      });
      transfer_ = std::make_shared<RunTransfer<Device>>(*exchanges_, runs, options, failure);
      const Kokkos::View<int*, Device> entries = slice_.graph.entries;
      const Kokkos::View<Scalar*, Device> values = slice_.values;
      const auto packedEntries = transfer_->pack(entries, failure);
      const auto packedValues = transfer_->pack(values, failure);
      transfer_->agree(failure);
      transfer_->receiveRuns(traffic, failure);
      parts_.runs = {transfer_->header(), transfer_->begin(),
                     transfer_->move(packedEntries, traffic, failure),
                     transfer_->move(packedValues, traffic, failure)};
    }
    if (!inPlace_) slice_ = {};
    failure.guard([&] {
      if (transfer_) parts_.columnBegin = cornersOfRuns<Device>(transfer_->offsets(), *space);
      const Numbering& numbering = columns->numbering();
      index_.emplace(numbering.size(), numbering.begin(), numbering.end(),
                     parts_.runs.columns.extent(0));
      remotes_ = touchedColumns();
    });
  }

  const ProcessGrid& grid() const { return exchanges_->grid(); }
  /// Returns the numbers of remote columns with entries here, ascending.
  const Kokkos::View<Position*, Device>& remotes() const { return remotes_; }

  /// Returns the number of entries of rows().
  long long entries() const {
    return static_cast<long long>(asIs_ ? slice_.nnz() : parts_.runs.columns.extent(0));
  }

  /// Forms the rows that this rank owns, in the order of their numbers. Columns are local indices,
  /// and ascend in each row. Owned columns have the first indices. May be called once. Local.
  /// @param order place of each remote column behind the owned ones; if empty, remotes()'s order
  CrsArrays<Scalar, Device> rows(const Kokkos::View<int*, Device>& order) {
    const int columns = ownedColumns_ + static_cast<int>(remotes_.extent(0));
    if (asIs_) {
      rows_ = arraysOf(slice_);
      if (!sharesStructure_) return rows_;
      return rows_ = {sharedOrCopied(rows_.offsets), sharedOrCopied(rows_.columns), rows_.values};
    }
    index_->setOrder(order);
    rows_ = assembledRows(columns);
    Kokkos::fence();
    return rows_;
  }

  /// Makes the export of further values of the same structure. It shares the offsets of rows()'s
  /// result and, if rows stay, those of the exported slice. Called after rows(). Local.
  ValueExport<Scalar, Device> values(LocalFailure& failure) const {
    if (asIs_) return ValueExport<Scalar, Device>::nothingMoves();
    ValueExport<Scalar, Device> values;
    failure.guard([&] {
      values = ValueExport<Scalar, Device>(transfer_, parts_, *index_, rows_);
      Kokkos::fence();
    });
    return values;
  }

 private:
  /// Returns true if this rank owns all columns, so that local columns are numbers.
  static bool ownsAll(const IndexSpace& columns) {
    return columns.rowsStay() && columns.numbering().ranks() == 1;
  }

  Kokkos::View<Position*, Device> touchedColumns() {
    ColumnIndex<Device>& index = *index_;
    if constexpr (isHost<Device>)
      if (inPlace_ && numbersAscend_ && index.usesBitmap()) return indexAscending(slice_, index);
    return indexColumns(parts_, index);
  }
  CrsArrays<Scalar, Device> assembledRows(int columns) {
    const ColumnIndex<Device>& index = *index_;
    if constexpr (isHost<Device>)
      if (inPlace_ && numbersAscend_) return relabelAscending(slice_, index);
    if (inPlace_) return relabelRows(slice_, parts_, index, columns);
    return numbersAscend_ ? assembleAscending(parts_, index, numRows_, columns)
                          : assembleRows(parts_, index, numRows_, columns);
  }

  std::shared_ptr<GridExchanges> exchanges_;
  int numRows_, ownedColumns_;
  bool inPlace_;
  bool numbersAscend_;                 // true if the slice's columns are numbers, and ascend
  bool sharesStructure_;               // true if the slice's structure has other owners
  bool asIs_;                          // true if the slice becomes the result as it is
  LocalMatrix<Scalar, Device> slice_;  // the slice, as long as it is needed
  std::shared_ptr<RunTransfer<Device>> transfer_;  // null where rows stay
  ReceivedRowParts<Scalar, Device> parts_;
  std::optional<ColumnIndex<Device>> index_;  // columns of C's rows on this rank
  Kokkos::View<Position*, Device> remotes_;
  CrsArrays<Scalar, Device> rows_;
};

}  // namespace Trident::Impl

#endif
