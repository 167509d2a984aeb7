// SPDX-License-Identifier: BSD-3-Clause
// The volume model against what was received, part by part, on every shape of four nodes.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestLarge.hpp"
#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;

struct Compared {
  Trident::Report report;
  Trident::ReportSummary sum;
};

Compared multiply(const matrix_type& A, const matrix_type& B, const std::string& grid,
                  bool predict = true) {
  const auto list = tridentList();
  list->sublist("Trident")
      .set("ranks per node", A.getComm()->getSize() / 4)
      .set("grid", grid)
      .sublist("expert")
      .set("predict volume", predict);
  matrix_type C(A.getRowMap(), 0);
  Compared compared;
  compared.report = Trident::Multiply(A, B, C, list);
  compared.sum = Trident::summarize(compared.report, *A.getComm());
  return compared;
}

/// Compares predicted parts with measured ones, within `share`; parts below a thousandth of the
/// total are nobody's choice.
void checkParts(const Compared& c, double share, Teuchos::FancyOStream& out, bool& success) {
  const auto& p = c.report.predictedBytes;
  const auto& t = c.sum.traffic;
  const double total = static_cast<double>(t.import.internodeBytes + t.rounds.internodeBytes +
                                           t.export_.internodeBytes);
  const auto part = [&](const char* name, double predicted, long long measured) {
    out << c.report.grid.name() << " " << name << ": predicted " << predicted << ", measured "
        << measured << "\n";
    const double difference = std::abs(predicted - static_cast<double>(measured));
    TEST_COMPARE(difference, <=, share * static_cast<double>(measured) + 1e-3 * total);
  };
  TEST_ASSERT(c.report.predicted);
  part("import", p.import, t.import.internodeBytes);
  part("rounds", p.rounds, t.rounds.internodeBytes);
  part("export", p.export_, t.export_.internodeBytes);
  out << "entries of C: predicted " << c.report.predictedEntriesC << ", counted " << c.sum.entriesC
      << "\n";
  TEST_COMPARE(std::abs(c.report.predictedEntriesC / static_cast<double>(c.sum.entriesC) - 1), <,
               0.1);
}

const std::vector<std::string> shapes{"4x1", "2x2", "1x4"};

TEUCHOS_UNIT_TEST(Prediction, SquareOfRandom) {
  const MatrixPtr A = randomRows(20000, 8, 1, world());
  for (const std::string& grid : shapes) checkParts(multiply(*A, *A, grid), 0.05, out, success);
}

TEUCHOS_UNIT_TEST(Prediction, TwoRandomFactors) {
  const MatrixPtr A = randomRows(20000, 6, 2, world()), B = randomRows(20000, 3, 3, world());
  for (const std::string& grid : shapes) checkParts(multiply(*A, *B, grid), 0.05, out, success);
}

// Ranks that are larger than the band share no needed row.
TEUCHOS_UNIT_TEST(Prediction, NeededRowsOfABand) {
  const MatrixPtr A = bandedRows(4000, 40, world());
  const Compared tall = multiply(*A, *A, "4x1");
  TEST_EQUALITY_CONST(tall.report.fetch, "needed-rows");
  const double measured = static_cast<double>(tall.sum.traffic.rounds.internodeBytes);
  TEST_COMPARE(std::abs(tall.report.predictedBytes.rounds / measured - 1), <, 0.05);
}

// Needed rows settle the shape without a sample, in products of two and of three.
TEUCHOS_UNIT_TEST(Prediction, NeededRowsSettleTheShape) {
  const MatrixPtr A = bandedRows(4000, 40, world());
  const Compared automatic = multiply(*A, *A, "auto", false);
  TEST_EQUALITY(automatic.report.grid.nodeCols, 1);
  TEST_EQUALITY_CONST(automatic.report.fetch, "needed-rows");
  TEST_ASSERT(!automatic.report.predicted);
  const auto total = [](const Compared& c) {
    const auto& t = c.sum.traffic;
    return t.setup.internodeBytes + t.import.internodeBytes + t.rounds.internodeBytes +
           t.export_.internodeBytes;
  };
  for (const std::string& grid : shapes)
    TEST_COMPARE(total(automatic), <=, total(multiply(*A, *A, grid, false)));

  matrix_type C(A->getRowMap(), 0);
  const auto list = tridentList();
  list->sublist("Trident").set("ranks per node", A->getComm()->getSize() / 4);
  const auto report = Trident::MultiplyRAP(*A, true, *A, false, *A, false, C, true, "", list);
  TEST_EQUALITY(report.grid.nodeCols, 1);
  TEST_EQUALITY_CONST(report.fetch, "needed-rows");
}

// Rows that all nodes of a grid row need come to each in parts, also where A travels.
TEUCHOS_UNIT_TEST(Prediction, NeededRowsOfRandom) {
  const MatrixPtr A = randomRows(20000, 2, 1, world()), B = randomRows(20000, 8, 2, world());
  for (const std::string grid : {"4x1", "2x2"}) {
    const Compared compared = multiply(*A, *B, grid);
    TEST_EQUALITY_CONST(compared.report.fetch, "needed-rows");
    checkParts(compared, 0.05, out, success);
  }
}

// A user who asks for needed rows gets a shape that has them, even if another one moves less.
TEUCHOS_UNIT_TEST(Prediction, NeededRowsThatAreAskedFor) {
  const MatrixPtr A = randomRows(4000, 2, 1, world()), B = randomRows(4000, 60, 2, world());
  const auto list = tridentList();
  list->sublist("Trident")
      .set("ranks per node", A->getComm()->getSize() / 4)
      .set("grid", "auto")
      .sublist("expert")
      .set("fetch", "tiles");
  matrix_type C(A->getRowMap(), 0), D(A->getRowMap(), 0);
  TEST_COMPARE(Trident::Multiply(*A, *B, C, list).grid.nodeCols, >, 1);
  list->sublist("Trident").sublist("expert").set("fetch", "needed-rows");
  const auto report = Trident::Multiply(*A, *B, D, list);
  TEST_COMPARE(report.grid.nodeRows, >, 1);
  TEST_EQUALITY_CONST(report.fetch, "needed-rows");
  TEST_FLOATING_EQUALITY(C.getFrobeniusNorm(), D.getFrobeniusNorm(), 1e-12);
}

// The grid "auto" is the shape that is measured to be best.
TEUCHOS_UNIT_TEST(Prediction, AutoIsBest) {
  const MatrixPtr A = randomRows(20000, 8, 1, world());
  const auto measured = [&](const std::string& grid) {
    const auto t = multiply(*A, *A, grid).sum.traffic;
    return t.import.internodeBytes + t.rounds.internodeBytes + t.export_.internodeBytes;
  };
  const long long automatic = measured("auto");
  for (const std::string& grid : shapes) TEST_COMPARE(automatic, <=, 1.02 * measured(grid));
}

}  // namespace
