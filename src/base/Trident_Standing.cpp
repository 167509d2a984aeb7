// SPDX-License-Identifier: BSD-3-Clause
#include "base/Trident_Standing.hpp"

#include <atomic>

namespace Trident::Impl {
namespace {

// Each is read alone: a text that mixes two moments is still of use.
std::atomic<const char*> phaseNow{nullptr}, whatNow{nullptr};
std::atomic<int> roundNow{-1}, rankNow{-1};

constexpr auto relaxed = std::memory_order_relaxed;

}  // namespace

std::string standingText() {
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

PhaseStanding::PhaseStanding(const char* phase) : before_(phaseNow.exchange(phase, relaxed)) {}
PhaseStanding::~PhaseStanding() { phaseNow.store(before_, relaxed); }

void RoundStanding::at(int round) { roundNow.store(round, relaxed); }

WaitStanding::WaitStanding(const char* what, int rank)
    : whatBefore_(whatNow.exchange(what, relaxed)), rankBefore_(rankNow.exchange(rank, relaxed)) {}

WaitStanding::~WaitStanding() {
  whatNow.store(whatBefore_, relaxed);
  rankNow.store(rankBefore_, relaxed);
}

}  // namespace Trident::Impl
