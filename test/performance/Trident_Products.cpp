// SPDX-License-Identifier: BSD-3-Clause
// A·A and A·R by Trident and by Tpetra, A read and its aggregates made once. One JSON object a
// line, of rank 0.
//
//   Trident_Products.exe --A=<matrix> [--B=A,restriction] [--by=trident,tpetra] [--warmup=2]
//                        [--repeat=5] [--reuse=0] [--ranks-per-node=0]
//
// Matrices are what the driver takes, and products are timed as by the driver: "seconds" are end to
// end, of the slowest rank, until the device is at rest, one for each product. "phases" are
// Trident's alone: median rank, median of the products. --reuse multiplies as often again with the
// structure known (Trident: a plan; Tpetra: into a C that has it): "reuse_seconds". "difference" is
// that of C·x from the first way's, largest over largest entry, for one random x.

#include <Kokkos_Core.hpp>
#include <Teuchos_CommandLineProcessor.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Restriction.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_RunProgram.hpp"
#include "base/Trident_Phase.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace {

using matrix_type = Trident::Problems::matrix_type;
using vector_type = Tpetra::Vector<>;
using MatrixPtr = Teuchos::RCP<matrix_type>;
using Plan = Trident::MultiplyPlan<matrix_type::scalar_type, matrix_type::local_ordinal_type,
                                   matrix_type::global_ordinal_type, matrix_type::node_type>;
using ParametersPtr = Teuchos::RCP<Teuchos::ParameterList>;

struct Options {
  std::string A, B = "A,restriction", by = "trident,tpetra";
  int warmup = 2, repeat = 5, reuse = 0, ranksPerNode = 0;
};

struct Measured {
  std::vector<double> seconds, reuseSeconds;
  double firstCall = 0;
  std::vector<Trident::ReportSummary> summaries;
  std::string how;
  MatrixPtr C;
};

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// Seconds of the slowest rank, with what `work` leaves to the device. Collective.
double timed(const Teuchos::Comm<int>& comm, const std::function<void()>& work) {
  comm.barrier();
  Kokkos::fence();
  const double start = Trident::Impl::steadySeconds();
  work();
  Kokkos::fence();
  const double mine = Trident::Impl::steadySeconds() - start;
  double slowest = 0;
  Teuchos::reduceAll(comm, Teuchos::REDUCE_MAX, mine, Teuchos::outArg(slowest));
  return slowest;
}

MatrixPtr newResult(const matrix_type& A) {
  return Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
}

void multiplyAgain(const matrix_type& A, const matrix_type& B, bool byTrident, int count,
                   const ParametersPtr& params, Measured& measured) {
  measured.C = Teuchos::null;
  const MatrixPtr C = newResult(A);
  std::unique_ptr<Plan> plan;
  if (byTrident)
    plan = std::make_unique<Plan>(A, B, *C, params);
  else
    Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C);
  for (int n = 0; n < count; ++n)
    measured.reuseSeconds.push_back(timed(*A.getComm(), [&] {
      if (byTrident)
        plan->multiply(A, B, *C);
      else
        Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C);
    }));
  measured.C = C;
}

Measured measure(const matrix_type& A, const matrix_type& B, bool byTrident, const Options& options,
                 const ParametersPtr& params) {
  Measured measured;
  for (int n = 0; n < options.warmup + options.repeat; ++n) {
    measured.C = Teuchos::null;  // the product before must not weigh on this one's memory
    const MatrixPtr C = newResult(A);
    Trident::Report report;
    const double seconds = timed(*A.getComm(), [&] {
      if (byTrident)
        report = Trident::Multiply(A, false, B, false, *C, true, std::string(), params);
      else
        Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C);
    });
    if (n == 0) measured.firstCall = seconds;
    if (n >= options.warmup) {
      measured.seconds.push_back(seconds);
      measured.summaries.push_back(
          Trident::summarize(report, Trident::Impl::rawComm(*A.getComm())));
    }
    measured.how = report.grid.name();
    measured.C = C;
  }
  if (options.reuse > 0) multiplyAgain(A, B, byTrident, options.reuse, params, measured);
  return measured;
}

