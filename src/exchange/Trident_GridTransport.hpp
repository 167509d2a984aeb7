// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDTRANSPORT_HPP
#define TRIDENT_GRIDTRANSPORT_HPP

#include <map>
#include <memory>
#include <tuple>

#include "Trident_LineSchedule.hpp"
#include "Trident_NodeGather.hpp"
#include "Trident_Options.hpp"
#include "Trident_ProcessGrid.hpp"
#include "Trident_SliceExchange.hpp"

namespace Trident {

/// A grid and what moves bytes on it. Transports are made at their first use and kept.
class GridTransport {
 public:
  /// Collective over `comm`, as ProcessGrid.
  GridTransport(MPI_Comm comm, const NodeLayout& layout, const GridShape& shape)
      : grid_(comm, layout, shape) {}

  const ProcessGrid& grid() const { return grid_; }

  /// The exchange along the line of `factor`. Local.
  SliceExchange& exchange(Factor factor, const RoundOptions& options);

  /// The gather of this kind; Auto takes the shared window wherever every node can make one.
  /// Collective over the grid. Shared throws Trident::Error on every rank where it cannot be had.
  NodeGather& gather(const RoundOptions& options);

 private:
  bool everyNodeShares();

  ProcessGrid grid_;
  std::map<std::tuple<Factor, int, std::size_t>, std::unique_ptr<SliceExchange>> exchanges_;
  std::map<std::tuple<bool, std::size_t>, std::unique_ptr<NodeGather>> gathers_;
  int shares_ = -1;  // unknown until asked
};

}  // namespace Trident

#endif
