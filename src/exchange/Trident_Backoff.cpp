// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Backoff.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace Trident {

Backoff::Backoff() {
#if defined(__linux__)
  // Linux lets a sleep end 50 µs late unless told otherwise; a refusal costs no more than that.
  constexpr unsigned long nanoseconds = 1000;
  static_cast<void>(prctl(PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0));
#endif
}

void Backoff::pause(bool transferring) {
  constexpr int yields = 16;
  constexpr int shortest = 10, longestTransferring = 20, longestIdle = 140;  // µs
  const int pause = pauses_++;
  if (pause < yields) {
    std::this_thread::yield();
    return;
  }
  const int doubled = shortest << std::min(pause - yields, 8);
  const int longest = transferring ? longestTransferring : longestIdle;
  std::this_thread::sleep_for(std::chrono::microseconds(std::min(doubled, longest)));
}

}  // namespace Trident
