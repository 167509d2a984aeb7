// SPDX-License-Identifier: BSD-3-Clause
// The comparison finds what is wrong with a product, and nothing where nothing is.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>
#include <limits>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Compare.hpp"

namespace {

using namespace TestTools;
using MatrixPtr = Teuchos::RCP<matrix_type>;

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

MatrixPtr product(const matrix_type& A, bool transA, const matrix_type& B, bool transB) {
  const MatrixPtr C = Teuchos::rcp(new matrix_type(transA ? A.getDomainMap() : A.getRowMap(), 0));
  Tpetra::MatrixMatrix::Multiply(A, transA, B, transB, *C);
  return C;
}

TEUCHOS_UNIT_TEST(Compare, TpetraAgreesWithItself) {
  const MatrixPtr A = readMatrix("er:n=400,d=5,seed=1", world()).matrix;
  const MatrixPtr B = readMatrix("er:n=400,d=4,seed=2", world()).matrix;
  for (bool transA : {false, true})
    for (bool transB : {false, true}) {
      const Comparison result =
          compareWithTpetra(*A, transA, *B, transB, *product(*A, transA, *B, transB));
      TEST_ASSERT(result.structureMatches);
      TEST_COMPARE(result.maxRelError, <, 1e-15);
      TEST_EQUALITY(result.detail, "");
    }
  TEST_ASSERT(
      compareWithTpetra(*A, false, *A, false, *product(*A, false, *A, false)).structureMatches);
}

// C is read from a file, so that it differs from Tpetra's product in one way.
struct Case {
  std::string C;
  bool structureMatches;
  double error;
  std::int64_t missing, extra;
};

TEUCHOS_UNIT_TEST(Compare, FindsDifferences) {
  // A = [2 1; 0 -1], B = [1 .; . 3]: A*B = [2 3; . -3]
  const MatrixPtr A = readText(banner + "2 2 3\n1 1 2\n1 2 1\n2 2 -1\n").matrix;
  const MatrixPtr B = readText(banner + "2 2 2\n1 1 1\n2 2 3\n").matrix;
  const double infinity = std::numeric_limits<double>::infinity();
  const Case cases[] = {{"2 2 3\n1 1 2\n1 2 3\n2 2 -3\n", true, 0, 0, 0},
                        {"2 2 3\n1 1 2\n1 2 3\n2 2 -3.75\n", true, 0.25, 0, 0},
                        {"2 2 2\n1 1 2\n2 2 -3\n", false, 1, 1, 0},
                        {"2 2 4\n1 1 2\n1 2 3\n2 2 -3\n2 1 0\n", false, 0, 0, 1},
                        {"2 2 4\n1 1 2\n1 2 3\n2 2 -3\n2 1 5\n", false, infinity, 0, 1},
                        {"2 2 3\n1 1 2\n1 2 3\n2 2 nan\n", true, infinity, 0, 0},
                        {"2 2 3\n1 1 2\n1 2 inf\n2 2 -3\n", true, infinity, 0, 0}};
  for (const Case& c : cases) {
    const Comparison result =
        compareWithTpetra(*A, false, *B, false, *readText(banner + c.C).matrix);
    TEST_EQUALITY(result.structureMatches, c.structureMatches);
    TEST_EQUALITY(result.maxRelError, c.error);
    TEST_EQUALITY(result.missing, c.missing);
    TEST_EQUALITY(result.extra, c.extra);
    TEST_EQUALITY(result.detail.empty(), c.structureMatches);
  }
}

TEUCHOS_UNIT_TEST(Compare, StoredZerosCount) {
  const MatrixPtr A = readText(banner + "2 2 2\n1 1 0\n2 2 1\n").matrix;
  const MatrixPtr withZero = readText(banner + "2 2 2\n1 1 0\n2 2 1\n").matrix;
  const MatrixPtr without = readText(banner + "2 2 1\n2 2 1\n").matrix;
  const Comparison good = compareWithTpetra(*A, false, *A, false, *withZero);
  TEST_ASSERT(good.structureMatches);
  TEST_EQUALITY(good.maxRelError, 0);
  const Comparison bad = compareWithTpetra(*A, false, *A, false, *without);
  TEST_EQUALITY(bad.missing, 1);
  TEST_EQUALITY(bad.detail, "C lacks the entry (0, 0)");
}

TEUCHOS_UNIT_TEST(Compare, NotFinite) {
  const MatrixPtr A = readText(banner + "3 3 3\n1 1 nan\n2 2 inf\n3 3 -inf\n").matrix;
  const MatrixPtr I = readText(banner + "3 3 3\n1 1 1\n2 2 1\n3 3 1\n").matrix;
  TEST_EQUALITY(compareWithTpetra(*A, false, *I, false, *A).maxRelError, 0);
  TEST_EQUALITY(compareWithTpetra(*A, false, *I, false, *I).maxRelError,
                std::numeric_limits<double>::infinity());
}

TEUCHOS_UNIT_TEST(Compare, Maps) {
  const MatrixPtr A = readMatrix("laplace2d:n=4", world()).matrix;
  const MatrixPtr C = product(*A, false, *A, false);
  // The same product by other Maps: all of the domain on one rank.
  const std::size_t mine = world()->getRank() == 0 ? 16 : 0;
  const Teuchos::RCP<const map_type> other = Teuchos::rcp(new map_type(16, mine, 0, world()));
  matrix_type D(C->getRowMap(), C->getColMap(), 25);
  {
    const RowReader rows(*C);
    for (std::size_t row = 0; row < rows.numRows(); ++row)
      for (std::size_t k = rows.begin(row); k < rows.end(row); ++k)
        D.insertLocalValues(static_cast<local_ordinal_type>(row),
                            Teuchos::tuple<local_ordinal_type>(rows.localColumn(k)),
                            Teuchos::tuple<double>(rows.value(k)));
  }
  D.fillComplete(other, C->getRangeMap());
  const Comparison result = compareWithTpetra(*A, false, *A, false, D);
  TEST_EQUALITY(result.maxRelError, 0);
  TEST_EQUALITY(result.structureMatches, world()->getSize() == 1);
  TEST_EQUALITY(result.detail.empty(), world()->getSize() == 1);
  matrix_type open(C->getRowMap(), 1);
  TEST_ASSERT(
      throwsEverywhere([&] { compareWithTpetra(*A, false, *A, false, open); }, "fill-complete"));
}

TEUCHOS_UNIT_TEST(Compare, ByAVector) {
  const MatrixPtr A = readMatrix("er:n=60,d=4", world()).matrix;
  const MatrixPtr B = readMatrix("brick2d:n=8", world()).matrix,
                  L = readMatrix("er:n=64", world()).matrix;
  for (bool transA : {false, true})
    for (bool transB : {false, true}) {
      const MatrixPtr C = product(*A, transA, *A, transB);
      TEST_COMPARE(vectorError(*A, transA, *A, transB, *C), <, 1e-13);
    }
  TEST_COMPARE(vectorError(*B, false, *L, false, *product(*L, false, *B, false)), >, 1e-3);
}

}  // namespace
