// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_MEMORYBOUNDS_HPP
#define TRIDENT_MEMORYBOUNDS_HPP

#include <string>
#include <vector>

/// \file Trident_MemoryBounds.hpp The bounds that a system sets on this process' host memory.
/// Programs include Trident_HostMemory.hpp, which includes this file.

namespace Trident {

/// A bound on the memory of processes of this host, and the bytes taken of it.
struct MemoryBound {
  /// The sources of bounds.
  enum Kind {
    Host,    ///< memory of the host
    Group,   ///< control group
    Process  ///< limit of this process (ulimit)
  };
  Kind kind = Host;    ///< kind of the bound
  double most = 0;     ///< bound in bytes
  double taken = 0;    ///< bytes in use, without file pages that the system can drop
  int sharers = 1;     ///< number of ranks that share the bound
  std::string source;  ///< origin of the bound, for messages
};

/// Returns all bounds on the host memory of this process, in this order: of the host, of control
/// groups (versions 1 and 2), of ulimit. Returns none if the system tells none. Local.
/// @param ranks number of ranks that run on this host and share its memory
/// @param addressSpace true if limits of address space count; pass false if there are devices
/// @param root prefix of the paths of the system's files, for tests
std::vector<MemoryBound> memoryBounds(int ranks, bool addressSpace, const std::string& root = "");

namespace Impl {

/// Returns a rank's equal part of the memory that all bounds together allow; 0 without bounds.
double bytesOfRank(const std::vector<MemoryBound>& bounds);

/// Returns a rank's equal part of the free memory, at least 1 byte; 0 without bounds.
double bytesLeftForRank(const std::vector<MemoryBound>& bounds);

}  // namespace Impl
}  // namespace Trident

#endif
