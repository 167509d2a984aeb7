// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTPREDICT_LOADS_HPP
#define TRIDENTPREDICT_LOADS_HPP

#include <vector>

#include "TridentPredict_NeededRows.hpp"
#include "TridentPredict_Product.hpp"

namespace Trident {
namespace Predict {

/// Counts the entries and multiply-adds of each rank of a grid if tiles of B travel.
std::vector<RankLoad> countLoads(const Problem& problem, const RowParts& partsOfB,
                                 const std::vector<SliceShape>& tiles,
                                 const std::vector<std::vector<int>>& rowsByRank,
                                 const SampledResult& C, const Placement& placement);

/// Sets the tiles of B to what nodes meet where they fetch needed rows.
void setMetTiles(const NeededRowsCount& needed, const Placement& placement,
                 std::vector<RankLoad>& loads);

}  // namespace Predict
}  // namespace Trident

#endif
