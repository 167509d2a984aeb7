// SPDX-License-Identifier: BSD-3-Clause
// Matrices with rows and columns permuted: the same on any ranks, and factors still fit.

#include <Teuchos_UnitTestHarness.hpp>
#include <TpetraExt_MatrixMatrix.hpp>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Compare.hpp"
#include "TridentProblems_HashPermutation.hpp"
#include "TridentProblems_Permute.hpp"
#include "TridentProblems_Restriction.hpp"

namespace {

using namespace TestTools;

const char* const rectangle =
    "%%MatrixMarket matrix coordinate real general\n5 7 6\n1 1 2\n1 7 3\n2 3 4\n4 4 -1\n5 1 5\n5 2 "
    "6\n";

/// Returns A·B by Tpetra.
Teuchos::RCP<matrix_type> product(const matrix_type& A, const matrix_type& B) {
  const auto C = Teuchos::rcp(new matrix_type(A.getRowMap(), 0));
  Tpetra::MatrixMatrix::Multiply(A, false, B, false, *C);
  return C;
}

TEUCHOS_UNIT_TEST(Permute, EntriesKeepTheirValuesAndRowsTheirEntries) {
  for (const std::string spec : {"er:n=200,d=3", "laplace2d:n=9", "er:n=1,d=1", "er:n=40,d=0"}) {
    const auto A = readMatrix(spec, self()).matrix;
    const auto n = static_cast<std::int64_t>(A->getRowMap()->getGlobalNumElements());
    const HashPermutation to(hash(5), n);
    Entries expected;
    for (const auto& entry : entriesOf(*A))
      expected[{to(entry.first.first), to(entry.first.second)}] = entry.second;
    TEST_ASSERT(entriesOf(*permuted(*A, 5)) == expected);
    if (spec == "er:n=200,d=3") TEST_ASSERT(entriesOf(*permuted(*A, 6)) != expected);
  }
}

TEUCHOS_UNIT_TEST(Permute, TheSameOnAnyRanksAndOnTheMapsOfBefore) {
  for (const std::string spec : {"er:n=300,d=4", "rmat:scale=6,d=3", "er:n=2,d=1"}) {
    const auto together = readMatrix(spec, world()).matrix;
    const auto A = permuted(*together, 3);
    TEST_ASSERT(A->getRowMap()->isSameAs(*together->getRowMap()));
    TEST_ASSERT(A->getDomainMap()->isSameAs(*together->getDomainMap()));
    TEST_EQUALITY(checksum(*A), checksum(*permuted(*readMatrix(spec, self()).matrix, 3)));
  }
  const TempFile file("rectangle.mtx", rectangle);
  const auto A = readMatrix(file.path(), world()).matrix;
  TEST_EQUALITY(checksum(*permuted(*A, 1)),
                checksum(*permuted(*readMatrix(file.path(), self()).matrix, 1)));
}

// The product of permuted factors is the permuted product, of factors of any shapes.
TEUCHOS_UNIT_TEST(Permute, FactorsStillFit) {
  const auto A = readMatrix("er:n=120,d=3", world()).matrix;
  const auto R = restriction(*A, 1);
  for (const auto& B : {A, R}) {
    const auto C = permuted(*product(*A, *B), 2);
    const Comparison same = compareWithTpetra(*permuted(*A, 2), false, *permuted(*B, 2), false, *C);
    TEST_EQUALITY_CONST(same.detail, "");
    TEST_ASSERT(same.structureMatches && same.maxRelError < 1e-14);
  }
}

}  // namespace
