// SPDX-License-Identifier: BSD-3-Clause
#include "TridentClustering_Progress.hpp"

#include <cstdio>

namespace Trident {
namespace Clustering {

Progress::Progress(std::ostream& to, double quietSeconds) : to_(to), pause_(quietSeconds) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

bool Progress::timeToSpeak() {
  if (seconds() < spoken_ + pause_) return false;
  spoken_ = seconds();
  return true;
}

void Progress::step(const std::string& what) {
  if (!timeToSpeak()) return;
  char time[32];
  std::snprintf(time, sizeof time, "%8.1f s  ", spoken_);
  to_ << time << what << std::endl;
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
}

void Progress::memory(double needed, double available) {
  char text[96];
  const int length = std::snprintf(text, sizeof text, "will need %.3g GB on a rank", 1e-9 * needed);
  if (available > 0)
    std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), " of %.3g GB",
                  1e-9 * available);
  step(text);
}

double secondsLeft(double before, double last) {
  if (!(last < before)) return -1;
  const double factor = last / before;
  return last * factor / (1 - factor);
}

}  // namespace Clustering
}  // namespace Trident
