// SPDX-License-Identifier: BSD-3-Clause
// The eight-argument form: all four combinations of transposes, rectangular, on random Maps. And
// transposes themselves, by one call and by plans, against Tpetra's.

#include <Teuchos_UnitTestHarness.hpp>
#include <Tpetra_RowMatrixTransposer.hpp>

#include "Trident_TestErrors.hpp"
#include "Trident_TestProduct.hpp"
#include "Trident_Transpose.hpp"

namespace {

using namespace TridentTest;

std::string checkTransposes(std::uint64_t seed, bool transA, bool transB) {
  const CommPtr comm = world();
  Random random(seed);
  const int m = random.between(1, 40), l = random.between(1, 40), n = random.between(1, 40);
  const Indices rows = randomIndices(random, m), inner = randomIndices(random, l),
                cols = randomIndices(random, n);
  const MapPtr rowMap = makeMap(random, rows, randomLayout(random), comm);
  const MapPtr innerMap = makeMap(random, inner, randomLayout(random), comm);
  const MapPtr colMap = makeMap(random, cols, randomLayout(random), comm);
  const Sparse a = randomSparse(random, m, l, true), b = randomSparse(random, l, n, true);
  const MatrixPtr A = transA ? makeMatrix(a.transpose(), inner, rows, innerMap, rowMap, innerMap)
                             : makeMatrix(a, rows, inner, rowMap, innerMap, rowMap);
  const MatrixPtr B = transB ? makeMatrix(b.transpose(), cols, inner, colMap, innerMap, colMap)
                             : makeMatrix(b, inner, cols, innerMap, colMap, innerMap);
  const Snapshot beforeA(*A), beforeB(*B);
  int lambda = 1;
  std::string shape;
  const auto list = randomParameters(random, comm->getSize(), lambda, shape);
  matrix_type C(rowMap, 0);
  const auto report = Trident::Multiply(*A, transA, *B, transB, C, true, "label", list);
  std::string problem = checkEntries(C, Expected(a, b), rows, cols, true);
  if (!C.getDomainMap()->isSameAs(*colMap)) problem = "domain Map";
  if (!C.getRangeMap()->isSameAs(*rowMap)) problem = "range Map";
  if (problem.empty()) problem = beforeA.changes() + beforeB.changes();
  if (report.grid.lambda != lambda) problem = "lambda";
  problem = everywhere(*comm, problem);
  // Tpetra's transposes of matrices on such Maps are good, its products with them too.
  if (problem.empty())
    problem = everywhere(*comm, checkAgainstTpetra(*A, transA, *B, transB, C, true));
  return problem.empty() ? ""
                         : say("seed ", seed, ", ", m, " x ", l, " x ", n, ": ", problem, *list);
}

TEUCHOS_UNIT_TEST(Transpose, AllFour) {
  for (int seed = 1; seed <= 20; ++seed)
    for (bool transA : {false, true})
      for (bool transB : {false, true}) {
        const std::string problem = checkTransposes(seed, transA, transB);
        TRIDENT_TEST_OK(problem);
      }
}

// A'·A and A·A' of one object; A'·A' imports one factor.
TEUCHOS_UNIT_TEST(Transpose, OneMatrixTwice) {
  Random random(7);
  const CommPtr comm = world();
  for (const auto& size : {Sizes{21, 13, 0}, Sizes{18, 18, 0}}) {
    const Sparse a = randomSparse(random, size.m, size.l, true), t = a.transpose();
    const MatrixPtr A = makeUniform(a, comm);
    const Indices rows = contiguousIndices(size.m), cols = contiguousIndices(size.l);
    const auto check = [&](bool transA, bool transB, const Expected& expected, const Indices& r,
                           const Indices& c) {
      matrix_type C(transA ? A->getDomainMap() : A->getRowMap(), 0);
      Trident::Multiply(*A, transA, *A, transB, C);
      return everywhere(*comm, checkEntries(C, expected, r, c, true));
    };
    TRIDENT_TEST_OK(check(true, false, Expected(t, a), cols, cols));
    TRIDENT_TEST_OK(check(false, true, Expected(a, t), rows, rows));
    if (size.m == size.l) TRIDENT_TEST_OK(check(true, true, Expected(t, t), cols, rows));
  }
}

TEUCHOS_UNIT_TEST(Transpose, WrongResultMap) {
  Random random(9);
  const MatrixPtr A = makeUniform(randomSparse(random, 14, 9, true), world());
  matrix_type C(A->getDomainMap(), 0);  // A A' has 14 rows, and this 9
  TEST_THROW(Trident::Multiply(*A, false, *A, true, C), std::runtime_error);
  matrix_type D(A->getDomainMap(), 0);
  TEST_THROW(Trident::Multiply(*A, true, *A, true, D), std::runtime_error);  // 9 x 14 times 9 x 14
  Trident::Multiply(*A, true, *A, false, D);
  TEST_ASSERT(D.isFillComplete());
}

using Plan = Trident::TransposePlan<double, LO, GO, matrix_type::node_type>;

/// Returns the global columns of a column Map, without the owned ones that this rank has no entry
/// in: Tpetra's transposer leaves them out.
std::vector<GO> columnsThatAreMet(const matrix_type& R) {
  std::vector<GO> met;
  const auto entries = entriesOf(R);
  for (const GO gid : Trident::Impl::localGids(*R.getColMap())) {
    bool has = false;
    for (const auto& entry : entries) has = has || entry.first.second == gid;
    if (has) met.push_back(gid);
  }
  return met;
}

/// Checks a transpose of A against Tpetra's: entries and Maps. Collective.
std::string checkTranspose(const MatrixPtr& A, const matrix_type& R) {
  const auto tpetra =
      Tpetra::RowMatrixTransposer<double, LO, GO, matrix_type::node_type>(A).createTranspose();
  std::string problem;
  if (!R.isFillComplete()) problem = "not fill-complete";
  if (!R.getRowMap()->isSameAs(*tpetra->getRowMap())) problem = "row Map";
  if (!R.getDomainMap()->isSameAs(*tpetra->getDomainMap())) problem = "domain Map";
  if (!R.getRangeMap()->isSameAs(*tpetra->getRangeMap())) problem = "range Map";
  if (R.getGlobalNumEntries() != tpetra->getGlobalNumEntries()) problem = "global entries";
  if (R.getGlobalMaxNumRowEntries() != tpetra->getGlobalMaxNumRowEntries()) problem = "longest row";
  if (entriesOf(R) != entriesOf(*tpetra)) problem = "entries";
  // Without an Import Tpetra's has A's row Map, of which the Maps' order need not be.
  if (!A->getGraph()->getImporter().is_null() && columnsThatAreMet(R) != columnsThatAreMet(*tpetra))
    problem = "column Map";
  problem = everywhere(*A->getComm(), problem);
  if (problem.empty()) problem = checkColumns(R);
  return problem.empty() ? checkImporter(R) : problem;
}

/// Transposes a random matrix, and by a plan two more with its structure. Collective.
std::string checkTransposesOf(std::uint64_t seed) {
  const CommPtr comm = world();
  Random random(seed);
  const int m = random.between(1, 40), n = random.between(1, 40);
  const Indices rows = randomIndices(random, m), cols = randomIndices(random, n);
  const MapPtr rowMap = makeMap(random, rows, randomLayout(random), comm);
  const MapPtr domain = makeMap(random, cols, randomLayout(random), comm);
  const MapPtr range =
      random.chance(0.5) ? rowMap : makeMap(random, rows, randomLayout(random), comm);
  Sparse a = randomSparse(random, m, n, true);
  int lambda = 1;
  std::string shape;
  const auto params = randomParameters(random, comm->getSize(), lambda, shape);
  const MatrixPtr A = makeMatrix(a, rows, cols, rowMap, domain, range);
  const Snapshot before(*A);
  std::string problem = checkTranspose(A, *Trident::transpose(*A, params, "label"));
  if (problem.empty()) problem = everywhere(*comm, before.changes());
  const Trident::TransposePlan plan(*A, params);
  MatrixPtr last;
  for (int time = 0; time < 3 && problem.empty(); ++time) {
    const MatrixPtr B = makeMatrix(a, rows, cols, rowMap, domain, range);
    const MatrixPtr R = plan.transpose(*B);
    problem = checkTranspose(B, *R);
    if (problem.empty() && time > 0 && R->getCrsGraph() != last->getCrsGraph()) problem = "graph";
    last = R;
    for (auto& row : a.rows)
      for (auto& entry : row) entry.second = random.below(9) - 4;
  }
  return problem.empty() ? "" : say("seed ", seed, ", ", m, " x ", n, ": ", problem, *params);
}

TEUCHOS_UNIT_TEST(Transpose, AsTpetra) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::string problem = checkTransposesOf(seed);
    TRIDENT_TEST_OK(problem);
  }
}

