// SPDX-License-Identifier: BSD-3-Clause
#ifndef MARKOV_ROWS_HPP
#define MARKOV_ROWS_HPP

#include <vector>

#include "grid/Trident_IndexSpace.hpp"

namespace TridentTest {

/// Returns the positions of a rank's local rows.
inline std::vector<Trident::Impl::Position> positionsOfRows(const Trident::Impl::IndexSpace& space,
                                                            const Trident::GridCoordinates& me) {
  const int each = space.shape().segmentsPerTileRow();
  std::vector<Trident::Impl::Position> positions;
  for (int s = me.i * each; s < (me.i + 1) * each; ++s)
    for (int row = 0; row < space.sliceSize(s, me.k); ++row)
      positions.push_back(space.sliceBegin(s, me.k) + row);
  return positions;
}

}  // namespace TridentTest

#endif
