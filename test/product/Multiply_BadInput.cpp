// SPDX-License-Identifier: BSD-3-Clause
// Matrices that cannot be multiplied: Trident::Error on every rank, and nothing changed.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestErrors.hpp"
#include "Trident_TestFailure.hpp"

namespace {

using namespace TridentTest;
using Trident::Error;

const std::string function = "Trident::Multiply: ";

// A call for whole numbers does not compile where it could not be linked.
static_assert(Trident::Impl::isCompiled<double>() && Trident::Impl::isCompiled<float>(),
              "the library has these");
static_assert(!Trident::Impl::isCompiled<int>() && !Trident::Impl::isCompiled<long long>(),
              "the library has none of these");

MatrixPtr open(const matrix_type& like) {
  return Teuchos::rcp(new matrix_type(like.getRowMap(), 4));
}

TEUCHOS_UNIT_TEST(BadInput, InnerSizesDiffer) {
  const Fixture f(world()), g(world(), 11, 8, 9);
  const MatrixPtr C = newResult(*f.A);
  TRIDENT_TEST_OK(expectFailure<Error>(
      *f.A, *g.B, C, {function, "12 x 10", "8 x 9", "as many columns as B has rows"}));
  TRIDENT_TEST_OK(expectUsable(f, *C));
}

TEUCHOS_UNIT_TEST(BadInput, FactorIsNotFillComplete) {
  const Fixture f(world());
  const MatrixPtr C = newResult(*f.A), A = open(*f.A), B = open(*f.B);
  const auto ask = [&](const matrix_type& left, const matrix_type& right, const char* remedy) {
    return expectThrow<Error>(*world(), {function, "not fill-complete", remedy},
                              [&] { Trident::Multiply(left, right, *C); });
  };
  TRIDENT_TEST_OK(ask(*A, *f.B, "A.fillComplete()"));
  TRIDENT_TEST_OK(ask(*f.A, *B, "B.fillComplete()"));
  for (bool transA : {false, true})
    for (bool transB : {false, true}) {
      TRIDENT_TEST_OK(expectThrow<Error>(*world(), {function, "A is not fill-complete"},
                                         [&] { Trident::Multiply(*A, transA, *f.B, transB, *C); }));
      TRIDENT_TEST_OK(expectThrow<Error>(*world(), {function, "B is not fill-complete"},
                                         [&] { Trident::Multiply(*f.A, transA, *B, transB, *C); }));
    }
  f.A->resumeFill();  // was complete once
  TRIDENT_TEST_OK(ask(*f.A, *f.B, "A.fillComplete()"));
  f.A->fillComplete(f.A->getDomainMap(), f.A->getRangeMap());
  TRIDENT_TEST_OK(expectUsable(f, *C));
}

TEUCHOS_UNIT_TEST(BadInput, ResultHasOtherRows) {
  const Fixture f(world()), g(world(), 11, 10, 9);
  const MatrixPtr fewer = newResult(*g.A);
  TRIDENT_TEST_OK(expectFailure<Error>(
      *f.A, *f.B, fewer, {function, "C has 11 rows", "12 x 10", "10 x 9", "A's row Map"}));
  TRIDENT_TEST_OK(expectUsable(g, *fewer));
  // As many rows, on other ranks; and in another order on the same ranks.
  Random random(5);
  const MapPtr uniform = makeMap(random, f.rows, Layout::Uniform, world());
  const MatrixPtr other = Teuchos::rcp(new matrix_type(uniform, 0));
  TRIDENT_TEST_OK(
      expectFailure<Error>(*f.A, *f.B, other, {function, "C's row Map", "A's row Map"}));
  Teuchos::Array<GO> gids;
  for (const GO gid : Trident::Impl::localGids(*f.A->getRowMap())) gids.insert(gids.begin(), gid);
  const MapPtr reversed = Teuchos::rcp(new map_type(12, gids(), 0, world()));
  const MatrixPtr turned = Teuchos::rcp(new matrix_type(reversed, 0));
  TRIDENT_TEST_OK(
      expectFailure<Error>(*f.A, *f.B, turned, {function, "C's row Map", "A's row Map"}));
}

TEUCHOS_UNIT_TEST(BadInput, ResultWasNeverComplete) {
  const Fixture f(world());
  const std::vector<std::string> words{function, "never fill-complete", "new CrsMatrix"};
  const MatrixPtr one = open(*f.A);  // only the owner of row 2 knows
  if (f.A->getRowMap()->isNodeGlobalElement(2))
    one->insertGlobalValues(2, Teuchos::tuple<GO>(3)(), Teuchos::tuple<double>(7)());
  TRIDENT_TEST_OK(expectFailure<Error>(*f.A, *f.B, one, words));
  one->fillComplete(f.B->getDomainMap(), f.A->getRangeMap());
  TEST_EQUALITY(one->getGlobalNumEntries(), Tpetra::global_size_t(1));
}

// The remedy that the message names is one.
TEUCHOS_UNIT_TEST(BadInput, ResultWithoutOptimizedStorage) {
  const Fixture f(world());
  const auto params = Teuchos::parameterList();
  params->set("Optimize Storage", false);
  const Sparse full(12, 9);
  Sparse pattern = full;
  for (auto& row : pattern.rows)
    for (int j = 0; j < 9; ++j) row[j] = 7;
  const MatrixPtr whole = makeMatrix(pattern, f.rows, f.cols, f.A->getRowMap(), f.B->getDomainMap(),
                                     f.A->getRangeMap());
  const auto withRoom = [&] {
    const MatrixPtr C = Teuchos::rcp(new matrix_type(f.A->getRowMap(), whole->getColMap(), 20));
    for (const auto& entry : entriesOf(*whole))
      C->insertGlobalValues(entry.first.first, Teuchos::tuple(entry.first.second)(),
                            Teuchos::tuple(entry.second)());
    C->fillComplete(whole->getDomainMap(), whole->getRangeMap(), params);
    return C;
  };
  const MatrixPtr C = withRoom();
  const ResultBefore before(*C);
  TRIDENT_TEST_OK(expectFailure<Error>(
      *f.A, *f.B, C,
      {function,
       "C is fill-complete without optimized storage; call C.resumeFill() and "
       "C.fillComplete() without \"Optimize Storage\" = false, or pass a new"}));
  TRIDENT_TEST_OK(everywhere(*world(), before.changes()));
  C->resumeFill();
  C->fillComplete(C->getDomainMap(), C->getRangeMap());
  Trident::Multiply(*f.A, *f.B, *C);
  const Expected expected(f.a, f.b);
  std::string problem;
  const auto row = f.rows.places(), col = f.cols.places();
  for (const auto& entry : entriesOf(*C))
    if (entry.second != expected.value[row.at(entry.first.first) * 9 + col.at(entry.first.second)])
      problem = "C has another product";
  TRIDENT_TEST_OK(everywhere(*world(), problem));

  const MatrixPtr D = Teuchos::rcp(new matrix_type(withRoom()->getCrsGraph()));
  D->fillComplete(C->getDomainMap(), C->getRangeMap(), params);
  TRIDENT_TEST_OK(expectFailure<Error>(
      *f.A, *f.B, D,
      {function, "C's graph has no optimized storage; complete the graph without \"Optimize"}));
}

TEUCHOS_UNIT_TEST(BadInput, ResultIsFactor) {
  const CommPtr comm = world();
  const MatrixPtr A = makeUniform(Sparse(8, 8), comm);
  TRIDENT_TEST_OK(expectFailure<Error>(*A, *A, A, {function, "of its own"}));
}

// A product into a matrix without the column Map that a pattern needs is fine: that is "new".
TEUCHOS_UNIT_TEST(BadInput, ResultWithRoomIsNew) {
  const Fixture f(world());
  const MatrixPtr C = Teuchos::rcp(new matrix_type(f.A->getRowMap(), 30));
  TRIDENT_TEST_OK(expectUsable(f, *C));
}

TEUCHOS_UNIT_TEST(BadInput, ColumnThatNobodyOwns) {
  const CommPtr comm = world();
  const Fixture f(comm);
  Random random(3);
  Indices shifted = contiguousIndices(10, 2);  // 2..11, and B has the rows 1..10
  const MapPtr domain = makeMap(random, shifted, Layout::Uniform, comm);
  Sparse a(12, 10);
  a.rows[5] = {{0, 1.0}, {9, 1.0}};  // columns 2 and 11: one rank has the bad one
  const MatrixPtr A = makeMatrix(a, f.rows, shifted, f.A->getRowMap(), domain, f.A->getRangeMap());
  const MatrixPtr C = newResult(*f.A);
  TRIDENT_TEST_OK(
      expectFailure<Error>(*A, *f.B, C, {function, "11", "no rank owns", "B must have"}));
  TRIDENT_TEST_OK(expectUsable(f, *C));
}

TEUCHOS_UNIT_TEST(BadInput, OtherCommunicators) {
  const CommPtr comm = world();
  const Fixture f(comm);
  const int rank = comm->getRank(), size = comm->getSize();
  const CommPtr half = comm->split(rank % 2, rank), reversed = comm->split(0, size - rank);
  const std::vector<std::string> words{function, "communicator"};
  for (const CommPtr& other : {half, reversed}) {
    const Fixture g(other);
    const MatrixPtr C = newResult(*f.A);
    TRIDENT_TEST_OK(expectFailure<Error>(*f.A, *g.B, C, words));
    TRIDENT_TEST_OK(expectThrow<Error>(*comm, words, [&] { Trident::Multiply(*g.A, *f.B, *C); }));
    const MatrixPtr foreign = newResult(*g.A);
    TRIDENT_TEST_OK(expectFailure<Error>(*f.A, *f.B, foreign, words));
    TRIDENT_TEST_OK(expectUsable(f, *C));
    TRIDENT_TEST_OK(everywhere(*comm, expectUsable(g, *foreign)));
  }
}

TEUCHOS_UNIT_TEST(BadInput, RowsWithSeveralOwners) {
  const CommPtr comm = world();
  // Every rank has its two rows, and row 0 as well.
  Teuchos::Array<GO> gids(1, GO(0));
  for (GO g = 2 * comm->getRank(); g < 2 * comm->getRank() + 2; ++g)
    if (g > 0) gids.push_back(g);
  const auto any = Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid();
  const MapPtr shared = Teuchos::rcp(new map_type(any, gids(), 0, comm));
  const MapPtr single = Teuchos::rcp(new map_type(8, 0, comm));
  const auto matrix = [&](const MapPtr& rows, const MapPtr& domain) {
    const MatrixPtr M = Teuchos::rcp(new matrix_type(rows, 1));
    for (const GO gid : Trident::Impl::localGids(*rows))
      M->insertGlobalValues(gid, Teuchos::tuple<GO>(gid)(), Teuchos::tuple<double>(1)());
    M->fillComplete(domain, single);
    return M;
  };
  const auto words = [](const std::string& map) {
    return std::vector<std::string>{function, map + " has an index that several ranks own (0)",
                                    "one-to-one"};
  };
  const MatrixPtr overlapping = matrix(shared, single), plain = matrix(single, single);
  TRIDENT_TEST_OK(
      expectFailure<Error>(*overlapping, *plain, newResult(*overlapping), words("A's row Map")));
  const MatrixPtr wide = matrix(single, shared), C = newResult(*plain);
  TRIDENT_TEST_OK(
      expectThrow<Error>(*comm, {function}, [&] { Trident::Multiply(*wide, *overlapping, *C); }));
  TRIDENT_TEST_OK(expectFailure<Error>(*plain, *wide, C, words("B's domain Map")));
  // B seems to have more rows than A has columns, but has not.
  TRIDENT_TEST_OK(expectFailure<Error>(*plain, *overlapping, C, words("B's row Map")));
  Trident::Multiply(*plain, *plain, *C);
  TEST_ASSERT(C->isFillComplete());
}

}  // namespace
