// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_PROGRESS_HPP
#define TRIDENTCLUSTERING_PROGRESS_HPP

#include <chrono>
#include <ostream>
#include <string>

#include "Trident_MarkovCluster.hpp"

namespace Trident {
namespace Clustering {

/// Lines that say how far a long run is. Local.
class Progress {
 public:
  /// \param to where lines go \param quietSeconds before the first line, and at least between two
  Progress(std::ostream& to, double quietSeconds);

  void step(const std::string& what);
  /// \param ofSeveral whether runs of other inflations come before it or follow
  void iteration(const MarkovProgress& progress, bool ofSeveral = false);
  /// \param needed bytes that a rank is going to take in all \param available and those it may take
  void memory(double needed, double available);

 private:
  bool timeToSpeak();
  double seconds() const;

  std::ostream& to_;
  double pause_, spoken_ = 0, lastSeconds_ = 0;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// Seconds that are left, from those of the last iteration and the one before: as if each took less
/// than the one before by the same factor, which they seldom do to the end. Negative where they do
/// not fall, so that nothing is known.
double secondsLeft(double before, double last);

}  // namespace Clustering
}  // namespace Trident

#endif
