// SPDX-License-Identifier: BSD-3-Clause
#include "grid/Trident_IndexSpace.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace Trident::Impl {
namespace {

void requireTilesFit(const GridShape& shape, const IndexSpace& space, int largestTile) {
  const int perRow = shape.segmentsPerTileRow();
  Position largest = 0;
  for (int j = 0; j < shape.nodeCols; ++j)
    largest = std::max(largest, space.tileColBegin(j + 1) - space.tileColBegin(j));
  for (int i = 0; i < shape.nodeRows; ++i)
    largest =
        std::max(largest, space.segmentBegin((i + 1) * perRow) - space.segmentBegin(i * perRow));
  if (largest > largestTile)
    throw TileTooLarge("a tile of the " + shape.name() + " grid has " + std::to_string(largest) +
                       " rows or columns, and local indices hold " + std::to_string(largestTile) +
                       "; use more nodes, or a \"grid\" closer to a square");
}

}  // namespace

IndexSpace::IndexSpace(const GridShape& shape, std::vector<Position> cuts, int largestTile,
                       std::shared_ptr<const Numbering> numbering)
    : shape_(shape), cuts_(std::move(cuts)), numbering_(std::move(numbering)) {
  requireTilesFit(shape_, *this, largestTile);
}

int IndexSpace::localRows(int i, int k) const {
  const int perRow = shape_.segmentsPerTileRow();
  int rows = 0;
  for (int s = i * perRow; s < (i + 1) * perRow; ++s) rows += sliceSize(s, k);
  return rows;
}

}  // namespace Trident::Impl
