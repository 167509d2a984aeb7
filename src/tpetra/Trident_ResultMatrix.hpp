// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_RESULTMATRIX_HPP
#define TRIDENT_RESULTMATRIX_HPP

#include <Teuchos_ParameterList.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_OrderRows.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_Search.hpp"
#include "move/Trident_MatrixExport.hpp"
#include "tpetra/Trident_ColumnMap.hpp"
#include "tpetra/Trident_GlobalConstants.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// Returns true if Tpetra compares Maps of this matrix, by a reduction, when its fill ends once
/// more. It compares Maps that are different objects, with no Import or Export between them. Tpetra
/// needs that this is alike on all ranks. Local.
template <class Matrix>
bool endOfFillReduces(const Matrix& C) {
  const auto& graph = *C.getCrsGraph();
  return (graph.getImporter().is_null() && C.getDomainMap() != C.getColMap()) ||
         (graph.getExporter().is_null() && C.getRangeMap() != C.getRowMap());
}

/// Completes an open matrix whose pattern and Maps stay, without global constants. Steps that can
/// fail on one rank come first; then all ranks throw and the matrix is open on all. Collective.
/// @param failure all throw where one has it
template <class Matrix>
void completeOpenAlone(Matrix& C, LocalFailure failure = {}) {
  failure.guard([&] { fillCompleteHere(C); });
  try {
    throwEverywhere(rawComm(*C.getComm()), failure.text());
  } catch (const Error&) {
    if (C.isFillComplete()) C.resumeFill();
    throw;
  }
}

/// Completes an open matrix whose pattern and Maps stay; global constants, which are reduced, come
/// last. Collective.
template <class Matrix>
void completeOpen(Matrix& C, bool globalConstants) {
  completeOpenAlone(C);
  if (globalConstants) computeGlobalConstants(C);
}

/// Lets Tpetra forget its cached data of the values of a fill-complete matrix, such as the norm, by
/// the one public way there is: resuming fill and ending it. Values may then be written, until
/// something asks for the cached values. Global constants stay if there are any. Collective; where
/// a rank lacks memory, throws Trident::Error on every rank, and the matrix is as it was, unless
/// memory is lacking a second time: then open.
/// @param failure all throw where one has it
template <class Matrix>
void completeAgain(Matrix& C, LocalFailure failure = {}) {
  const GlobalConstants<Matrix> constants(C);
  // A rank that failed does not end fill, and must leave nobody waiting in Tpetra's reduction.
  if (endOfFillReduces(C)) throwEverywhere(rawComm(*C.getComm()), failure.text());
  failure.guard([&] {
    C.resumeFill();
    fillCompleteHere(C);
  });
  try {
    throwEverywhere(rawComm(*C.getComm()), failure.text());
  } catch (const Error&) {
    if (C.isFillComplete()) C.resumeFill();
    try {
      completeOpen(C, constants.known());
    } catch (const Error&) {
    }
    throw;
  }
  constants.restore(C);
}

/// The parts of a result from which C is made; C itself is touched only by commitResult() and its
/// like.
template <class SC, class LO, class GO, class NO>
struct ExportedMatrix {
  CrsArrays<typename TpetraTypes<SC, LO, GO, NO>::scalar_type, typename NO::device_type> local;
  ColumnMap<LO, GO, NO> columns;
  long long entries = 0;  ///< entries of all ranks
};

/// Forms the rows of a matrix that comes from the grid, columns in the order of a Tpetra column
/// Map. Tpetra's constructors come last: a device may still be at work on the rows. Collective over
/// the grid; throws Trident::Error on every rank if one has failed before it is asked for columns.
/// @param outgoing a MatrixExport, ProductExport or TransposeExport
/// @param columns of the matrix
/// @param entries that its rows will have on this rank; the caller then tells all ranks of a later
///   failure. -1 on all ranks: they are not known, and ranks agree once more. They also do where
///   owners answer with global indices, as those of one that has failed are no indices of the Map
template <class SC, class LO, class GO, class NO, class Export>
ExportedMatrix<SC, LO, GO, NO> exportMatrix(Export& outgoing,
                                            const GlobalNumbering<LO, GO, NO>& columns,
                                            const MessageOptions& options, Traffic& traffic,
                                            LocalFailure& failure, long long entries = -1) {
  ExportedMatrix<SC, LO, GO, NO> result;
  ColumnLists<LO, GO, NO> lists(outgoing.grid(), columns, outgoing.remotes(), entries,
                                options.messageBytes, traffic, failure);
  failure.guard([&] { result.local = outgoing.rows(lists.order()); });
  result.entries = lists.entries();
  if (entries < 0 || !columns.consecutive) {
    std::vector<long long> all{static_cast<long long>(result.local.columns.extent(0))};
    sumEverywhere(outgoing.grid().comm(), all, failure);
    result.entries = all[0];
  }
  result.columns = lists.makeMap(failure);
  return result;
}

