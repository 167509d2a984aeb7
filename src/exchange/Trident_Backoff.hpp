// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_BACKOFF_HPP
#define TRIDENT_BACKOFF_HPP

namespace Trident {

/// How a thread waits for what only polling shows, without burning a core that computes: it yields
/// a few times after something happened, then sleeps longer and longer. The longest sleep bounds
/// both the answer to a request (200 µs) and what waiting costs (3% of a core);
/// doc/benchmarking.md has both measured.
class Backoff {
 public:
  /// By the thread that will pause: asks the system for sleeps that end on time.
  Backoff();
  /// Something happened: the next pauses are short again.
  void reset() { pauses_ = 0; }
  /// @param transferring whether messages are under way, which move only while they are polled
  void pause(bool transferring);

 private:
  int pauses_ = 0;
};

}  // namespace Trident

#endif
