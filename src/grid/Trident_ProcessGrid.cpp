// SPDX-License-Identifier: BSD-3-Clause
#include "grid/Trident_ProcessGrid.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "Trident_Error.hpp"

namespace Trident::Impl {
namespace {

/// Returns a communicator in grid order. If `ranks->all` has this order, as it mostly has, returns
/// `ranks->all`.
std::shared_ptr<const Communicator> inGridOrder(const std::shared_ptr<const OwnRanks>& ranks,
                                                const NodeLayout& layout) {
  const Communicator& all = ranks->all;
  if (std::is_sorted(layout.commRank.begin(), layout.commRank.end())) return {ranks, &all};
  return std::make_shared<const Communicator>(
      Communicator::split(all.get(), 0, layout.gridRank[all.rank()]));
}

/// Returns `ranks`. Throws Trident::Error if their number is not the number of the shape's ranks.
GridRanks fitting(GridRanks ranks, const GridShape& shape) {
  const int size = ranks.size();
  if (shape.lambda < 1 || size % shape.lambda != 0 || !shape.fills(size / shape.lambda))
    throw Error("Trident::ProcessGrid",
                "a " + shape.name() + " grid does not have " + std::to_string(size) + " ranks");
  return ranks;
}

}  // namespace

GridRanks::GridRanks(std::shared_ptr<const OwnRanks> ranks,
                     std::shared_ptr<const NodeLayout> layout)
    : layout_(std::move(layout)), ranks_(std::move(ranks)), all_(inGridOrder(ranks_, *layout_)) {}

GridRanks::GridRanks(MPI_Comm comm, const NodeLayout& layout)
    : GridRanks(std::make_shared<const OwnRanks>(comm),
                std::make_shared<const NodeLayout>(layout)) {}

ProcessGrid::ProcessGrid(GridRanks ranks, const GridShape& shape)
    : GridRanks(fitting(std::move(ranks), shape)),
      shape_(shape),
      me_(shape.coordinates(rank())),
      node_(Communicator::split(comm(), me_.i * shape.nodeCols + me_.j, me_.k)),
      rowLine_(Communicator::split(comm(), me_.i * shape.lambda + me_.k, me_.j)),
      colLine_(Communicator::split(comm(), me_.j * shape.lambda + me_.k, me_.i)) {}

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