TEUCHOS_UNIT_TEST(Transpose, BadInput) {
  const CommPtr comm = world();
  Random random(5);
  const Sparse a = randomSparse(random, 14, 9, true);
  const MatrixPtr A = makeUniform(a, comm);
  const MatrixPtr open = Teuchos::rcp(new matrix_type(A->getRowMap(), 3));
  const std::vector<std::string> notComplete{"A is not fill-complete"};
  TRIDENT_TEST_OK(
      expectThrow<Trident::Error>(*comm, notComplete, [&] { Trident::transpose(*open); }));
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*comm, notComplete, [&] { Plan plan(*open); }));
  const auto bad = tridentList();
  bad->sublist("Trident").set("grrid", "auto");
  TRIDENT_TEST_OK(expectThrow<Teuchos::Exceptions::InvalidParameter>(
      *comm, {"grrid"}, [&] { Trident::transpose(*A, bad); }));

  Plan plan(*A);
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*comm, notComplete, [&] { plan.transpose(*open); }));
  // One entry more, on the last rank alone.
  Sparse more = a;
  int place = 0;
  while (more.rows.back().count(place)) ++place;
  more.rows.back()[place] = 1;
  const std::vector<std::string> otherEntries{"A has other entries than the planned one",
                                              "make a new plan"};
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*comm, otherEntries,
                                              [&] { plan.transpose(*makeUniform(more, comm)); }));
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(
      *comm, {"14 x 9"}, [&] { plan.transpose(*makeUniform(a.transpose(), comm)); }));
  TRIDENT_TEST_OK(everywhere(*comm, checkTranspose(A, *plan.transpose(*A))));
  const Plan moved = std::move(plan);
  TRIDENT_TEST_OK(
      expectThrow<Trident::Error>(*comm, {"this plan is empty"}, [&] { plan.transpose(*A); }));
  TEST_ASSERT(!plan && moved);
  if (comm->getSize() == 1) return;

  // Ranks that differ: in a parameter, in a plan, in the function called.
  const auto own = tridentList();
  own->sublist("Trident").set("timeout", comm->getRank() == 0 ? 60. : 70.);
  TRIDENT_TEST_OK(
      expectThrow<Trident::Error>(*comm, {"timeout"}, [&] { Trident::transpose(*A, own); }));
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(
      *comm, {"this plan is empty"}, [&] { (comm->getRank() == 0 ? plan : moved).transpose(*A); }));
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*comm, {"the function called"}, [&] {
    if (comm->getRank() == 0)
      Trident::transpose(*A);
    else
      Plan{*A};
  }));
  // A row that two ranks have.
  const Teuchos::Array<GO> shared(1, 0);
  const MapPtr overlapping = Teuchos::rcp(
      new map_type(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), shared(), 0, comm));
  const MapPtr one = Teuchos::rcp(new map_type(1, 0, comm));
  const MatrixPtr twice = Teuchos::rcp(new matrix_type(overlapping, 1));
  const Teuchos::Array<double> value(1, 1.);
  twice->insertGlobalValues(0, shared(), value());
  twice->fillComplete(one, one);
  TRIDENT_TEST_OK(expectThrow<Trident::Error>(*comm,
                                              {"A's row Map has an index that several ranks own"},
                                              [&] { Trident::transpose(*twice); }));
}

}  // namespace
