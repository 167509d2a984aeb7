// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PROCESSGRID_HPP
#define TRIDENT_PROCESSGRID_HPP

#include <memory>
#include <vector>

#include "grid/Trident_Communicator.hpp"
#include "grid/Trident_GridShape.hpp"
#include "grid/Trident_NodeLayout.hpp"

namespace Trident::Impl {

/// The ranks of a program's communicator, shared by all grids on them. Collective over that
/// communicator to make and to destroy.
struct OwnRanks {
  explicit OwnRanks(MPI_Comm comm)
      : all(Communicator::duplicate(comm)), host(Communicator::ofHost(all.get())) {}

  Communicator all;   ///< a duplicate: its messages cannot meet the program's
  Communicator host;  ///< ranks of `all` that share memory with this rank
};

/// The ranks of a communicator in grid order, and their nodes; equal for grids of all shapes. A
/// cheap handle. Collective over its communicator to make, and to destroy the last of those that
/// are copies of each other.
class GridRanks {
 public:
  /// @param ranks in the order that `layout` speaks of
  GridRanks(std::shared_ptr<const OwnRanks> ranks, std::shared_ptr<const NodeLayout> layout);
  /// Makes a duplicate of `comm` and a layout of its own.
  GridRanks(MPI_Comm comm, const NodeLayout& layout);

  const NodeLayout& layout() const { return *layout_; }
  MPI_Comm comm() const { return all_->get(); }  ///< all ranks, in grid order
  int rank() const { return all_->rank(); }      ///< grid rank
  int size() const { return all_->size(); }
  bool sameNode(int gridRank) const { return layout_->sameNode(gridRank, rank()); }
  /// Returns the ranks that share memory with this one, whatever the layout calls a node.
  const Communicator& host() const { return ranks_->host; }

 private:
  std::shared_ptr<const NodeLayout> layout_;
  std::shared_ptr<const OwnRanks> ranks_;
  std::shared_ptr<const Communicator> all_;
};

/// A grid of ranks with its communicators; collective over its ranks to make and to destroy.
class ProcessGrid : public GridRanks {
 public:
  /// @param ranks as many as shape.ranks(), or every rank throws Trident::Error
  ProcessGrid(GridRanks ranks, const GridShape& shape);

  const GridShape& shape() const { return shape_; }
  const GridCoordinates& me() const { return me_; }

  MPI_Comm nodeComm() const { return node_.get(); }    ///< this node's ranks; rank = k
  MPI_Comm rowLine() const { return rowLine_.get(); }  ///< A's way: equal (i, k); rank = j
  MPI_Comm colLine() const { return colLine_.get(); }  ///< B's way: equal (j, k); rank = i

  /// Returns the line along which `factor` travels; lineRanks() has the grid ranks of its members,
  /// and internodeOnLine() which of them sit on other nodes of the machine.
  MPI_Comm line(Factor factor) const { return factor == Factor::A ? rowLine() : colLine(); }
  std::vector<int> lineRanks(Factor factor) const;
  std::vector<bool> internodeOnLine(Factor factor) const;

 private:
  GridShape shape_;
  GridCoordinates me_;
  Communicator node_, rowLine_, colLine_;
};

}  // namespace Trident::Impl

#endif
