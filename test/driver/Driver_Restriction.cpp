// SPDX-License-Identifier: BSD-3-Clause
// Aggregates around a distance-2 maximal independent set.

#include <Teuchos_UnitTestHarness.hpp>
#include <set>
#include <vector>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Restriction.hpp"

namespace {

using namespace TestTools;
using Neighbours = std::vector<std::set<std::size_t>>;

/// Returns the graph of A + A^T without its diagonal, of a matrix on MPI_COMM_SELF.
Neighbours neighboursOf(const matrix_type& A) {
  Neighbours neighbours(A.getRangeMap()->getGlobalNumElements());
  for (const auto& entry : entriesOf(A)) {
    const auto i = static_cast<std::size_t>(entry.first.first);
    const auto j = static_cast<std::size_t>(entry.first.second);
    if (i == j) continue;
    neighbours[i].insert(j);
    neighbours[j].insert(i);
  }
  return neighbours;
}

/// Finds the vertices at distance 1 or 2.
std::set<std::size_t> within2(const Neighbours& neighbours, std::size_t v) {
  std::set<std::size_t> found = neighbours[v];
  for (std::size_t u : neighbours[v]) found.insert(neighbours[u].begin(), neighbours[u].end());
  found.erase(v);
  return found;
}

const char* const specs[] = {"laplace2d:n=12",   "er:n=300,d=2,seed=4", "er:n=60,d=0",
                             "rmat:scale=8,d=3", "banded:n=200,bw=3",   "er:n=1,d=1",
                             "er:n=20,d=20"};

TEUCHOS_UNIT_TEST(Restriction, Mis2IsIndependentAndMaximal) {
  for (const char* spec : specs) {
    const auto A = readMatrix(spec, self()).matrix;
    const Comm comm(*self());
    const Graph graph(*A, comm);
    const std::vector<char> members = mis2(graph, 5, comm);
    const Neighbours neighbours = neighboursOf(*A);
    for (std::size_t v = 0; v < members.size(); ++v) {
      int near = 0;
      for (std::size_t u : within2(neighbours, v)) near += members[u];
      TEST_ASSERT(members[v] != 0 ? near == 0 : near > 0);
    }
  }
}

TEUCHOS_UNIT_TEST(Restriction, EachRowHasOneOne) {
  for (const char* spec : specs) {
    const auto A = readMatrix(spec, world()).matrix;
    const auto R = restriction(*A, 1);
    TEST_ASSERT(R->isFillComplete());
    TEST_ASSERT(R->getRowMap()->isSameAs(*A->getRowMap()));
    TEST_ASSERT(R->getRangeMap()->isSameAs(*A->getRowMap()));
    const RowReader rows(*R);
    for (std::size_t row = 0; row < rows.numRows(); ++row)
      TEST_EQUALITY(rows.end(row) - rows.begin(row), 1u);
    for (std::size_t k = 0; k < rows.numEntries(); ++k) TEST_EQUALITY(rows.value(k), 1.0);
  }
}

TEUCHOS_UNIT_TEST(Restriction, AggregatesAreNearTheirRoots) {
  for (const char* spec : specs) {
    const auto A = readMatrix(spec, self()).matrix;
    const Comm comm(*self());
    const std::vector<char> members = mis2(Graph(*A, comm), 5, comm);
    std::vector<std::size_t> roots;
    for (std::size_t v = 0; v < members.size(); ++v)
      if (members[v] != 0) roots.push_back(v);
    const auto R = restriction(*A, 5);
    TEST_EQUALITY(R->getDomainMap()->getGlobalNumElements(), roots.size());
    const Neighbours neighbours = neighboursOf(*A);
    for (const auto& entry : entriesOf(*R)) {
      const auto v = static_cast<std::size_t>(entry.first.first);
      const std::size_t root = roots[static_cast<std::size_t>(entry.first.second)];
      TEST_ASSERT(v == root || within2(neighbours, v).count(root) == 1);
      for (std::size_t u : neighbours[v])
        if (members[u] != 0) TEST_EQUALITY(u, root);  // next to a root: in its aggregate
    }
  }
}

TEUCHOS_UNIT_TEST(Restriction, SameOnAnyRanks) {
  for (const char* spec : specs)
    for (std::uint64_t seed : {1u, 2u}) {
      const auto alone = restriction(*readMatrix(spec, self()).matrix, seed);
      const auto together = restriction(*readMatrix(spec, world()).matrix, seed);
      TEST_EQUALITY(checksum(*alone), checksum(*together));
    }
}

TEUCHOS_UNIT_TEST(Restriction, ColumnsLieWithTheirRoots) {
  const auto R = restriction(*readMatrix("laplace2d:n=15", world()).matrix, 1);
  TEST_ASSERT(R->getDomainMap()->isContiguous());
  std::int64_t total = 0;
  const Comm comm(*world());
  total = comm.sum(static_cast<std::int64_t>(numLocalElements(*R->getDomainMap())));
  TEST_EQUALITY(total, static_cast<std::int64_t>(R->getDomainMap()->getGlobalNumElements()));
}

TEUCHOS_UNIT_TEST(Restriction, RowMapNeedNotBeContiguous) {
  // Row i on rank i mod P: the graph, the exchange and the numbering know only the Map.
  const std::int64_t n = 64;
  const int ranks = world()->getSize(), me = world()->getRank();
  std::vector<global_ordinal_type> mine;
  for (std::int64_t i = me; i < n; i += ranks) mine.push_back(static_cast<global_ordinal_type>(i));
  const Teuchos::RCP<const map_type> map = Teuchos::rcp(
      new map_type(n, Teuchos::ArrayView<const global_ordinal_type>(mine), 0, world()));
  matrix_type A(map, 2);
  for (global_ordinal_type i : mine) {
    if (i + 1 < n)
      A.insertGlobalValues(i, Teuchos::tuple<global_ordinal_type>(i + 1), Teuchos::tuple(1.0));
  }
  A.fillComplete();
  const auto R = restriction(A, 1);
  std::int64_t entries = countEntries(*R);
  TEST_EQUALITY(entries, n);
  const auto path = readMatrix("banded:n=64,bw=1", world()).matrix;  // the same graph
  TEST_EQUALITY(R->getDomainMap()->getGlobalNumElements(),
                restriction(*path, 1)->getDomainMap()->getGlobalNumElements());
}

TEUCHOS_UNIT_TEST(Restriction, RefusesRectangles) {
  const auto A = readText("%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 4\n").matrix;
  TEST_ASSERT(throwsEverywhere([&] { restriction(*A, 1); }, "3 x 4"));
}

}  // namespace
