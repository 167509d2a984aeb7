// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_KNOWNPRODUCT_HPP
#define TRIDENT_KNOWNPRODUCT_HPP

#include <memory>
#include <optional>
#include <vector>

#include "grid/Trident_SliceShape.hpp"
#include "rounds/Trident_FusePlan.hpp"
#include "rounds/Trident_NeededRows.hpp"

namespace Trident::Impl {

/// What a rank learns of others before the rounds of a product. It depends on the structures of A
/// and B alone, so that products of the same structure need not ask again.
template <class Device>
struct KnownProduct {
  std::shared_ptr<const NeededRows<Device>> needed;  ///< of B; null where its tiles travel whole
  std::vector<SliceShape> shapesA, shapesB;          ///< of the slices of this rank's lines
  std::vector<long long> tileEntries;                ///< of B's slices on this rank's node
  std::optional<RoundBytes> largest, largestShared;  ///< of all ranks; where nodes share tiles
};

}  // namespace Trident::Impl

#endif
