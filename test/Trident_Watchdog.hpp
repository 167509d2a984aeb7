// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENT_WATCHDOG_HPP
#define TRIDENT_WATCHDOG_HPP

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace TridentTest {

/// A thread that ends a process which gets no further, with a status of failure. Before that it
/// says on stderr where this rank stands, and waits two seconds, so that other ranks can say the
/// same. Made while MPI runs. It calls nothing of MPI later, so any thread level will do.
class Watchdog {
 public:
  /// Lets the process take as many seconds as TRIDENT_TEST_WATCHDOG says; any, if it is not set.
  /// @param quiet seconds that may pass between two calls of at(); 0: as TRIDENT_TEST_QUIET says,
  /// or
  ///   any. A busy machine makes all calls slow, and does not end them.
  explicit Watchdog(double quiet = 0);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Notes the work that this rank begins now, such as a test's name.
  void at(const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;
  void watch();
  Clock::time_point deadline() const;
  [[noreturn]] void end() const;

  std::string rank_;  ///< "rank 3 of 8"
  double seconds_ = 0, quiet_ = 0;
  Clock::time_point begin_ = Clock::now(), word_ = begin_;
  std::string what_ = "the beginning";
  bool over_ = false;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace TridentTest

#endif
