// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MAPSPACE_HPP
#define TRIDENT_MAPSPACE_HPP

#include <memory>

#include "grid/Trident_IndexSpace.hpp"
#include "grid/Trident_NumberedSpace.hpp"
#include "tpetra/Trident_MapNumbering.hpp"

namespace Trident::Impl {

/// An index space that knows its Map. A cheap handle.
template <class LO, class GO, class NO>
struct MapSpace {
  std::shared_ptr<const MapNumbering<LO, GO, NO>> numbering;
  std::shared_ptr<const IndexSpace> space;

  /// Without the Map.
  operator NumberedSpace() const { return {numbering, space}; }  // NOLINT: it is one
  bool rowsStay() const { return NumberedSpace(*this).rowsStay(); }
};

}  // namespace Trident::Impl

#endif
