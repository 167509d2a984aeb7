// SPDX-License-Identifier: BSD-3-Clause
#include "grid/Trident_VolumeModel.hpp"

#include <algorithm>
#include <cmath>

#include "grid/Trident_SliceShape.hpp"

namespace Trident::Impl {
namespace {

constexpr double headerBytes = 2 * sizeof(int);  // the header of a run: (row, length)

double crossingBytes(const Crossing& crossing, std::size_t scalarBytes) {
  return crossing.entries * static_cast<double>(sizeof(int) + scalarBytes) +
         crossing.runs * headerBytes;
}

/// Returns the bytes of a factor that travels as `slices` slices of `columns` columns each. Assumes
/// that all slices have equally many entries, in random rows.
double wireBytes(double rows, double entries, double slices, double columns,
                 std::size_t scalarBytes) {
  if (entries == 0) return 0;
  const double rowsPerSlice = rows / slices, entriesPerSlice = entries / slices;
  SliceShape shape;
  shape.entries = std::llround(entriesPerSlice);
  shape.listed = SliceShape::listsRows(entriesPerSlice, rowsPerSlice);
  shape.rows = std::llround(
      shape.listed ? rowsPerSlice * -std::expm1(-entriesPerSlice / rowsPerSlice) : rowsPerSlice);
  shape.narrow = SliceShape::narrowFor(std::llround(columns));
  return slices * static_cast<double>(shape.bytes(scalarBytes));
}

/// Returns the number of rows of B that lie on other grid rows, summed over the grid rows.
double foreignRows(const GridShape& shape, double inner) { return inner * (shape.nodeRows - 1); }

/// Estimates the bytes of B in the rounds, if nodes may fetch needed rows in place of tiles. All
/// nodes of a grid row need the same rows. Each node fetches the part of the rows in its own tile
/// column. Assumes that all rows are equally long.
double fetchedBytes(const GridShape& shape, const VolumeCounts& counts, double tiles) {
  const double inner = static_cast<double>(counts.inner);
  if (foreignRows(shape, inner) == 0) return 0;
  const double rows = rowsNeededByGridRows(shape, inner, counts.neededRows);
  const double perRow = counts.entriesB / inner;
  const double column = SliceShape::narrowFor(counts.columnsB / shape.nodeCols) ? 2 : 4;
  const double needed = rows * (perRow * (column + static_cast<double>(counts.scalarBytes)) +
                                static_cast<double>(sizeof(int)) * shape.nodeCols);
  if (counts.fetch == FetchKind::NeededRows) return needed;
  return worthFetching(rows, foreignRows(shape, inner)) ? std::min(tiles, needed) : tiles;
}

}  // namespace

double rowsNeededByGridRows(const GridShape& shape, double inner, double neededRows) {
  const double foreign = foreignRows(shape, inner), sharers = shape.nodeCols * shape.lambda;
  if (foreign == 0) return 0;
  const double share = std::min(1.0, neededRows / (foreign * sharers));
  return foreign * (1 - std::pow(1 - share, sharers));
}

bool fetchesRows(const GridShape& shape, double inner, double neededRows) {
  return worthFetching(rowsNeededByGridRows(shape, inner, neededRows), foreignRows(shape, inner));
}

VolumePrediction predictVolume(const GridShape& shape, const VolumeCounts& counts) {
  // A's slices: p_r·λ row blocks, each cut by columns into S parts.
  const double S = shape.segments(), lambda = shape.lambda;
  const double rowsOfSlicesA = static_cast<double>(counts.rowsA) * S;
  const double wireA = wireBytes(rowsOfSlicesA, counts.entriesA, shape.nodeRows * lambda * S,
                                 static_cast<double>(counts.inner) / S, counts.scalarBytes);
  // B's slices: S·λ row blocks, each cut by columns into p_c parts.
  const double rowsOfSlicesB = static_cast<double>(counts.inner) * shape.nodeCols;
  const double wireB =
      wireBytes(rowsOfSlicesB, counts.entriesB, S * lambda * shape.nodeCols,
                static_cast<double>(counts.columnsB) / shape.nodeCols, counts.scalarBytes);

  VolumePrediction volume;
  volume.import = crossingBytes(counts.importA, counts.scalarBytes) +
                  crossingBytes(counts.importB, counts.scalarBytes) + counts.columnNumberBytes;
  double roundsB = (shape.nodeRows - 1) * wireB;
  if (shape.canFetchRows() && counts.fetch != FetchKind::Tiles && counts.neededRows >= 0)
    roundsB = fetchedBytes(shape, counts, roundsB);
  volume.rounds = (shape.nodeCols - 1) * wireA + roundsB;
  volume.export_ = crossingBytes(counts.exportC, counts.scalarBytes) + counts.columnQueryBytes;
  return volume;
}

}  // namespace Trident::Impl