/// Makes C the result, fill-complete; C keeps its label. Collective; the last step of a product.
/// The result becomes a matrix of its own, which C takes over when nothing can fail any more.
/// Throws Trident::Error on every rank, C untouched, if a rank lacks memory for Tpetra's own steps,
/// or had failed.
/// @param exporter from C's row Map to `range`; null where these are the same
/// @param globalConstants true if C is to have them
/// @tparam Access to find and give a graph's constants: GraphAccess or GraphReductions
template <class SC, class LO, class GO, class NO,
          class Access = GraphConstants<Tpetra::CrsMatrix<SC, LO, GO, NO>>>
void commitResult(const ExportedMatrix<SC, LO, GO, NO>& result,
                  const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& domain,
                  const Teuchos::RCP<const Tpetra::Map<LO, GO, NO>>& range,
                  const Teuchos::RCP<const Tpetra::Export<LO, GO, NO>>& exporter,
                  bool globalConstants, Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                  LocalFailure failure) {
  using Matrix = Tpetra::CrsMatrix<SC, LO, GO, NO>;
  using Local = typename Matrix::local_matrix_device_type;
  std::optional<Matrix> matrix;
  std::vector<long long> longestRow(1, 0);
  failure.guard([&] {
    const auto params = Teuchos::parameterList();
    params->set("compute global constants", false);
    const typename Local::staticcrsgraph_type graph(result.local.columns, result.local.offsets);
    const Local local("Trident::product", static_cast<int>(localSize(*result.columns.map)),
                      result.local.values, graph);
    // This constructor copies the offsets to the host least often: on 13.2 twice, where
    // setAllValues() and expertStaticFillComplete() do it six times.
    matrix.emplace(local, C.getRowMap(), result.columns.map, domain, range, result.columns.importer,
                   exporter, params);
    matrix->setObjectLabel(C.getObjectLabel());
  });
  // Where Tpetra may reduce, a rank that failed must leave nobody waiting there.
  if (Access::localReduces) throwEverywhere(rawComm(*C.getComm()), failure.text());
  failure.guard([&] {
    Access::computeLocal(*matrix);  // 13.2 leaves them out where none are global
    longestRow[0] = longestLocalRow(*matrix);
  });
  maximumEverywhere(rawComm(*C.getComm()), longestRow, failure);
  if (globalConstants)
    GlobalConstants<Matrix, Access>(result.entries, longestRow[0]).restore(*matrix);
  C = std::move(*matrix);
}

/// Finds for each local column by one Map the local column by C's column Map; -1 if C lacks it.
template <class LO, class GO, class NO>
Kokkos::View<int*, typename NO::device_type> columnsByMap(const Tpetra::Map<LO, GO, NO>& from,
                                                          const Tpetra::Map<LO, GO, NO>& to) {
  using Device = typename NO::device_type;
  const auto source = from.getLocalMap(), target = to.getLocalMap();
  const auto columns = scratch<int, Device>("Trident::columnsByMap", localSize(from));
  Kokkos::parallel_for(
      "Trident::columnsByMap", Range<Device>(0, columns.extent(0)), TRIDENT_LAMBDA(long long c) {
        const LO column = target.getLocalElement(source.getGlobalElement(static_cast<LO>(c)));
        columns(c) = column == Tpetra::Details::OrdinalTraits<LO>::invalid() ? -1 : column;
      });
  return columns;
}

/// Turns the columns of the product into offsets in the pattern's rows; a column that its row lacks
/// becomes its complement, which is negative. Returns the first such entry, or the number of
/// entries. Local.
/// @param pattern whose rows are looked at for their order: Tpetra's isSorted() says nothing, as
///   resumeFill() sets it whatever they are
/// @param numColumns of the pattern
template <class Scalar, class Device, class Graph>
long long offsetsInPattern(const CrsArrays<Scalar, Device>& product,
                           const Kokkos::View<int*, Device>& columnOf, const Graph& pattern,
                           int numColumns) {
  const ColumnSearch<typename Graph::row_map_type, typename Graph::entries_type> offsetOf{
      pattern.row_map, pattern.entries,
      columnsAscend<Device>(pattern.row_map, pattern.entries, numColumns)};
  const auto columns = product.columns;
  const long long entries = columns.extent(0);
  forRowEntries<Device>(
      "Trident::offsetsInPattern", static_cast<long long>(product.offsets.extent(0)) - 1, entries,
      product.offsets, TRIDENT_LAMBDA(long long r, std::size_t e) {
        const int column = columnOf(columns(e));
        const int found = column < 0 ? -1 : offsetOf(r, column);
        columns(e) = found < 0 ? ~columns(e) : found;
      });
  return firstNegative(columns);
}

