// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Watchdog.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/Trident_Wait.hpp"

namespace TridentTest {
namespace {

double secondsOfEnvironment(const char* name) {
  const char* const seconds = std::getenv(name);
  return seconds && *seconds ? std::stod(seconds) : 0;
}

std::string nameOfRank() {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return "rank " + std::to_string(rank) + " of " + std::to_string(size);
}

}  // namespace

Watchdog::Watchdog(double quiet)
    : rank_(nameOfRank()),
      seconds_(secondsOfEnvironment("TRIDENT_TEST_WATCHDOG")),
      quiet_(quiet > 0 ? quiet : secondsOfEnvironment("TRIDENT_TEST_QUIET")) {
  if (seconds_ > 0 || quiet_ > 0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

// Sets the work that the rank is at. This does not wake the thread, which looks again at the end of
// the deadline that it waits for.
void Watchdog::at(const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  what_ = what;
  word_ = Clock::now();
}

Watchdog::Clock::time_point Watchdog::deadline() const {
  const auto after = [](Clock::time_point time, double seconds) {
    return time + std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(seconds > 0 ? seconds : 1e8));
  };
  return std::min(after(begin_, seconds_), after(word_, quiet_));
}

void Watchdog::watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!over_) {
    if (Clock::now() >= deadline()) end();
    changed_.wait_until(lock, deadline());
  }
}

// Ends the process with a text, in one piece, so that lines of ranks do not mix. The lock is held:
// nobody is at anything else.
void Watchdog::end() const {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  const std::string status = Trident::Impl::statusText();
  const std::string text = "watchdog: " + rank_ + " stands after " +
                           std::to_string(static_cast<long long>(seconds)) + " s at " + what_ +
                           (status.empty() ? "" : "; Trident: " + status) + "\n";
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(STDERR_FILENO, text.data() + written, text.size() - written);
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  std::this_thread::sleep_for(std::chrono::seconds(2));
  std::_Exit(EXIT_FAILURE);
}

}  // namespace TridentTest
