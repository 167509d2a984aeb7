// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PROCESSGRID_HPP
#define TRIDENT_PROCESSGRID_HPP

#include <vector>

#include "grid/Trident_Communicator.hpp"
#include "grid/Trident_GridRanks.hpp"
#include "grid/Trident_GridShape.hpp"
#include "grid/Trident_LineSchedule.hpp"

namespace Trident::Impl {

/// A grid of ranks with its communicators; collective over its ranks to make and to destroy.
class ProcessGrid : public GridRanks {
 public:
  /// @param ranks as many as shape.ranks(), or every rank throws Trident::Error
  ProcessGrid(GridRanks ranks, const GridShape& shape);

  const GridShape& shape() const { return shape_; }
  const GridCoordinates& me() const { return me_; }

  MPI_Comm nodeComm() const { return node_.get(); }    ///< this node's ranks; rank = k
  MPI_Comm rowLine() const { return rowLine_.get(); }  ///< same (i, k): A travels here; rank = j
  MPI_Comm colLine() const { return colLine_.get(); }  ///< same (j, k): B travels here; rank = i

  /// The line along which `factor` travels, the grid ranks of its members, and which of them sit on
  /// other nodes of the machine.
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
