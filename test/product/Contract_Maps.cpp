// SPDX-License-Identifier: BSD-3-Clause
// Contract: final Maps; C's column Map; order in the column Map; importer of C; A's domain Map is
// not B's row Map.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>

#include "Trident_TestContract.hpp"

namespace {

using namespace TridentTest;

/// op(A)·op(B) where every Map of both factors is dealt in a way of its own: row, domain and range.
struct Shuffled : Operands {
  bool tpetraCan;  ///< 13.2 fetches rows of op(B) only where op(A)'s domain Map deals them alike

  Shuffled(std::uint64_t seed, bool transposeA, bool transposeB)
      : Operands(seed, transposeA, transposeB) {
    const auto map = [&](const Indices& indices) {
      return makeMap(random, indices, randomLayout(random), world());
    };
    const MapPtr range = map(rows), rangeOfB = map(inner), domain = map(cols);
    const MapPtr meet = random.chance(0.5) ? innerMap : map(inner);
    tpetraCan = meet == innerMap || world()->getSize() == 1;
    if (transA)
      A = makeMatrix(a.transpose(), inner, rows, map(inner), rowMap, meet);
    else
      A = makeMatrix(a, rows, inner, rowMap, meet, range);
    if (transB)
      B = makeMatrix(b.transpose(), cols, inner, map(cols), innerMap, domain);
    else
      B = makeMatrix(b, inner, cols, innerMap, domain, rangeOfB);
  }
  MapPtr domainOfProduct() const { return transB ? B->getRangeMap() : B->getDomainMap(); }
  MapPtr rangeOfProduct() const { return transA ? A->getDomainMap() : A->getRangeMap(); }
};

/// Returns the first problem that `check(o, C)` finds in the products C of `o`, some of each pair
/// of transposes. Collective; `check` may name another problem, or none, on each rank.
template <class O, class Check>
std::string firstProblem(Check&& check) {
  for (int seed = 1; seed <= 6; ++seed)
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        const O o(seed, transA, transB);
        matrix_type C(o.rowMap, 0);
        o.multiply(C, true);
        const std::string problem = o.verdict(seed, check(o, C));
        if (!problem.empty()) return problem;
      }
  return "";
}

std::vector<const void*> mapsOf(const matrix_type& C) {
  return {C.getRowMap().get(), C.getDomainMap().get(), C.getRangeMap().get()};
}

std::string checkFinalMaps(const Shuffled& o, const matrix_type& C) {
  const std::vector<const void*> wanted{o.rowMap.get(), o.domainOfProduct().get(),
                                        o.rangeOfProduct().get()};
  std::string problem = checkEntries(C, o.expected(), o.rows, o.cols, true);
  if (mapsOf(C) != wanted) problem += "; not the operands' own Maps";
  problem = everywhere(*world(), problem);
  if (problem.empty()) problem = checkProductWithVector(C, o.expected(), o.rows, o.cols);
  if (!o.tpetraCan) return problem;
  matrix_type T(o.rowMap, 0);
  Tpetra::MatrixMatrix::Multiply(*o.A, o.transA, *o.B, o.transB, T);
  return mapsOf(T) == wanted ? problem : problem + "; Tpetra has other Maps";
}

TEUCHOS_UNIT_TEST(Maps, Final) { TRIDENT_TEST_OK(firstProblem<Shuffled>(checkFinalMaps)); }

/// Compares the order of C's remote columns with that of Tpetra's product, which may have more, but
/// lacks columns that come from stored zeros of A alone.
std::string checkOrderOfTpetra(const Operands& o, const matrix_type& C) {
  matrix_type T(o.rowMap, 0);
  Tpetra::MatrixMatrix::Multiply(*o.A, o.transA, *o.B, o.transB, T);
  const auto columns = Trident::Impl::localGids(*C.getColMap()),
             theirs = Trident::Impl::localGids(*T.getColMap());
  std::set<GO> nonzero;
  for (const auto& entry : entriesOf(C))
    if (entry.second != 0) nonzero.insert(entry.first.second);
  const std::set<GO> known(theirs.begin(), theirs.end());
  auto place = theirs.begin();
  for (auto c = columns.begin() + Trident::Impl::localSize(*C.getDomainMap()); c != columns.end();
       ++c) {
    if (!known.count(*c) && !nonzero.count(*c)) continue;
    place = std::find(place, theirs.end(), *c);
    if (place == theirs.end()) return say("Tpetra has another order of column ", *c);
  }
  return "";
}

TEUCHOS_UNIT_TEST(ColumnMap, Order) {
  TRIDENT_TEST_OK(firstProblem<Operands>([](const Operands& o, const matrix_type& C) {
    return checkColumns(C) + checkOrderOfTpetra(o, C);
  }));
}

// MueLu asks this of a square matrix: Xpetra::MatrixUtils::checkLocalRowMapMatchesColMap.
TEUCHOS_UNIT_TEST(ColumnMap, BeginsWithRowMap) {
  for (int seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const int n = random.between(1, 60), l = random.between(1, 60);
    const Indices rows = randomIndices(random, n), inner = randomIndices(random, l);
    const MapPtr rowMap = makeMap(random, rows, randomLayout(random), world());
    const MapPtr innerMap = makeMap(random, inner, randomLayout(random), world());
    const MatrixPtr A =
        makeMatrix(randomSparse(random, n, l, true), rows, inner, rowMap, innerMap, rowMap);
    const MatrixPtr B =
        makeMatrix(randomSparse(random, l, n, true), inner, rows, innerMap, rowMap, innerMap);
    matrix_type C(rowMap, 0);
    Trident::Multiply(*A, false, *B, false, C);
    std::string problem;
    for (LO r = 0; r < static_cast<LO>(Trident::Impl::localSize(*rowMap)); ++r)
      if (C.getColMap()->getLocalElement(rowMap->getGlobalElement(r)) != r)
        problem = say("seed ", seed, ": local row ", r, " is another local column");
    TRIDENT_TEST_OK(everywhere(*world(), problem));
  }
}

