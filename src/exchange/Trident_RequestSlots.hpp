// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REQUESTSLOTS_HPP
#define TRIDENT_REQUESTSLOTS_HPP

#include <cstdint>
#include <memory>

#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// Counters along a line: how many slices each member has asked this rank for. Numbers only grow.
/// The main thread calls ask() and askAgain(). The serving thread calls poll() and asked().
class RequestCounters {
 public:
  virtual ~RequestCounters() = default;
  /// Tells `owner` that this rank has asked for `count` slices so far. The count may get lost.
  /// The call may block until the serving thread of `owner` polls.
  virtual void ask(int owner, std::uint64_t count) = 0;
  /// Tells `owner` the count of ask() again. This way costs more, but nothing gets lost. Called
  /// after a long wait.
  virtual void askAgain(int owner, std::uint64_t count) = 0;
  /// Takes counts that have arrived. Does not wait.
  virtual void poll() = 0;
  /// Returns the number of slices that `member` has asked for, as of the last poll() or later.
  virtual std::uint64_t asked(int member) const = 0;
};

/// The paper's request queues of a grid. Every rank has a 64-bit number for each member of its two
/// lines. The member sets this number, and the rank's serving threads read it.
class RequestSlots {
 public:
  virtual ~RequestSlots() = default;
  /// Returns "shared memory", "a window" or "messages".
  virtual const char* name() const = 0;
  /// Makes the counters of the line of `factor`. Local. The slots must outlive the counters. To
  /// destroy the counters is collective over the line.
  virtual std::unique_ptr<RequestCounters> counters(Factor factor) = 0;
};

/// Makes slots in memory that all ranks share, for grids on one host. Collective over the grid.
/// Throws Trident::Error on every rank or on none.
std::unique_ptr<RequestSlots> makeRequestMemory(const ProcessGrid& grid);

/// Makes slots in one MPI window of the grid, for grids that span hosts. Collective over the grid.
/// Throws Trident::Error on every rank or on none.
std::unique_ptr<RequestSlots> makeRequestWindow(const ProcessGrid& grid);

/// Makes slots by messages, for grids that span hosts, if MPI makes no window. Local. Needs nothing
/// of MPI but messages.
std::unique_ptr<RequestSlots> makeRequestMessages(const ProcessGrid& grid);

/// Makes slots in memory that all ranks share, or else in a window. Collective over the grid.
std::unique_ptr<RequestSlots> makeRequestSlots(const ProcessGrid& grid);

}  // namespace Trident::Impl

#endif
