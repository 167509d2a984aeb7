// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_VolumeModel.hpp"

#include <algorithm>
#include <cmath>

#include "Trident_SliceShape.hpp"

namespace Trident {
namespace {

constexpr double headerBytes = 2 * sizeof(int);  // (row, length) of a run

double crossingBytes(const Crossing& crossing, std::size_t scalarBytes) {
  return crossing.entries * static_cast<double>(sizeof(int) + scalarBytes) +
         crossing.runs * headerBytes;
}

/// Wire bytes of a factor cut into `pieces` slabs, entries taken as uniform over rows and pieces.
double wireBytes(double rows, double entries, double pieces, std::size_t scalarBytes) {
  if (entries == 0) return 0;
  const double rowsPerPiece = rows / pieces, entriesPerPiece = entries / pieces;
  SliceShape shape;
  shape.entries = std::llround(entriesPerPiece);
  shape.listed = entriesPerPiece < rowsPerPiece;
  shape.rows = std::llround(
      shape.listed ? rowsPerPiece * -std::expm1(-entriesPerPiece / rowsPerPiece) : rowsPerPiece);
  return pieces * static_cast<double>(shape.bytes(scalarBytes));
}

/// Wire bytes of the needed rows of B, which are taken to be as long as all.
double neededBytes(const VolumeCounts& counts) {
  if (counts.inner == 0) return 0;
  const double perRow = counts.entriesB / static_cast<double>(counts.inner);
  return counts.neededRows *
         (perRow * static_cast<double>(sizeof(int) + counts.scalarBytes) + sizeof(int));
}

}  // namespace

VolumePrediction predictVolume(const GridShape& shape, const VolumeCounts& counts) {
  // A's slices are cut by columns into segments: p_r·λ row blocks, each row in S pieces.
  const double S = shape.segments(), lambda = shape.lambda;
  const double rowsOfPiecesA = static_cast<double>(counts.rowsA) * S;
  const double wireA =
      wireBytes(rowsOfPiecesA, counts.entriesA, shape.nodeRows * lambda * S, counts.scalarBytes);
  // B's by rows: S·λ row blocks, each row in p_c pieces.
  const double rowsOfPiecesB = static_cast<double>(counts.inner) * shape.nodeCols;
  const double wireB =
      wireBytes(rowsOfPiecesB, counts.entriesB, S * lambda * shape.nodeCols, counts.scalarBytes);

  VolumePrediction volume;
  volume.import = crossingBytes(counts.importA, counts.scalarBytes) +
                  crossingBytes(counts.importB, counts.scalarBytes) + counts.haloBytes;
  volume.rounds = (shape.nodeCols - 1) * wireA + (shape.nodeRows - 1) * wireB;
  if (shape.canFetchRows() && counts.fetch != FetchKind::Tiles) {
    const double needed = neededBytes(counts);
    const bool forced = counts.fetch == FetchKind::NeededRows;
    volume.rounds = forced ? needed : std::min(volume.rounds, needed);
  }
  volume.export_ = crossingBytes(counts.exportC, counts.scalarBytes) + counts.columnQueryBytes;
  return volume;
}

}  // namespace Trident
