// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GIVENSHAPE_HPP
#define TRIDENT_GIVENSHAPE_HPP

#include <string>

#include "Trident_Error.hpp"
#include "base/Trident_Options.hpp"
#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {

/// The shape that "grid" names. Throws Trident::Error where it does not fit the nodes; as options
/// and nodes are the same on all ranks, it does so on all.
inline GridShape explicitShape(const GridOptions& grid, int nodeCount, int lambda) {
  const GridShape shape{grid.nodeRows, grid.nodeCols, lambda};
  const std::string nodes = std::to_string(nodeCount);
  if (!shape.fills(nodeCount))
    throw Error("\"grid\" = " + std::to_string(shape.nodeRows) + "x" +
                std::to_string(shape.nodeCols) + " does not fit " + nodes + " nodes of " +
                std::to_string(lambda) + " ranks; use \"auto\" or a shape of " + nodes + " nodes");
  return shape;
}

inline RoundOrder orderOf(const GridOptions& grid) {
  return grid.algorithm == Algorithm::Summa ? RoundOrder::Summa : RoundOrder::Cannon;
}

/// The shape that options give without the volume model: what "grid" names, for Auto the squarest.
/// Throws as explicitShape().
inline GridShape givenShape(const GridOptions& grid, int nodeCount, int lambda) {
  GridShape shape = squareShape(nodeCount, lambda);
  if (grid.choice == GridChoice::Explicit) shape = explicitShape(grid, nodeCount, lambda);
  shape.order = orderOf(grid);
  return shape;
}

}  // namespace Trident::Impl

#endif
