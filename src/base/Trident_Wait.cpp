// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Wait.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

#include "Trident_Error.hpp"
#include "base/Trident_MpiCheck.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_Standing.hpp"

namespace Trident::Impl {
namespace {

thread_local double patience = 0;  // seconds; 0: without bound
thread_local bool polling = false;

std::atomic<bool> abandoned{false};
std::mutex abandonedMutex;
std::string abandonedBecause;

void abandon(double seconds) {
  const std::lock_guard<std::mutex> lock(abandonedMutex);
  if (!abandonedBecause.empty()) return;
  char duration[32];
  std::snprintf(duration, sizeof duration, "%.3g", seconds);
  abandonedBecause = std::string("gave up after ") + duration +
                     " s (\"timeout\"): " + standingText() +
                     "; a rank that is waited for has failed, or did not make this call. "
                     "Communicators of this process hold transfers that will not end: end the "
                     "program, or set a longer \"timeout\"";
  abandoned = true;
}

/// Leaves requests to MPI. A receive is cancelled; a send cannot be, and its buffer may still be
/// read by a peer that comes late.
void giveUp(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL) continue;
    TRIDENT_MPI_CHECK_NOTHROW(MPI_Cancel(&request));
    TRIDENT_MPI_CHECK_NOTHROW(MPI_Request_free(&request));
  }
  requests.clear();
}

}  // namespace

Patience::Patience(double seconds, bool agreed) : secondsBefore_(patience), pollsBefore_(polling) {
  patience = seconds;
  polling = seconds > 0 || !agreed;
}

Patience::~Patience() {
  patience = secondsBefore_;
  polling = pollsBefore_;
}

bool Patience::polls() { return polling; }

std::string whyAbandoned() {
  if (!abandoned) return "";
  const std::lock_guard<std::mutex> lock(abandonedMutex);
  return abandonedBecause;
}

void requireNotAbandoned() {
  if (abandoned) throw Error("Trident::Wait", whyAbandoned());
}

Wait::Wait() : start_(steadySeconds()) {}

double Wait::seconds() const { return steadySeconds() - start_; }

void Wait::goOn() {
  if (patience > 0) {
    const double waited = seconds();
    if (waited > patience) abandon(waited);
  }
  requireNotAbandoned();
  std::this_thread::yield();
}

void waitAll(std::vector<MPI_Request>& requests) {
  if (requests.empty()) return;
  requireNotAbandoned();
  const int count = static_cast<int>(requests.size());
  if (!polling) {
    TRIDENT_MPI_CHECK(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
    requests.clear();
    return;
  }
  Wait wait;
  int done = 0;
  try {
    for (;;) {
      TRIDENT_MPI_CHECK(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE));
      if (done) break;
      wait.goOn();
    }
  } catch (...) {
    giveUp(requests);
    throw;
  }
  requests.clear();
}

}  // namespace Trident::Impl
