// SPDX-License-Identifier: BSD-3-Clause
// "partition" = "work": ranks have about the same multiply-adds, whatever rows weigh, and products
// are what they are.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "Trident_Grid.hpp"
#include "Trident_Multiply.hpp"
#include "Trident_MultiplyPlan.hpp"
#include "Trident_MultiplyRAP.hpp"
#include "Trident_TestProduct.hpp"
#include "tpetra/Trident_TpetraCompat.hpp"

namespace {

using namespace TridentTest;
using List = Teuchos::RCP<Teuchos::ParameterList>;

/// Draws rows of a few entries, of which some are heavy: they, or the rows that they meet, are
/// long.
Sparse heavyRows(Random& random, int m, int n) {
  Sparse A(m, n);
  for (int i = 0; i < m; ++i) {
    const int length = random.chance(0.05) ? n / 2 : random.below(4);
    for (int e = 0; e < length; ++e) A.rows[i][random.below(n)] = random.between(1, 5);
  }
  return A;
}

List byWork(const std::string& grid, int lambda = 1) {
  const List list = tridentList();
  list->sublist("Trident").set("partition", "work").set("grid", grid).set("ranks per node", lambda);
  return list;
}

/// Lists one node column of nodes of one and of two ranks, and what "auto" and "square" take.
std::vector<List> lists() {
  const int ranks = world()->getSize();
  std::vector<List> all{byWork("auto"), byWork("square"), byWork(say(ranks, "x1"))};
  if (ranks % 2 == 0) all.push_back(byWork(say(ranks / 2, "x1"), 2));
  all.push_back(Teuchos::parameterList(*all[0]));
  all.back()->sublist("Trident").sublist("expert").set("predict volume", true);
  return all;
}

/// Counts the multiply-adds of each row of a·b.
std::vector<double> workOf(const Sparse& a, const Sparse& b) {
  std::vector<double> work;
  for (const auto& row : a.rows) {
    work.push_back(0);
    for (const auto& entry : row) work.back() += static_cast<double>(b.rows[entry.first].size());
  }
  return work;
}

Trident::ReportSummary summaryOf(const Trident::Report& report) {
  return Trident::summarize(report, *world());
}

// Rectangular factors with Maps of all sorts, so that some ranks have no rows; some factors without
// entries.
TEUCHOS_UNIT_TEST(Work, ProductsAreRight) {
  for (int seed = 1; seed <= (world()->getSize() > 8 ? 3 : 6); ++seed) {
    Random random(seed);
    const int m = random.between(30, 120), l = random.between(30, 120), n = random.between(5, 60);
    const Sparse a = seed == 2 ? Sparse(m, l) : heavyRows(random, m, l);
    const Sparse b = seed == 3 ? Sparse(l, n) : heavyRows(random, l, n);
    const Indices rows = randomIndices(random, m), inner = randomIndices(random, l),
                  cols = randomIndices(random, n);
    const auto map = [&](const Indices& indices) {
      return makeMap(random, indices, randomLayout(random), world());
    };
    const MapPtr rowMap = map(rows), innerMap = map(inner), colMap = map(cols);
    const MatrixPtr A = makeMatrix(a, rows, inner, rowMap, innerMap, rowMap);
    const MatrixPtr B = makeMatrix(b, inner, cols, innerMap, colMap, innerMap);
    for (const List& list : lists())
      TRIDENT_TEST_OK(checkProduct(*A, a, *B, b, rows, cols, list, true, 0, ""));
  }
}

// A rank has whole rows on one node column. Here a bin has no more than a row when cuts are found.
TEUCHOS_UNIT_TEST(Work, RanksAreEvenToARow) {
  const int ranks = world()->getSize();
  for (int seed = 1; seed <= (ranks > 8 ? 2 : 4); ++seed) {
    Random random(seed);
    const int n = 40 * ranks;
    const Sparse a = heavyRows(random, n, n);
    const MatrixPtr A = makeUniform(a, world());
    const std::vector<double> work = workOf(a, a);
    const double heaviest = *std::max_element(work.begin(), work.end());
    for (const int lambda : {1, ranks % 2 ? 1 : 2}) {
      const List list = byWork(say(ranks / lambda, "x1"), lambda);
      const MatrixPtr C = newResult(*A), D = newResult(*A);
      const Trident::Report first = Trident::Multiply(*A, *A, *C, list);
      const Trident::Report second = Trident::Multiply(*A, *A, *D, list);
      if (ranks > 1) TEST_EQUALITY_CONST(first.partition, "work");
      TEST_EQUALITY(first.multiplyAdds, second.multiplyAdds);  // the same cuts
      const auto sum = summaryOf(first);
      const double mean = static_cast<double>(sum.multiplyAdds) / ranks;
      TEST_COMPARE(sum.work.ranks * mean, <=, (mean + heaviest) * (1 + 1e-12));
      TEST_COMPARE(sum.work.inNode, >=, 1.0);
    }
  }
}

// The rows of A in R·(A·P) are cut by A·P, and those of R by the product with A·P.
TEUCHOS_UNIT_TEST(Work, GalerkinProductsAndPlans) {
  Random random(5);
  const int n = 90, coarse = 30;
  const Sparse a = heavyRows(random, n, n), p = heavyRows(random, n, coarse);
  const Indices fine = contiguousIndices(n), few = contiguousIndices(coarse);
  const MapPtr fineMap = makeMap(random, fine, Layout::Uneven, world());
  const MapPtr fewMap = makeMap(random, few, Layout::Uneven, world());
  const MatrixPtr A = makeMatrix(a, fine, fine, fineMap, fineMap, fineMap);
  const MatrixPtr P = makeMatrix(p, fine, few, fineMap, fewMap, fineMap);
  const Expected ap(a, p), rap(p.transpose(), ap.sparse()), aTransposed(a, a.transpose());
  for (const List& list : lists()) {
    matrix_type C(fewMap, 0);
    const auto report = Trident::MultiplyRAP(*P, true, *A, false, *P, false, C, true, "", list);
    TEST_ASSERT(report.partition.find("work") != std::string::npos || world()->getSize() == 1);
    TRIDENT_TEST_OK(everywhere(*world(), checkEntries(C, rap, few, few, true)));

    matrix_type D(fineMap, 0);
    Trident::Multiply(*A, false, *A, true, D, true, "", list);
    TRIDENT_TEST_OK(everywhere(*world(), checkEntries(D, aTransposed, fine, fine, true)));

    const MatrixPtr E = newResult(*A);
    const Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type> plan(*A, *P, *E, list);
    const auto again = plan.multiply(*A, *P, *E);
    TRIDENT_TEST_OK(everywhere(*world(), checkEntries(*E, ap, fine, few, true)));
    TEST_EQUALITY(summaryOf(again).work.ranks, summaryOf(plan.report()).work.ranks);
  }
}

// No product is known when a Grid's Maps are cut.
TEUCHOS_UNIT_TEST(Work, ChainsAreBalanced) {
  Random random(6);
  const int n = 70;
  const Sparse a = heavyRows(random, n, n);
  const Indices indices = contiguousIndices(n);
  const MapPtr map = makeMap(random, indices, Layout::Uneven, world());
  const MatrixPtr A = makeMatrix(a, indices, indices, map, map, map);
  for (const List& list : lists()) {
    const Trident::Grid<> grid(world(), {map}, list);
    const auto g = grid.fromTpetra(*A, map);
    const auto gg = grid.multiply(g, g);
    const Trident::Report report = gg.report();
    // One rank cuts nothing.
    TEST_EQUALITY(report.partition, world()->getSize() > 1 ? "balanced" : "work");
    matrix_type C(map, 0);
    grid.toTpetra(grid.multiply(gg, g), C);
    const Expected aa(a, a), aaa(aa.sparse(), a);
    TRIDENT_TEST_OK(everywhere(*world(), checkEntries(C, aaa, indices, indices, true)));
  }
}

}  // namespace
