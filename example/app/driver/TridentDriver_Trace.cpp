// SPDX-License-Identifier: BSD-3-Clause
#include "TridentDriver_Trace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "TridentProblems_WriteText.hpp"

namespace Trident {
namespace Driver {
namespace {

/// Tracks of a rank: one for what it does, the others for slices under way, which may be those of
/// several batches of rounds at once.
constexpr int tracksOfRank = 4;

/// Returns one span on a track, as Chrome's "complete event"; times are in microseconds.
std::string span(const char* name, int first, int last, int node, int track, double begin,
                 double end) {
  const std::string rounds =
      std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
  char text[256];
  std::snprintf(text, sizeof text,
                "{\"name\": \"%s %s\", \"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"ts\": %.3f, "
                "\"dur\": %.3f, \"args\": {\"round\": %d}}, ",
                name, rounds.c_str(), node, track, 1e6 * begin, 1e6 * (end - begin), last);
  return text;
}

std::string trackName(int node, int track, const std::string& name) {
  return "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": " + std::to_string(node) +
         ", \"tid\": " + std::to_string(track) + ", \"args\": {\"name\": \"" + name + "\"}}, ";
}

std::string names(int rank, int node) {
  const std::string name = "rank " + std::to_string(rank);
  std::string text =
      "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": " + std::to_string(node) +
      ", \"args\": {\"name\": \"node " + std::to_string(node) + "\"}}, " +
      trackName(node, tracksOfRank * rank, name);
  for (int track = 1; track < tracksOfRank; ++track)
    text += trackName(node, tracksOfRank * rank + track, name + " slices");
  return text;
}

/// Finds, batch by batch, a track on which no other slices are under way.
class SliceTracks {
 public:
  int take(double requested, double landed) {
    std::size_t track = 0;
    while (track < until_.size() && until_[track] > requested) ++track;
    if (track == until_.size())  // more ahead than tracks: where it is least wrong
      track =
          static_cast<std::size_t>(std::min_element(until_.begin(), until_.end()) - until_.begin());
    until_[track] = landed;
    return 1 + static_cast<int>(track);
  }

 private:
  std::array<double, tracksOfRank - 1> until_{};
};

}  // namespace

std::string traceOfRank(const Report& report, int rank, int node) {
  const std::vector<RoundTimes>& times = report.times;
  const int own = tracksOfRank * rank;
  std::string text = names(rank, node);
  text.back() = '\n';
  SliceTracks tracks;
  for (std::size_t begin = 0, end; begin < times.size(); begin = end) {
    // Rounds of one fused product were awaited, gathered and multiplied at once, and are shown so.
    for (end = begin + 1; end < times.size() && times[end].multiplied == times[begin].multiplied;)
      ++end;
    const RoundTimes &first = times[begin], &last = times[end - 1];
    const int slices = own + tracks.take(first.requested, last.landed);
    for (std::size_t t = begin; t < end; ++t) {
      text += span("slices", times[t].round, times[t].round, node, slices, times[t].requested,
                   times[t].landed);
      if (t + 1 < end) text.back() = '\n';
    }
    const auto ownSpan = [&](const char* name, double from, double to) {
      text += span(name, first.round, last.round, node, own, from, to);
    };
    ownSpan("wait", last.awaited, last.landed);
    ownSpan("gather", last.landed, last.gathered);
    ownSpan("multiply", last.gathered, last.multiplied);
    text.back() = '\n';
  }
  return text;
}

void writeTrace(const Report& report, int node, const std::string& path, const Comm& comm) {
  std::string text = traceOfRank(report, comm.rank(), node);
  if (comm.rank() == 0) text.insert(0, "[\n");
  if (comm.rank() + 1 == comm.size()) text.replace(text.size() - 2, 2, "\n]\n");  // no last comma
  writeText(path, text, comm);
}

}  // namespace Driver
}  // namespace Trident
