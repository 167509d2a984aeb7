// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_ROUNDS_HPP
#define TRIDENTPREDICT_ROUNDS_HPP

#include <cstddef>
#include <vector>

#include "TridentPredict_Traffic.hpp"
#include "grid/Trident_SliceShape.hpp"

namespace Trident {
namespace Predict {

using Impl::SliceShape;

/// Bytes of a value.
constexpr std::size_t scalarBytes = sizeof(Problems::scalar_type);

/// Entries of B by row and tile column: what of a row each node column has.
struct RowParts {
  struct Part {
    int j;
    int entries;
  };
  std::vector<long long> begin;  ///< start of each row in `parts`, and the end
  std::vector<Part> parts;
};
RowParts partsOfRows(const Pattern& B, const PlacedSpace& columns);

/// Returns the slices of B as tiles travel: [(s·λ + k)·p_c + j].
std::vector<SliceShape> tileSlices(const Placement& placement, const RowParts& B);

/// Counts A's slices on their way along grid rows.
/// @param segmentRows the rows of each segment as each grid row meets it, [i·S + s]: so wide are
///   A's slices
void countSlicesOfA(const Pattern& A, const std::vector<std::vector<int>>& rowsByRank,
                    const std::vector<int>& segmentRows, const Placement& placement,
                    RankTraffic& traffic);

/// Counts whole tiles of B on their way along grid columns.
void countTilesOfB(const std::vector<SliceShape>& slices, const Placement& placement,
                   RankTraffic& traffic);

/// Counts the bytes that neighbours pass on where slices go round a line as a ring: all that a rank
/// receives comes from the rank before it.
/// @param received of one factor in the rounds
/// @param along true if the line is a grid row, as of A; else a grid column
void countRing(const RankTraffic& received, bool along, const Placement& placement,
               RankTraffic& ring);

/// Counts the shapes of slices, which ranks tell each other before: along lines, and in nodes.
/// @param ofB true if B's count, too, as where tiles travel
void countShapes(const Placement& placement, bool ofB, RankTraffic& traffic);

/// Returns the rows of each segment for each grid row if nothing is left out, [i·S + s].
std::vector<int> wholeSegments(const Placement& placement);

}  // namespace Predict
}  // namespace Trident

#endif
