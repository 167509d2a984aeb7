// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_GRIDTRANSPORT_HPP
#define TRIDENT_GRIDTRANSPORT_HPP

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "Trident_Line.hpp"
#include "Trident_LineSchedule.hpp"
#include "Trident_NodeGather.hpp"
#include "Trident_Options.hpp"
#include "Trident_ProcessGrid.hpp"
#include "Trident_RequestWindow.hpp"
#include "Trident_SliceExchange.hpp"

namespace Trident {

/// Wrapped around what a transport makes, where set: tests put delays there.
struct TransportWrappers {
  std::function<std::unique_ptr<Line>(std::unique_ptr<Line>)> line;
  std::function<std::unique_ptr<RequestCounters>(std::unique_ptr<RequestCounters>)> counters;
  std::function<std::unique_ptr<NodeGather>(std::unique_ptr<NodeGather>)> gather;
};

/// What was chosen, and why.
struct ExchangeChoice {
  ExchangeKind kind = ExchangeKind::Prefetch;
  std::string reason;
};

/// A grid and what moves bytes on it. Transports are made at their first use and kept.
class GridTransport {
 public:
  /// Collective over `comm`, as ProcessGrid.
  GridTransport(MPI_Comm comm, const NodeLayout& layout, const GridShape& shape,
                TransportWrappers wrappers = {})
      : grid_(comm, layout, shape), wrappers_(std::move(wrappers)) {}

  const ProcessGrid& grid() const { return grid_; }

  /// What "auto" stands for on this grid: the request queue where MPI gives MPI_THREAD_MULTIPLE and
  /// makes a window, else prefetch; in SUMMA's order the broadcast that measures faster for slices
  /// of `sliceBytes`, the largest over the ranks. Any other kind is returned as it is. Collective
  /// over the grid; throws Trident::Error on every rank where a kind cannot be had.
  ExchangeChoice chooseExchange(const RoundOptions& options, std::size_t sliceBytes);

  /// The exchange along the line of `factor`, of a kind that chooseExchange returned. Collective
  /// over the grid.
  SliceExchange& exchange(Factor factor, ExchangeKind kind, const RoundOptions& options);

  /// The gather of this kind; Auto takes the shared window wherever every node can make one.
  /// Collective over the grid. Shared throws Trident::Error on every rank where it cannot be had.
  NodeGather& gather(const RoundOptions& options);

 private:
  ExchangeChoice choosePointToPoint(ExchangeKind kind);
  ExchangeChoice chooseBroadcast(const RoundOptions& options, std::size_t sliceBytes);
  std::string whyNoRequestQueue();
  double secondsOfBroadcasts(ExchangeKind kind, const RoundOptions& options, std::size_t bytes);
  std::unique_ptr<SliceExchange> makeExchange(Factor factor, ExchangeKind kind, int sendAhead);
  std::unique_ptr<Line> makeLine(Factor factor);
  std::unique_ptr<RequestCounters> makeCounters(Factor factor);
  bool everyNodeShares();

  ProcessGrid grid_;
  TransportWrappers wrappers_;
  std::unique_ptr<RequestWindow> requests_;  // outlives the exchanges that use it
  bool queueTried_ = false;
  std::string whyNoQueue_;
  std::map<std::tuple<Factor, ExchangeKind, int>, std::unique_ptr<SliceExchange>> exchanges_;
  std::map<std::tuple<bool, std::size_t>, std::unique_ptr<NodeGather>> gathers_;
  std::map<int, ExchangeChoice> broadcasts_;  // by the number of bits of the slice's bytes
  int shares_ = -1;                           // unknown until asked
};

}  // namespace Trident

#endif
