// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NUMBEREDSPACE_HPP
#define TRIDENT_NUMBEREDSPACE_HPP

#include <memory>

#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_Numbering.hpp"

namespace Trident::Impl {

/// An index space and which rank owns which of its indices off the grid: what takes a matrix onto
/// the grid and back. A cheap handle.
struct NumberedSpace {
  std::shared_ptr<const Numbering> numbering;
  std::shared_ptr<const IndexSpace> space;

  /// Whether every rank's indices are, in their order, its local rows on the grid: then rows
  /// neither move nor change their order. The same on every rank.
  bool rowsStay() const { return space->isOneTileWide() && space->cuts() == numbering->rankBegin; }
};

}  // namespace Trident::Impl

#endif
