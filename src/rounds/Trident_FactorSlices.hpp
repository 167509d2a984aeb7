// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_FACTORSLICES_HPP
#define TRIDENT_FACTORSLICES_HPP

#include <mpi.h>

#include <vector>

#include "base/Trident_Collective.hpp"
#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_SliceShape.hpp"
#include "matrix/Trident_HostWorkspaces.hpp"
#include "matrix/Trident_LocalMatrix.hpp"
#include "matrix/Trident_SliceCut.hpp"

namespace Trident::Impl {

/// The rectangles of A's slice on rank (i, j, k): one for each segment of tile column j.
inline std::vector<Rectangle> segmentColumns(const IndexSpace& inner, int j, int rows) {
  const int perCol = inner.shape().segmentsPerTileCol();
  std::vector<Rectangle> cuts;
  for (int s = j * perCol; s < (j + 1) * perCol; ++s) {
    const int begin = static_cast<int>(inner.segmentBegin(s) - inner.tileColBegin(j));
    cuts.push_back({0, rows, begin, begin + inner.segmentSize(s)});
  }
  return cuts;
}

/// The rectangles of B's slice on rank (i, j, k): slice k of each segment of tile row i.
inline std::vector<Rectangle> segmentRows(const IndexSpace& inner, int i, int k, int columns) {
  const int perRow = inner.shape().segmentsPerTileRow();
  std::vector<Rectangle> cuts;
  int begin = 0;
  for (int s = i * perRow; s < (i + 1) * perRow; ++s) {
    cuts.push_back({begin, begin + inner.sliceSize(s, k), 0, columns});
    begin += inner.sliceSize(s, k);
  }
  return cuts;
}

/// Exchanges the shapes of all slices along a line, in segment order; every rank of the line owns
/// equally many. Collective over the line.
inline std::vector<SliceShape> allShapesOfLine(MPI_Comm line, const std::vector<SliceShape>& own,
                                               int segments) {
  constexpr int each = sizeof(SliceShape) / sizeof(long long);
  static_assert(sizeof(SliceShape) == 4 * sizeof(long long), "shapes travel as numbers");
  std::vector<SliceShape> all(segments);
  const int count = static_cast<int>(each * own.size());
  allGather(own.data(), count, MPI_LONG_LONG, all.data(), line,
            "the shapes of the slices of a line");
  return all;
}

/// Entries in the rows of each rectangle, all columns; for factors that do not travel. Local.
template <class Scalar, class Device>
std::vector<SliceShape> shapesOfRows(const LocalMatrix<Scalar, Device>& matrix,
                                     const std::vector<Rectangle>& cuts) {
  std::vector<int> rows{0};
  for (const Rectangle& cut : cuts) rows.push_back(cut.rowEnd);
  const auto deviceRows = toDevice<int, Device>(rows);
  const auto offsets = matrix.graph.row_map;
  const auto at = uninitialized<std::size_t, Device>("Trident::cutOffsets", rows.size());
  if (matrix.nnz() > 0)
    Kokkos::parallel_for(
        "Trident::cutOffsets", Range<Device>(0, rows.size()),
        TRIDENT_LAMBDA(long long c) { at(c) = offsets(deviceRows(c)); });
  else
    Kokkos::deep_copy(at, std::size_t(0));
  const auto hostAt = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), at);
  std::vector<SliceShape> shapes(cuts.size());
  for (std::size_t c = 0; c < cuts.size(); ++c)
    shapes[c] = {cuts[c].rows(), static_cast<long long>(hostAt(c + 1) - hostAt(c)), 0,
                 SliceShape::narrowFor(cuts[c].columns())};
  return shapes;
}

}  // namespace Trident::Impl

#endif
