// SPDX-License-Identifier: BSD-3-Clause
// What a report says is consistent: choices with reasons, phases with the total, entries with the
// caller's matrices.
#include <Teuchos_UnitTestHarness.hpp>
#include <cmath>
#include <set>
#include <sstream>

#include "Trident_Multiply.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestMatrices.hpp"
#include "Trident_TpetraCompat.hpp"

namespace {

using namespace TridentTest;
using Trident::Report;
using Trident::ReportSummary;

/// `full` rows with all columns, then `n - full` rows with a diagonal: aligned blocks are uneven.
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

ReportSummary summaryOf(const Report& report) {
  return Trident::summarize(report, Trident::Impl::rawComm(*world()));
}

TEUCHOS_UNIT_TEST(Report, PartitionThatWasTaken) {
  const MatrixPtr A = lopsided(64, 8), C = newResult(*A), D = newResult(*A);
  const auto list = tridentList();
  list->sublist("Trident").set("ranks per node", 1);
  list->sublist("Trident").set("partition imbalance", 1.5);
  const Report uneven = Trident::Multiply(*A, *A, *C, list);
  TEST_EQUALITY(has(uneven.partition, "balanced"), world()->getSize() > 1);
  TEST_EQUALITY(has(uneven.reasons, ": balanced, as"), world()->getSize() > 1);

  list->sublist("Trident").set("partition imbalance", 1000.0);
  const Report even = Trident::Multiply(*A, *A, *D, list);
  TEST_EQUALITY(even.partition, std::string("aligned"));
  TEST_ASSERT(!has(even.reasons, "partition of"));
  const std::string text = Trident::describe(even, summaryOf(even));
  TEST_ASSERT(has(text.substr(0, text.find('\n')), "partition aligned"));
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
