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

/// Predicted bytes that ranks receive from other nodes, all ranks together.
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
  GridShape shape;         ///< shape that was considered
  VolumePrediction bytes;  ///< bytes that a product on this shape would move
};

namespace Impl {

/// The data that would cross between nodes on its way onto the grid of one shape, or off it, summed
/// over ranks.
struct Crossing {
  double entries = 0;  ///< entries that move to another node
  double runs = 0;     ///< runs of such entries, each with a header (row, length)
};

/// The counts of one product on one shape, summed over ranks. Imports are counted on sampled rows,
/// and C is estimated from sampled rows (layout/Trident_VolumeEstimate).
struct VolumeCounts {
  Crossing importA;                   ///< data of A on its way onto the grid
  Crossing importB;                   ///< data of B on its way onto the grid
  Crossing exportC;                   ///< data of C on its way to its rows' owners
  Position rowsA = 0;                 ///< rows of A
  Position inner = 0;                 ///< columns of A, which are rows of B
  Position columnsB = 0;              ///< columns of B
  double entriesA = 0;                ///< entries of A
  double entriesB = 0;                ///< entries of B
  double haloBytes = 0;               ///< bytes of positions of remote columns, for the import
  double columnQueryBytes = 0;        ///< bytes of questions for C's remote columns, at the export
  std::size_t scalarBytes = 8;        ///< size of a value
  FetchKind fetch = FetchKind::Auto;  ///< part of B that may travel
  /// Number of rows of B on other grid rows that a rank's rows of A meet, summed over ranks;
  /// negative if none are fetched.
  double neededRows = -1;
};

/// Estimates the number of rows of B that a grid row's nodes meet and other grid rows have, summed
/// over grid rows. The ranks of a grid row count as independent in their needs. So they share
/// hardly any row if each needs few, as of a mesh, and nearly all if each needs most.
/// @param inner rows of B
/// @param neededRows number as in VolumeCounts
double rowsNeededByGridRows(const GridShape& shape, double inner, double neededRows);

/// Returns true if nodes fetch needed rows when options leave it open. Decides by
/// rowsNeededByGridRows().
bool fetchesRows(const GridShape& shape, double inner, double neededRows);

/// Returns true if fetching `needed` of `all` rows pays for asking and packing, because it saves
/// more than a quarter.
inline bool worthFetching(double needed, double all) { return needed < 0.75 * all; }

/// Returns true if right factors of `rightBytes` bytes, over all nodes, move in less time than this
/// many collectives take. The network counts as moving 20 KiB in the time of one collective. Each
/// node's slice is a message, which counts as 4 KiB.
inline bool cheaperThan(int collectives, double rightBytes, int nodes) {
  return rightBytes + 4096.0 * nodes <= 20480.0 * collectives;
}
/// Returns true if right factors are so small that they are sent whole, and nobody asks which rows
/// are needed. The questions take six collectives if nodes have several ranks.
inline bool tooSmallToAsk(double rightBytes, int nodes) {
  return cheaperThan(6, rightBytes, nodes);
}
/// Returns true if right factors are so small that the grid gets one node column, and no other
/// shape is tried. A trial takes seven collectives for a sample, and six more to ask for needed
/// rows. In return a square grid of N nodes moves 2/(√N + 1) of the bytes that one node column
/// moves in the rounds of A·A: half of them on nine nodes. So half of the right factors must move
/// in less time than 13 collectives take, and all of them in less time than 26.
inline bool tooSmallToSample(double rightBytes, int nodes) {
  return cheaperThan(26, rightBytes, nodes);
}

/// Evaluates the volume table of doc/algorithm.md for `shape`.
VolumePrediction predictVolume(const GridShape& shape, const VolumeCounts& counts);

}  // namespace Impl
}  // namespace Trident

#endif
