// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <ctime>
#include <sstream>

#include "TridentDriver_Run.hpp"
#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Commit.hpp"
#include "TridentProblems_JsonText.hpp"
#include "TridentProblems_Memory.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_WriteText.hpp"
#include "Trident_JsonString.hpp"
#include "Trident_Version.hpp"

namespace Trident {
namespace Driver {
namespace {

using Json::list;
using Json::number;

std::string spread(const Spread& s) {
  return "{\"min\": " + number(s.min) + ", \"median\": " + number(s.median) +
         ", \"mean\": " + number(s.mean) + ", \"max\": " + number(s.max) + "}";
}

/// Returns a text that only a product has that was cut into rounds, by Trident or SUMMA; "null" for
/// Tpetra's.
std::string ofRounds(const CommandLine& line, const std::string& text) {
  return line.algorithm == "tpetra" ? "null" : text;
}

/// Gathers a number of every rank, as a list on rank 0. Collective.
std::string perRank(double mine, const Comm& comm) {
  std::vector<double> all(comm.size());
  if (MPI_Gather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, comm.get()) != MPI_SUCCESS)
    throw MatrixError("MPI_Gather failed");
  return list(all);
}

template <class Pick>
std::string perRankByPart(const CommandLine& line, const TrafficByPart& traffic, const Comm& comm,
                          const Pick& pick) {
  const auto ranks = [&](const Traffic& t) { return perRank(static_cast<double>(pick(t)), comm); };
  return "{\"import\": " + ranks(traffic.import) +
         ", \"rounds\": " + ofRounds(line, ranks(traffic.rounds)) +
         ", \"export\": " + ofRounds(line, ranks(traffic.export_)) +
         ", \"setup\": " + ofRounds(line, ranks(traffic.setup)) + "}";
}

std::string bytes(const CommandLine& line, const TrafficByPart& traffic, const Comm& comm) {
  return "{\n    \"internode\": " +
         perRankByPart(line, traffic, comm, [](const Traffic& t) { return t.internodeBytes; }) +
         ",\n    \"intranode\": " +
         perRankByPart(line, traffic, comm, [](const Traffic& t) { return t.intranodeBytes; }) +
         "\n  }";
}

std::string prediction(const VolumePrediction& p) {
  return "{\"import\": " + number(p.import) + ", \"rounds\": " + number(p.rounds) +
         ", \"export\": " + number(p.export_) + "}";
}

std::string seconds(const CommandLine& line, const ReportSummary& summary) {
  const Phase phases[] = {Phase::Import,        Phase::ExchangeWait, Phase::Gather,
                          Phase::LocalMultiply, Phase::Accumulate,   Phase::Export,
                          Phase::Setup};
  std::string text = "{\"total\": " + spread(summary.totalSeconds) +
                     ", \"multiply\": " + ofRounds(line, spread(summary.multiplySeconds));
  for (const Phase phase : phases)
    text += ", " + jsonString(phaseName(phase)) + ": " +
            ofRounds(line, spread(summary.seconds[static_cast<int>(phase)]));
  return text + ", \"other\": " + ofRounds(line, spread(summary.otherSeconds)) + "}";
}

std::string grid(const GridShape& shape) {
  return "[" + std::to_string(shape.nodeRows) + ", " + std::to_string(shape.nodeCols) + ", " +
         std::to_string(shape.lambda) + "]";
}

/// @param ranks a number of this rank as the list of all ranks
template <class Ranks>
std::string pieces(const Report& report, const Ranks& ranks) {
  return "{\"count\": " + ranks(report.pieces) +
         ", \"bytes\": " + ranks(static_cast<double>(report.pieceBytes)) +
         ", \"predicted_bytes\": " + ranks(static_cast<double>(report.predictedPieceBytes)) + "}";
}

std::string imbalance(const ReportSummary& summary) {
  const auto of = [](const Imbalance& imbalance) {
    return "{\"ranks\": " + number(imbalance.ranks) + ", \"in_node\": " + number(imbalance.inNode) +
           "}";
  };
  return "{\"entries\": " + of(summary.entries) + ", \"multiply_adds\": " + of(summary.work) +
         ", \"local_multiply\": " + of(summary.time) + "}";
}

std::string checksum(const Checksum& sums) {
  return "{\"entries\": " + std::to_string(sums.entries) +
         ", \"zeros\": " + std::to_string(sums.zeros) + ", \"bilinear\": " + number(sums.bilinear) +
         ", \"absolute\": " + number(sums.absolute) + "}";
}

std::string shapes(const Report& report) {
  if (report.shapes.empty()) return "null";
  std::string text = "{";
  for (const ShapePrediction& s : report.shapes)
    text += (text.size() > 1 ? ", " : "") + jsonString(s.shape.name()) + ": " + prediction(s.bytes);
  return text + "}";
}

long long messages(const TrafficByPart& t, bool internode) {
  long long sum = 0;
  for (const Traffic* part : {&t.setup, &t.import, &t.rounds, &t.export_})
    sum += internode ? part->internodeMessages : part->intranodeMessages;
  return sum;
}

/// Returns the thread level that MPI gives, on which the choice of the exchange rests.
std::string threadLevel() {
  int level = MPI_THREAD_SINGLE;
  checkMpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level == MPI_THREAD_MULTIPLE     ? "multiple"
         : level == MPI_THREAD_SERIALIZED ? "serialized"
         : level == MPI_THREAD_FUNNELED   ? "funneled"
                                          : "single";
}

/// Returns the name of this rank's host.
std::string hostName() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name;
  int size = 0;
  checkMpi(MPI_Get_processor_name(name.data(), &size), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(size)};
}

/// Returns now, by ISO 8601 and UTC: "2026-01-31T23:59:59Z".
std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc;
  std::array<char, 32> text;
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
  return {text.data(), size};
}

