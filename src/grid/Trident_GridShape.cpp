// SPDX-License-Identifier: BSD-3-Clause
#include "grid/Trident_GridShape.hpp"

#include <numeric>

namespace Trident {

int GridShape::segments() const { return std::lcm(nodeRows, nodeCols); }

int GridShape::segmentOfRound(int t, int i, int j) const {
  if (order == RoundOrder::Summa) return t;
  return (t + i * segmentsPerTileRow() + j * segmentsPerTileCol()) % segments();
}

int GridShape::roundOfSegment(int segment, int i, int j) const {
  const int S = segments();
  const int start = segmentOfRound(0, i, j);
  return (segment - start + S) % S;
}

std::string GridShape::name() const {
  return std::to_string(nodeRows) + "x" + std::to_string(nodeCols) + "x" + std::to_string(lambda);
}

bool GridShape::fills(int nodeCount) const {
  return nodeRows > 0 && nodeCols > 0 && nodeRows == nodeCount / nodeCols &&
         nodeCount % nodeCols == 0;
}

GridShape squareShape(int nodes, int lambda) {
  int cols = 1;
  for (int c = 1; c <= nodes / c; ++c)
    if (nodes % c == 0) cols = c;
  return {nodes / cols, cols, lambda};
}

GridShape summaShape(int rankRows, int rankCols) {
  return {rankRows, rankCols, 1, RoundOrder::Summa};
}

std::vector<GridShape> allShapes(int nodes, int lambda) {
  std::vector<GridShape> shapes;
  for (int cols = 1; cols <= nodes; ++cols)
    if (nodes % cols == 0) shapes.push_back({nodes / cols, cols, lambda});
  return shapes;
}

}  // namespace Trident
