// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_PREFETCHEXCHANGE_HPP
#define TRIDENT_PREFETCHEXCHANGE_HPP

#include <mpi.h>

#include <vector>

#include "Trident_LineSchedule.hpp"
#include "Trident_SliceExchange.hpp"

namespace Trident {

/// Slices by plain nonblocking messages: no window, no thread. A request posts the receive; sends
/// are posted as peers are known from the static schedule, up to `sendAhead` rounds beyond the
/// rounds this rank has itself requested.
///
/// Progress: let t be the least round that any rank of the line still waits for. The rounds of the
/// own slice are the same for all members, so the owner of what is waited for has requested round t
/// or a later one itself and so has posted the send; hence that wait ends.
class PrefetchExchange : public SliceExchange {
 public:
  PrefetchExchange(MPI_Comm line, const LineSchedule& schedule, int sendAhead,
                   std::size_t messageBytes);
  const char* name() const override { return "prefetch"; }
  void begin(const LineSlices& slices) override;
  void request(int round, void* landing, Traffic& traffic) override;
  void wait(int round) override;
  void progress() override;
  void end() override;

 private:
  void sendUpTo(int round);

  MPI_Comm line_;
  LineSchedule schedule_;
  int sendAhead_;
  std::size_t messageBytes_;
  LineSlices slices_;
  int nextSendRound_ = 0;
  std::vector<MPI_Request> sends_;
  std::vector<std::vector<MPI_Request>> receives_;  // by round
};

}  // namespace Trident

#endif
