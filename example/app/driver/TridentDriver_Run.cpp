// SPDX-License-Identifier: BSD-3-Clause
#include "TridentDriver_Run.hpp"

#include <Kokkos_Core.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>
#include <algorithm>
#include <chrono>

#include "TridentDriver_Mask.hpp"
#include "TridentDriver_Progress.hpp"
#include "TridentDriver_TpetraTraffic.hpp"
#include "TridentProblems_Comm.hpp"
#include "TridentProblems_Memory.hpp"
#include "TridentProblems_Permute.hpp"
#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Restriction.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_Nodes.hpp"

namespace Trident {
namespace Driver {
namespace {

/// Returns the seconds of a clock that only goes forward.
double clockSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

Spread medians(const std::vector<Spread>& spreads) {
  std::vector<double> min, mid, mean, max;
  for (const Spread& s : spreads) {
    min.push_back(s.min);
    mid.push_back(s.median);
    mean.push_back(s.mean);
    max.push_back(s.max);
  }
  return {median(min), median(mid), median(mean), median(max)};
}

/// Permutes both factors.
void permute(const CommandLine& line, Problem& problem) {
  Progress::say("permute");
  const bool same = problem.B == problem.A;
  problem.A = permuted(*problem.A, line.seed);
  problem.B = same ? problem.A : permuted(*problem.B, line.seed);
  problem.description += "\nrows and columns are permuted, by seed " + std::to_string(line.seed);
}

/// Returns the row Map of op(A), which the product gets.
Teuchos::RCP<const map_type> rowMapOfProduct(const CommandLine& line, const matrix_type& A) {
  return line.transposeA ? A.getDomainMap() : A.getRowMap();
}

Report multiplyOnce(const CommandLine& line, const Problem& problem, matrix_type& C,
                    bool predict = false) {
  const auto parameters = tridentParameters(line, predict);
  Kokkos::fence();  // kernels before these are not timed, and those of the product are
  const double start = clockSeconds();
  Report report;
  if (masks(line))
    report = multiplyMasked(line, problem, parameters, C);
  else if (line.algorithm != "tpetra")
    report = Multiply(*problem.A, line.transposeA, *problem.B, line.transposeB, C, true,
                      std::string(), parameters);
  else
    Tpetra::MatrixMatrix::Multiply(*problem.A, line.transposeA, *problem.B, line.transposeB, C);
  Kokkos::fence();
  report.totalSeconds = clockSeconds() - start;  // transposes included, as for Tpetra
  return report;
}

/// Counts the bytes that Tpetra's product receives, as it reports nothing. It counts none if A is
/// transposed: Tpetra then sends parts of C, which only the product itself knows.
void countTpetra(const CommandLine& line, const Problem& problem, Measurement& measured) {
  const std::vector<int> nodes = nodesOfRanks(*problem.A->getComm(), line.ranksPerNode);
  const auto B =
      line.transposeB ? Tpetra::RowMatrixTransposer<>(problem.B).createTranspose() : problem.B;
  measured.trafficKnown = !line.transposeA;
  if (measured.trafficKnown) measured.report.traffic.import = tpetraTraffic(*problem.A, *B, nodes);
  measured.summary = summarize(measured.report, *problem.A->getComm());
}

/// Predicts the traffic of the timed products. To evaluate the volume model takes time, and it may
/// lead to another grid than they had, so a product of its own does that.
void predict(const CommandLine& line, const Problem& problem, Report& report) {
  matrix_type C(rowMapOfProduct(line, *problem.A), 0);
  const Report predicted = multiplyOnce(line, problem, C, true);
  for (const ShapePrediction& candidate : predicted.shapes)
    if (candidate.shape.name() == report.grid.name()) {
      report.predicted = true;
      report.predictedBytes = candidate.bytes;
      report.predictedEntriesC = predicted.predictedEntriesC;
    }
  report.shapes = predicted.shapes;
}

/// Measures each of `count` calls, with what they leave to the device. Returns the seconds of the
/// slowest rank.
template <class Product>
std::vector<double> timeEach(int count, const comm_type& comm, const Product& product) {
  std::vector<double> seconds;
  for (int n = 0; n < count; ++n) {
    Kokkos::fence();
    comm.barrier();
    const double start = clockSeconds();
    product();
    Kokkos::fence();
    seconds.push_back(Comm(comm).max(clockSeconds() - start));
  }
  return seconds;
}

}  // namespace

Problem makeProblem(const CommandLine& line, const Teuchos::RCP<const comm_type>& comm) {
  Problem problem;
  requireInputs(line.A, line.B, Comm(*comm));
  requireMask(line, Comm(*comm));
  Progress::say("read " + line.A);
  const ReadResult a = readMatrix(line.A, comm);
  problem.A = a.matrix;
  problem.description = "A: " + a.report.description;
  problem.warnings = warningLine(a.report);
  if (line.B == "A") {
    problem.B = problem.A;
  } else if (line.B == "restriction") {
    Progress::say("aggregate");
    problem.B = restriction(*problem.A, line.seed);
    problem.description += "\nB: piecewise-constant restriction to " +
                           std::to_string(problem.B->getDomainMap()->getGlobalNumElements()) +
                           " aggregates";
  } else {
    Progress::say("read " + line.B);
    const ReadResult b = readMatrix(line.B, comm);
    problem.B = b.matrix;
    problem.description += "\nB: " + b.report.description;
    problem.warnings += warningLine(b.report);
  }
  if (line.ones) {
    takeAsOnes(*problem.A);
    if (problem.B != problem.A) takeAsOnes(*problem.B);
    problem.description += "\nall values are taken as 1";
  }
  if (line.permute) permute(line, problem);
  if (masks(line)) addMask(line, problem);
  return problem;
}

Measurement measure(const CommandLine& line, const Problem& problem) {
  const Comm comm(*problem.A->getComm());
  Measurement measured;
  std::vector<ReportSummary> summaries;
  for (int m = 0; m < line.warmup + line.repeat; ++m) {
    measured.C = Teuchos::null;  // the product before must not weigh on this one's memory
    const auto C = Teuchos::rcp(new matrix_type(rowMapOfProduct(line, *problem.A), 0));
    problem.A->getComm()->barrier();
    {
      const MemoryMeter meter;
      measured.report = multiplyOnce(line, problem, *C);
      measured.allocatedPeak = meter.allocatedPeak();
      measured.devicePeak = meter.devicePeak();
      measured.residentPeak = meter.residentPeak();
      measured.sharedPeak = sharedResidentBytes();
    }
    measured.C = C;
    if (m == 0) measured.firstCallSeconds = comm.max(measured.report.totalSeconds);
    if (m >= line.warmup) summaries.push_back(summarize(measured.report, *problem.A->getComm()));
  }
  if (line.predict) {
    Progress::say("predict");
    predict(line, problem, measured.report);
  }
  if (line.algorithm == "tpetra")
    countTpetra(line, problem, measured);
  else
    measured.summary = summaries.back();
  const auto over = [&](const auto& pick) {
    std::vector<Spread> spreads;
    for (const ReportSummary& s : summaries) spreads.push_back(pick(s));
    return medians(spreads);
  };
  for (const ReportSummary& s : summaries) measured.totalSeconds.push_back(s.totalSeconds.max);
  measured.summary.totalSeconds = over([](const ReportSummary& s) { return s.totalSeconds; });
  measured.summary.multiplySeconds = over([](const ReportSummary& s) { return s.multiplySeconds; });
  measured.summary.otherSeconds = over([](const ReportSummary& s) { return s.otherSeconds; });
  for (int p = 0; p < phaseCount; ++p)
    measured.summary.seconds[p] = over([p](const ReportSummary& s) { return s.seconds[p]; });
  return measured;
}

std::vector<double> reuseSeconds(const CommandLine& line, const Problem& problem,
                                 Measurement& measured) {
  const matrix_type &A = *problem.A, &B = *problem.B;
  const auto C = Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
  std::vector<double> seconds;
  if (line.algorithm == "tpetra") {
    const auto multiply = [&] { Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C); };
    multiply();
    seconds = timeEach(line.reuse, *A.getComm(), multiply);
  } else {
    const MultiplyPlan plan(A, B, *C, tridentParameters(line));
    seconds = timeEach(line.reuse, *A.getComm(), [&] { plan.multiply(A, B, *C); });
  }
  measured.C = C;
  return seconds;
}

bool matches(const Comparison& comparison) {
  return comparison.structureMatches && comparison.maxRelError <= 1e-12;
}

}  // namespace Driver
}  // namespace Trident
