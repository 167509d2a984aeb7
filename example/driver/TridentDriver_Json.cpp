// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>
#include <sstream>

#include "TridentDriver_Run.hpp"
#include "TridentProblems_Comm.hpp"
#include "TridentProblems_JsonText.hpp"
#include "TridentProblems_Memory.hpp"
#include "TridentProblems_ReadMatrix.hpp"

namespace Trident {
namespace Driver {
namespace {

using Json::list;
using Json::number;
using Json::quoted;

std::string spread(const Spread& s) {
  return "{\"min\": " + number(s.min) + ", \"median\": " + number(s.median) +
         ", \"max\": " + number(s.max) + "}";
}

/// A number of every rank, as a list on rank 0. Collective.
std::string perRank(double mine, const Comm& comm) {
  std::vector<double> all(comm.size());
  if (MPI_Gather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, comm.get()) != MPI_SUCCESS)
    throw MatrixError("MPI_Gather failed");
  return list(all);
}

template <class Pick>
std::string perRankByPart(const TrafficByPart& traffic, const Comm& comm, const Pick& pick) {
  return "{\"import\": " + perRank(static_cast<double>(pick(traffic.import)), comm) +
         ", \"rounds\": " + perRank(static_cast<double>(pick(traffic.rounds)), comm) +
         ", \"export\": " + perRank(static_cast<double>(pick(traffic.export_)), comm) +
         ", \"setup\": " + perRank(static_cast<double>(pick(traffic.setup)), comm) + "}";
}

std::string bytes(const TrafficByPart& traffic, const Comm& comm) {
  return "{\n    \"internode\": " +
         perRankByPart(traffic, comm, [](const Traffic& t) { return t.internodeBytes; }) +
         ",\n    \"intranode\": " +
         perRankByPart(traffic, comm, [](const Traffic& t) { return t.intranodeBytes; }) + "\n  }";
}

std::string prediction(const VolumePrediction& p) {
  return "{\"import\": " + number(p.import) + ", \"rounds\": " + number(p.rounds) +
         ", \"export\": " + number(p.export_) + "}";
}

std::string seconds(const ReportSummary& summary) {
  const Phase phases[] = {Phase::Import,        Phase::ExchangeWait, Phase::Gather,
                          Phase::LocalMultiply, Phase::Accumulate,   Phase::Export,
                          Phase::Setup};
  std::string text = "{\"total\": " + spread(summary.totalSeconds) +
                     ", \"multiply\": " + spread(summary.multiplySeconds);
  for (const Phase phase : phases)
    text +=
        ", " + quoted(phaseName(phase)) + ": " + spread(summary.seconds[static_cast<int>(phase)]);
  return text + "}";
}

std::string checksum(const Checksum& sums) {
  return "{\"entries\": " + std::to_string(sums.entries) +
         ", \"zeros\": " + std::to_string(sums.zeros) + ", \"bilinear\": " + number(sums.bilinear) +
         ", \"absolute\": " + number(sums.absolute) + "}";
}

std::string shapes(const Report& report) {
  std::string text = "{";
  for (const ShapePrediction& s : report.shapes)
    text += (text.size() > 1 ? ", " : "") + quoted(s.shape.name()) + ": " + prediction(s.bytes);
  return text + "}";
}

long long messages(const TrafficByPart& t, bool internode) {
  long long sum = 0;
  for (const Traffic* part : {&t.setup, &t.import, &t.rounds, &t.export_})
    sum += internode ? part->internodeMessages : part->intranodeMessages;
  return sum;
}

/// What MPI gives, on which the choice of the exchange rests.
std::string threadLevel() {
  int level = MPI_THREAD_SINGLE;
  checkMpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level == MPI_THREAD_MULTIPLE     ? "multiple"
         : level == MPI_THREAD_SERIALIZED ? "serialized"
         : level == MPI_THREAD_FUNNELED   ? "funneled"
                                          : "single";
}

}  // namespace

void writeJson(const CommandLine& line, const Problem& problem, const Measurement& measured,
               const Comparison* verdict) {
  const Comm comm(*problem.A->getComm());
  const Report& r = measured.report;
  const ReportSummary& s = measured.summary;
  const std::int64_t entriesC = countEntries(*measured.C);
  const std::int64_t entriesA = countEntries(*problem.A), entriesB = countEntries(*problem.B);
  std::ostringstream json;
  json << "{\n  \"A\": " << quoted(line.A) << ",\n  \"B\": " << quoted(line.B)
       << ",\n  \"algorithm\": " << quoted(line.algorithm) << ",\n  \"ranks\": " << comm.size()
       << ",\n  \"thread_level\": " << quoted(threadLevel()) << ",\n  \"grid\": ["
       << r.grid.nodeRows << ", " << r.grid.nodeCols << ", " << r.grid.lambda
       << "],\n  \"fetch\": " << quoted(r.fetch) << ",\n  \"exchange\": " << quoted(r.exchange)
       << ",\n  \"gather\": " << quoted(r.gather) << ",\n  \"kernel\": " << quoted(r.kernel)
       << ",\n  \"partition\": " << quoted(r.partition)
       << ",\n  \"rows\": " << measured.C->getRangeMap()->getGlobalNumElements()
       << ",\n  \"inner\": "
       << (line.transposeA ? problem.A->getRowMap() : problem.A->getDomainMap())
              ->getGlobalNumElements()
       << ",\n  \"cols\": " << measured.C->getDomainMap()->getGlobalNumElements()
       << ",\n  \"nnzA\": " << entriesA << ",\n  \"nnzB\": " << entriesB
       << ",\n  \"nnzC\": " << entriesC << ",\n  \"flops\": " << 2 * s.flops
       << ",\n  \"rounds\": " << r.rounds << ",\n  \"fused_rounds\": " << r.fusedRounds
       << ",\n  \"seconds\": " << seconds(s)
       << ",\n  \"total_seconds\": " << list(measured.totalSeconds)
       << ",\n  \"reuse_seconds\": " << list(measured.reuseSeconds)
       << ",\n  \"bytes\": " << (measured.trafficKnown ? bytes(r.traffic, comm) : "null")
       << ",\n  \"predicted_internode_bytes\": "
       << (r.predicted ? prediction(r.predictedBytes) : "null")
       << ",\n  \"internode_entries\": " << perRank(static_cast<double>(r.internodeEntries), comm)
       << ",\n  \"predicted_nnzC\": " << (r.predicted ? number(r.predictedEntriesC) : "null")
       << ",\n  \"predicted_shapes\": " << shapes(r) << ",\n  \"messages\": {\"internode\": "
       << perRank(static_cast<double>(messages(r.traffic, true)), comm)
       << ", \"intranode\": " << perRank(static_cast<double>(messages(r.traffic, false)), comm)
       << "},\n  \"peak_rss_bytes\": " << perRank(peakResidentBytes(), comm)
       << ",\n  \"memory\": {\"slices\": " << perRank(static_cast<double>(r.sliceBytes), comm)
       << ", \"tile\": " << perRank(static_cast<double>(r.tileBytes), comm)
       << ", \"result\": " << perRank(static_cast<double>(r.resultBytes), comm)
       << ", \"allocated_peak\": " << perRank(measured.allocatedPeak, comm)
       << ", \"device_allocated_peak\": " << perRank(measured.devicePeak, comm)
       << ", \"resident_growth\": " << perRank(measured.residentPeak, comm)
       << ", \"resident_shared\": " << perRank(measured.sharedPeak, comm)
       << "},\n  \"imbalance\": " << number(s.flopImbalance)
       << ",\n  \"compression_ratio\": " << number(s.compressionRatio)
       << ",\n  \"first_call_seconds\": " << number(measured.firstCallSeconds)
       << ",\n  \"reasons\": " << quoted(r.reasons)
       << ",\n  \"checksum\": " << (line.checksum ? checksum(measured.checksum) : "null")
       << ",\n  \"verified\": " << (verdict ? (matches(*verdict) ? "true" : "false") : "null")
       << ",\n  \"max_rel_error\": " << (verdict ? number(verdict->maxRelError) : "null")
       << ",\n  \"vector_error\": "
       << (measured.vectorError < 0 ? "null" : number(measured.vectorError)) << "\n}\n";
  collectively(comm, [&] {
    if (comm.rank() != 0) return;
    std::ofstream file(line.json);
    file << json.str() << std::flush;
    if (!file)
      throw MatrixError(line.json +
                        ": cannot be written; is the path right and the disk not full?");
  });
}

}  // namespace Driver
}  // namespace Trident
