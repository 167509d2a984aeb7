// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_ROWSELECTION_HPP
#define TRIDENT_ROWSELECTION_HPP

#include <utility>
#include <vector>

#include "matrix/Trident_RowEntries.hpp"
#include "matrix/Trident_SliceCut.hpp"

namespace Trident::Impl {

/// Lists of rows of a matrix, each of which packs into a slab that stores the list's rows in its
/// order. Depends on structure alone.
template <class Device>
struct RowSelection {
  Kokkos::View<int*, Device> rows;                   ///< of all lists, one after another
  std::vector<long long> begin;                      ///< of each list in `rows`, and the end
  Kokkos::View<std::size_t*, Device> entriesBefore;  ///< in the rows listed before; rows + 1
  std::vector<SliceShape> shapes;                    ///< of the slabs
};

/// A list's offsets, as a function, for forRowEntries().
template <class Device>
struct OffsetsOfList {
  Kokkos::View<std::size_t*, Device> entriesBefore;
  long long firstRow;
  KOKKOS_INLINE_FUNCTION std::size_t operator()(long long m) const {
    return entriesBefore(firstRow + m);
  }
};

/// Writes the m-th list's rows to their slab.
template <class Scalar, class Device>
void packList(const LocalMatrix<Scalar, Device>& matrix, const RowSelection<Device>& selection,
              std::size_t m, const Slab<Scalar>& slab) {
  const auto rows = selection.rows;
  const auto entriesBefore = selection.entriesBefore;
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto values = matrix.values;
  const long long first = selection.begin[m], count = selection.begin[m + 1] - first;
  Kokkos::parallel_for(
      "Trident::packOffsets", Range<Device>(0, count + 1), TRIDENT_LAMBDA(long long r) {
        slab.setBegin(r, entriesBefore(first + r) - entriesBefore(first));
      });
  forRowEntries<Device>(
      "Trident::packRows", count, selection.shapes[m].entries,
      OffsetsOfList<Device>{entriesBefore, first}, TRIDENT_LAMBDA(long long r, std::size_t e) {
        const std::size_t from = offsets(rows(first + r)) + (e - entriesBefore(first + r));
        slab.setEntry(e - entriesBefore(first), columns(from), values(from));
      });
}

/// Selects lists of rows. Local.
/// @param begin of each list in `rows`, and the end
template <class Scalar, class Device>
RowSelection<Device> selectRows(const LocalMatrix<Scalar, Device>& matrix,
                                const std::vector<int>& rows, std::vector<long long> begin) {
  RowSelection<Device> selection;
  selection.rows = toDevice<int, Device>(rows);
  selection.entriesBefore =
      uninitialized<std::size_t, Device>("Trident::entriesBefore", rows.size() + 1);
  const auto listed = selection.rows;
  const auto counts = selection.entriesBefore;
  const auto offsets = matrix.graph.row_map;
  Kokkos::deep_copy(counts, std::size_t(0));
  if (matrix.nnz() > 0)
    Kokkos::parallel_for(
        "Trident::countSelected", Range<Device>(0, listed.extent(0)),
        TRIDENT_LAMBDA(long long r) { counts(r) = offsets(listed(r) + 1) - offsets(listed(r)); });
  countsToOffsets<std::size_t, Device>(counts);

  const auto deviceBegin = toDevice<long long, Device>(begin);
  const auto at = uninitialized<std::size_t, Device>("Trident::listBegin", begin.size());
  Kokkos::parallel_for(
      "Trident::listBegin", Range<Device>(0, at.extent(0)),
      TRIDENT_LAMBDA(long long m) { at(m) = counts(deviceBegin(m)); });
  const std::vector<std::size_t> entries = toHost<std::size_t, Device>(at);
  for (std::size_t m = 0; m + 1 < begin.size(); ++m)
    selection.shapes.push_back({begin[m + 1] - begin[m],
                                static_cast<long long>(entries[m + 1] - entries[m]), 0,
                                SliceShape::narrowFor(matrix.numCols())});
  selection.begin = std::move(begin);
  return selection;
}

/// Packs the selected rows, all columns, into slabs. Local; does not wait for the kernels.
/// @param matrix of the structure that the rows were selected from
template <class Scalar, class Device>
CutSlices<Scalar, Device> packRows(const LocalMatrix<Scalar, Device>& matrix,
                                   const RowSelection<Device>& selection) {
  CutSlices<Scalar, Device> slices = slabsOfShapes<Scalar, Device>(selection.shapes);
  for (std::size_t m = 0; m < slices.shapes.size(); ++m)
    if (slices.shapes[m].entries > 0) packList(matrix, selection, m, slices.slab(m));
  return slices;
}

}  // namespace Trident::Impl

#endif
