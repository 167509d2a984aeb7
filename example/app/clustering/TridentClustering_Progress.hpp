// SPDX-License-Identifier: BSD-3-Clause
#ifndef TRIDENTCLUSTERING_PROGRESS_HPP
#define TRIDENTCLUSTERING_PROGRESS_HPP

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

#include "Trident_MarkovCluster.hpp"

namespace Trident {
namespace Clustering {

/// Lines that say how far a long run is: of what has ended, and where nothing ends for a while, of
/// what is under way, which a thread of its own says. Local.
class Progress {
 public:
  /// \param to where lines go; nobody else writes there meanwhile
  /// \param quietSeconds before the first line, and at least between two of what has ended
  /// \param mostSilence seconds after which what is under way is said
  Progress(std::ostream& to, double quietSeconds, double mostSilence = 10);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Notes the work that begins now.
  void begin(const std::string& what);
  /// Notes the part of it that is done, from 0 to 1; below 0: that is not known.
  void done(double share) { done_ = share; }

  void step(const std::string& what);
  /// \param ofSeveral whether runs of other inflations come before it or follow
  void iteration(const MarkovProgress& progress, bool ofSeveral = false);
  /// Says the memory that is needed, also right behind another line. Before any line may be said,
  /// it is kept for the first one.
  /// \param needed bytes that a rank is going to take in all
  /// \param available bytes that a rank may take
  void memory(double needed, double available);

 private:
  bool timeToSpeak();
  double seconds() const;
  void say(const std::string& what);  // holds the mutex
  void sayNeeds();                    // likewise
  void sayAfterSilence(double mostSilence);

  std::ostream& to_;
  double pause_, spoken_ = 0, lastSeconds_ = 0;
  double told_ = 0;  // time of the last line on ended work
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  // lock of all members but done_
  std::condition_variable end_;
  bool ends_ = false;
  std::string underWay_, needs_;
  double begun_ = 0;
  std::atomic<double> done_{-1};
  std::thread silence_;  // the last member: it uses the others
};

/// Estimates the seconds that are left, from those of the last iteration and the one before: as if
/// each took less than the one before by the same factor, which they seldom do to the end. Negative
/// where they do not fall, so that nothing is known.
double secondsLeft(double before, double last);

}  // namespace Clustering
}  // namespace Trident

#endif
