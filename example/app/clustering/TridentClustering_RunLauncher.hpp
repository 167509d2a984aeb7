// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_RUNLAUNCHER_HPP
#define TRIDENTCLUSTERING_RUNLAUNCHER_HPP

#include <string>
#include <vector>

#include "TridentClustering_StreamOffer.hpp"

namespace Trident {
namespace Clustering {

/// The end of a launcher of ranks, such as mpiexec.
struct LauncherEnd {
  bool began = false;  ///< true if a rank took the streams
  int status = 0;      ///< status in a shell's numbers: 128 and more of a signal
  std::string said;    ///< the first words of the launcher itself
  int signal = 0;      ///< signal that ended the ranks, and is to end this process; 0: none
};

/// Runs a launcher until it ends, and gives this process' streams to its ranks. The launcher's own
/// streams lead nowhere. A signal that would end this process ends the ranks, and is returned;
/// one that the terminal stops it by (Ctrl-Z) stops them too, until it goes on. Where this process
/// is killed, so is the launcher. One whose ranks do not begin within a minute is ended. Local.
/// Throws std::runtime_error where the launcher cannot be run. \param command a path, and arguments
/// \param environment NAME=VALUE each
LauncherEnd runLauncher(std::vector<std::string> command, std::vector<std::string> environment,
                        StreamOffer& offer);

}  // namespace Clustering
}  // namespace Trident

#endif
