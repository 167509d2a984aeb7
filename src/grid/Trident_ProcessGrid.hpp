// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PROCESSGRID_HPP
#define TRIDENT_PROCESSGRID_HPP

#include <memory>
#include <vector>

#include "grid/Trident_Communicator.hpp"
#include "grid/Trident_GridShape.hpp"
#include "grid/Trident_NodeLayout.hpp"

namespace Trident::Impl {

/// The ranks of a program's communicator. All grids on these ranks share one object. Construction
/// and destruction are collective over the program's communicator.
struct OwnRanks {
  explicit OwnRanks(MPI_Comm comm)
      : all(Communicator::duplicate(comm)), host(Communicator::ofHost(all.get())) {}

  Communicator all;   ///< duplicate of the program's communicator, so that messages do not mix
  Communicator host;  ///< ranks of `all` that share memory with this rank
};

/// The ranks of a communicator in grid order, and their nodes, for grids of any shape. Copies share
/// data. Construction and the last copy's destruction are collective.
class GridRanks {
 public:
  /// @param ranks the ranks that `layout` orders
  GridRanks(std::shared_ptr<const OwnRanks> ranks, std::shared_ptr<const NodeLayout> layout);
  /// Makes a duplicate of `comm` and a copy of `layout`.
  GridRanks(MPI_Comm comm, const NodeLayout& layout);

  const NodeLayout& layout() const { return *layout_; }
  MPI_Comm comm() const { return all_->get(); }  ///< communicator of all ranks, in grid order
  int rank() const { return all_->rank(); }      ///< number of this rank in the grid
  int size() const { return all_->size(); }
  bool sameNode(int gridRank) const { return layout_->sameNode(gridRank, rank()); }
  /// Returns the ranks that share memory with this rank, which may be ranks of several nodes.
  const Communicator& host() const { return ranks_->host; }

 private:
  std::shared_ptr<const NodeLayout> layout_;
  std::shared_ptr<const OwnRanks> ranks_;
  std::shared_ptr<const Communicator> all_;
};

/// A grid of ranks, with its communicators. Construction and destruction are collective.
class ProcessGrid : public GridRanks {
 public:
  /// @throws Trident::Error on every rank if the number of `ranks` is not shape.ranks()
  ProcessGrid(GridRanks ranks, const GridShape& shape);

  const GridShape& shape() const { return shape_; }
  const GridCoordinates& me() const { return me_; }

  /// Returns the ranks of this node, numbered by k.
  MPI_Comm nodeComm() const { return node_.get(); }
  /// Returns the line along which A travels: all ranks with this rank's (i, k), numbered by j.
  MPI_Comm rowLine() const { return rowLine_.get(); }
  /// Returns the line along which B travels: all ranks with this rank's (j, k), numbered by i.
  MPI_Comm colLine() const { return colLine_.get(); }

  /// Returns the line along which `factor` travels. lineRanks() returns the members' grid ranks.
  /// internodeOnLine() returns true for each member that is on another node of the machine.
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