std::string phases(const std::vector<Trident::ReportSummary>& summaries) {
  using Trident::ReportSummary;
  const auto over = [&](const std::function<double(const ReportSummary&)>& pick) {
    std::vector<double> values;
    for (const ReportSummary& summary : summaries) values.push_back(pick(summary));
    return median(values);
  };
  std::ostringstream text;
  for (int p = 0; p < Trident::phaseCount; ++p)
    text << "\"" << phaseName(static_cast<Trident::Phase>(p))
         << "\": " << over([p](const ReportSummary& s) { return s.seconds[p].median; }) << ", ";
  text << "\"other\": " << over([](const ReportSummary& s) { return s.otherSeconds.median; });
  return text.str();
}

std::string list(const std::vector<double>& values) {
  std::ostringstream text;
  for (std::size_t n = 0; n < values.size(); ++n) text << (n > 0 ? ", " : "") << values[n];
  return "[" + text.str() + "]";
}

bool among(const std::string& word, const std::string& words) {
  return ("," + words + ",").find("," + word + ",") != std::string::npos;
}

void measureAll(const std::string& nameB, const matrix_type& A, const matrix_type& B,
                const Options& options, const ParametersPtr& params) {
  vector_type x(B.getDomainMap()), first(A.getRangeMap());
  x.randomize();
  bool isFirst = true;
  for (const std::string way : {"trident", "tpetra"}) {
    if (!among(way, options.by)) continue;
    const bool byTrident = way == "trident";
    const Measured measured = measure(A, B, byTrident, options, params);
    vector_type y(A.getRangeMap());
    measured.C->apply(x, y);
    if (isFirst) first.update(1, y, 0);
    isFirst = false;
    y.update(-1, first, 1);
    const double size = first.normInf(), change = y.normInf();
    double differs = size > 0 ? change / size : change;
    if (!(differs >= 0)) differs = 1e300;  // JSON has no number for what is none
    const auto entriesA = A.getGlobalNumEntries(), entriesC = measured.C->getGlobalNumEntries();
    if (A.getComm()->getRank() != 0) continue;
    std::printf(
        "{\"A\": \"%s\", \"B\": \"%s\", \"algorithm\": \"%s\", \"ranks\": %d, \"grid\": \"%s\", "
        "\"nnzA\": %llu, \"nnzC\": %llu, \"seconds\": %s, \"first_call_seconds\": %.6g, "
        "\"reuse_seconds\": %s, \"phases\": {%s}, \"difference\": %.3g}\n",
        options.A.c_str(), nameB.c_str(), way.c_str(), A.getComm()->getSize(),
        byTrident ? measured.how.c_str() : "", static_cast<unsigned long long>(entriesA),
        static_cast<unsigned long long>(entriesC), list(measured.seconds).c_str(),
        measured.firstCall, list(measured.reuseSeconds).c_str(),
        byTrident ? phases(measured.summaries).c_str() : "", differs);
    std::fflush(stdout);  // a way that comes later may not end in its time
  }
}

int run(int argc, char* argv[]) {
  Options options;
  Teuchos::CommandLineProcessor line(false);
  line.setOption("A", &options.A, "matrix, as the driver takes it", true);
  line.setOption("B", &options.B, "right factors: A, restriction, or both, separated by a comma");
  line.setOption("by", &options.by, "trident, tpetra, or both");
  line.setOption("warmup", &options.warmup, "products before the measured ones");
  line.setOption("repeat", &options.repeat, "measured products");
  line.setOption("reuse", &options.reuse, "products with a known structure");
  line.setOption("ranks-per-node", &options.ranksPerNode,
                 "as Trident's parameter; 0: as the machine has");
  if (line.parse(argc, argv) != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL) return 2;
  const auto comm = Tpetra::getDefaultComm();
  const auto params = Teuchos::parameterList();
  if (options.ranksPerNode > 0)
    params->sublist("Trident").set("ranks per node", options.ranksPerNode);
  const MatrixPtr A = Trident::Problems::readMatrix(options.A, comm).matrix;
  if (among("A", options.B)) measureAll("A", *A, *A, options, params);
  if (among("restriction", options.B))
    measureAll("restriction", *A, *Trident::Problems::restriction(*A, 1), options, params);
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  return Trident::runProgram("Trident_Products", run, argc, argv);
}
