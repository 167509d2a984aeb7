// SPDX-License-Identifier: BSD-3-Clause
// Writing Matrix Market files.

#include <sys/stat.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <sstream>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_WriteMatrixMarket.hpp"

namespace {

using namespace TestTools;

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEUCHOS_UNIT_TEST(Write, RoundTrip) {
  for (const std::string spec :
       {"er:n=5000,d=6", "rmat:scale=9,d=4", "banded:n=2,bw=0", "er:n=9,d=0"}) {
    const auto A = readMatrix(spec, world()).matrix;
    const TempFile file("out.mtx", std::string(2000000, 'x'));  // longer than what is written
    writeMatrixMarket(*A, file.path());
    const auto again = readMatrix(file.path(), world()).matrix;
    TEST_EQUALITY(checksum(*A), checksum(*again));
  }
}

TEUCHOS_UNIT_TEST(Write, RectangularAndSpecialValues) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n2 5 5\n"
      "1 1 0\n1 5 0.10000000000000001\n2 2 inf\n2 3 -inf\n2 4 nan\n";
  const auto A = readText(text).matrix;
  const TempFile file("out.mtx", "");
  writeMatrixMarket(*A, file.path());
  // Within a row the order of the columns is the matrix' own; here row 1 is rank 0's.
  const std::string written = contents(file.path());
  TEST_EQUALITY(written.size(), text.size());
  const auto again = readMatrix(file.path(), world()).matrix;
  TEST_EQUALITY(checksum(*A), checksum(*again));
}

TEUCHOS_UNIT_TEST(Write, FullDisk) {
  const auto A = readMatrix("er:n=2000,d=5", world()).matrix;
  TEST_ASSERT(throwsEverywhere([&] { writeMatrixMarket(*A, "/dev/full"); }, "/dev/full"));
  struct stat info;
  TEST_EQUALITY(stat("/dev/full", &info), 0);  // only files are removed
}

TEUCHOS_UNIT_TEST(Write, Unwritable) {
  const auto A = readMatrix("er:n=20,d=5", world()).matrix;
  TEST_ASSERT(throwsEverywhere([&] { writeMatrixMarket(*A, "/nonexistent/x"); }, "/nonexistent/x"));
  TEST_ASSERT(throwsEverywhere([&] { writeMatrixMarket(*A, "/tmp"); }, "/tmp"));
  TEST_ASSERT(throwsEverywhere([&] { writeMatrixMarket(matrix_type(A->getRowMap(), 1), "x"); },
                               "fillComplete"));
}

}  // namespace
