// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_IBCASTEXCHANGE_HPP
#define TRIDENT_IBCASTEXCHANGE_HPP

#include <mpi.h>

#include <memory>
#include <vector>

#include "exchange/Trident_SliceExchange.hpp"
#include "grid/Trident_Communicator.hpp"
#include "grid/Trident_GridShape.hpp"
#include "transport/Trident_Line.hpp"

namespace Trident::Impl {

/// Broadcasts along a line by MPI_Ibcast. Only for grids in SUMMA's order. Every member starts the
/// broadcasts in round order, its own when it asks or waits for a later one.
class IbcastExchange : public SliceExchange {
 public:
  /// @param line what counts the bytes; @param comm the same members, duplicated here: collective
  IbcastExchange(std::unique_ptr<Line> line, MPI_Comm comm, const LineSchedule& schedule);
  const char* name() const override { return "ibcast"; }
  void begin(const LineSlices& slices) override;
  void request(int round, void* landing, Traffic& traffic) override;
  bool landed(int round) override;
  bool wait(int round) override;
  void progress() override;
  bool needsProgress() const override { return true; }
  void markFailed() override { failed_ = true; }
  void end() override;

 private:
  void openOwn(int round);
  void start(int round, void* data);

  std::unique_ptr<Line> line_;
  Communicator comm_;
  LineSchedule schedule_;
  LineSlices slices_;
  bool failed_ = false;
  int started_ = 0;
  std::vector<std::vector<MPI_Request>> requests_;  // by round
  std::vector<char> marks_;                         // likewise
};

}  // namespace Trident::Impl

#endif
