// SPDX-License-Identifier: BSD-3-Clause
// A column Map with an index that nobody owns where it is looked up: Trident::Error on every rank
// that names the index, however columns are numbered, and C as it was.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestErrors.hpp"
#include "Trident_TestFailure.hpp"

namespace {

using namespace TridentTest;
using Trident::Error;

constexpr GO missingIndex = 4711;
const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();

/// Makes a matrix as makeMatrix(), whose column Map has all columns and, on the last rank, one that
/// is not in the domain Map; there is an entry in it if that rank has a row.
MatrixPtr withMissingIndex(const Sparse& A, const Indices& rows, const Indices& cols,
                           const MapPtr& rowMap, const MapPtr& domainMap) {
  Teuchos::Array<GO> gids(Trident::Impl::localGids(*domainMap));
  for (const GO gid : cols.gids)
    if (!domainMap->isNodeGlobalElement(gid)) gids.push_back(gid);
  const bool last = world()->getRank() == world()->getSize() - 1;
  if (last) gids.push_back(missingIndex);
  const MapPtr colMap = Teuchos::rcp(new map_type(any, gids(), cols.base, world()));
  const MatrixPtr matrix = Teuchos::rcp(new matrix_type(rowMap, colMap, gids.size()));
  const auto place = rows.places();
  for (const GO gid : Trident::Impl::localGids(*rowMap)) {
    const auto insert = [&](GO column, double value) {
      matrix->insertGlobalValues(gid, Teuchos::tuple(column)(), Teuchos::tuple(value)());
    };
    for (const auto& entry : A.rows[place.at(gid)]) insert(cols.gids[entry.first], entry.second);
    if (last) insert(missingIndex, 1);
  }
  matrix->fillComplete(domainMap, rowMap);
  return matrix;
}

/// Makes indices with gaps, so that no rank's are consecutive.
Indices gappedIndices(int n) {
  Indices indices = contiguousIndices(n);
  for (GO& gid : indices.gids) gid *= 3;
  indices.contiguous = false;
  return indices;
}

/// op(A)·op(B) and the same with a column that no rank owns in one of them.
struct Case {
  Sparse a, b;
  Indices rows, cols;
  MatrixPtr A, B, badA, badB;
  bool transA = false, transB = false;

