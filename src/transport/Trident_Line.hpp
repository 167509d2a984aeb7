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

/// Transfers under way; of one thread. Those of one pair of ranks arrive in the order in which they
/// were started.
class Transfers {
 public:
  virtual ~Transfers() = default;
  /// Starts to send; `data` must live until all are complete.
  virtual void send(const void* data, std::size_t bytes, int member) = 0;
  virtual void receive(void* data, std::size_t bytes, int member) = 0;
  /// Moves the transfers on. @return whether all are complete
  virtual bool test() = 0;
  /// Blocks until all are complete.
  virtual void wait() = 0;
};

/// One rank's access to the other members of its line: all that an exchange knows of the network.
/// open() is called from any thread of the exchange, peers() from the one that sends.
/// Tests put delays between, or a network of threads in one process.
class Line {
 public:
  virtual ~Line() = default;
  /// Returns all other members, in the order in which to look after them.
  virtual std::vector<int> peers() = 0;
  virtual std::unique_ptr<Transfers> open() = 0;
  /// Limits messages to this length from now on, if the network has messages; call it while none is
  /// under way. All members set an equal limit, as both sides of a transfer cut it alike.
  virtual void limitMessages(std::size_t) {}
  /// Returns the rank of a member in MPI_COMM_WORLD, for messages; negative if it cannot be found.
  /// Never throws: posted receives must still be waited for. Called by the thread that receives.
  virtual int worldRank(int member) noexcept = 0;
  /// Counts a slice that this rank receives from `owner`.
  virtual void count(int owner, std::size_t bytes, Traffic& traffic) const = 0;
};

/// Makes a line by MPI, on a duplicate of `line`. Collective over it, to make and to destroy.
/// @param internode which members sit on other nodes, for the count of bytes
std::unique_ptr<Line> makeMpiLine(MPI_Comm line, std::vector<bool> internode,
                                  std::size_t messageBytes = std::size_t(1) << 26);

}  // namespace Trident::Impl

#endif
