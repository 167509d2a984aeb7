// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_VolumeModel.hpp"

#include <algorithm>
#include <cmath>

#include "Trident_SliceShape.hpp"

namespace Trident::Impl {
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

/// Bytes of the rounds on p_r x 1 nodes that may fetch needed rows in place of tiles. Rows are
/// taken to be of one length, and what one rank of a node needs to be independent of what the
/// others need: so hardly any row is shared where they need few, as of a mesh, and nearly all are
/// where they need most.
double fetchedBytes(const GridShape& shape, const VolumeCounts& counts, double tiles) {
  const double inner = static_cast<double>(counts.inner);
  const double foreign = inner * (shape.nodeRows - 1);  // rows on other nodes, of all nodes
  if (foreign == 0) return 0;
  const double share = std::min(1.0, counts.neededRows / (foreign * shape.lambda));
  const double rows = foreign * (1 - std::pow(1 - share, shape.lambda));
  const double perRow = counts.entriesB / inner;
  const double needed =
      rows * (perRow * static_cast<double>(sizeof(int) + counts.scalarBytes) + sizeof(int));
  if (counts.fetch == FetchKind::NeededRows) return needed;
  return worthFetching(rows, foreign) ? std::min(tiles, needed) : tiles;
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
  if (shape.canFetchRows() && counts.fetch != FetchKind::Tiles && counts.neededRows >= 0)
    volume.rounds = fetchedBytes(shape, counts, volume.rounds);
  volume.export_ = crossingBytes(counts.exportC, counts.scalarBytes) + counts.columnQueryBytes;
  return volume;
}

}  // namespace Trident::Impl
