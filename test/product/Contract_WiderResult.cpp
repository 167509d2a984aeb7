// SPDX-License-Identifier: BSD-3-Clause
// C with more rows than A: its row Map contains A's, and the other rows have no entries.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>

#include "Trident_MultiplyPlan.hpp"
#include "Trident_TestContract.hpp"
#include "Trident_TestErrors.hpp"
#include "Trident_TestFailure.hpp"
#include "Trident_TestNeeds.hpp"

namespace {

using namespace TridentTest;

/// A on some of the rows of a wider Map, and the same with empty rows between.
struct Wider {
  Random random;
  Sparse a, b;  ///< a has all rows of the wider Map
  Indices rows, inner, cols;
  MapPtr wide;
  MatrixPtr A, B;

  explicit Wider(int seed) : random(seed) {
    const int m = random.between(2, 50), l = random.between(1, 30), n = random.between(1, 30);
    rows = randomIndices(random, m);
    inner = randomIndices(random, l);
    cols = randomIndices(random, n);
    wide = makeMap(random, rows, randomLayout(random), world());
    a = randomSparse(random, m, l, true);
    b = randomSparse(random, l, n, true);
    std::vector<bool> kept(m, true);
    for (int i = 0; i < m; ++i) kept[i] = i > 0 && random.chance(0.6);
    const auto place = rows.places();
    Teuchos::Array<GO> gids;
    for (const GO gid : Trident::Impl::localGids(*wide))
      if (kept[place.at(gid)]) gids.push_back(gid);
    for (int i = 0; i < m; ++i)
      if (!kept[i]) a.rows[i].clear();
    const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
    const MapPtr narrow = Teuchos::rcp(new map_type(any, gids(), rows.base, world()));
    const MapPtr innerMap = makeMap(random, inner, randomLayout(random), world());
    const MapPtr colMap = makeMap(random, cols, randomLayout(random), world());
    A = makeMatrix(a, rows, inner, narrow, innerMap, narrow);
    B = makeMatrix(b, inner, cols, innerMap, colMap, innerMap);
  }
  std::string check(int seed, const matrix_type& C, std::string problem) const {
    if (C.getRowMap().get() != wide.get()) problem += "row Map";
    if (C.getDomainMap().get() != B->getDomainMap().get()) problem += "domain Map";
    if (!C.getRangeMap()->isSameAs(*wide)) problem += "range Map";
    problem += checkEntries(C, Expected(a, b), rows, cols, true);
    problem += checkProductWithVector(C, Expected(a, b), rows, cols);
    problem = everywhere(*world(), problem);
    return problem.empty() ? "" : say("seed ", seed, ": ", problem);
  }
};

TEUCHOS_UNIT_TEST(WiderResult, New) {
  for (int seed = 1; seed <= 15; ++seed) {
    const Wider w(seed);
    matrix_type C(w.wide, 0), D(w.wide, 0);
    Trident::Multiply(*w.A, *w.B, C);
    TRIDENT_TEST_OK(w.check(seed, C, ""));
    Trident::Multiply(*w.A, false, *w.B, false, D, false);
    D.fillComplete(w.B->getDomainMap(), w.wide);
    TRIDENT_TEST_OK(w.check(seed, D, ""));
    if (w.A->getRowMap()->getGlobalNumElements() == 0) continue;
    matrix_type T(w.wide, 31);  // Tpetra can only where it inserts
    Tpetra::MatrixMatrix::Multiply(*w.A, false, *w.B, false, T, false);
    T.fillComplete(w.B->getDomainMap(), w.wide);
    std::string problem;
    auto mine = entriesOf(C);
    for (const auto& entry : entriesOf(T))
      if (!mine.count(entry.first) || mine[entry.first] != entry.second)
        problem = "Tpetra has another product";
    TRIDENT_TEST_OK(everywhere(*world(), problem));
  }
}

TEUCHOS_UNIT_TEST(WiderResult, PatternAndPlan) {
  for (int seed = 1; seed <= 10; ++seed) {
    const Wider w(seed);
    matrix_type C(w.wide, 0);
    const Trident::MultiplyPlan<double, LO, GO, matrix_type::node_type> plan(*w.A, *w.B, C);
    TRIDENT_TEST_OK(w.check(seed, C, ""));
    C.resumeFill();
    C.setAllToScalar(4);
    Trident::Multiply(*w.A, *w.B, C);
    TRIDENT_TEST_OK(w.check(seed, C, ""));
    C.resumeFill();
    C.setAllToScalar(4);
    C.fillComplete(C.getDomainMap(), C.getRangeMap());
    plan.multiply(*w.A, *w.B, C);
    TRIDENT_TEST_OK(w.check(seed, C, ""));
  }
}

// Rows that A lacks keep their entries, of value zero, as those do that the product lacks.
TEUCHOS_UNIT_TEST(WiderResult, DropsOutside) {
  const auto list = Teuchos::parameterList();
  list->set("MM Throw For Non-Existent Entries", false);
  for (int seed = 1; seed <= 10; ++seed) {
    Wider w(seed);
    Sparse pattern(w.a.numRows(), w.b.cols);
    for (auto& row : pattern.rows)
      for (int j = 0; j < pattern.cols; ++j)
        if (w.random.chance(0.5)) row[j] = 9;
    const MatrixPtr C = makeMatrix(pattern, w.rows, w.cols, w.wide, w.B->getDomainMap(), w.wide);
    Trident::Multiply(*w.A, *w.B, *C, list);
    const Expected product(w.a, w.b);
    const auto rowPlace = w.rows.places(), colPlace = w.cols.places();
    std::size_t wanted = 0;
    for (const GO gid : Trident::Impl::localGids(*w.wide))
      wanted += pattern.rows[rowPlace.at(gid)].size();
    std::string problem = entriesOf(*C).size() != wanted ? "another pattern" : "";
    for (const auto& [at, value] : entriesOf(*C))
      if (value != product.value[rowPlace.at(at.first) * product.n + colPlace.at(at.second)])
        problem = say("C(", at.first, ",", at.second, ") = ", value);
    problem = everywhere(*world(), problem);
    TRIDENT_TEST_OK(problem.empty() ? "" : say("seed ", seed, ": ", problem));
  }
}

// A's rows and more, some of them on several ranks: a product would be on one of these only, or
// on none.
TEUCHOS_UNIT_TEST(WiderOnSeveral, RowsWithSeveralOwners) {
  TRIDENT_TEST_NEEDS(world()->getSize() > 1, "one rank owns every row once");
  const Wider w(3);
  Teuchos::Array<GO> gids(Trident::Impl::localGids(*w.wide));
  gids.push_back(w.wide->getMaxAllGlobalIndex() + 1);
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const MapPtr shared = Teuchos::rcp(new map_type(any, gids(), 0, world()));
  // One rank has all rows of A, and C has them on every rank.
  const Sparse one(5, 5);
  const Indices five = contiguousIndices(5);
  const bool first = world()->getRank() == 0;
  const MapPtr alone = Teuchos::rcp(new map_type(5, first ? 5 : 0, 0, world()));
  const MatrixPtr A = makeMatrix(one, five, five, alone, alone, alone);
  const MapPtr replicated = Teuchos::rcp(new map_type(5, 0, world(), Tpetra::LocallyReplicated));

  const std::vector<std::string> words{"Trident::Multiply: C's row Map has an index that several",
                                       "make C with A's row Map"};
  const auto check = [&](const matrix_type& left, const matrix_type& right, const MapPtr& map) {
    const MatrixPtr C = Teuchos::rcp(new matrix_type(map, 0));
    const ResultBefore before(*C);
    const std::string problem = expectFailure<Trident::Error>(left, right, C, words);
    return problem.empty() ? everywhere(*world(), before.changes()) : problem;
  };
  TRIDENT_TEST_OK(check(*w.A, *w.B, shared));
  TRIDENT_TEST_OK(check(*A, *A, replicated));
}

// More rows, but not A's: these are dealt to other ranks, or lie in another order.
TEUCHOS_UNIT_TEST(WiderResult, LacksRows) {
  const Fixture f(world());
  const int size = world()->getSize();
  Teuchos::Array<GO> turned;
  for (const GO gid : Trident::Impl::localGids(*f.A->getRowMap()))
    turned.insert(turned.begin(), gid);
  turned.push_back(100 + world()->getRank());
  const MatrixPtr C =
      Teuchos::rcp(new matrix_type(Teuchos::rcp(new map_type(12 + size, turned(), 0, world())), 0));
  const std::vector<std::string> words{"C's row Map", "A's row Map"};
  TRIDENT_TEST_OK(expectFailure<Trident::Error>(*f.A, *f.B, C, words));
  const MatrixPtr D = Teuchos::rcp(new matrix_type(Teuchos::rcp(new map_type(40, 20, world())), 0));
  TRIDENT_TEST_OK(expectFailure<Trident::Error>(*f.A, *f.B, D, words));
}

}  // namespace
