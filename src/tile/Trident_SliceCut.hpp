// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_SLICECUT_HPP
#define TRIDENT_SLICECUT_HPP

#include <algorithm>
#include <utility>
#include <vector>

#include "Trident_LocalMatrix.hpp"
#include "Trident_Slab.hpp"
#include "Trident_SliceShape.hpp"

namespace Trident {

/// A rectangle of a local matrix: rows [rowBegin, rowEnd) × columns [columnBegin, columnEnd).
struct Rectangle {
  int rowBegin, rowEnd, columnBegin, columnEnd;
  int rows() const { return rowEnd - rowBegin; }
};

/// A matrix cut into rectangles, each a slab of one common allocation, ready for the wire.
/// Rows and columns of a slab count from the rectangle's corner.
template <class Scalar, class Device>
struct CutSlices {
  std::vector<SliceShape> shapes;
  std::vector<std::size_t> at;  ///< begin of each slab in `storage`, and its size
  Kokkos::View<char*, Device> storage;

  Slab<Scalar> slab(std::size_t s) const { return Slab<Scalar>(storage.data() + at[s], shapes[s]); }
};

namespace Impl {

/// Where each row's entries inside the rectangle go in its slab. Reused from slice to slice: no
/// array here grows with the number of slices.
template <class Device>
struct RowsOfCut {
  Kokkos::View<std::size_t*, Device> entriesBefore;  ///< rows + 1
  Kokkos::View<int*, Device> listedBefore;           ///< rows + 1: non-empty rows before a row
  long long entries = 0, nonEmpty = 0;
};

template <class Scalar, class Device>
void countCut(const LocalMatrix<Scalar, Device>& matrix, const Rectangle& cut,
              RowsOfCut<Device>& rows) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto entriesBefore = Kokkos::subview(rows.entriesBefore, std::make_pair(0, cut.rows() + 1));
  const auto listedBefore = Kokkos::subview(rows.listedBefore, std::make_pair(0, cut.rows() + 1));
  const bool allColumns = cut.columnBegin == 0 && cut.columnEnd == matrix.numCols();
  const Rectangle c = cut;
  Kokkos::parallel_for(
      "Trident::countCut", Range<Device>(0, c.rows()), KOKKOS_LAMBDA(long long r) {
        const std::size_t begin = offsets(c.rowBegin + r), end = offsets(c.rowBegin + r + 1);
        std::size_t count = end - begin;
        if (!allColumns) {
          count = 0;
          for (std::size_t e = begin; e < end; ++e)
            count += columns(e) >= c.columnBegin && columns(e) < c.columnEnd;
        }
        entriesBefore(r) = count;
        listedBefore(r) = count > 0;
      });
  rows.entries = countsToOffsets<std::size_t, Device>(entriesBefore);
  rows.nonEmpty = countsToOffsets<int, Device>(listedBefore);
}

template <class Scalar, class Device>
void fillCut(const LocalMatrix<Scalar, Device>& matrix, const Rectangle& cut,
             const RowsOfCut<Device>& rows, const SliceShape& shape, const Slab<Scalar>& slab) {
  const auto offsets = matrix.graph.row_map;
  const auto columns = matrix.graph.entries;
  const auto values = matrix.values;
  const auto entriesBefore = rows.entriesBefore;
  const auto listedBefore = rows.listedBefore;
  const Rectangle c = cut;
  const long long rowCount = cut.rows();
  const bool listed = shape.listed != 0;
  Kokkos::parallel_for(
      "Trident::fillCut", Range<Device>(0, rowCount + 1), KOKKOS_LAMBDA(long long r) {
        const bool nonEmpty = r < rowCount && entriesBefore(r + 1) > entriesBefore(r);
        const long long m = listed ? listedBefore(r) : r;
        // The row past the last closes the offsets.
        if (!listed || nonEmpty || r == rowCount) slab.setBegin(m, entriesBefore(r));
        if (!nonEmpty) return;
        slab.setRow(m, static_cast<int>(r));
        std::size_t to = entriesBefore(r);
        for (std::size_t e = offsets(c.rowBegin + r); e < offsets(c.rowBegin + r + 1); ++e)
          if (columns(e) >= c.columnBegin && columns(e) < c.columnEnd)
            slab.setEntry(to++, columns(e) - c.columnBegin, values(e));
      });
}

}  // namespace Impl

/// Cuts a matrix into slabs. Local. Each rectangle costs a pass over its rows.
template <class Scalar, class Device>
CutSlices<Scalar, Device> cutSlices(const LocalMatrix<Scalar, Device>& matrix,
                                    const std::vector<Rectangle>& cuts) {
  int rows = 0;
  for (const Rectangle& cut : cuts) rows = std::max(rows, cut.rows());
  Impl::RowsOfCut<Device> work;
  work.entriesBefore = uninitialized<std::size_t, Device>("Trident::entriesBefore", rows + 1);
  work.listedBefore = uninitialized<int, Device>("Trident::listedBefore", rows + 1);

  CutSlices<Scalar, Device> slices;
  slices.at.push_back(0);
  for (const Rectangle& cut : cuts) {
    Impl::countCut(matrix, cut, work);
    SliceShape shape;
    shape.entries = work.entries;
    shape.listed = work.entries < cut.rows();
    shape.rows = shape.listed ? work.nonEmpty : cut.rows();
    slices.shapes.push_back(shape);
    // Slabs are aligned for any scalar.
    slices.at.push_back(slices.at.back() + (shape.bytes(sizeof(Scalar)) + 63) / 64 * 64);
  }
  slices.storage = uninitialized<char, Device>("Trident::slabs", slices.at.back());
  for (std::size_t s = 0; s < cuts.size(); ++s) {
    if (slices.shapes[s].entries == 0) continue;
    if (cuts.size() > 1) Impl::countCut(matrix, cuts[s], work);
    Impl::fillCut(matrix, cuts[s], work, slices.shapes[s], slices.slab(s));
  }
  return slices;
}

}  // namespace Trident

#endif
