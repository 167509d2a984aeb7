// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NCCLEXCHANGE_HPP
#define TRIDENT_NCCLEXCHANGE_HPP

#include <vector>

#include "base/Trident_Memory.hpp"
#include "exchange/Trident_SliceExchange.hpp"
#include "grid/Trident_GridShape.hpp"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {

/// Slices from device to device by NCCL. For each round a member has one NCCL group: its receives,
/// and its sends to the peers that need one of its slices in that round. The static schedule names
/// these peers. A slice of any length is one transfer, and so is the mark behind it. A slice
/// without bytes is not sent, and has no mark.
///
/// Progress: a member starts the groups of all rounds in order. If the member owns a round's slice,
/// the round starts directly after the round before. Let t be the first round whose group has not
/// ended everywhere. A member starts a round before it waits for the round. So a member that has
/// not started t waits for earlier rounds alone. These have ended, so the member comes to start t.
/// When all members have started t, no earlier group is left, so t ends.
///
/// A fence may block a host until all members have started the host's groups. So if one member
/// requests a round before it needs the slice, all must do so, at the same point of their work.
class NcclExchange : public SliceExchange {
 public:
  /// @param nccl NCCL's communicator of the line; outlives the exchange
  /// @param internode true for each member on another node, whose bytes count as internode
  NcclExchange(NcclCommunicator& nccl, const LineSchedule& schedule, std::vector<bool> internode);
  void begin(const LineSlices& slices) override;
  void request(int round, void* landing, Traffic& traffic) override;
  bool landed(int round) override;
  bool wait(int round) override;
  void progress() override {}
  bool needsProgress() const override { return false; }
  void markFailed() override { failed_ = true; }
  void end() override;

 private:
  bool own(int round) const {
    return schedule_.owner(schedule_.segmentOfRound(round)) == schedule_.ownMember();
  }
  void startOwnRounds();
  void startRound(void* landing);

  NcclCommunicator& nccl_;
  LineSchedule schedule_;
  std::vector<ScheduledSend> inOrder_;
  std::vector<bool> internode_;
  MemoryBlock sentMarks_;      // soundMark and failedMark, on the device
  MemoryBlock receivedMarks_;  // received marks by round, on the device
  MemoryBlock marks_;          // received marks by round, pinned on the host
  LineSlices slices_;
  bool failed_ = false;
  std::size_t nextSend_ = 0;                       // index of the next send in inOrder_
  std::vector<NcclCommunicator::Ticket> tickets_;  // tickets of started rounds, by round
};

}  // namespace Trident::Impl

#endif
