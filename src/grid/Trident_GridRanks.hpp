// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDRANKS_HPP
#define TRIDENT_GRIDRANKS_HPP

#include "Trident_Communicator.hpp"
#include "Trident_NodeLayout.hpp"

namespace Trident::Impl {

/// The ranks of a communicator in grid order, and which of them share a node: what grids of all
/// shapes have alike. Collective over its communicator to make and to destroy.
class GridRanks {
 public:
  /// @param comm in the order that `layout` speaks of
  GridRanks(MPI_Comm comm, const NodeLayout& layout);

  const NodeLayout& layout() const { return layout_; }
  MPI_Comm comm() const { return all_.get(); }  ///< all ranks, in grid order
  int rank() const { return all_.rank(); }      ///< grid rank
  int size() const { return all_.size(); }
  bool sameNode(int gridRank) const { return layout_.sameNode(gridRank, rank()); }

 private:
  NodeLayout layout_;
  Communicator all_;
};

}  // namespace Trident::Impl

#endif
