// SPDX-License-Identifier: BSD-3-Clause
// A·A and A·R by Trident and by Tpetra, A read and its aggregates made once. One JSON object a
// line, of rank 0.
//
//   Trident_Products.exe --A=<matrix> [--B=A,restriction] [--by=trident,tpetra] [--warmup=2]
//                        [--repeat=7] [--reuse=0] [--reuse-by=trident,tpetra] [--slow=1e9]
//                        [--ranks-per-node=0] [--transposes]
//
// Matrices are what the driver takes, and products are timed as by the driver: "seconds" are end to
// end, of the slowest rank, until the device is at rest, one for each product. Where a product
// takes longer than --slow seconds, three are measured. "phases" are Trident's alone: median rank,
// median of the products. --reuse multiplies so often with the structure known (Trident: a plan;
// Tpetra: into a C that has it): "reuse_seconds", "reuse_phases". "difference" is that of C·x from
// the first way's, largest over largest entry, for one random x; with --reuse of the last such C.
//
// With --transposes no product is formed: each of --B is transposed, by Trident::transpose() and by
// Tpetra's RowMatrixTransposer; with --reuse by a TransposePlan, and by Tpetra once more.

#include <Teuchos_CommandLineProcessor.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>
#include <Tpetra_Vector.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "TridentProblems_ReadMatrix.hpp"
#include "TridentProblems_Restriction.hpp"
#include "Trident_MeasuredPhases.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_RunProgram.hpp"
#include "Trident_Transpose.hpp"

namespace {

using namespace Trident::Measured;
using matrix_type = Trident::Problems::matrix_type;
using vector_type = Tpetra::Vector<>;
using MatrixPtr = Teuchos::RCP<matrix_type>;
using Plan = Trident::MultiplyPlan<matrix_type::scalar_type, matrix_type::local_ordinal_type,
                                   matrix_type::global_ordinal_type, matrix_type::node_type>;
using TransposePlan =
    Trident::TransposePlan<matrix_type::scalar_type, matrix_type::local_ordinal_type,
                           matrix_type::global_ordinal_type, matrix_type::node_type>;
using ParametersPtr = Teuchos::RCP<Teuchos::ParameterList>;

struct Options {
  std::string A, B = "A,restriction", by = "trident,tpetra", reuseBy = "trident,tpetra";
  int warmup = 2, repeat = 7, reuse = 0, ranksPerNode = 0;
  double slow = 1e9;
  bool transposes = false;
};

/// The seconds of each product, and the phases of Trident's.
struct Times {
  std::vector<double> seconds;
  std::vector<Phases> phases;

  void add(double slowest, const Trident::Report* report, const Teuchos::Comm<int>& comm) {
    seconds.push_back(slowest);
    if (report != nullptr) phases.push_back(phasesOf({*report}, comm));
  }
};

struct Measured {
  Times whole, again;
  double firstCall = 0;
  std::string how;
  MatrixPtr C;
};

MatrixPtr newResult(const matrix_type& A) {
  return Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
}

bool among(const std::string& word, const std::string& words) {
  return ("," + words + ",").find("," + word + ",") != std::string::npos;
}

void multiplyAgain(const matrix_type& A, const matrix_type& B, bool byTrident,
                   const Options& options, const ParametersPtr& params, Measured& measured) {
  measured.C = Teuchos::null;
  const MatrixPtr C = newResult(A);
  std::unique_ptr<Plan> plan;
  if (byTrident)
    plan = std::make_unique<Plan>(A, B, *C, params);
  else
    Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C);
  while (needsMore(measured.again.seconds, options.reuse, options.slow)) {
    Trident::Report report;
    const double seconds = timed(*A.getComm(), [&] {
      if (byTrident)
        report = plan->multiply(A, B, *C);
      else
        Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C);
    });
    measured.again.add(seconds, byTrident ? &report : nullptr, *A.getComm());
  }
  measured.C = C;
}

/// Forms one product into measured.C. Returns its seconds, and sets Trident's report.
double multiply(const matrix_type& A, const matrix_type& B, bool byTrident,
                const ParametersPtr& params, Trident::Report& report, Measured& measured) {
  measured.C = Teuchos::null;  // the product before must not weigh on this one's memory
  const MatrixPtr C = newResult(A);
  const double seconds = timed(*A.getComm(), [&] {
    if (byTrident)
      report = Trident::Multiply(A, false, B, false, *C, true, std::string(), params);
    else
      Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C);
  });
  measured.C = C;
  return seconds;
}

Measured measure(const matrix_type& A, const matrix_type& B, const std::string& way,
                 const Options& options, const ParametersPtr& params) {
  const bool byTrident = way == "trident";
  Measured measured;
  Trident::Report report;
  for (int n = 0; n < options.warmup; ++n) {
    const double seconds = multiply(A, B, byTrident, params, report, measured);
    if (n == 0) measured.firstCall = seconds;
  }
  while (needsMore(measured.whole.seconds, options.repeat, options.slow)) {
    const double seconds = multiply(A, B, byTrident, params, report, measured);
    if (options.warmup == 0 && measured.whole.seconds.empty()) measured.firstCall = seconds;
    measured.whole.add(seconds, byTrident ? &report : nullptr, *A.getComm());
  }
  if (byTrident) measured.how = report.grid.name();
  if (options.reuse > 0 && among(way, options.reuseBy))
    multiplyAgain(A, B, byTrident, options, params, measured);
  return measured;
}

