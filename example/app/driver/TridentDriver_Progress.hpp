// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_PROGRESS_HPP
#define TRIDENTDRIVER_PROGRESS_HPP

#include <string>

namespace Trident {
namespace Driver {

/// Lines on stderr that say what is being done, once a run takes over two seconds. It hears of
/// Trident's phases through Kokkos' profiling regions. One at a time.
class Progress {
 public:
  /// @param show true if this rank is to speak
  /// @param every seconds from one line to the next, at least; 0: each step has its line
  Progress(bool show, double every);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Names a step of the driver's own.
  static void say(const std::string& step);
};

/// Returns true if standard error is a terminal.
bool onTerminal();

}  // namespace Driver
}  // namespace Trident

#endif
