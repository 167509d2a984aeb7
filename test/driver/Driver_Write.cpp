// SPDX-License-Identifier: BSD-3-Clause
// Writing files.

#include <sys/stat.h>

#include <Teuchos_UnitTestHarness.hpp>
#include <sstream>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_WriteMatrix.hpp"
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
       {"er:n=5000,d=6", "rmat:scale=9,d=4", "banded:n=2,bw=0", "er:n=9,d=0"})
    for (const std::string name : {"out.mtx", "out.csr"}) {
      const auto A = readMatrix(spec, world()).matrix;
      const TempFile file(name, std::string(2000000, 'x'));  // longer than what is written
      writeMatrix(*A, file.path());
      const auto again = readMatrix(file.path(), world()).matrix;
      TEST_EQUALITY(checksum(*A), checksum(*again));
    }
}

TEUCHOS_UNIT_TEST(Write, RectangularAndSpecialValues) {
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n2 5 5\n"
      "1 1 0\n1 5 0.1\n2 2 inf\n2 3 -inf\n2 4 nan\n";
  const auto A = readText(text).matrix;
  const TempFile file("out.mtx", "");
  writeMatrixMarket(*A, file.path());
  // Within a row the order of the columns is the matrix' own; here row 1 is rank 0's.
  const std::string written = contents(file.path());
  TEST_EQUALITY(written.size(), text.size());
  const auto again = readMatrix(file.path(), world()).matrix;
  TEST_EQUALITY(checksum(*A), checksum(*again));
  const TempFile rows("out.csr", "");
  writeMatrix(*A, rows.path());
  TEST_EQUALITY_CONST(contents(rows.path()).size(), 24 + 8 * 3 + 12 * 5);
  TEST_EQUALITY(checksum(*A), checksum(*readMatrix(rows.path(), world()).matrix));
}

/// Values whose digits are many, in every range: what was written reads as the same bits.
TEUCHOS_UNIT_TEST(Write, EveryBitOfValues) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n1 200 200\n";
  for (int j = 1; j <= 200; ++j)
    text += "1 " + std::to_string(j) + " " + std::to_string(j) + "." +
            std::to_string(hash(static_cast<std::uint64_t>(j))) + "e" +
            std::to_string(3 * j - 320) + "\n";
  const auto A = readText(text).matrix;
  const TempFile file("out.mtx", "");
  writeMatrixMarket(*A, file.path());
  TEST_EQUALITY(checksum(*A), checksum(*readMatrix(file.path(), world()).matrix));
}

/// A Map of the rows that each rank lists.
Teuchos::RCP<const map_type> mapOf(const std::vector<global_ordinal_type>& rows, int all) {
  const Teuchos::ArrayView<const global_ordinal_type> view(
      rows.data(), static_cast<Teuchos::Ordinal>(rows.size()));
  return Teuchos::rcp(new map_type(all, view, 0, world()));
}

TEUCHOS_UNIT_TEST(Write, RowsInNoOrder) {
  const auto columns = readMatrix("er:n=7,d=2", world()).matrix->getDomainMap();
  const TempFile file("out.csr", "");
  const auto writing = [&](const Teuchos::RCP<const map_type>& rows) {
    matrix_type A(rows, 1);
    A.fillComplete(columns, rows);
    writeMatrix(A, file.path());
  };
  std::vector<global_ordinal_type> listed, scattered;
  for (int i = 0; i < 7; ++i) {
    if (i * world()->getSize() / 7 == world()->getRank()) listed.push_back(i);
    if ((6 - i) % world()->getSize() == world()->getRank()) scattered.push_back(6 - i);
  }
  writing(mapOf(listed, 7));  // in order, though a list
  if (world()->getSize() == 1) return;
  TEST_ASSERT(throwsEverywhere([&] { writing(mapOf(scattered, 7)); }, "write a .mtx file"));
  const auto everywhere = Teuchos::rcp(new map_type(7, 0, world(), Tpetra::LocallyReplicated));
  TEST_ASSERT(throwsEverywhere([&] { writing(everywhere); }, "write a .mtx file"));
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
  for (const std::string name : {"x", "x.csr"})
    TEST_ASSERT(throwsEverywhere([&] { writeMatrix(matrix_type(A->getRowMap(), 1), name); },
                                 "fillComplete"));
}

}  // namespace
