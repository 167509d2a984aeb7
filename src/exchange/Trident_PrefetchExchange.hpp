// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PREFETCHEXCHANGE_HPP
#define TRIDENT_PREFETCHEXCHANGE_HPP

#include <memory>
#include <vector>

#include "exchange/Trident_SliceExchange.hpp"
#include "exchange/Trident_SliceReceives.hpp"
#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {

/// Slices by plain nonblocking messages: no window, no thread. A request posts the receive; sends
/// are posted as peers are known from the static schedule, up to `sendAhead` rounds beyond the
/// rounds this rank has itself requested. A slice without bytes sends nothing, not even its mark: a
/// rank communicates only with members of which it needs something, or which need something of it.
///
/// Progress: let t be the least round that any rank of the line still waits for. Its owner waits
/// for no round before t, so it has requested round t, or waits for it, and has posted its sends of
/// that round either way; hence that wait ends.
class PrefetchExchange : public SliceExchange {
 public:
  PrefetchExchange(std::unique_ptr<Line> line, const LineSchedule& schedule, int sendAhead);
  const char* name() const override { return "prefetch"; }
  void begin(const LineSlices& slices) override;
  void request(int round, void* landing, Traffic& traffic) override;
  bool landed(int round) override;
  bool wait(int round) override;
  void progress() override;
  bool needsProgress() const override { return true; }
  void markFailed() override { failed_ = true; }
  void end() override;

 private:
  void sendUpTo(int round);

  std::unique_ptr<Line> line_;
  LineSchedule schedule_;
  int sendAhead_;
  LineSlices slices_;
  bool failed_ = false;
  std::vector<ScheduledSend> inOrder_;
  std::size_t nextSend_ = 0;
  std::unique_ptr<Transfers> sends_;
  SliceReceives receives_;
};

}  // namespace Trident::Impl

#endif
