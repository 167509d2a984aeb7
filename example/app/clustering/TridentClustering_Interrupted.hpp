// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_INTERRUPTED_HPP
#define TRIDENTCLUSTERING_INTERRUPTED_HPP

#include <string>

namespace Trident {
namespace Clustering {

/// Returns the line that an interrupted run ends with.
/// \param checkpoint its file; empty: there is none \param isThere true if the run can go on from
/// it
std::string interruptedLine(const std::string& checkpoint, bool isThere);

/// While it stands, a signal that asks this process to end (SIGINT, as by Ctrl-C, and SIGTERM, as
/// mpirun passes it on) writes a line to standard error before it ends it: how to go on. There is
/// one of it at a time.
class InterruptedLine {
 public:
  /// \param checkpoint its file; empty: there is none \param isThere whether the run goes on from
  /// it
  InterruptedLine(const std::string& checkpoint, bool isThere);
  ~InterruptedLine();
  InterruptedLine(const InterruptedLine&) = delete;
  InterruptedLine& operator=(const InterruptedLine&) = delete;

  /// Notes a checkpoint that was written.
  static void checkpointIsThere();
};

}  // namespace Clustering
}  // namespace Trident

#endif
