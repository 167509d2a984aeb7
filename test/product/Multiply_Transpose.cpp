// SPDX-License-Identifier: BSD-3-Clause
// The eight-argument form: all four combinations of transposes, rectangular, on random Maps.

#include <Teuchos_UnitTestHarness.hpp>

#include "Trident_TestProduct.hpp"

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

}  // namespace