// The caller's column Map lacks columns of the product, or has them in another order.
TEUCHOS_UNIT_TEST(ColumnMap, OfTheCallerIsReplaced) {
  for (int seed = 1; seed <= 6; ++seed)
    for (bool transA : {false, true})
      for (bool complete : {true, false}) {
        Operands o(seed, transA, false);
        Teuchos::Array<GO> some;
        for (const GO gid : o.cols.gids)
          if (o.random.chance(0.5)) some.insert(some.begin(), gid);
        const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
        const MapPtr given = Teuchos::rcp(new map_type(any, some(), o.cols.base, world()));
        matrix_type C(o.rowMap, given, 3);
        o.multiply(C, complete);
        if (!complete) C.fillComplete(o.colMap, o.rowMap);
        std::string problem = checkEntries(C, o.expected(), o.rows, o.cols, true);
        if (C.getColMap().get() == given.get()) problem = "the caller's column Map";
        problem = everywhere(*world(), problem);
        if (complete) problem += checkColumns(C);  // else Tpetra has made the column Map
        TRIDENT_TEST_OK(o.verdict(seed, problem));
      }
}

/// Checks C's Import. It must go from the domain Map to the column Map, and bring every column its
/// index.
std::string checkImporter(const matrix_type& C) {
  const auto importer = C.getGraph()->getImporter();
  const MapPtr domain = C.getDomainMap(), columns = C.getColMap();
  if (importer.is_null())
    return domain->isSameAs(*columns) ? ""
                                      : "no importer, and the column Map is not the domain Map";
  if (importer->getSourceMap().get() != domain.get()) return "its source is not the domain Map";
  if (importer->getTargetMap().get() != columns.get()) return "its target is not the column Map";
  using Numbers = Tpetra::Vector<GO, LO, GO, matrix_type::node_type>;
  Numbers owned(domain), brought(columns);
  const auto ownGids = Trident::Impl::localGids(*domain), gids = Trident::Impl::localGids(*columns);
  for (LO l = 0; l < static_cast<LO>(ownGids.size()); ++l) owned.replaceLocalValue(l, ownGids[l]);
  brought.putScalar(-1);
  brought.doImport(owned, *importer, Tpetra::INSERT);
  const auto values = brought.getData();
  for (LO c = 0; c < static_cast<LO>(gids.size()); ++c)
    if (values[c] != gids[c]) return say("column ", gids[c], " gets the value of ", values[c]);
  return "";
}

TEUCHOS_UNIT_TEST(Importer, OfResult) {
  TRIDENT_TEST_OK(firstProblem<Shuffled>(
      [](const Shuffled&, const matrix_type& C) { return checkImporter(C); }));
}

/// Returns all of a space but `without`, and `foreign`, which is nowhere in it.
Indices exchanged(Random& random, const Indices& indices, int without, GO foreign) {
  Indices other = indices;
  other.gids[without] = foreign;
  other.contiguous = false;
  random.shuffle(other.gids);
  return other;
}

// Columns of A meet rows of B by global index: A's domain Map deals them to other ranks in another
// order, lacks one that B has, and has one that B lacks. Where no entry is there, it is no error.
TEUCHOS_UNIT_TEST(Domain, MatchedByGlobalIndex) {
  for (int seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const int m = random.between(1, 40), l = random.between(1, 40), n = random.between(1, 40);
    const Indices rows = randomIndices(random, m), cols = randomIndices(random, n);
    const Indices inner = randomIndices(random, l);
    const int without = random.below(l);
    const GO foreign = 1 + *std::max_element(inner.gids.begin(), inner.gids.end());
    const Indices other = exchanged(random, inner, without, foreign);
    Sparse a = randomSparse(random, m, l, true);
    for (auto& row : a.rows) row.erase(without);
    const Sparse b = randomSparse(random, l, n, true);
    Sparse byOther(m, l);  // A in the places of its own domain
    const auto place = other.places();
    for (int i = 0; i < m; ++i)
      for (const auto& entry : a.rows[i])
        byOther.rows[i][place.at(inner.gids[entry.first])] = entry.second;
    const auto map = [&](const Indices& indices) {
      return makeMap(random, indices, randomLayout(random), world());
    };
    const MapPtr rowMap = map(rows), innerMap = map(inner);
    const MatrixPtr A = makeMatrix(byOther, rows, other, rowMap, map(other), rowMap);
    const MatrixPtr B = makeMatrix(b, inner, cols, innerMap, map(cols), innerMap);
    matrix_type C(rowMap, 0);
    Trident::Multiply(*A, false, *B, false, C);
    std::string problem = checkForm(*A, *B, C);
    if (problem.empty()) problem = checkEntries(C, Expected(a, b), rows, cols, true);
    problem = everywhere(*world(), problem);
    if (!problem.empty()) problem = say("seed ", seed, ": ", problem);
    TRIDENT_TEST_OK(problem);
  }
}

}  // namespace
