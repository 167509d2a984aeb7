// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PREFETCHEXCHANGE_HPP
#define TRIDENT_PREFETCHEXCHANGE_HPP

#include <memory>
#include <vector>

#include "exchange/Trident_SliceExchange.hpp"
#include "exchange/Trident_SliceReceives.hpp"
#include "grid/Trident_GridShape.hpp"

namespace Trident::Impl {

/// Slices by nonblocking messages, without window and thread. A request posts the receive. Sends
/// need no request, because the static schedule names the receivers. This rank posts its sends up
/// to `sendAhead` rounds beyond the last round that it has requested. A slice without bytes is not
/// sent, and has no mark. So two ranks communicate only if one needs a slice of the other.
///
/// Progress: let t be the first round for which some rank of the line waits. The owner of the slice
/// waits for no round before t. So the owner comes to request round t, or to wait for round t. Both
/// calls post the owner's sends of round t, so the wait ends.
class PrefetchExchange : public SliceExchange {
 public:
  PrefetchExchange(std::unique_ptr<Line> line, const LineSchedule& schedule, int sendAhead);
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
