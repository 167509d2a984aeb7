// SPDX-License-Identifier: BSD-3-Clause
// A report is consistent: choices with reasons, phases with the total, entries with the
// caller's matrices.
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "Trident_Multiply.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestMatrices.hpp"
#include "Trident_TestVerdict.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace {

using namespace TridentTest;
using Trident::Report;
using Trident::ReportSummary;

/// Makes `full` rows with all columns, then `n - full` rows with a diagonal: aligned blocks are
/// uneven.
MatrixPtr lopsided(int n, int full) {
  Sparse A(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i < full || i == j) A.rows[i][j] = 1 + i + j;
  return makeUniform(A, world());
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

ReportSummary summaryOf(const Report& report) { return Trident::summarize(report, *world()); }

TEUCHOS_UNIT_TEST(Report, PartitionThatWasTaken) {
  const MatrixPtr A = lopsided(64, 8), C = newResult(*A), D = newResult(*A);
  const auto list = tridentList();
  list->sublist("Trident").set("ranks per node", 1);
  list->sublist("Trident").sublist("expert").set("partition imbalance", 1.5);
  const Report uneven = Trident::Multiply(*A, *A, *C, list);
  TEST_EQUALITY(has(uneven.partition, "balanced"), world()->getSize() > 1);
  TEST_EQUALITY(has(uneven.reasons, ": balanced, as"), world()->getSize() > 1);

  list->sublist("Trident").sublist("expert").set("partition imbalance", 1000.0);
  const Report even = Trident::Multiply(*A, *A, *D, list);
  TEST_EQUALITY(even.partition, std::string("aligned"));
  TEST_ASSERT(!has(even.reasons, "partition of"));
  const std::string text = Trident::describe(even, summaryOf(even));
  TEST_ASSERT(has(text.substr(0, text.find('\n')), "partition aligned"));
}

// One rank has no product, or another one.
TEUCHOS_UNIT_TEST(Report, OfOneProductOnAllRanks) {
  if (world()->getSize() == 1) return;
  const MatrixPtr A = lopsided(12, 2), C = newResult(*A), D = newResult(*A);
  const Report product = Trident::Multiply(*A, *A, *C);
  const Report triple = Trident::MultiplyRAP(*A, false, *A, false, *A, false, *D);
  for (const Report& other : {Report(), triple})
    TRIDENT_TEST_OK(expectThrow<Trident::Error>(
        *world(), {"Trident::summarize", "the report's matrices", "A, B, C"},
        [&] { summaryOf(world()->getRank() == 1 ? other : product); }));
}

/// The rows of one rank are nearly all of A. They are spread inside a node, and not over nodes. Two
/// or three ranks never have more than three times the mean, which is tolerated.
TEUCHOS_UNIT_TEST(Report, RowsThatWouldCrossStay) {
  const int ranks = world()->getSize();
  const MatrixPtr A = lopsided(64, 16);
  for (const int lambda : {1, ranks}) {
    const MatrixPtr C = newResult(*A);
    const auto list = tridentList();
    list->sublist("Trident").set("ranks per node", lambda);
    const Report report = Trident::Multiply(*A, *A, *C, list);
    const bool oneNode = ranks > 3 && lambda == ranks;
    TEST_EQUALITY(report.partition, std::string(oneNode ? "balanced" : "aligned"));
    TEST_EQUALITY(has(report.reasons, "partition of A's rows: balanced, as"), oneNode);
  }
}

/// Returns the largest over the mean of f(first), ..., f(end - 1).
template <class F>
double largestOverMean(const F& f, int first, int end) {
  double largest = 0, sum = 0;
  for (int r = first; r < end; ++r) {
    largest = std::max(largest, f(r));
    sum += f(r);
  }
  return sum > 0 ? largest * (end - first) / sum : 1;
}

/// Returns true if an imbalance is that of all ranks and of the worst of the nodes, which have two
/// ranks or, the last, one.
template <class F>
bool isImbalance(const Trident::Imbalance& imbalance, const F& f) {
  const int ranks = world()->getSize();
  double worst = 1;
  for (int r = 0; r < ranks; r += 2)
    worst = std::max(worst, largestOverMean(f, r, std::min(r + 2, ranks)));
  return std::abs(imbalance.ranks - largestOverMean(f, 0, ranks)) < 1e-12 &&
         std::abs(imbalance.inNode - worst) < 1e-12;
}

TEUCHOS_UNIT_TEST(Report, ImbalanceOfRanksAndInNodes) {
  const auto entries = [](int r) { return r % 3 == 1 ? 0.0 : 10.0 + r; };
  const auto work = [](int r) { return 7.0 * (1 + r % 4); };
  const auto time = [](int r) { return r < 2 ? 0.0 : 0.5 * r; };
  const int me = world()->getRank();
  Report report;
  report.node = me / 2;
  report.sliceEntries = static_cast<long long>(entries(me));
  report.multiplyAdds = static_cast<long long>(work(me));
  report.seconds[Trident::Phase::LocalMultiply] = time(me);
  const ReportSummary sum = summaryOf(report);
  TEST_ASSERT(isImbalance(sum.entries, entries));
  TEST_ASSERT(isImbalance(sum.work, work));
  TEST_ASSERT(isImbalance(sum.time, time));
  const ReportSummary none = summaryOf(Report());
  TEST_EQUALITY_CONST(none.work.ranks, 1.0);
  TEST_EQUALITY_CONST(none.work.inNode, 1.0);
}

/// The slices that the grid has of the factors, and each rank's node.
TEUCHOS_UNIT_TEST(Report, SlicesAndNodes) {
  const int ranks = world()->getSize(), lambda = ranks % 2 ? 1 : 2;
  const MatrixPtr A = lopsided(64, 8), C = newResult(*A);
  const auto list = tridentList();
  list->sublist("Trident").set("ranks per node", lambda);
  const Report report = Trident::Multiply(*A, *A, *C, list);
  long long mine[2] = {report.sliceEntries, report.node}, sums[2] = {0, 0};
  Teuchos::reduceAll(*world(), Teuchos::REDUCE_SUM, 2, mine, sums);
  TEST_EQUALITY(sums[0], static_cast<long long>(A->getGlobalNumEntries()));
  const int nodes = ranks / lambda;
  TEST_EQUALITY(sums[1], static_cast<long long>(lambda) * nodes * (nodes - 1) / 2);
}

/// Small right factors are sent whole, and settle the grid's shape; larger ones are asked about.
TEUCHOS_UNIT_TEST(Report, SmallRightFactors) {
  const bool several = world()->getSize() > 1;
  const auto list = tridentList();
  list->sublist("Trident").set("ranks per node", 1);
  const std::string unasked = "fetch tiles: right factors are too small to ask for rows";
  const MatrixPtr small = lopsided(64, 2), large = lopsided(20000, 1);
  const MatrixPtr C = newResult(*small), D = newResult(*large);
  const Report ofSmall = Trident::Multiply(*small, *small, *C, list);
  TEST_EQUALITY(has(ofSmall.reasons, unasked), several);
  TEST_EQUALITY(has(ofSmall.reasons, ": right factors are small"), several);
  TEST_ASSERT(!ofSmall.predicted);
  TEST_EQUALITY(ofSmall.fetch, std::string("tiles"));
  const Report ofLarge = Trident::Multiply(*large, *large, *D, list);
  TEST_ASSERT(!has(ofLarge.reasons, unasked));
  TEST_EQUALITY(ofLarge.fetch, std::string(several ? "needed-rows" : "tiles"));
}

/// No rank is asked for rows where the choice of a grid has found that ranks need nearly all rows.
TEUCHOS_UNIT_TEST(Report, MostRowsAreNeeded) {
  const int n = 1500;
  Sparse S(n, n);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 30; ++k) S.rows[i][(i * 577 + k * k * 31 + k) % n] = 1 + k;
  const MatrixPtr A = makeUniform(S, world()), C = newResult(*A);
  const auto list = tridentList();
  list->sublist("Trident").set("ranks per node", 1);
  const Report report = Trident::Multiply(*A, *A, *C, list);
  TEST_EQUALITY(has(report.reasons, "fetch tiles: most rows are needed"), world()->getSize() > 1);
  TEST_EQUALITY(report.fetch, std::string("tiles"));
}

