// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_ProcessGrid.hpp"

#include <string>

#include "Trident_Error.hpp"
#include "Trident_MpiCheck.hpp"

namespace Trident {
namespace {

Communicator inGridOrder(MPI_Comm comm, const NodeLayout& layout, const GridShape& shape) {
  const int ranks = static_cast<int>(layout.commRank.size());
  if (shape.lambda < 1 || ranks % shape.lambda != 0 || !shape.fills(ranks / shape.lambda))
    throw Error("Trident::ProcessGrid",
                "a " + shape.name() + " grid does not have " + std::to_string(ranks) + " ranks");
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  return Communicator::split(comm, 0, layout.gridRank[rank]);
}

}  // namespace

ProcessGrid::ProcessGrid(MPI_Comm comm, const NodeLayout& layout, const GridShape& shape)
    : shape_(shape),
      layout_(layout),
      all_(inGridOrder(comm, layout, shape)),
      me_(shape.coordinates(all_.rank())),
      node_(Communicator::split(all_.get(), me_.i * shape.nodeCols + me_.j, me_.k)),
      rowLine_(Communicator::split(all_.get(), me_.i * shape.lambda + me_.k, me_.j)),
      colLine_(Communicator::split(all_.get(), me_.j * shape.lambda + me_.k, me_.i)) {}

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

}  // namespace Trident
