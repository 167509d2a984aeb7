// SPDX-License-Identifier: BSD-3-Clause
#include "Trident_Report.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <type_traits>

#include "Trident_Error.hpp"
#include "base/Trident_Agreement.hpp"
#include "base/Trident_Mpi.hpp"
#include "base/Trident_PlainNumbers.hpp"
#include "product/Trident_SummarizeReport.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace Trident {
namespace {

Spread spread(double mine, MPI_Comm comm) {
  int size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  std::vector<double> all(size);
  Impl::allGather(&mine, 1, MPI_DOUBLE, all.data(), comm, "the reports of all ranks");
  std::sort(all.begin(), all.end());
  const double median = (all[(size - 1) / 2] + all[size / 2]) / 2;
  const double mean = std::accumulate(all.begin(), all.end(), 0.0) / size;
  return {all.front(), median, mean, all.back()};
}

/// Returns pointers to the traffic of all parts.
std::array<Traffic*, 4> parts(TrafficByPart& traffic) {
  return {&traffic.setup, &traffic.import, &traffic.rounds, &traffic.export_};
}

TrafficByPart sumTraffic(TrafficByPart traffic, MPI_Comm comm) {
  for (Traffic* part : parts(traffic)) {
    long long numbers[4] = {part->internodeBytes, part->intranodeBytes, part->internodeMessages,
                            part->intranodeMessages};
    Impl::allReduce(MPI_IN_PLACE, numbers, 4, MPI_LONG_LONG, MPI_SUM, comm,
                    "the reports of all ranks");
    *part = {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  return traffic;
}

/// Returns the largest of `count` amounts, divided by their mean; 1 if all are 0.
double imbalanceOf(double largest, double sum, int count) {
  return sum > 0 ? largest * count / sum : 1;
}

/// A rank's node, and the rank's amount of some quantity.
struct NodeShare {
  double node, amount;
};

/// Returns the imbalance of a quantity.
/// @param shares node and amount of each rank
Imbalance imbalanceOf(std::vector<NodeShare> shares) {
  std::sort(shares.begin(), shares.end(),
            [](const NodeShare& a, const NodeShare& b) { return a.node < b.node; });
  Imbalance worst;
  double most = 0, all = 0;
  for (auto first = shares.begin(); first != shares.end();) {
    auto end = first;
    double largest = 0, sum = 0;
    for (; end != shares.end() && end->node == first->node; ++end) {
      largest = std::max(largest, end->amount);
      sum += end->amount;
    }
    worst.inNode = std::max(worst.inNode, imbalanceOf(largest, sum, static_cast<int>(end - first)));
    most = std::max(most, largest);
    all += sum;
    first = end;
  }
  worst.ranks = imbalanceOf(most, all, static_cast<int>(shares.size()));
  return worst;
}

void setImbalances(const Report& report, MPI_Comm comm, ReportSummary& summary) {
  constexpr int each = 4;
  const double mine[each] = {
      static_cast<double>(report.node), static_cast<double>(report.sliceEntries),
      static_cast<double>(report.multiplyAdds), report.seconds[Phase::LocalMultiply]};
  int size = 1;
  TRIDENT_MPI_CHECK(MPI_Comm_size(comm, &size));
  std::vector<double> all(static_cast<std::size_t>(size) * each);
  Impl::allGather(mine, each, MPI_DOUBLE, all.data(), comm, "the reports of all ranks");
  const auto of = [&](int what) {
    std::vector<NodeShare> shares;
    for (std::size_t r = 0; r < all.size(); r += each) shares.push_back({all[r], all[r + what]});
    return imbalanceOf(shares);
  };
  summary.entries = of(1);
  summary.work = of(2);
  summary.time = of(3);
}

constexpr double MB = 1e-6, ms = 1e3;

double otherSeconds(const Report& report) {
  double other = report.totalSeconds;
  for (int p = 0; p < phaseCount; ++p) other -= report.seconds[static_cast<Phase>(p)];
  return other;
}

std::string fixed(double value, int decimals) {
  return Impl::plainText(value, decimals, std::chars_format::fixed);
}

inline const char* forPrintf(const std::string& text) { return text.c_str(); }
template <class Value>
Value forPrintf(Value value) {
  static_assert(!std::is_floating_point_v<Value>, "fixed() instead: locales differ");
  return value;
}

template <class... Values>
void append(std::string& text, const char* format, const Values&... values) {
  char line[512];
  std::snprintf(line, sizeof line, format, forPrintf(values)...);
  text += line;
}

void appendChoices(std::string& text, const Report& report) {
  append(text, "grid %s, partition %s, fetch %s, exchange %s, gather %s, kernel %s\n",
         report.grid.name(), report.partition, report.fetch, report.exchange, report.gather,
         report.kernel);
  append(text, "rounds %d, up to %d in one local product\n", report.rounds, report.fusedRounds);
}

void appendCounts(std::string& text, const ReportSummary& summary) {
  text += "entries";
  for (const EntriesOf& of : summary.operands) append(text, " %s %lld,", of.name, of.entries);
  append(text, " C %lld; multiply-adds %lld, %s per entry of C\n", summary.entriesC,
         summary.multiplyAdds, fixed(summary.compressionRatio, 2));
  if (summary.blockRows > 0)
    append(text, "rows in blocks of nearly alike rows %lld\n", summary.blockRows);
  append(text,
         "imbalance of entries %s, in a node %s; multiply-adds %s, %s; local multiply %s, %s\n",
         fixed(summary.entries.ranks, 2), fixed(summary.entries.inNode, 2),
         fixed(summary.work.ranks, 2), fixed(summary.work.inNode, 2), fixed(summary.time.ranks, 2),
         fixed(summary.time.inNode, 2));
  if (summary.pieces > 0)
    append(text, "formed in up to %d pieces of rows: MB of the largest %s, predicted %s\n",
           summary.pieces, fixed(summary.pieceBytes * MB, 3),
           fixed(summary.predictedPieceBytes * MB, 3));
}

void appendSeconds(std::string& text, const ReportSummary& summary) {
  append(text, "%-16s %10s %10s %10s %10s\n", "milliseconds", "min", "median", "mean", "max");
  const auto row = [&](const char* name, const Spread& s) {
    append(text, "%-16s %10s %10s %10s %10s\n", name, fixed(s.min * ms, 3), fixed(s.median * ms, 3),
           fixed(s.mean * ms, 3), fixed(s.max * ms, 3));
  };
  for (int p = 0; p < phaseCount; ++p) row(phaseName(static_cast<Phase>(p)), summary.seconds[p]);
  row("other", summary.otherSeconds);
  row("total", summary.totalSeconds);
}

void appendTraffic(std::string& text, const Report& report, const TrafficByPart& traffic) {
  append(text, "%-16s %10s %10s%s\n", "MB received", "internode", "intranode",
         report.predicted ? "  predicted internode" : "");
  const auto row = [&](const char* name, const Traffic& t, double predicted) {
    append(text, "%-16s %10s %10s", name, fixed(static_cast<double>(t.internodeBytes) * MB, 3),
           fixed(static_cast<double>(t.intranodeBytes) * MB, 3));
    if (report.predicted && predicted >= 0) append(text, " %20s", fixed(predicted * MB, 3));
    text += "\n";
  };
  row("setup", traffic.setup, -1);
  row("import", traffic.import, report.predictedBytes.import);
  row("rounds", traffic.rounds, report.predictedBytes.rounds);
  row("export", traffic.export_, report.predictedBytes.export_);
}

/// Appends reasons, each on its own line.
void appendReasons(std::string& text, const std::string& reasons) {
  text += "because\n";
  for (std::size_t begin = 0; begin < reasons.size();) {
    const std::size_t end = std::min(reasons.find("; ", begin), reasons.size());
    text += "  " + reasons.substr(begin, end - begin) + "\n";
    begin = end + 2;
  }
}

}  // namespace

ReportSummary Impl::summarize(const Report& report, MPI_Comm comm) {
  ReportSummary summary;
  summary.totalSeconds = spread(report.totalSeconds, comm);
  summary.multiplySeconds = spread(report.multiplySeconds, comm);
  for (int p = 0; p < phaseCount; ++p)
    summary.seconds[p] = spread(report.seconds[static_cast<Phase>(p)], comm);
  summary.otherSeconds = spread(otherSeconds(report), comm);
  summary.traffic = sumTraffic(report.traffic, comm);
  summary.operands = report.operands;
  std::vector<long long> sums{report.multiplyAdds, report.entriesC, report.blockRows};
  for (const EntriesOf& of : report.operands) sums.push_back(of.entries);
  long long largest[3] = {report.pieces, static_cast<long long>(report.predictedPieceBytes),
                          static_cast<long long>(report.pieceBytes)};
  Impl::allReduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_LONG_LONG, MPI_SUM,
                  comm, "the reports of all ranks");
  Impl::allReduce(MPI_IN_PLACE, largest, 3, MPI_LONG_LONG, MPI_MAX, comm,
                  "the reports of all ranks");
  summary.pieces = static_cast<int>(largest[0]);
  summary.predictedPieceBytes = static_cast<double>(largest[1]);
  summary.pieceBytes = static_cast<double>(largest[2]);
  summary.multiplyAdds = sums[0];
  summary.entriesC = sums[1];
  summary.blockRows = sums[2];
  for (std::size_t p = 0; p < summary.operands.size(); ++p)
    summary.operands[p].entries = sums[p + 3];
  const double multiplyAdds = static_cast<double>(summary.multiplyAdds);
  if (summary.entriesC > 0)
    summary.compressionRatio = multiplyAdds / static_cast<double>(summary.entriesC);
  setImbalances(report, comm, summary);
  return summary;
}

ReportSummary summarize(const Report& report, const Teuchos::Comm<int>& comm) {
  const char* const function = "Trident::summarize";
  const MPI_Comm raw = Impl::rawComm(comm);
  return Impl::withErrorContext(function, [&] {
    Impl::checkArguments(raw, function, [&](Impl::CollectiveArguments& values) {
      std::string names;
      for (const EntriesOf& of : report.operands) names += of.name + ", ";
      values.push_back({"the report's matrices", names + "C"});
      return std::string();
    });
    return Impl::summarize(report, raw);
  });
}

std::string describe(const Report& report, const ReportSummary& summary) {
  std::string text;
  appendChoices(text, report);
  appendCounts(text, summary);
  appendSeconds(text, summary);
  appendTraffic(text, report, summary.traffic);
  if (!report.reasons.empty()) appendReasons(text, report.reasons);
  return text;
}

}  // namespace Trident
