// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_NEEDEDROWS_HPP
#define TRIDENTPREDICT_NEEDEDROWS_HPP

#include <vector>

#include "TridentPredict_Rounds.hpp"

namespace Trident {
namespace Predict {

/// Effects of fetching needed rows, as the library finds it (rounds/Trident_NeededRows.hpp).
struct NeededRowsCount {
  bool taken = false;  ///< true if they are fetched; else tiles travel
  /// Messages for finding them, and, where taken, for B in the rounds.
  RankTraffic traffic;
  std::vector<int> segmentRows;    ///< rows of each segment as each grid row meets it, [i·S + s]
  std::vector<double> entriesMet;  ///< entries of the rows that each rank fetches
};

/// Counts the rows of B that the nodes of each grid row need.
/// @param tiles of tileSlices()
/// @param ownBytes of each rank's slices of A and B, by which its memory is bounded
/// @param fetch NeededRows, or Auto, which decides as the library does
NeededRowsCount countNeededRows(const Problem& problem, const RowParts& partsOfB,
                                const std::vector<std::vector<int>>& rowsByRank,
                                const std::vector<SliceShape>& tiles,
                                const std::vector<double>& ownBytes, const Placement& placement,
                                Impl::FetchKind fetch);

}  // namespace Predict
}  // namespace Trident

#endif