TEUCHOS_UNIT_TEST(Report, OfSeveralProducts) {
  const MatrixPtr A = lopsided(64, 3), C = newResult(*A);
  const Report report = Trident::MultiplyRAP(*A, true, *A, false, *A, false, *C);
  const ReportSummary sum = summaryOf(report);
  TEST_EQUALITY(sum.operands.size(), 3u);
  for (const auto& operand : sum.operands)
    TEST_EQUALITY(operand.entries, static_cast<long long>(A->getGlobalNumEntries()));
  TEST_EQUALITY(sum.operands.at(0).name, std::string("R^T"));
  TEST_EQUALITY(sum.entriesC, static_cast<long long>(C->getGlobalNumEntries()));

  std::istringstream lines(Trident::describe(report, sum));
  std::set<std::string> seen;
  for (std::string line; std::getline(lines, line);) TEST_ASSERT(seen.insert(line).second);
}

TEUCHOS_UNIT_TEST(Report, PhasesAddUp) {
  const MatrixPtr A = lopsided(64, 8), C = newResult(*A);
  const ReportSummary sum = summaryOf(Trident::Multiply(*A, *A, *C));
  double phases = sum.otherSeconds.mean;
  for (const auto& phase : sum.seconds) phases += phase.mean;
  TEST_COMPARE(std::abs(phases - sum.totalSeconds.mean), <, 1e-9);
  TEST_COMPARE(sum.otherSeconds.min, >=, 0.0);
}

}  // namespace
