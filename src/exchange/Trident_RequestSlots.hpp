// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_REQUESTSLOTS_HPP
#define TRIDENT_REQUESTSLOTS_HPP

#include <cstdint>
#include <memory>

#include "grid/Trident_ProcessGrid.hpp"

namespace Trident::Impl {

/// Counters of the slices that each member of a line has asked this rank for; numbers only grow.
class RequestCounters {
 public:
  virtual ~RequestCounters() = default;
  /// Tells `owner` that this rank has by now asked for `count` slices; may wait until its serving
  /// thread looks. May get lost. By the asking thread.
  virtual void ask(int owner, std::uint64_t count) = 0;
  /// Tells `owner` the count of ask(), by a way that loses nothing and costs more: after a long
  /// wait.
  virtual void askAgain(int owner, std::uint64_t count) = 0;
  /// Receives new counts. By the serving thread, as asked().
  virtual void poll() = 0;
  /// Returns the number of slices that `member` has asked for, at the last poll() or now.
  virtual std::uint64_t asked(int member) const = 0;
};

/// The paper's request queues of a grid: on every rank a 64-bit number for each member of its two
/// lines, which that member sets and this rank's serving threads read.
class RequestSlots {
 public:
  virtual ~RequestSlots() = default;
  /// Returns "shared memory", "a window" or "messages".
  virtual const char* name() const = 0;
  /// Makes the counters of the line of `factor`; the slots must outlive them. Local; to destroy
  /// them is collective over the line.
  virtual std::unique_ptr<RequestCounters> counters(Factor factor) = 0;
};

/// Makes slots in memory that all ranks share: for grids on one host. Collective over the grid, as
/// is makeRequestWindow(); each throws Trident::Error on every rank or on none.
std::unique_ptr<RequestSlots> makeRequestMemory(const ProcessGrid& grid);

/// Makes slots in one MPI window of the grid: for grids that span hosts.
std::unique_ptr<RequestSlots> makeRequestWindow(const ProcessGrid& grid);

/// Makes numbers that come by messages: for grids that span hosts where MPI makes no window. Local;
/// needs no more of MPI than slices need.
std::unique_ptr<RequestSlots> makeRequestMessages(const ProcessGrid& grid);

/// Makes slots in shared memory if all ranks are on one host and can have it, else in a window.
std::unique_ptr<RequestSlots> makeRequestSlots(const ProcessGrid& grid);

}  // namespace Trident::Impl

#endif
