// SPDX-License-Identifier: BSD-3-Clause
// The volume model against what was received, part by part, on every shape of four nodes.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestLarge.hpp"
#include "Trident_TestProduct.hpp"

namespace {

using namespace TridentTest;

struct Compared {
  Trident::Report report;
  Trident::ReportSummary sum;
};

Compared multiply(const matrix_type& A, const matrix_type& B, const std::string& grid,
                  bool permute = false) {
  const auto list = tridentList();
  list->sublist("Trident")
      .set("ranks per node", A.getComm()->getSize() / 4)
      .set("grid", grid)
      .set("permute", permute)
      .set("predict volume", true);
  matrix_type C(A.getRowMap(), 0);
  Compared compared;
  compared.report = Trident::Multiply(A, B, C, list);
  compared.sum = Trident::summarize(compared.report, Trident::rawComm(*A.getComm()));
  return compared;
}

/// Within `share` of what was measured; parts below a thousandth of the total are nobody's choice.
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

TEUCHOS_UNIT_TEST(Prediction, Permuted) {
  const MatrixPtr A = randomRows(20000, 8, 4, world());
  for (const std::string& grid : shapes)
    checkParts(multiply(*A, *A, grid, true), 0.1, out, success);
}

// Of the shapes, "auto" takes the one that is measured to be best.
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
