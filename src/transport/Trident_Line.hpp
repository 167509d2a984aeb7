// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_LINE_HPP
#define TRIDENT_LINE_HPP

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/Trident_Traffic.hpp"

namespace Trident::Impl {

/// Sends and receives of one thread that are under way. Those between two ranks complete in the
/// order in which they were started.
class Transfers {
 public:
  virtual ~Transfers() = default;
  /// Starts to send. `data` must live until all transfers are complete.
  virtual void send(const void* data, std::size_t bytes, int member) = 0;
  virtual void receive(void* data, std::size_t bytes, int member) = 0;
  /// Moves the transfers on. Returns true if all are complete.
  virtual bool test() = 0;
  /// Blocks until all transfers are complete.
  virtual void wait() = 0;
};

/// One rank's access to the other members of its line. An exchange reaches the network only by this
/// class. Any thread of the exchange may call open(); the thread that makes the exchange calls
/// peers(). In tests other classes add delays, or are a network of threads in one process.
class Line {
 public:
  virtual ~Line() = default;
  /// Returns all other members, in the order in which the exchange is to serve them.
  virtual std::vector<int> peers() = 0;
  virtual std::unique_ptr<Transfers> open() = 0;
  /// Sets the limit of a message's length, if the network sends messages. Call it while no message
  /// is under way. All members must set an equal limit, by which both sides cut a transfer.
  virtual void limitMessages(std::size_t) {}
  /// Returns a member's rank in MPI_COMM_WORLD, for the status; negative if unknown. Never throws,
  /// because the caller must still wait for its receives. Called by the receiving thread.
  virtual int worldRank(int member) noexcept = 0;
  /// Adds to `traffic` a slice that this rank receives from `owner`.
  virtual void count(int owner, std::size_t bytes, Traffic& traffic) const = 0;
};

/// Makes a line by MPI, on a duplicate of `line`. Collective over `line`, as is its destruction.
/// @param internode true for each member on another node, whose bytes count as internode
std::unique_ptr<Line> makeMpiLine(MPI_Comm line, std::vector<bool> internode,
                                  std::size_t messageBytes = std::size_t(1) << 26);

}  // namespace Trident::Impl

#endif
