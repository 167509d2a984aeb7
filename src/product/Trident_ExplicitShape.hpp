// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_EXPLICITSHAPE_HPP
#define TRIDENT_EXPLICITSHAPE_HPP

#include <string>

#include "Trident_Error.hpp"
#include "Trident_GridShape.hpp"
#include "Trident_Options.hpp"

namespace Trident {
namespace Impl {

/// The shape that "grid" names. Throws Trident::Error where it does not fit the nodes; as options
/// and nodes are the same on all ranks, it does so on all.
inline GridShape explicitShape(const GridOptions& grid, int nodeCount, int lambda) {
  const GridShape shape{grid.nodeRows, grid.nodeCols, lambda};
  const std::string nodes = std::to_string(nodeCount);
  if (!shape.fills(nodeCount))
    throw Error("Trident::Multiply", "\"grid\" = " + std::to_string(shape.nodeRows) + "x" +
                                         std::to_string(shape.nodeCols) + " does not fit " + nodes +
                                         " nodes of " + std::to_string(lambda) +
                                         " ranks; use \"auto\" or a shape of " + nodes + " nodes");
  return shape;
}

}  // namespace Impl
}  // namespace Trident

#endif
