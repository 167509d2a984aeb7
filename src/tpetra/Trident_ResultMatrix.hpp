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

/// Returns true if another fillComplete() of this matrix calls a reduction. Tpetra calls a
/// reduction to compare two Maps that are different objects, without an Import or Export between
/// them. All ranks must get the same answer, as Tpetra requires. Local.
template <class Matrix>
bool endOfFillReduces(const Matrix& C) {
  const auto& graph = *C.getCrsGraph();
  return (graph.getImporter().is_null() && C.getDomainMap() != C.getColMap()) ||
         (graph.getExporter().is_null() && C.getRangeMap() != C.getRowMap());
}

/// Completes an open matrix by fillCompleteHere(). If a rank fails, throws on all ranks, and leaves
/// the matrix open on all. Collective.
/// @param failure earlier failure of this rank, which makes all ranks throw
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

/// Completes an open matrix by completeOpenAlone(). Computes global constants last, if the caller
/// wants them, because a failed rank would not join this reduction. Collective.
template <class Matrix>
void completeOpen(Matrix& C, bool globalConstants) {
  completeOpenAlone(C);
  if (globalConstants) computeGlobalConstants(C);
}

/// Makes Tpetra drop cached data of a fill-complete matrix's values, such as the norm. Tpetra's
/// only public way is resumeFill() and fillComplete(). The caller must write values before it asks
/// for such data again. Global constants stay. Collective. If a rank lacks memory, throws
/// Trident::Error on every rank. Then the matrix is as before, or open if restoring it fails, too.
/// @param failure earlier failure of this rank, which makes all ranks throw
template <class Matrix>
void completeAgain(Matrix& C, LocalFailure failure = {}) {
  const GlobalConstants<Matrix> constants(C);
  // A failed rank skips fillComplete(). If that calls a reduction, other ranks would wait forever.
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

/// Arrays of a result. commitResult(), commitOpen() or commitToPattern() makes C of the arrays.
template <class SC, class LO, class GO, class NO>
struct ExportedMatrix {
  CrsArrays<typename TpetraTypes<SC, LO, GO, NO>::scalar_type, typename NO::device_type> local;
  ColumnMap<LO, GO, NO> columns;
  long long entries = 0;  ///< sum of the ranks' entries
};

/// Forms the rows of a matrix that comes from the grid, with columns in the order of a Tpetra
/// column Map. Calls Tpetra's constructors last, while a device may still form the rows. Collective
/// over the grid. Throws Trident::Error on every rank if a rank fails before ranks ask owners for
/// columns.
/// @param outgoing a MatrixExport, ProductExport or TransposeExport
/// @param columns numbering of the matrix's columns
/// @param entries number of entries that this rank's rows will have; -1 on all ranks if unknown. If
///       unknown, or if `columns` is not consecutive, ranks also agree after the rows are formed.
///       Otherwise the caller must let ranks agree, because a rank may have failed
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

/// Turns C into the fill-complete result, as the last step of a product. C keeps its label. Makes
/// another matrix first, and moves it to C when nothing can fail any more. Collective. If a rank
/// lacks memory for Tpetra's own steps, or has failed before, throws Trident::Error on every rank
/// and leaves C as it is.
/// @param exporter Export from C's row Map to `range`; null if the two Maps are the same
/// @param globalConstants true if C gets global constants
/// @tparam Access finder and setter of a graph's constants: GraphAccess or GraphReductions
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
    // On Trilinos 13.2 this constructor copies the offsets to the host twice. setAllValues() and
    // expertStaticFillComplete() would copy them six times.
    matrix.emplace(local, C.getRowMap(), result.columns.map, domain, range, result.columns.importer,
                   exporter, params);
    matrix->setObjectLabel(C.getObjectLabel());
  });
  // Ranks agree before a reduction of Tpetra, because a failed rank does not join that reduction.
  if (Access::localReduces) throwEverywhere(rawComm(*C.getComm()), failure.text());
  failure.guard([&] {
    Access::computeLocal(*matrix);  // the constructor computed no local constants
    longestRow[0] = longestLocalRow(*matrix);
  });
  maximumEverywhere(rawComm(*C.getComm()), longestRow, failure);
  if (globalConstants)
    GlobalConstants<Matrix, Access>(result.entries, longestRow[0]).restore(*matrix);
  C = std::move(*matrix);
}

/// Returns the local index in Map `to` of each column of Map `from`; -1 if `to` lacks the column.
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

/// Replaces the product's columns by offsets in the pattern's rows. A column that the pattern's row
/// lacks becomes ~column, which is negative. Returns the place of the first negative value; the
/// number of entries if none is negative. Local.
/// @param columnOf result of columnsByMap(), from the product's column Map to C's
/// @param pattern C's pattern. This function tests if the columns ascend, because resumeFill()
///       makes Tpetra's isSorted() meaningless
/// @param numColumns number of the pattern's columns
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

/// Adds the product's values to C's, at the offsets of offsetsInPattern(). Skips entries that C's
/// pattern lacks. If `fresh`, sets C's values to 0 first.
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

/// Returns the message for an entry of the product that the pattern lacks.
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

/// Writes a product into C. C keeps its pattern and Maps. Replaces the product's columns by
/// offsets. Collective. Throws Trident::Error on every rank, and leaves C as it is, if an entry is
/// outside the pattern and may not be dropped, or if a rank has failed before, lacks memory (see
/// completeAgain()), or does not get C's arrays on the device.
/// @param complete if true, C's values start from zero, and C becomes fill-complete with its own
///       domain and range Maps, as in Tpetra. If false, the product is added to C's values, and C
///       is left open
/// @param dropsOutside true if entries that the pattern lacks are dropped
template <class SC, class LO, class GO, class NO>
void commitToPattern(const ExportedMatrix<SC, LO, GO, NO>& product, bool complete,
                     bool dropsOutside, Tpetra::CrsMatrix<SC, LO, GO, NO>& C,
                     LocalFailure failure) {
  std::string outside;
  failure.guard([&] {
    requireDeviceArrays(C);  // fails here, before ranks agree, or not at all
    const auto columnOf = columnsByMap(*product.columns.map, *C.getColMap());
    const long long entry =
        offsetsInPattern(product.local, columnOf, localGraphOf(*C.getCrsGraph()),
                         static_cast<int>(localSize(*C.getColMap())));
    if (!dropsOutside && entry < static_cast<long long>(product.local.columns.extent(0)))
      outside = outsideText(product, entry, *C.getRowMap());
  });
  throwEverywhere(rawComm(*C.getComm()), failure.failed() ? failure.text() : outside);
  // Completes C before it writes values, because only the completion can fail.
  if (complete && C.isFillComplete()) {
    completeAgain(C);
    computeGlobalConstants(C);  // completeAgain() keeps constants, but computes none
  } else if (complete) {
    completeOpen(C, true);
  } else if (C.isFillComplete()) {
    C.resumeFill();
  }
  addAtOffsets(product.local, localMatrixOf(C), complete);
}

/// Returns the local index, in a wider Map, of each row of this rank. Returns an empty list if the
/// wider Map lacks a row on this rank, or has the rows in another order. Local.
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

/// Inserts empty rows into a matrix, so that it has `count` rows. Row r becomes row rowsThere[r].
/// Moves no entries. Local.
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