/// Tells the origin of a run: version, commit, host, date and command.
std::string origin(const CommandLine& line) {
  const std::string commit = builtCommit();
  return "\"version\": " + jsonString(version()) +
         ",\n  \"commit\": " + (commit.empty() ? "null" : jsonString(commit)) +
         ",\n  \"host\": " + jsonString(hostName()) + ",\n  \"date\": " + jsonString(date()) +
         ",\n  \"command\": " + jsonString(line.command);
}

}  // namespace

void writeJson(const CommandLine& line, const Problem& problem, const Measurement& measured,
               const Comparison* verdict) {
  const Comm comm(*problem.A->getComm());
  const Report& r = measured.report;
  const ReportSummary& s = measured.summary;
  const std::int64_t entriesC = countEntries(*measured.C);
  const std::int64_t entriesA = countEntries(*problem.A), entriesB = countEntries(*problem.B);
  const auto rounds = [&](const std::string& text) { return ofRounds(line, text); };
  const auto ranks = [&](double mine) { return perRank(mine, comm); };
  std::ostringstream json;
  json << "{\n  " << origin(line) << ",\n  \"A\": " << jsonString(line.A)
       << ",\n  \"B\": " << jsonString(line.B)
       << ",\n  \"algorithm\": " << jsonString(line.algorithm) << ",\n  \"ranks\": " << comm.size()
       << ",\n  \"thread_level\": " << jsonString(threadLevel())
       << ",\n  \"grid\": " << rounds(grid(r.grid))
       << ",\n  \"fetch\": " << rounds(jsonString(r.fetch))
       << ",\n  \"exchange\": " << rounds(jsonString(r.exchange))
       << ",\n  \"gather\": " << rounds(jsonString(r.gather))
       << ",\n  \"kernel\": " << rounds(jsonString(r.kernel))
       << ",\n  \"partition\": " << rounds(jsonString(r.partition))
       << ",\n  \"rows\": " << measured.C->getRangeMap()->getGlobalNumElements()
       << ",\n  \"inner\": "
       << (line.transposeA ? problem.A->getRowMap() : problem.A->getDomainMap())
              ->getGlobalNumElements()
       << ",\n  \"cols\": " << measured.C->getDomainMap()->getGlobalNumElements()
       << ",\n  \"nnzA\": " << entriesA << ",\n  \"nnzB\": " << entriesB
       << ",\n  \"nnzC\": " << entriesC
       << ",\n  \"multiply_adds\": " << rounds(std::to_string(s.multiplyAdds))
       << ",\n  \"rounds\": " << rounds(std::to_string(r.rounds))
       << ",\n  \"fused_rounds\": " << rounds(std::to_string(r.fusedRounds))
       << ",\n  \"pieces\": " << (s.pieces > 0 ? pieces(r, ranks) : "null")
       << ",\n  \"seconds\": " << seconds(line, s)
       << ",\n  \"total_seconds\": " << list(measured.totalSeconds)
       << ",\n  \"reuse_seconds\": " << (line.reuse > 0 ? list(measured.reuseSeconds) : "null")
       << ",\n  \"bytes\": " << (measured.trafficKnown ? bytes(line, r.traffic, comm) : "null")
       << ",\n  \"predicted_internode_bytes\": "
       << (r.predicted ? prediction(r.predictedBytes) : "null")
       << ",\n  \"internode_entries\": " << rounds(ranks(static_cast<double>(r.internodeEntries)))
       << ",\n  \"predicted_nnzC\": " << (r.predicted ? number(r.predictedEntriesC) : "null")
       << ",\n  \"predicted_shapes\": " << shapes(r) << ",\n  \"messages\": "
       << rounds("{\"internode\": " + ranks(static_cast<double>(messages(r.traffic, true))) +
                 ", \"intranode\": " + ranks(static_cast<double>(messages(r.traffic, false))) + "}")
       << ",\n  \"peak_rss_bytes\": " << ranks(peakResidentBytes())
       << ",\n  \"memory\": {\"slices\": " << rounds(ranks(static_cast<double>(r.sliceBytes)))
       << ", \"tile\": " << rounds(ranks(static_cast<double>(r.tileBytes)))
       << ", \"result\": " << rounds(ranks(static_cast<double>(r.resultBytes)))
       << ", \"allocated_peak\": " << ranks(measured.allocatedPeak)
       << ", \"device_allocated_peak\": " << ranks(measured.devicePeak)
       << ", \"resident_growth\": " << ranks(measured.residentPeak)
       << ", \"resident_shared\": " << ranks(measured.sharedPeak)
       << "},\n  \"imbalance\": " << rounds(imbalance(s))
       << ",\n  \"compression_ratio\": " << rounds(number(s.compressionRatio))
       << ",\n  \"first_call_seconds\": " << number(measured.firstCallSeconds)
       << ",\n  \"reasons\": " << rounds(jsonString(r.reasons))
       << ",\n  \"checksum\": " << (line.checksum ? checksum(measured.checksum) : "null")
       << ",\n  \"verified\": " << (verdict ? (matches(*verdict) ? "true" : "false") : "null")
       << ",\n  \"max_rel_error\": " << (verdict ? number(verdict->maxRelError) : "null")
       << ",\n  \"vector_error\": "
       << (measured.vectorError < 0 ? "null" : number(measured.vectorError)) << "\n}\n";
  writeText(line.json, comm.rank() == 0 ? json.str() : std::string(), comm);
}

}  // namespace Driver
}  // namespace Trident
