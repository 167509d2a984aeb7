// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_EXPORTMATRIX_HPP
#define TRIDENT_EXPORTMATRIX_HPP

#include <Teuchos_ParameterList.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "Trident_ColumnMap.hpp"
#include "Trident_GridMatrix.hpp"
#include "Trident_Interval.hpp"
#include "Trident_MapSpace.hpp"
#include "Trident_RowAssembly.hpp"
#include "Trident_ValueExport.hpp"

namespace Trident {
namespace Impl {

/// Positions of a rank's local rows: its slices of the tile row, one after another. For kernels.
template <class Device>
struct RowPositions {
  Kokkos::View<int*, Device> rowBegin;            ///< first local row of each slice; slices + 1
  Kokkos::View<Position*, Device> positionBegin;  ///< its position

  RowPositions(const IndexSpace& space, int i, int k) {
    const int slices = space.shape().segmentsPerTileRow();
    std::vector<int> rows(slices + 1, 0);
    std::vector<Position> positions(slices);
    for (int m = 0; m < slices; ++m) {
      rows[m + 1] = rows[m] + space.sliceSize(i * slices + m, k);
      positions[m] = space.sliceBegin(i * slices + m, k);
    }
    rowBegin = toDevice<int, Device>(rows);
    positionBegin = toDevice<Position, Device>(positions);
  }
  KOKKOS_INLINE_FUNCTION Position operator()(int row) const {
    const long long m = intervalOf(rowBegin, positionBegin.extent(0), row);
    return positionBegin(m) + (row - rowBegin(m));
  }
};

/// One run for each row that has entries, to the rank that owns the row.
template <class Scalar, class Device>
Runs<Device> runsToOwners(const LocalMatrix<Scalar, Device>& slice, const NumberedSpace& rows,
                          const GridCoordinates& me) {
  const auto offsets = slice.graph.row_map;
  const long long count = slice.numRows();
  const auto runBefore = uninitialized<long long, Device>("Trident::runBefore", count + 1);
  Kokkos::parallel_for(
      "Trident::nonEmptyRows", Range<Device>(0, count),
      KOKKOS_LAMBDA(long long r) { runBefore(r) = offsets(r + 1) > offsets(r); });
  const long long runCount = countsToOffsets<long long, Device>(runBefore);

  Runs<Device> runs{uninitialized<int, Device>("Trident::runDestination", runCount),
                    uninitialized<RunHeader, Device>("Trident::runHeader", runCount),
                    uninitialized<std::size_t, Device>("Trident::runSource", runCount)};
  const RowPositions<Device> positions(*rows.space, me.i, me.k);
  const Permutation permutation = rows.space->permutation();
  const int ranks = rows.numbering->ranks();
  const auto rankBegin = toDevice<Position, Device>(rows.numbering->rankBegin);
  const auto destination = runs.destination;
  const auto header = runs.header;
  const auto source = runs.source;
  Kokkos::parallel_for(
      "Trident::runsToOwners", Range<Device>(0, count), KOKKOS_LAMBDA(long long r) {
        if (runBefore(r + 1) == runBefore(r)) return;
        const Position number = permutation.inverse(positions(static_cast<int>(r)));
        const long long owner = intervalOf(rankBegin, ranks, number);
        const long long run = runBefore(r);
        destination(run) = static_cast<int>(owner);
        header(run) = {static_cast<int>(number - rankBegin(owner)),
                       static_cast<int>(offsets(r + 1) - offsets(r))};
        source(run) = offsets(r);
      });
  return runs;
}

/// The slice's rows as pieces of themselves, where rows stay: nothing is copied.
template <class Scalar, class Device>
ReceivedRuns<Scalar, Device> rowsAsRuns(const LocalMatrix<Scalar, Device>& slice) {
  ReceivedRuns<Scalar, Device> runs;
  const auto offsets = slice.graph.row_map;
  const long long rows = slice.numRows();
  runs.header = uninitialized<RunHeader, Device>("Trident::runHeader", rows);
  const auto header = runs.header;
  Kokkos::parallel_for(
      "Trident::rowsAsRuns", Range<Device>(0, rows), KOKKOS_LAMBDA(long long r) {
        header(r) = {static_cast<int>(r), static_cast<int>(offsets(r + 1) - offsets(r))};
      });
  runs.begin = Impl::runBegins<Device>(header);
  runs.columns = slice.graph.entries;
  runs.values = slice.values;
  return runs;
}

/// Position at which each run's columns begin: the corner of its source's tile. Empty where there
/// is one tile column.
template <class Device>
Kokkos::View<Position*, Device> cornersOfRuns(const std::vector<long long>& runOffsets,
                                              const IndexSpace& columns) {
  const GridShape& shape = columns.shape();
  if (shape.nodeCols == 1) return {};
  std::vector<Position> corners(shape.ranks());
  for (int g = 0; g < shape.ranks(); ++g) corners[g] = columns.tileColBegin(shape.coordinates(g).j);
  const auto offsets = toDevice<long long, Device>(runOffsets);
  const auto cornerOf = toDevice<Position, Device>(corners);
  const auto corner = uninitialized<Position, Device>("Trident::columnBegin", runOffsets.back());
  Kokkos::parallel_for(
      "Trident::cornersOfRuns", Range<Device>(0, runOffsets.back()), KOKKOS_LAMBDA(long long r) {
        corner(r) = cornerOf(intervalOf(offsets, cornerOf.extent(0), r));
      });
  return corner;
}

}  // namespace Impl

/// Everything of a result that C needs; C itself is touched only by commitResult() and its like.
template <class SC, class LO, class GO, class NO>
struct ExportedMatrix {
  CrsArrays<typename TpetraTypes<SC, LO, GO, NO>::scalar_type, typename NO::device_type> local;
  ColumnMap<LO, GO, NO> columns;
};

/// Whether a matrix that is given away is the only one that holds its arrays.
enum class SliceOwner { Sole, Shared };

/// Brings a matrix from the grid to the rows of its Map, columns sorted in the order of a Tpetra
/// column Map. Collective over the grid; where a rank lacks memory, throws Trident::Error on every
/// rank. Consumes the matrix, so that its slice can be freed as soon as its entries are on their
/// way; where rows stay and nobody else holds the slice, it becomes the result.
/// @param owner of the slice: Shared where somebody reads it afterwards
/// @param again where given, gets the way of the values; the slice is then shared
template <class SC, class LO, class GO, class NO, class Scalar, class Device>
ExportedMatrix<SC, LO, GO, NO> exportMatrix(GridMatrix<Scalar, Device> matrix, SliceOwner owner,
                                            const MapSpace<LO, GO, NO>& rows,
                                            const MapSpace<LO, GO, NO>& columns,
                                            const MessageOptions& options, Traffic& traffic,
                                            ValueExport<Scalar, Device>* again = nullptr) {
  const std::shared_ptr<GridTransport> transport = matrix.transport();
  const ProcessGrid& grid = transport->grid();
  LocalMatrix<Scalar, Device> slice = matrix.local();
  matrix = {};

  LocalFailure failure;
  RowPieces<Scalar, Device> pieces;
  pieces.permutation = columns.space->permutation();
  std::shared_ptr<RunExchange<Device>> exchange;
  if (rows.rowsStay()) {
    failure.guard([&] { pieces.runs = Impl::rowsAsRuns(slice); });
  } else {
    Runs<Device> runs;
    failure.guard([&] { runs = Impl::runsToOwners(slice, rows, grid.me()); });
    exchange = std::make_shared<RunExchange<Device>>(*transport, runs, options, traffic, failure);
    const Kokkos::View<int*, Device> entries = slice.graph.entries;
    const Kokkos::View<Scalar*, Device> values = slice.values;
    pieces.runs = {exchange->header(), exchange->begin(), exchange->move(entries, traffic),
                   exchange->move(values, traffic)};
  }
  const bool inPlace = rows.rowsStay() && owner == SliceOwner::Sole;
  if (!inPlace) slice = {};

  const MapNumbering<LO, GO, NO>& domain = *columns.numbering;
  const Position ownedBegin = domain.begin(), ownedEnd = domain.end();
  std::optional<ColumnIndex<Device>> index;
  std::vector<Position> remotes;
  failure.guard([&] {
    if (exchange)
      pieces.columnBegin = Impl::cornersOfRuns<Device>(exchange->offsets(), *columns.space);
    index.emplace(domain.size(), ownedBegin, ownedEnd, pieces.runs.columns.extent(0));
    remotes = toHost<Position, Device>(indexColumns(pieces, *index));
  });
  throwEverywhere(grid.comm(), "Trident::Multiply", failure.text());

  ExportedMatrix<SC, LO, GO, NO> result;
  result.columns = makeColumnMap(grid, domain, remotes, options.messageBytes, traffic);
  const int numColumns = static_cast<int>(ownedEnd - ownedBegin) + static_cast<int>(remotes.size());
  failure.guard([&] {
    if (!result.columns.order.empty()) index->setOrder(toDevice<int, Device>(result.columns.order));
    result.local =
        inPlace ? relabelRows(slice, pieces, *index, numColumns)
                : assembleRows(pieces, *index, static_cast<int>(localSize(*rows.numbering->map)),
                               numColumns);
    if (again) *again = ValueExport<Scalar, Device>(exchange, pieces, *index, result.local);
  });
  throwEverywhere(grid.comm(), "Trident::Multiply", failure.text());
  return result;
}

namespace Impl {

/// An open matrix of the result's arrays on C's row Map. Collective; where a rank lacks memory, as
/// on a device for what Tpetra keeps on the host, throws Trident::Error on every rank.
template <class SC, class LO, class GO, class NO>
Tpetra::CrsMatrix<SC, LO, GO, NO> openMatrix(const ExportedMatrix<SC, LO, GO, NO>& result,
                                             const Tpetra::CrsMatrix<SC, LO, GO, NO>& C) {
  std::optional<Tpetra::CrsMatrix<SC, LO, GO, NO>> matrix;
  runEverywhere(rawComm(*C.getComm()), "Trident::Multiply", [&] {
    matrix.emplace(C.getRowMap(), result.columns.map, 0);
    matrix->setAllValues(result.local.offsets, result.local.columns, result.local.values);
  });
  return std::move(*matrix);
}

}  // namespace Impl

/// Makes C the result, fill-complete. Collective; the last step of a product. The result becomes a
/// matrix of its own, which C takes over when nothing can fail any more: where a rank lacks memory
/// for what Tpetra does on it alone, throws Trident::Error on every rank, C untouched.
/// @param exporter from C's row Map to `range`; null where these are the same
/// @param globalConstants whether C is to have them
template <class SC, class LO, class GO, class NO>
void commitResult(const ExportedMatrix<SC, LO, GO, NO>& result,
                  const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& domain,
                  const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& range,
                  const Teuchos::RCP<const Tpetra::Export<LO, GO, NO>>& exporter,
                  bool globalConstants, Tpetra::CrsMatrix<SC, LO, GO, NO>& C) {
  auto matrix = Impl::openMatrix(result, C);
  runEverywhere(rawComm(*C.getComm()), "Trident::Multiply", [&] {
    const auto params = Teuchos::parameterList();
    params->set("compute global constants", false);
    // Where Map objects differ that are the same, Tpetra compares them, before it allocates.
    matrix.expertStaticFillComplete(domain, range, result.columns.importer, exporter, params);
  });
  if (globalConstants) computeGlobalConstants(matrix);
  C = std::move(matrix);
}

/// Gives C the result and leaves it open: C gets the result's column Map, is locally indexed, and
/// waits for a fillComplete() with domain and range Maps of the caller's choice. Collective; fails
/// as commitResult().
template <class SC, class LO, class GO, class NO>
void commitOpen(const ExportedMatrix<SC, LO, GO, NO>& result,
                Tpetra::CrsMatrix<SC, LO, GO, NO>& C) {
  C = Impl::openMatrix(result, C);
}

}  // namespace Trident

#endif
