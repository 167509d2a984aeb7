// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Report.hpp"

#include <algorithm>
#include <cstdio>

#include "Trident_Collective.hpp"
#include "Trident_MpiCheck.hpp"

namespace Trident {
namespace {

Spread spread(double mine, MPI_Comm comm) {
  int size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  std::vector<double> all(size);
  allGather(&mine, 1, MPI_DOUBLE, all.data(), comm, "the reports of all ranks");
  std::sort(all.begin(), all.end());
  const double median = (all[(size - 1) / 2] + all[size / 2]) / 2;
  return {all.front(), median, all.back()};
}

/// The traffic of all parts as the numbers that are summed.
std::array<Traffic*, 4> parts(TrafficByPart& traffic) {
  return {&traffic.setup, &traffic.import, &traffic.rounds, &traffic.export_};
}

TrafficByPart sumTraffic(TrafficByPart traffic, MPI_Comm comm) {
  for (Traffic* part : parts(traffic)) {
    long long numbers[4] = {part->internodeBytes, part->intranodeBytes, part->internodeMessages,
                            part->intranodeMessages};
    allReduce(MPI_IN_PLACE, numbers, 4, MPI_LONG_LONG, MPI_SUM, comm, "the reports of all ranks");
    *part = {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  return traffic;
}

template <class... Values>
void append(std::string& text, const char* format, Values... values) {
  char line[512];
  std::snprintf(line, sizeof line, format, values...);
  text += line;
}

constexpr double MB = 1e-6;

}  // namespace

ReportSummary summarize(const Report& report, MPI_Comm comm) {
  ReportSummary summary;
  summary.totalSeconds = spread(report.totalSeconds, comm);
  summary.multiplySeconds = spread(report.multiplySeconds, comm);
  for (int p = 0; p < phaseCount; ++p)
    summary.seconds[p] = spread(report.seconds[static_cast<Phase>(p)], comm);
  summary.traffic = sumTraffic(report.traffic, comm);
  long long sums[4] = {report.flops, report.entriesA, report.entriesB, report.entriesC};
  long long largest = report.flops;
  allReduce(MPI_IN_PLACE, sums, 4, MPI_LONG_LONG, MPI_SUM, comm, "the reports of all ranks");
  allReduce(MPI_IN_PLACE, &largest, 1, MPI_LONG_LONG, MPI_MAX, comm, "the reports of all ranks");
  summary.flops = sums[0];
  summary.entriesA = sums[1];
  summary.entriesB = sums[2];
  summary.entriesC = sums[3];
  const double flops = static_cast<double>(summary.flops);
  if (summary.entriesC > 0)
    summary.compressionRatio = flops / static_cast<double>(summary.entriesC);
  if (summary.flops > 0)
    summary.flopImbalance = static_cast<double>(largest) * report.grid.ranks() / flops;
  return summary;
}

std::string describe(const Report& report, const ReportSummary& summary) {
  std::string text;
  append(
      text,
      "grid %s, fetch %s, exchange %s, gather %s, kernel %s, partition %s, %d rounds fused by %d\n",
      report.grid.name().c_str(), report.fetch.c_str(), report.exchange.c_str(),
      report.gather.c_str(), report.kernel.c_str(), report.partition.c_str(), report.rounds,
      report.fusedRounds);
  append(
      text,
      "entries A %lld, B %lld, C %lld; %lld multiply-adds, %.2f per entry of C, imbalance %.2f\n",
      summary.entriesA, summary.entriesB, summary.entriesC, summary.flops, summary.compressionRatio,
      summary.flopImbalance);
  append(text, "%-16s %10s %10s %10s   seconds over ranks\n", "", "min", "median", "max");
  const auto row = [&](const char* name, const Spread& s) {
    append(text, "%-16s %10.4f %10.4f %10.4f\n", name, s.min, s.median, s.max);
  };
  row("total", summary.totalSeconds);
  for (int p = 0; p < phaseCount; ++p) row(phaseName(static_cast<Phase>(p)), summary.seconds[p]);
  append(text, "%-16s %12s %12s %10s   megabytes received, all ranks\n", "", "internode",
         "intranode", "predicted");
  const auto bytes = [&](const char* name, const Traffic& t, double predicted) {
    append(text, "%-16s %12.3f %12.3f", name, static_cast<double>(t.internodeBytes) * MB,
           static_cast<double>(t.intranodeBytes) * MB);
    if (report.predicted && predicted >= 0)
      append(text, " %10.3f\n", predicted * MB);
    else
      text += "          -\n";
  };
  bytes("setup", summary.traffic.setup, -1);
  bytes("import", summary.traffic.import, report.predictedBytes.import);
  bytes("rounds", summary.traffic.rounds, report.predictedBytes.rounds);
  bytes("export", summary.traffic.export_, report.predictedBytes.export_);
  if (!report.reasons.empty()) text += "because " + report.reasons + "\n";
  return text;
}

}  // namespace Trident