std::string list(const std::vector<double>& values) {
  std::ostringstream text;
  for (std::size_t n = 0; n < values.size(); ++n) text << (n > 0 ? ", " : "") << values[n];
  return "[" + text.str() + "]";
}

void measureAll(const std::string& nameB, const matrix_type& A, const matrix_type& B,
                const Options& options, const ParametersPtr& params) {
  vector_type x(B.getDomainMap()), first(A.getRangeMap());
  x.randomize();
  bool isFirst = true;
  for (const std::string way : {"trident", "tpetra"}) {
    if (!among(way, options.by)) continue;
    const Measured measured = measure(A, B, way, options, params);
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
        "\"phases\": %s, \"reuse_seconds\": %s, \"reuse_phases\": %s, \"difference\": %.3g}\n",
        options.A.c_str(), nameB.c_str(), way.c_str(), A.getComm()->getSize(), measured.how.c_str(),
        static_cast<unsigned long long>(entriesA), static_cast<unsigned long long>(entriesC),
        list(measured.whole.seconds).c_str(), measured.firstCall,
        json(measured.whole.phases).c_str(), list(measured.again.seconds).c_str(),
        json(measured.again.phases).c_str(), differs);
    std::fflush(stdout);  // a way that comes later may not end in its time
  }
}

/// Transposes B by one call, or where there is a plan by that.
MatrixPtr transposed(const MatrixPtr& B, bool byTrident, const TransposePlan* plan) {
  if (plan) return plan->transpose(*B);
  if (byTrident) return Trident::transpose(*B);
  return Tpetra::RowMatrixTransposer<matrix_type::scalar_type, matrix_type::local_ordinal_type,
                                     matrix_type::global_ordinal_type, matrix_type::node_type>(B)
      .createTranspose();
}

void measureTransposes(const std::string& name, const MatrixPtr& B, const Options& options) {
  for (const std::string way : {"trident", "tpetra"}) {
    if (!among(way, options.by)) continue;
    const bool byTrident = way == "trident";
    MatrixPtr R;
    const auto transpose = [&](const TransposePlan* plan) {
      R = Teuchos::null;
      return timed(*B->getComm(), [&] { R = transposed(B, byTrident, plan); });
    };
    std::vector<double> seconds, again;
    double firstCall = 0, planned = 0;
    for (int n = 0; n < std::max(1, options.warmup); ++n) {
      const double took = transpose(nullptr);
      if (n == 0) firstCall = took;
    }
    while (needsMore(seconds, options.repeat, options.slow)) seconds.push_back(transpose(nullptr));
    TransposePlan plan;
    if (byTrident && options.reuse > 0)
      planned = timed(*B->getComm(), [&] { plan = TransposePlan(*B); });
    while (needsMore(again, options.reuse, options.slow))
      again.push_back(transpose(plan ? &plan : nullptr));
    const auto entries = R->getGlobalNumEntries();
    if (B->getComm()->getRank() != 0) continue;
    std::printf(
        "{\"A\": \"%s\", \"transposed\": \"%s\", \"algorithm\": \"%s\", \"ranks\": %d, \"nnz\": "
        "%llu, \"seconds\": %s, \"first_call_seconds\": %.6g, \"plan_seconds\": %.6g, "
        "\"reuse_seconds\": %s}\n",
        options.A.c_str(), name.c_str(), way.c_str(), B->getComm()->getSize(),
        static_cast<unsigned long long>(entries), list(seconds).c_str(), firstCall, planned,
        list(again).c_str());
    std::fflush(stdout);
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
  line.setOption("reuse-by", &options.reuseBy, "whose: trident, tpetra, or both");
  line.setOption("slow", &options.slow, "of products that take more seconds, three are measured");
  line.setOption("transposes", "products", &options.transposes,
                 "of each right factor, or products");
  line.setOption("ranks-per-node", &options.ranksPerNode,
                 "as Trident's parameter; 0: as the machine has");
  if (line.parse(argc, argv) != Teuchos::CommandLineProcessor::PARSE_SUCCESSFUL) return 2;
  const auto comm = Tpetra::getDefaultComm();
  const auto params = Teuchos::parameterList();
  if (options.ranksPerNode > 0)
    params->sublist("Trident").set("ranks per node", options.ranksPerNode);
  const MatrixPtr A = Trident::Problems::readMatrix(options.A, comm).matrix;
  for (const std::string name : {"A", "restriction"}) {
    if (!among(name, options.B)) continue;
    const MatrixPtr B = name == "A" ? A : Trident::Problems::restriction(*A, 1);
    if (options.transposes)
      measureTransposes(name, B, options);
    else
      measureAll(name, *A, *B, options, params);
  }
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  return Trident::runProgram("Trident_Products", run, argc, argv);
}
