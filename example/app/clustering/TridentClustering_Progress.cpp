// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Progress.hpp"

#include <cstdio>
#include <utility>

namespace Trident {
namespace Clustering {

Progress::Progress(std::ostream& to, double quietSeconds, double mostSilence)
    : to_(to), pause_(quietSeconds), silence_([=] { sayAfterSilence(mostSilence); }) {}

Progress::~Progress() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  end_.notify_all();
  silence_.join();
}

void Progress::sayAfterSilence(double mostSilence) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ends_) {
    const double left = spoken_ + mostSilence - seconds();
    if (left > 0) {
      end_.wait_for(lock, std::chrono::duration<double>(left));
      continue;
    }
    spoken_ = seconds();
    char text[64];
    const double share = done_;
    std::snprintf(text, sizeof text, share > 0 ? ": %.1f s so far, %.0f%% done" : ": %.1f s so far",
                  spoken_ - begun_, 100 * share);
    say((underWay_.empty() ? "under way" : underWay_) + text);
  }
}

void Progress::begin(const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  underWay_ = what;
  begun_ = seconds();
  done_ = -1;
}

void Progress::say(const std::string& what) {
  sayNeeds();
  char time[32];
  std::snprintf(time, sizeof time, "%8.1f s  ", spoken_);
  to_ << time << what << std::endl;
}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

bool Progress::timeToSpeak() {
  if (seconds() < told_ + pause_) return false;
  told_ = spoken_ = seconds();
  return true;
}

void Progress::step(const std::string& what) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (timeToSpeak()) say(what);
}

void Progress::iteration(const MarkovProgress& progress, bool ofSeveral) {
  // The first one of a run has no time of its own where several share it.
  const double left =
      progress.iteration < 3 && ofSeveral ? -1 : secondsLeft(lastSeconds_, progress.seconds);
  lastSeconds_ = progress.seconds;
  char text[160];
  const int length =
      std::snprintf(text, sizeof text, "iteration %d: chaos %.4g, %lld entries, %.2f s",
                    progress.iteration, progress.chaos, progress.entries, progress.seconds);
  if (left >= 1)
    std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length),
                  ", perhaps %.0f s left", left);
  char run[48] = "";
  if (ofSeveral) std::snprintf(run, sizeof run, "-I %g, ", progress.inflation);
  step(std::string(run) + text);
  begin(run + std::string("iteration ") + std::to_string(progress.iteration + 1));
}

void Progress::memory(double needed, double available) {
  char text[96];
  const int length = std::snprintf(text, sizeof text, "will need %.3g GB on a rank", 1e-9 * needed);
  if (available > 0)
    std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " of %.3g GB",
                  1e-9 * available);
  const std::lock_guard<std::mutex> lock(mutex_);
  needs_ = text;
  if (seconds() < pause_) return;
  told_ = spoken_ = seconds();
  sayNeeds();
}

void Progress::sayNeeds() {
  if (needs_.empty()) return;
  const std::string text = std::move(needs_);
  needs_.clear();
  say(text);
}

double secondsLeft(double before, double last) {
  if (!(last < before)) return -1;
  const double factor = last / before;
  return last * factor / (1 - factor);
}

}  // namespace Clustering
}  // namespace Trident
