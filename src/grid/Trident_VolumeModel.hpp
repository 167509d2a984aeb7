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

/// The data that move between nodes on their way onto a grid, or off the grid, summed over ranks.
struct Crossing {
  double entries = 0;  ///< entries that move to another node
  double runs = 0;     ///< runs that move to another node, each with a header (row, length)
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
  double columnNumberBytes = 0;       ///< bytes of the numbers of remote columns, at the import
  double columnQueryBytes = 0;        ///< bytes of questions for C's remote columns, and of answers
  std::size_t scalarBytes = 8;        ///< bytes of a value
  FetchKind fetch = FetchKind::Auto;  ///< part of B that travels; if Auto, the model decides
  /// Number of rows of B that a rank needs from other grid rows, summed over ranks.
  /// Negative if no rows are fetched.
  double neededRows = -1;
};

/// Estimates the number of rows of B that a grid row needs from other grid rows, summed over grid
/// rows. Assumes that the ranks of a grid row need rows independently: if each rank needs few rows,
/// hardly any two need the same; if each rank needs most rows, all need nearly the same.
/// @param inner rows of B
/// @param neededRows number as in VolumeCounts
double rowsNeededByGridRows(const GridShape& shape, double inner, double neededRows);

/// Returns true if "fetch" = "auto" fetches needed rows, by the estimate rowsNeededByGridRows().
bool fetchesRows(const GridShape& shape, double inner, double neededRows);

/// Returns true if fetching `needed` of `all` rows saves more than a quarter of the rows. A smaller
/// saving would not pay for asking and packing.
inline bool worthFetching(double needed, double all) { return needed < 0.75 * all; }

/// Returns true if right factors move in less time than `collectives` collectives take. A
/// collective counts as 20 KiB of right factors. Each node adds 4 KiB to the right factors.
/// @param rightBytes bytes of the right factors, over all nodes
inline bool cheaperThan(int collectives, double rightBytes, int nodes) {
  return rightBytes + 4096.0 * nodes <= 20480.0 * collectives;
}
/// Returns true if right factors are so small that they travel whole, because to ask for needed
/// rows would cost more. Asking takes six collectives if nodes have several ranks.
inline bool tooSmallToAsk(double rightBytes, int nodes) {
  return cheaperThan(6, rightBytes, nodes);
}
/// Returns true if right factors are so small that the grid gets one node column, without a trial
/// of other shapes. A trial takes 13 collectives: seven for a sample, six to ask for needed rows. A
/// trial is assumed to save half of the bytes, as for A·A on nine nodes: a square grid of N nodes
/// moves 2/(√N+1) of the bytes that one node column moves. So a trial pays only if the right
/// factors take longer to move than 26 collectives.
inline bool tooSmallToSample(double rightBytes, int nodes) {
  return cheaperThan(26, rightBytes, nodes);
}

/// Evaluates the volume table of doc/algorithm.md for `shape`.
VolumePrediction predictVolume(const GridShape& shape, const VolumeCounts& counts);

}  // namespace Impl
}  // namespace Trident

#endif
