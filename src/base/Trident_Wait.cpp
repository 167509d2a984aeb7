// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Wait.hpp"

#include <atomic>
#include <mutex>
#include <thread>

#include "Trident_Error.hpp"
#include "base/Trident_Lasting.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_Phase.hpp"
#include "base/Trident_PlainNumbers.hpp"

namespace Trident::Impl {
namespace {

// There is no lock, so a status may mix two moments. Such a status is still of use.
std::atomic<const char*> phaseNow{nullptr}, whatNow{nullptr};
std::atomic<int> roundNow{-1}, rankNow{-1};

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

std::string statusText() {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const char* const phase = phaseNow.load(relaxed);
  const char* const what = whatNow.load(relaxed);
  const int round = roundNow.load(relaxed), rank = rankNow.load(relaxed);
  if (phase) add(std::string("phase ") + phase);
  if (round >= 0) add("round " + std::to_string(round));
  if (what) add(std::string("waits for ") + what);
  if (what && rank >= 0) text += " from rank " + std::to_string(rank) + " of MPI_COMM_WORLD";
  return text;
}

PhaseStatus::PhaseStatus(const char* phase) : before_(phaseNow.exchange(phase, relaxed)) {}
PhaseStatus::~PhaseStatus() { phaseNow.store(before_, relaxed); }

void RoundStatus::at(int round) { roundNow.store(round, relaxed); }

WaitStatus::WaitStatus(const char* what, int rank)
    : whatBefore_(whatNow.exchange(what, relaxed)), rankBefore_(rankNow.exchange(rank, relaxed)) {}

WaitStatus::~WaitStatus() {
  whatNow.store(whatBefore_, relaxed);
  rankNow.store(rankBefore_, relaxed);
}

namespace {

thread_local double timeoutSeconds = 0;  // 0: no bound
thread_local bool polling = false;

std::atomic<bool> abandoned{false};
std::mutex abandonedMutex;
Lasting<std::string> abandonedText;
std::string& abandonedBecause = *abandonedText;

void abandon(double seconds) {
  const std::lock_guard<std::mutex> lock(abandonedMutex);
  if (!abandonedBecause.empty()) return;
  abandonedBecause = "gave up after " + plainText(seconds, 3) +
                     " s (\"timeout\"): " + statusText() +
                     "; a rank that is waited for has failed, or did not make this call. "
                     "Communicators of this process hold transfers that will not end: end the "
                     "program, or set a longer \"timeout\"";
  abandoned = true;
}

/// Cancels the receives, and frees all requests. MPI cannot cancel sends, so MPI may still read the
/// buffers of the sends if a peer comes late.
void giveUp(std::vector<MPI_Request>& requests) {
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL) continue;
    TRIDENT_MPI_CHECK_NOTHROW(MPI_Cancel(&request));
    TRIDENT_MPI_CHECK_NOTHROW(MPI_Request_free(&request));
  }
  requests.clear();
}

}  // namespace

TimeoutScope::TimeoutScope(double seconds, bool agreed)
    : secondsBefore_(timeoutSeconds), pollsBefore_(polling) {
  timeoutSeconds = seconds;
  polling = seconds > 0 || !agreed;
}

TimeoutScope::~TimeoutScope() {
  timeoutSeconds = secondsBefore_;
  polling = pollsBefore_;
}

bool TimeoutScope::polls() { return polling; }

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
  if (timeoutSeconds > 0) {
    const double waited = seconds();
    if (waited > timeoutSeconds) abandon(waited);
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
