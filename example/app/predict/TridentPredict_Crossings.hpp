// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_CROSSINGS_HPP
#define TRIDENTPREDICT_CROSSINGS_HPP

#include "TridentPredict_Result.hpp"
#include "TridentPredict_Traffic.hpp"

namespace Trident {
namespace Predict {

/// Counts a factor's way onto the grid: runs of its rows, from the ranks that have them.
/// @param columns of the factor
void countImport(const Pattern& matrix, const PlacedSpace& rows, const PlacedSpace& columns,
                 const Placement& placement, RankTraffic& traffic);

/// Counts C's way off the grid: parts of its rows to the ranks that own them.
void countExport(const SampledResult& C, const Placement& placement, RankTraffic& traffic);

}  // namespace Predict
}  // namespace Trident

#endif
