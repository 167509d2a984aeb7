// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_ProcessGrid.hpp"

#include <string>

#include "Trident_Error.hpp"

namespace Trident::Impl {
namespace {

/// The layout, whose ranks a grid of this shape has.
const NodeLayout& fitting(const NodeLayout& layout, const GridShape& shape) {
  const int ranks = static_cast<int>(layout.commRank.size());
  if (shape.lambda < 1 || ranks % shape.lambda != 0 || !shape.fills(ranks / shape.lambda))
    throw Error("Trident::ProcessGrid",
                "a " + shape.name() + " grid does not have " + std::to_string(ranks) + " ranks");
  return layout;
}

}  // namespace

ProcessGrid::ProcessGrid(MPI_Comm comm, const NodeLayout& layout, const GridShape& shape)
    : GridRanks(comm, fitting(layout, shape)),
      shape_(shape),
      me_(shape.coordinates(rank())),
      node_(Communicator::split(this->comm(), me_.i * shape.nodeCols + me_.j, me_.k)),
      rowLine_(Communicator::split(this->comm(), me_.i * shape.lambda + me_.k, me_.j)),
      colLine_(Communicator::split(this->comm(), me_.j * shape.lambda + me_.k, me_.i)) {}

std::vector<int> ProcessGrid::lineRanks(Factor factor) const {
  const bool a = factor == Factor::A;
  std::vector<int> ranks(a ? shape_.nodeCols : shape_.nodeRows);
  for (int m = 0; m < static_cast<int>(ranks.size()); ++m)
    ranks[m] = a ? shape_.rank(me_.i, m, me_.k) : shape_.rank(m, me_.j, me_.k);
  return ranks;
}

std::vector<bool> ProcessGrid::internodeOnLine(Factor factor) const {
  std::vector<bool> internode;
  for (int rank : lineRanks(factor)) internode.push_back(!sameNode(rank));
  return internode;
}

}  // namespace Trident::Impl
