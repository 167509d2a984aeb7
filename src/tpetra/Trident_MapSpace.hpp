// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MAPSPACE_HPP
#define TRIDENT_MAPSPACE_HPP

#include <memory>

#include "Trident_IndexSpace.hpp"
#include "Trident_MapNumbering.hpp"

namespace Trident {

/// An index space that knows its Map: what takes a Tpetra matrix onto the grid and back.
template <class LO, class GO, class NO>
struct MapSpace {
  MapNumbering<LO, GO, NO> numbering;
  std::shared_ptr<const IndexSpace> space;

  /// Whether every rank's indices are, in their order, its local rows on the grid: then rows
  /// neither move nor change their order. The same on every rank.
  bool rowsStay() const {
    return space->shape().nodeCols == 1 && space->permutation().isIdentity() &&
           space->cuts() == numbering.rankBegin;
  }
};

}  // namespace Trident

#endif
