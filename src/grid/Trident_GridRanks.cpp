// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_GridRanks.hpp"

#include "Trident_MpiCheck.hpp"

namespace Trident::Impl {
namespace {

Communicator inGridOrder(MPI_Comm comm, const NodeLayout& layout) {
  int rank = 0;
  TRIDENT_MPI_CHECK(MPI_Comm_rank(comm, &rank));
  return Communicator::split(comm, 0, layout.gridRank[rank]);
}

}  // namespace

GridRanks::GridRanks(MPI_Comm comm, const NodeLayout& layout)
    : layout_(layout), all_(inGridOrder(comm, layout)) {}

}  // namespace Trident::Impl
