// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTDRIVER_PROGRESS_HPP
#define TRIDENTDRIVER_PROGRESS_HPP

#include <string>

namespace Trident {
namespace Driver {

/// A line on the terminal that says what is being done, once a run takes over two seconds. It
/// hears of Trident's phases through Kokkos' profiling regions. One at a time.
class Progress {
 public:
  /// @param show whether this rank has a terminal and is to speak
  explicit Progress(bool show);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Names a step of the driver's own.
  static void say(const std::string& step);
};

/// Whether standard error is a terminal.
bool onTerminal();

}  // namespace Driver
}  // namespace Trident

#endif
