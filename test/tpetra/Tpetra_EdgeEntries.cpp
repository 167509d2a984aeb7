// SPDX-License-Identifier: BSD-3-Clause
// Matrices of lists of edges, of which each rank has any part: against loops, and what is refused.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "Trident_MatrixOfEdges.hpp"
#include "Trident_TestErrors.hpp"

namespace {

using namespace TridentTest;
using Numbers = std::vector<long long>;
using Labels = std::vector<std::string>;
using Values = std::vector<double>;

/// The edges of all ranks, drawn alike on each; some several times, some loops.
struct Edges {
  Numbers from, to, owner;
  Values values;

  Edges(Random& random, int rows, int columns, int count, bool someRanksNone) {
    const int ranks = world()->getSize();
    for (int e = 0; e < count; ++e) {
      from.push_back(random.chance(0.3) ? 0 : random.below(rows));  // a hub
      to.push_back(random.below(columns));
      values.push_back(random.between(-3, 9));
      owner.push_back(someRanksNone ? ranks - 1 : random.below(ranks));
    }
  }

  Numbers mine(const Numbers& all) const {
    Numbers part;
    for (std::size_t e = 0; e < all.size(); ++e)
      if (owner[e] == world()->getRank()) part.push_back(all[e]);
    return part;
  }
  Values myValues() const {
    Values part;
    for (std::size_t e = 0; e < values.size(); ++e)
      if (owner[e] == world()->getRank()) part.push_back(values[e]);
    return part;
  }
  Sparse matrix(int rows, int columns, bool bothWays, bool ones) const {
    Sparse a(rows, columns);
    for (std::size_t e = 0; e < values.size(); ++e) {
      const int i = static_cast<int>(from[e]), j = static_cast<int>(to[e]);
      a.rows[i][j] += ones ? 1 : values[e];
      if (bothWays && i != j) a.rows[j][i] += ones ? 1 : values[e];
    }
    return a;
  }
};

/// Returns an empty text if a matrix is what it should be, on Tpetra's Maps of these sizes.
/// Collective.
std::string check(const matrix_type& A, const Sparse& expected) {
  const int rows = expected.numRows();
  const MapPtr uniform = Teuchos::rcp(new map_type(rows, 0, world()));
  std::string problem = A.getRowMap()->isSameAs(*uniform) ? "" : "another row Map";
  if (problem.empty() && rows == expected.cols && !A.getDomainMap()->isSameAs(*uniform))
    problem = "another domain Map";
  if (problem.empty() && !A.isFillComplete()) problem = "not fill-complete";
  if (problem.empty())
    problem = checkEntries(A, itself(expected), contiguousIndices(rows),
                           contiguousIndices(expected.cols), true);
  return everywhere(*world(), problem);
}

TEUCHOS_UNIT_TEST(MatrixOfEdges, AgainstLoops) {
  Random random(41);
  for (int repeat = 0; repeat < 12; ++repeat) {
    const int rows = random.between(1, 40), columns = random.between(1, 40);
    const bool ones = random.chance(0.3), alone = random.chance(0.3);
    const Edges all(random, rows, columns, random.between(0, 300), alone);
    const Numbers from = all.mine(all.from), to = all.mine(all.to);
    const Values values = ones ? Values() : all.myValues();
    Trident::EdgeOptions two;
    two.twoSets = true;
    two.rows = rows;
    two.columns = columns + 2;  // the last ones are empty
    TRIDENT_TEST_OK(check(*Trident::matrixOfEdges(from, to, values, two),
                          all.matrix(rows, columns + 2, false, ones)));
    const int n = std::max(rows, columns);
    Trident::EdgeOptions one;
    one.rows = n;
    one.bothWays = random.chance(0.5);
    TRIDENT_TEST_OK(check(*Trident::matrixOfEdges(from, to, values, one),
                          all.matrix(n, n, one.bothWays, ones)));
  }
}

TEUCHOS_UNIT_TEST(MatrixOfEdges, SizesByTheLargestNumbers) {
  const bool mine = world()->getRank() == 0;
  const Numbers from(mine, 2), to(mine, 6);
  Trident::EdgeOptions two;
  two.twoSets = true;
  Sparse square(7, 7), wide(3, 7);
  square.rows[2][6] = wide.rows[2][6] = 1;
  TRIDENT_TEST_OK(check(*Trident::matrixOfEdges(from, to, {}), square));
  TRIDENT_TEST_OK(check(*Trident::matrixOfEdges(from, to, {}, two), wide));
  const auto none = Trident::matrixOfEdges(Numbers(), Numbers(), {});
  TEST_EQUALITY(none->getGlobalNumRows(), 0u);
}

TEUCHOS_UNIT_TEST(MatrixOfEdges, Labels) {
  const bool mine = world()->getRank() == world()->getSize() - 1;
  const Labels from = mine ? Labels{"ann", "bob", "ann", "cyd", "ann"} : Labels();
  const Labels to = mine ? Labels{"tea", "tea", "jam", "ann", "tea"} : Labels();
  const Values values = mine ? Values{1, 2, 3, 4, 5} : Values();
  const auto one = Trident::matrixOfEdges(from, to, values);
  const Labels all{"ann", "tea", "bob", "jam", "cyd"};
  Sparse square(5, 5), wide(3, 3);
  square.rows[0] = {{1, 6}, {3, 3}};
  square.rows[2] = {{1, 2}};
  square.rows[4] = {{0, 4}};
  TEST_ASSERT(one.rowLabels == all && one.columnLabels == all);
  TRIDENT_TEST_OK(check(*one.matrix, square));
  Trident::EdgeOptions two;
  two.twoSets = true;
  const auto apart = Trident::matrixOfEdges(from, to, values, two);
  wide.rows[0] = {{0, 6}, {1, 3}};
  wide.rows[1] = {{0, 2}};
  wide.rows[2] = {{2, 4}};
  TEST_ASSERT(apart.rowLabels == Labels({"ann", "bob", "cyd"}));
  TEST_ASSERT(apart.columnLabels == Labels({"tea", "jam", "ann"}));
  TRIDENT_TEST_OK(check(*apart.matrix, wide));
}

// The sum at one place depends on no rank: 1e16 + 1 + ... in one order.
TEUCHOS_UNIT_TEST(MatrixOfEdges, SumsInOneOrder) {
  const int rank = world()->getRank(), ranks = world()->getSize();
  const Values all{1, 1e16, -1e16, 1, 3, 0.1, 1e-3};
  Numbers none;
  Values mine;
  for (std::size_t e = 0; e < all.size(); ++e)
    if (static_cast<int>(e) % ranks == rank) {
      none.push_back(0);
      mine.push_back(all[e]);
    }
  Values sorted = all;
  std::sort(sorted.rbegin(), sorted.rend());
  double sum = 0;
  for (const double value : sorted) sum += value;
  Sparse one(1, 1);
  one.rows[0][0] = sum;
  TRIDENT_TEST_OK(check(*Trident::matrixOfEdges(none, none, mine), one));
}

TEUCHOS_UNIT_TEST(MatrixOfEdges, Refusals) {
  const bool mine = world()->getRank() == world()->getSize() - 1;  // one rank alone has them
  const auto refuses = [&](const Numbers& from, const Numbers& to, const Values& values,
                           const Trident::EdgeOptions& options, std::vector<std::string> words) {
    words.push_back("Trident::matrixOfEdges");
    return expectThrow<Trident::Error>(*world(), words, [&] {
      mine ? Trident::matrixOfEdges(from, to, values, options)
           : Trident::matrixOfEdges(Numbers(), Numbers(), {}, options);
    });
  };
  const Trident::EdgeOptions plain;
  Trident::EdgeOptions three = plain, two = plain;
  three.rows = 3;
  two.twoSets = true;
  two.rows = 5;
  two.columns = 2;
  TRIDENT_TEST_OK(refuses({0, 1}, {1}, {}, plain, {"2 nodes", "arrays of one length"}));
  TRIDENT_TEST_OK(refuses({0}, {1}, {1, 2}, plain, {"2 weights"}));
  TRIDENT_TEST_OK(refuses({0}, {-1}, {1}, plain, {"node -1"}));
  TRIDENT_TEST_OK(refuses({2147483647}, {1}, {1}, plain, {"node 2147483647"}));
  TRIDENT_TEST_OK(refuses({0}, {3}, {1}, three, {"node 3", "there are 3"}));
  TRIDENT_TEST_OK(refuses({4}, {2}, {1}, two, {"node 2", "there are 2"}));
  TRIDENT_TEST_OK(refuses({4}, {1}, {NAN}, two, {"not a number"}));
  Trident::EdgeOptions bad = plain;
  bad.rows = -1;
  TRIDENT_TEST_OK(refuses({}, {}, {}, bad, {"from 0 to 2^31 - 1"}));
  bad.rows = 3;
  bad.columns = 4;
  TRIDENT_TEST_OK(refuses({}, {}, {}, bad, {"3 rows and 4 columns", "twoSets"}));
  two.bothWays = true;
  TRIDENT_TEST_OK(refuses({}, {}, {}, two, {"go one way"}));
  const auto ofLabels = [&](const Labels& to, const Trident::EdgeOptions& options,
                            std::vector<std::string> words) {
    words.push_back("Trident::matrixOfEdges");
    return expectThrow<Trident::Error>(*world(), words, [&] {
      mine ? Trident::matrixOfEdges(Labels{"a"}, to, {}, options)
           : Trident::matrixOfEdges(Labels(), Labels(), {}, options);
    });
  };
  TRIDENT_TEST_OK(ofLabels({"b", "c"}, plain, {"arrays of one length"}));
  TRIDENT_TEST_OK(ofLabels({"b"}, three, {"leave both 0"}));
  if (world()->getSize() == 1) return;
  const auto alike = [&](std::vector<std::string> words, const auto& call) {
    words.push_back("Trident::matrixOfEdges");
    return expectThrow<Trident::Error>(*world(), words, call);
  };
  TRIDENT_TEST_OK(alike({"labels", "numbers"}, [&] {
    if (mine)
      Trident::matrixOfEdges(Labels{"a"}, Labels{"b"}, {});
    else
      Trident::matrixOfEdges(Numbers{0}, Numbers{1}, {});
  }));
  TRIDENT_TEST_OK(alike({"rows", "3"}, [&] {
    Trident::matrixOfEdges(Numbers{0}, Numbers{1}, {}, mine ? three : plain);
  }));
  TRIDENT_TEST_OK(alike({"others edges without"}, [&] {
    Trident::matrixOfEdges(Numbers{0}, Numbers{1}, mine ? Values{1} : Values());
  }));
}

}  // namespace