  MatrixPtr newC() const {
    return Teuchos::rcp(new matrix_type(transA ? A->getDomainMap() : A->getRowMap(), 0));
  }
  void multiply(const matrix_type& left, const matrix_type& right, matrix_type& C) const {
    Trident::Multiply(left, transA, right, transB, C);
  }
  std::string checkGood(matrix_type& C) const {
    multiply(*A, *B, C);
    return everywhere(*world(), checkEntries(C, Expected(a, b), rows, cols, true));
  }
  /// Checks products into a C that is new, and into one with a product.
  std::string check(const std::vector<std::string>& words) const {
    std::string problem;
    for (const bool fresh : {true, false}) {
      const MatrixPtr C = newC();
      if (!fresh) problem += checkGood(*C);
      const ResultBefore before(*C);
      problem += expectThrow<Error>(*world(), words, [&] {
        multiply(badA.is_null() ? *A : *badA, badB.is_null() ? *B : *badB, *C);
      });
      problem += everywhere(*world(), before.changes());
      problem += checkGood(*C);
    }
    return problem;
  }
};

/// @param inner indices that op(A)'s columns and op(B)'s rows have
Case makeCase(const Indices& inner, Layout columnsOfA, Layout rowsOfB, bool transA) {
  Random random(17);
  Case c;
  c.transA = transA;
  c.rows = gappedIndices(11);
  c.cols = contiguousIndices(8);
  c.a = randomSparse(random, 11, inner.size(), true);
  c.b = randomSparse(random, inner.size(), 8, true);
  const MapPtr rowMap = makeMap(random, c.rows, Layout::Cyclic, world());
  const MapPtr domainA = makeMap(random, inner, columnsOfA, world());
  const MapPtr rowsB = columnsOfA == rowsOfB ? domainA : makeMap(random, inner, rowsOfB, world());
  const MapPtr colMap = makeMap(random, c.cols, Layout::Uniform, world());
  c.B = makeMatrix(c.b, inner, c.cols, rowsB, colMap, rowsB);
  if (transA) {
    const Sparse t = c.a.transpose();
    c.A = makeMatrix(t, inner, c.rows, domainA, rowMap, domainA);
    c.badA = withMissingIndex(t, inner, c.rows, domainA, rowMap);
  } else {
    c.A = makeMatrix(c.a, c.rows, inner, rowMap, domainA, rowMap);
    c.badA = withMissingIndex(c.a, c.rows, inner, rowMap, domainA);
  }
  return c;
}

const std::vector<std::string> columnOfA{"Trident::Multiply: A has a column with global index 4711",
                                         "no rank owns in B's row Map",
                                         "B must have a row for every column of A"};

// B's rows are consecutive on each rank: numbers follow from global indices.
TEUCHOS_UNIT_TEST(MissingIndices, ByArithmetic) {
  const Case c = makeCase(contiguousIndices(13), Layout::Uniform, Layout::Uniform, false);
  TRIDENT_TEST_OK(c.check(columnOfA));
}

// B's rows are not consecutive, and A's domain Map is B's row Map: A's importer brings numbers.
TEUCHOS_UNIT_TEST(MissingIndices, ByImporter) {
  const Case c = makeCase(gappedIndices(13), Layout::Cyclic, Layout::Cyclic, false);
  TEST_ASSERT(c.badA->getDomainMap()->isSameAs(*c.B->getRowMap()));
  TRIDENT_TEST_OK(c.check(columnOfA));
}

// Neither: B's row Map is asked.
TEUCHOS_UNIT_TEST(MissingIndices, ByDirectory) {
  const Case c = makeCase(gappedIndices(13), Layout::Uniform, Layout::Scattered, false);
  TEST_ASSERT(!c.badA->getDomainMap()->isSameAs(*c.B->getRowMap()));
  TRIDENT_TEST_OK(c.check(columnOfA));
}

// The columns of a transposed A are rows of the product and meet none of B's.
TEUCHOS_UNIT_TEST(MissingIndices, OfTransposed) {
  const std::vector<std::string> words{
      "Trident::Multiply: A has a column with global index 4711, which no rank owns in A's domain "
      "Map; call A.fillComplete() with a domain Map that has all its columns"};
  const Case byImporter = makeCase(gappedIndices(13), Layout::Cyclic, Layout::Cyclic, true);
  TRIDENT_TEST_OK(byImporter.check(words));
  Case byArithmetic = makeCase(contiguousIndices(13), Layout::Uniform, Layout::Uniform, true);
  const MapPtr uniform = Teuchos::rcp(new map_type(11, 0, world()));
  byArithmetic.rows = contiguousIndices(11);
  const Sparse t = byArithmetic.a.transpose();
  const Indices inner = contiguousIndices(13);
  const MapPtr rowsOfA = byArithmetic.A->getRowMap();
  byArithmetic.A = makeMatrix(t, inner, byArithmetic.rows, rowsOfA, uniform, rowsOfA);
  byArithmetic.badA = withMissingIndex(t, inner, byArithmetic.rows, rowsOfA, uniform);
  TRIDENT_TEST_OK(byArithmetic.check(words));
}

// The columns of B, which meet nothing.
TEUCHOS_UNIT_TEST(MissingIndices, OfTheLastFactor) {
  for (const bool gapped : {true, false}) {
    Case c = makeCase(contiguousIndices(13), Layout::Uniform, Layout::Uniform, false);
    c.badA = Teuchos::null;
    const Indices inner = contiguousIndices(13);
    if (gapped) c.cols = gappedIndices(8);
    Random random(3);
    const MapPtr domain =
        makeMap(random, c.cols, gapped ? Layout::Cyclic : Layout::Uniform, world());
    const MapPtr rows = c.B->getRowMap();
    c.B = makeMatrix(c.b, inner, c.cols, rows, domain, rows);
    c.badB = withMissingIndex(c.b, inner, c.cols, rows, domain);
    TRIDENT_TEST_OK(c.check({"B has a column with global index 4711",
                             "no rank owns in B's domain Map; make B with Maps"}));
  }
}

}  // namespace
