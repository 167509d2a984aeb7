// SPDX-License-Identifier: BSD-3-Clause
#include "TridentDriver_Trace.hpp"

#include <cstdio>

namespace Trident {
namespace Driver {
namespace {

/// One span on a track. Chrome's "complete event"; times are in microseconds.
std::string span(const char* name, const RoundTimes& times, int node, int track, double begin,
                 double end) {
  char text[256];
  std::snprintf(text, sizeof text,
                "{\"name\": \"%s %d\", \"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"ts\": %.3f, "
                "\"dur\": %.3f, \"args\": {\"round\": %d}}, ",
                name, times.round, node, track, 1e6 * begin, 1e6 * (end - begin), times.round);
  return text;
}

std::string trackName(int node, int track, const std::string& name) {
  return "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": " + std::to_string(node) +
         ", \"tid\": " + std::to_string(track) + ", \"args\": {\"name\": \"" + name + "\"}}, ";
}

/// Slices of consecutive groups are under way at once, so they take turns on two tracks.
int slicesTrack(int rank, int group) { return 4 * rank + 1 + group % 2; }

}  // namespace

std::string traceOfRank(const Report& report, int rank, int node) {
  const std::string name = "rank " + std::to_string(rank);
  std::string text = "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": " +
                     std::to_string(node) + ", \"args\": {\"name\": \"node " +
                     std::to_string(node) + "\"}}, ";
  text += trackName(node, 4 * rank, name);
  for (int group : {0, 1}) text += trackName(node, slicesTrack(rank, group), name + " slices");
  text += "\n";
  int group = -1;
  for (std::size_t t = 0; t < report.times.size(); ++t) {
    const RoundTimes& times = report.times[t];
    // Rounds of one fused product were gathered and multiplied at once, and are shown so.
    const bool first = t == 0 || times.multiplied != report.times[t - 1].multiplied;
    if (first) ++group;
    text += span("slices", times, node, slicesTrack(rank, group), times.requested, times.landed);
    const bool last =
        t + 1 == report.times.size() || times.multiplied != report.times[t + 1].multiplied;
    if (first) text += span("wait", times, node, 4 * rank, times.awaited, times.landed);
    if (last) {
      text += span("gather", times, node, 4 * rank, times.landed, times.gathered);
      text += span("multiply", times, node, 4 * rank, times.gathered, times.multiplied);
    }
    text.back() = '\n';
  }
  return text;
}

void writeTrace(const Report& report, int node, const std::string& path, const Comm& comm) {
  std::string text = traceOfRank(report, comm.rank(), node);
  if (comm.rank() == 0) text.insert(0, "[\n");
  if (comm.rank() + 1 == comm.size()) text.replace(text.size() - 2, 2, "\n]\n");  // no last comma
  const std::int64_t offset = comm.sumBefore(static_cast<std::int64_t>(text.size()));
  const std::string remedy = path + ": cannot be written; is the path right and the disk not full?";
  MPI_File file = MPI_FILE_NULL;
  const int opened = MPI_File_open(comm.get(), path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                                   MPI_INFO_NULL, &file);
  throwEverywhere(comm, opened != MPI_SUCCESS, remedy);
  int result = MPI_File_set_size(file, 0);
  const int written = MPI_File_write_at_all(file, offset, text.data(),
                                            static_cast<int>(text.size()), MPI_CHAR,
                                            MPI_STATUS_IGNORE);
  const int closed = MPI_File_close(&file);
  for (int code : {written, closed})
    if (result == MPI_SUCCESS) result = code;
  throwEverywhere(comm, result != MPI_SUCCESS, remedy);
}

}  // namespace Driver
}  // namespace Trident
