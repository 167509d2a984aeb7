// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MEMORYBOUNDS_HPP
#define TRIDENT_MEMORYBOUNDS_HPP

#include <string>
#include <vector>

/// \file Trident_MemoryBounds.hpp The bounds that a system sets on this process' host memory.
/// Programs include it by Trident_HostMemory.hpp.

namespace Trident {

/// A bound on the memory of processes of this host.
struct MemoryBound {
  /// The one that sets a bound.
  enum Kind {
    Host,    ///< the host, by its memory
    Group,   ///< a control group
    Process  ///< a limit of this process (ulimit)
  };
  Kind kind = Host;    ///< the one that sets it
  double most = 0;     ///< bytes
  double taken = 0;    ///< bytes in use, without file pages that the system can drop
  int sharers = 1;     ///< number of ranks that share the bound
  std::string source;  ///< origin of the bound, for messages
};

/// Returns all bounds on the memory that this process may have of its host: of the host, of control
/// groups (versions 1 and 2), and of ulimit, in this order; none where the system tells none.
/// Local.
/// @param ranks how many run on this host, and share its memory
/// @param addressSpace true if limits of address space count: not where there are devices
/// @param root before the paths of the system's files, for tests
std::vector<MemoryBound> memoryBounds(int ranks, bool addressSpace, const std::string& root = "");

namespace Impl {

/// Returns a rank's equal part of the memory that the bounds allow together; 0 if there are none.
double bytesOfRank(const std::vector<MemoryBound>& bounds);

/// Returns a rank's equal part of the free memory, at least 1 byte; 0 if there are no bounds.
double bytesLeftForRank(const std::vector<MemoryBound>& bounds);

}  // namespace Impl
}  // namespace Trident

#endif
