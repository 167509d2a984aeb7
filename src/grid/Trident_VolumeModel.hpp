// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_VOLUMEMODEL_HPP
#define TRIDENT_VOLUMEMODEL_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "base/Trident_Options.hpp"
#include "base/Trident_Types.hpp"
#include "grid/Trident_GridShape.hpp"

namespace Trident {

/// Bytes received from other nodes, all ranks together.
struct VolumePrediction {
  double import = 0;   ///< bytes of operands on their way to the grid
  double rounds = 0;   ///< bytes of the rounds
  double export_ = 0;  ///< bytes of C on their way to the owners of its rows
  /// Returns the sum of all three.
  double total() const { return import + rounds + export_; }
  /// Adds the bytes of another product.
  VolumePrediction& operator+=(const VolumePrediction& other) {
    import += other.import;
    rounds += other.rounds;
    export_ += other.export_;
    return *this;
  }
};

/// A shape and the model's prediction for it.
struct ShapePrediction {
  GridShape shape;         ///< the shape that was considered
  VolumePrediction bytes;  ///< bytes that a product on it would move
};

namespace Impl {

/// Counts of data that would cross between nodes on the way in or out of the grid of one shape,
/// summed over ranks.
struct Crossing {
  double entries = 0;  ///< entries that change the node
  double runs = 0;     ///< (row, length) headers: a row's consecutive entries for one destination
};

/// Counts of one product on one shape, summed over ranks. Imports are counted on sampled rows, C is
/// estimated from sampled rows (layout/Trident_VolumeEstimate).
struct VolumeCounts {
  Crossing importA;                   ///< A onto the grid
  Crossing importB;                   ///< B onto the grid
  Crossing exportC;                   ///< C to its rows
  Position rowsA = 0;                 ///< rows of A
  Position inner = 0;                 ///< columns of A, rows of B
  Position columnsB = 0;              ///< columns of B
  double entriesA = 0;                ///< entries of A
  double entriesB = 0;                ///< entries of B
  double haloBytes = 0;               ///< positions of remote columns fetched for the import
  double columnQueryBytes = 0;        ///< questions for C's remote columns at the export
  std::size_t scalarBytes = 8;        ///< size of a value
  FetchKind fetch = FetchKind::Auto;  ///< part of B that may travel
  /// Rows of B of other grid rows that each rank's rows of A meet, summed over ranks; negative
  /// where none is fetched.
  double neededRows = -1;
};

/// Returns the number of rows of B that the grid rows need of each other, all together: rows of
/// other grid rows that their nodes meet. The needs of ranks of one grid row are taken to be
/// independent. So hardly any row is shared if ranks need few, as of a mesh, and nearly all are if
/// they need most.
/// @param inner rows of B
/// @param neededRows as VolumeCounts
double rowsNeededByGridRows(const GridShape& shape, double inner, double neededRows);

/// Returns true if nodes fetch needed rows, by that estimate, where options leave it open.
bool fetchesRows(const GridShape& shape, double inner, double neededRows);

/// Returns true if fetching `needed` of `all` rows is worth the asking and packing: it must save a
/// quarter.
inline bool worthFetching(double needed, double all) { return needed < 0.75 * all; }

/// Returns true if right factors of so many bytes, over all nodes, move in less time than so many
/// collectives take. The network is taken to move some 20 KiB in the time of one. A node's slice is
/// a message, which counts as 4 KiB.
inline bool cheaperThan(int collectives, double rightBytes, int nodes) {
  return rightBytes + 4096.0 * nodes <= 20480.0 * collectives;
}
/// Returns true if right factors are sent whole without asking which rows are needed. The questions
/// are six collectives if nodes have several ranks. Up to five of these are not made up for by the
/// messages of tiles.
inline bool tooSmallToAsk(double rightBytes, int nodes) {
  return cheaperThan(6, rightBytes, nodes);
}
/// Returns true if right factors are so small that the grid gets one node column, and no other
/// shape is tried. To try them takes a sample, which is seven collectives, and to ask for needed
/// rows six more. In return a square grid of N nodes moves 2/(√N + 1) of the bytes that one node
/// column moves in the rounds of A·A: half of them on nine nodes. So it must take less time to move
/// half of the right factors than 13 collectives take; all of them are compared with 26.
inline bool tooSmallToSample(double rightBytes, int nodes) {
  return cheaperThan(26, rightBytes, nodes);
}

/// Evaluates the volume table of doc/algorithm.md for `shape`.
VolumePrediction predictVolume(const GridShape& shape, const VolumeCounts& counts);

}  // namespace Impl
}  // namespace Trident

#endif
