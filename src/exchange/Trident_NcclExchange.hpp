// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_NCCLEXCHANGE_HPP
#define TRIDENT_NCCLEXCHANGE_HPP

#include <vector>

#include "base/Trident_Memory.hpp"
#include "exchange/Trident_SliceExchange.hpp"
#include "grid/Trident_GridShape.hpp"
#include "transport/Trident_NcclCommunicator.hpp"

namespace Trident::Impl {

/// Slices from device to device by NCCL. A round is one group on every member: its receives, and
/// its sends to the peers that need its slices in that round, by the static schedule. A slice is
/// one transfer, whatever its length, and so is the mark behind it. A slice without bytes is none,
/// and has no mark.
///
/// Progress: a member starts its groups in round order, all of them, a round that it owns as soon
/// as the one before. Let t be the least round whose group has not ended everywhere. A member that
/// has not started it waits for no round from t on, since it requests, and so starts, a round
/// before it waits for it or a later one. The rounds before t have ended, so its host gets to the
/// start of t. Once all have started it, nothing but earlier rounds lies before it on any member's
/// stream, and it ends. The caller sees to it that a host blocked by fences gets there too
/// (NcclCommunicator): if a member starts round u ahead of its work, all members do so at the same
/// place of their work.
class NcclExchange : public SliceExchange {
 public:
  /// @param nccl the line's; outlives the exchange
  /// @param internode which members sit on other nodes, for the count of bytes
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
    return schedule_.owner(schedule_.segmentOfRound(round)) == schedule_.me();
  }
  void startOwnRounds();
  void startRound(void* landing);

  NcclCommunicator& nccl_;
  LineSchedule schedule_;
  std::vector<ScheduledSend> inOrder_;
  std::vector<bool> internode_;
  MemoryBlock sentMarks_;      // both marks, on the device
  MemoryBlock receivedMarks_;  // marks by round, on the device
  MemoryBlock marks_;          // marks by round, on the host, pinned
  LineSlices slices_;
  bool failed_ = false;
  std::size_t nextSend_ = 0;                       // place in inOrder_
  std::vector<NcclCommunicator::Ticket> tickets_;  // tickets by round; as many as have been started
};

}  // namespace Trident::Impl

#endif