/// Adds the product's values at their offsets in C's rows, to zeros where `fresh`. Values without
/// an offset there leave no trace.
template <class Scalar, class Device, class Matrix>
void addAtOffsets(const CrsArrays<Scalar, Device>& product, const Matrix& C, bool fresh) {
  const auto offsetsInRows = product.columns;
  const auto values = product.values;
  const auto offsets = C.graph.row_map;
  const auto sums = C.values;
  if (fresh) Kokkos::deep_copy(sums, Scalar(0));
  forRowEntries<Device>(
      "Trident::addAtOffsets", C.numRows(), offsetsInRows.extent(0), product.offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) {
        if (offsetsInRows(e) >= 0) sums(offsets(r) + offsetsInRows(e)) += values(e);
      });
  Kokkos::fence();
}

/// Returns a message that names the entry of the product that the pattern lacks.
template <class SC, class LO, class GO, class NO>
std::string outsideText(const ExportedMatrix<SC, LO, GO, NO>& product, long long entry,
                        const Tpetra::Map<LO, GO, NO>& rows) {
  const auto offsets =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), product.local.offsets);
  const std::size_t* const begin = offsets.data();
  const long long row =
      std::upper_bound(begin, begin + offsets.extent(0), static_cast<std::size_t>(entry)) - begin;
  int column = 0;
  Kokkos::deep_copy(column, Kokkos::subview(product.local.columns, entry));
  return "the product has the entry (" +
         std::to_string(rows.getGlobalElement(static_cast<LO>(row - 1))) + ", " +
         std::to_string(product.columns.map->getGlobalElement(~column)) +
         ") by global indices, which C's pattern lacks; pass a C whose pattern holds the "
         "product's, or a new one, or have such entries dropped by params->set(\"MM Throw For "
         "Non-Existent Entries\", false)";
}

/// Adds a product to the values of C, whose pattern and Maps stay. Collective; throws
/// Trident::Error on every rank, C untouched, if an entry is outside the pattern and not to be
/// dropped. It also does if a rank lacks memory (see completeAgain()) or C's arrays on the device,
/// or had failed. Uses the product's columns up.
/// @param complete true if C's values start from zero and C becomes fill-complete with its own
///   domain and range Maps (as Tpetra does); otherwise they add to what is there and C is left open
/// @param dropsOutside true if entries that the pattern lacks are dropped
template <class SC, class LO, class GO, class NO>
void commitToPattern(const ExportedMatrix<SC, LO, GO, NO>& product, bool complete,
                     bool dropsOutside, Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                     LocalFailure failure) {
  std::string outside;
  failure.guard([&] {
    requireDeviceArrays(C);  // for addAtOffsets(), when all have agreed
    const auto columnOf = columnsByMap(*product.columns.map, *C.getColMap());
    const long long entry =
        offsetsInPattern(product.local, columnOf, localGraphOf(*C.getCrsGraph()),
                         static_cast<int>(localSize(*C.getColMap())));
    if (!dropsOutside && entry < static_cast<long long>(product.local.columns.extent(0)))
      outside = outsideText(product, entry, *C.getRowMap());
  });
  throwEverywhere(rawComm(*C.getComm()), failure.failed() ? failure.text() : outside);
  // First, as it can fail; Tpetra caches nothing of values until it is asked.
  if (complete && C.isFillComplete()) {
    completeAgain(C);
    computeGlobalConstants(C);  // if there were none
  } else if (complete) {
    completeOpen(C, true);
  } else if (C.isFillComplete()) {
    C.resumeFill();
  }
  addAtOffsets(product.local, localMatrixOf(C), complete);
}

/// Returns the local rows in a wider Map of those of another. The list is empty if one is missing
/// on this rank, if they lie in another order, or if there are none. Local.
template <class Map>
std::vector<int> rowsWithin(const Map& rows, const Map& wider) {
  std::vector<int> rowsThere;
  for (const auto gid : localGids(rows)) {
    const auto row = wider.getLocalElement(gid);
    if (!wider.isNodeLocalElement(row) || (!rowsThere.empty() && row <= rowsThere.back()))
      return {};
    rowsThere.push_back(row);
  }
  return rowsThere;
}

/// Gives a matrix rows without entries between its own: row r becomes row rowsThere[r] of `count`.
/// Its entries stay where they are. Local.
template <class Scalar, class Device>
void widenRows(CrsArrays<Scalar, Device>& matrix, const std::vector<int>& rowsThere, int count) {
  const auto before = matrix.offsets;
  const Kokkos::View<std::size_t*, Device> offsets("Trident::widerOffsets", count + 1);
  const auto rowOf = toDevice<int, Device>(rowsThere);
  Kokkos::parallel_for(
      "Trident::widenRows", Range<Device>(0, rowsThere.size()),
      TRIDENT_LAMBDA(long long r) { offsets(rowOf(r)) = before(r + 1) - before(r); });
  countsToOffsets<std::size_t, Device>(offsets);
  matrix.offsets = offsets;
}

}  // namespace Trident::Impl

#endif
