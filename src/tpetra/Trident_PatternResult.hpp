// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PATTERNRESULT_HPP
#define TRIDENT_PATTERNRESULT_HPP

#include <algorithm>
#include <string>
#include <vector>

#include "base/Trident_Agreement.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_NumberedMatrix.hpp"
#include "matrix/Trident_OrderRows.hpp"
#include "matrix/Trident_RowLoops.hpp"
#include "matrix/Trident_Search.hpp"
#include "tpetra/Trident_CompleteAgain.hpp"
#include "tpetra/Trident_ExportMatrix.hpp"
#include "tpetra/Trident_LocalEntries.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident::Impl {

/// The local columns by C's column Map of those by another; -1 where C lacks one.
template <class LO, class GO, class NO>
Kokkos::View<int*, typename NO::device_type> columnsByMap(const Tpetra::Map<LO, GO, NO>& from,
                                                          const Tpetra::Map<LO, GO, NO>& to) {
  using Device = typename NO::device_type;
  const auto source = from.getLocalMap(), target = to.getLocalMap();
  const auto columns = uninitialized<int, Device>("Trident::columnsByMap", localSize(from));
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
long long findInPattern(const CrsArrays<Scalar, Device>& product,
                        const Kokkos::View<int*, Device>& columnOf, const Graph& pattern,
                        int numColumns) {
  const ColumnSearch<typename Graph::row_map_type, typename Graph::entries_type> search{
      pattern.row_map, pattern.entries,
      columnsAscend<Device>(pattern.row_map, pattern.entries, numColumns)};
  const auto columns = product.columns;
  const long long entries = columns.extent(0);
  forRowEntries<Device>(
      "Trident::findInPattern", static_cast<long long>(product.offsets.extent(0)) - 1, entries,
      product.offsets, TRIDENT_LAMBDA(long long r, std::size_t e) {
        const int column = columnOf(columns(e));
        const int offset = column < 0 ? -1 : search(r, column);
        columns(e) = offset < 0 ? ~columns(e) : offset;
      });
  return firstNegative(columns);
}

/// Adds the product's values at their offsets, to zeros where `fresh`.
template <class Scalar, class Device, class Matrix>
void addAtOffsets(const CrsArrays<Scalar, Device>& product, const Matrix& C, bool fresh) {
  const auto inRow = product.columns;
  const auto values = product.values;
  const auto offsets = C.graph.row_map;
  const auto sums = C.values;
  if (fresh) Kokkos::deep_copy(sums, Scalar(0));
  forRowEntries<Device>(
      "Trident::addAtOffsets", C.numRows(), inRow.extent(0), product.offsets,
      TRIDENT_LAMBDA(long long r, std::size_t e) { sums(offsets(r) + inRow(e)) += values(e); });
  Kokkos::fence();
}

/// Which entry of the product the pattern lacks.
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
         "product's, or a new one";
}

/// Adds a product to the values of C, whose pattern and Maps stay. Collective; throws
/// Trident::Error on every rank, C untouched, where an entry is outside the pattern, a rank lacks
/// memory (see completeAgain()) or C's arrays on the device, or had failed. Uses the product's
/// columns up.
/// @param complete whether C's values start from zero and C becomes fill-complete with its own
///   domain and range Maps (as Tpetra does); otherwise they add to what is there and C is left open
template <class SC, class LO, class GO, class NO>
void commitToPattern(const ExportedMatrix<SC, LO, GO, NO>& product, bool complete,
                     Tpetra::CrsMatrix<SC, LO, GO, NO>& C, LocalFailure failure) {
  std::string outside;
  failure.guard([&] {
    requireDeviceArrays(C);  // for addAtOffsets(), when all have agreed
    const auto columnOf = columnsByMap(*product.columns.map, *C.getColMap());
    const long long entry = findInPattern(product.local, columnOf, localGraphOf(*C.getCrsGraph()),
                                          static_cast<int>(localSize(*C.getColMap())));
    if (entry < static_cast<long long>(product.local.columns.extent(0)))
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

/// The local rows in a Map of those of another; empty where one is missing on this rank, or they
/// lie in another order, or there are none. Local.
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
  const auto rowThere = toDevice<int, Device>(rowsThere);
  Kokkos::parallel_for(
      "Trident::widenRows", Range<Device>(0, rowsThere.size()),
      TRIDENT_LAMBDA(long long r) { offsets(rowThere(r)) = before(r + 1) - before(r); });
  countsToOffsets<std::size_t, Device>(offsets);
  matrix.offsets = offsets;
}

}  // namespace Trident::Impl

#endif
