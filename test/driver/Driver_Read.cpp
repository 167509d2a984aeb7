// SPDX-License-Identifier: BSD-3-Clause
// Matrix files that are well-formed.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Memory.hpp"
#include "Trident_TestNeeds.hpp"

namespace {

using namespace TestTools;

const std::string banner = "%%MatrixMarket matrix coordinate ";

const std::string small =
    banner + "real general\n% a comment\n3 4 4\n1 1 1.5\n2 4 -2e3\n3 2 0\n1 3 +4\n";
const Entries smallEntries{{{0, 0}, 1.5}, {{1, 3}, -2000}, {{2, 1}, 0}, {{0, 2}, 4}};

/// Makes more entries than any rank count here, some lines short, some long, no line end at the
/// last.
std::string manyLines(int n) {
  std::string text = banner + "real general\n" + std::to_string(n) + " " + std::to_string(n) + " " +
                     std::to_string(3 * n) + "\n";
  for (int i = 1; i <= n; ++i)
    for (int k = 0; k < 3; ++k)
      text += std::to_string(i) + std::string(static_cast<std::size_t>((i * k) % 50 + 1), ' ') +
              std::to_string((i * 7 + k) % n + 1) + " " + std::to_string(i / 8.0) +
              (i + k == n + 2 ? "" : "\n");
  return text;
}

TEUCHOS_UNIT_TEST(Read, General) {
  TEST_ASSERT(readsAs(small, "a.mtx", smallEntries));
  const ReadResult result = readText(small);
  TEST_EQUALITY(result.report.entries, 4);
  TEST_EQUALITY(result.report.duplicates, 0);
  TEST_ASSERT(!result.report.pattern);
  TEST_ASSERT(result.matrix->isFillComplete());
  TEST_EQUALITY(result.matrix->getRangeMap()->getGlobalNumElements(), 3u);
  TEST_EQUALITY(result.matrix->getDomainMap()->getGlobalNumElements(), 4u);
}

/// Measures the bytes that a rank takes more, at the peak, to read a file of so many rows.
double bytesOfRows(std::int64_t rows, bool zip) {
  const std::string n = std::to_string(rows);
  const std::string text = banner + "real general\n" + n + " " + n + " 2\n1 1 1\n" + n + " 2 1\n";
  const TempFile file("rows.mtx", zip ? gzipped(text) : text);
  const MemoryMeter meter;
  const ReadResult read = readMatrix(file.path(), world());
  return Comm(*world()).max(std::max(meter.residentPeak(), meter.allocatedPeak()));
}

// A declared row costs what Tpetra's own arrays take, an offset of 8 bytes and, for its Import, a
// global index of 8; all else grows with what was read.
TEUCHOS_UNIT_TEST(ReadOnHosts, DeclaredRowsCostWhatTpetraTakes) {
  TRIDENT_TEST_NEEDS(std::string(Kokkos::DefaultExecutionSpace::name()) != "Cuda",
                     "beside a device Tpetra has these arrays twice");
  constexpr std::int64_t rowsOfRank = std::int64_t{1} << 22;
  bytesOfRows(1000, true);  // what the first reading takes
  for (const bool zip : {false, true})
    TEST_COMPARE(bytesOfRows(rowsOfRank * world()->getSize(), zip), <=, 18.0 * rowsOfRank);
}

TEUCHOS_UNIT_TEST(Read, MapsAreUniform) {
  const auto square = readText(banner + "pattern general\n5 5 0\n").matrix;
  const map_type map(5, 0, world());
  TEST_ASSERT(square->getRowMap()->isSameAs(map));
  TEST_ASSERT(square->getDomainMap()->isSameAs(map));
  TEST_ASSERT(square->getRangeMap()->isSameAs(map));
  const auto wide = readText(small).matrix;
  TEST_ASSERT(wide->getDomainMap()->isSameAs(map_type(4, 0, world())));
}

TEUCHOS_UNIT_TEST(Read, IntegerAndPattern) {
  TEST_ASSERT(readsAs(banner + "integer general\n2 2 2\n1 2 -7\n2 1 +3\n", "a.mtx",
                      {{{0, 1}, -7}, {{1, 0}, 3}}));
  const std::string pattern = "%%matrixmarket MATRIX Coordinate Pattern General\n2 2 1\n2 1\n";
  TEST_ASSERT(readsAs(pattern, "a.mtx", {{{1, 0}, 1}}));
  TEST_ASSERT(readText(pattern).report.pattern);
}

// A file that says symmetric, and has both halves, is added to its mirror image: it is said what
// that means.
TEUCHOS_UNIT_TEST(Read, BothHalvesOfASymmetricMatrix) {
  const auto warningOf = [](const std::string& format, const std::string& lines, int entries) {
    const std::string text =
        banner + format + "\n300 300 " + std::to_string(entries) + "\n" + lines;
    return readText(text).report.warning;
  };
  std::string both, lower, mixed, apart;
  for (int i = 1; i < 300; ++i) {
    const std::string a = std::to_string(i), b = std::to_string(i + 1);
    both += a + " " + b + " 2\n" + b + " " + a + " 2\n";
    lower += b + " " + a + " 2\n" + b + " " + a + " 2\n";
    apart += i % 2 == 0 ? a + " " + b + " 2\n" : b + " " + a + " 2\n";
  }
  const std::string warning = warningOf("real symmetric", both, 598);
  TEST_ASSERT(warning.find("entries of both halves") != std::string::npos);
  TEST_ASSERT(warning.find("\"general\"") != std::string::npos);
  TEST_EQUALITY(warningOf("real symmetric", lower, 598), "");  // duplicates, which are reported
  TEST_EQUALITY(warningOf("real symmetric", apart, 299), "");  // each pair once
  TEST_EQUALITY(warningOf("real general", both, 598), "");
}

TEUCHOS_UNIT_TEST(Read, SymmetricAndSkew) {
  TEST_ASSERT(readsAs(banner + "real symmetric\n3 3 3\n1 1 2\n2 1 5\n3 2 -1\n", "a.mtx",
                      {{{0, 0}, 2}, {{1, 0}, 5}, {{0, 1}, 5}, {{2, 1}, -1}, {{1, 2}, -1}}));
  TEST_ASSERT(readsAs(banner + "real skew-symmetric\n2 2 1\n2 1 5\n", "a.mtx",
                      {{{1, 0}, 5}, {{0, 1}, -5}}));
  TEST_ASSERT(readsAs(banner + "pattern symmetric\n2 2 2\n2 1\n2 2\n", "a.mtx",
                      {{{1, 0}, 1}, {{0, 1}, 1}, {{1, 1}, 1}}));
}

TEUCHOS_UNIT_TEST(Read, DuplicatesAreSummedAndCounted) {
  const std::string text = banner + "real general\n3 3 5\n1 1 1\n3 2 4\n1 1 2\n2 2 1\n1 1 4\n";
  TEST_ASSERT(readsAs(text, "a.mtx", {{{0, 0}, 7}, {{2, 1}, 4}, {{1, 1}, 1}}));
  TEST_EQUALITY(readText(text).report.duplicates, 2);
  TEST_EQUALITY(readText(text).report.entries, 3);
}

TEUCHOS_UNIT_TEST(Read, CarriageReturnsCommentsBlankLines) {
  TEST_ASSERT(readsAs(banner + "real general\r\n%\r\n\r\n2 2 2\r\n1 1 1\r\n\r\n% in between\r\n"
                               "  2\t2  3 \r\n\r\n",
                      "a.mtx", {{{0, 0}, 1}, {{1, 1}, 3}}));
}

TEUCHOS_UNIT_TEST(Read, FormsOfTheBanner) {
  const Entries entries{{{0, 0}, 1}, {{1, 0}, 2}, {{0, 1}, 2}};
  const std::string lower = "matrix coordinate real symmetric\n2 2 2\n1 1 1\n2 1 2\n";
  for (const std::string begin : {"%%matrixmarket ", "%%MATRIXMARKET ", " \t %%MatrixMarket \t",
                                  "\xef\xbb\xbf%%MatrixMarket "})
    TEST_ASSERT(readsAs(begin + lower, "a.mtx", entries));
  TEST_ASSERT(readsAs(banner + "REAL Hermitian\n2 2 2\n1 1 1\n2 1 2\n", "a.mtx", entries));
}

TEUCHOS_UNIT_TEST(Read, WholeNumbers) {
  for (const std::string field : {"integer", "unsigned-integer"})
    TEST_ASSERT(readsAs(
        banner + field + " general\n1 5 5\n1 1 7\n1 2 2.0\n1 3 1e3\n1 4 9007199254740992\n1 5 0\n",
        "a.mtx",
        {{{0, 0}, 7}, {{0, 1}, 2}, {{0, 2}, 1000}, {{0, 3}, 9007199254740992.}, {{0, 4}, 0}}));
  TEST_ASSERT(readsAs(banner + "integer hermitian\n2 2 1\n2 1 -3.0\n", "a.mtx",
                      {{{0, 1}, -3}, {{1, 0}, -3}}));
}

TEUCHOS_UNIT_TEST(Read, NumbersOfAllKinds) {
  const ReadResult result =
      readText(banner +
               "real general\n1 8 8\n1 1 1.5D+2\n1 2 inf\n1 3 nan\n1 4 -infinity\n1 5 .5\n1 6 5.\n"
               "1 7 -1e-400\n1 8 4.9406564584124654e-324\n");
  const RowReader rows(*result.matrix);
  if (rows.numRows() == 0) return;  // the only row is another rank's
  std::map<std::int64_t, double> row;
  for (std::size_t k = 0; k < rows.end(0); ++k) row[rows.column(k)] = rows.value(k);
  TEST_EQUALITY(row[0], 150.0);
  TEST_EQUALITY(row[1], HUGE_VAL);
  TEST_ASSERT(std::isnan(row[2]));
  TEST_EQUALITY(row[3], -HUGE_VAL);
  TEST_EQUALITY(row[4], 0.5);
  TEST_EQUALITY(row[5], 5.0);
  TEST_EQUALITY(row[6], 0.0);
  TEST_EQUALITY(row[7], 4.9406564584124654e-324);
}

TEUCHOS_UNIT_TEST(Read, EmptyMatrices) {
  TEST_ASSERT(readsAs(banner + "real general\n0 0 0\n", "a.mtx", {}));
  TEST_ASSERT(readsAs(banner + "real general\n0 3 0", "a.mtx", {}));
  TEST_ASSERT(readsAs(banner + "real general\n2 0 0\n", "a.mtx", {}));
}

TEUCHOS_UNIT_TEST(Read, LinesAcrossByteRanges) {
  for (int n : {1, 2, 3, 7, 40, 1000}) {
    const std::string text = manyLines(n);
    const TempFile file("a.mtx", text);
    const auto alone = readMatrix(file.path(), self());
    const auto together = readMatrix(file.path(), world());
    TEST_EQUALITY(checksum(*alone.matrix), checksum(*together.matrix));
    TEST_EQUALITY(alone.report.duplicates, together.report.duplicates);
    TEST_EQUALITY(alone.report.entries + alone.report.duplicates, 3 * n);
  }
}

TEUCHOS_UNIT_TEST(Read, GzipIsPlain) {
  for (const std::string& text : {small, manyLines(1000)}) {
    const auto plain = readText(text), gz = readText(gzipped(text), "a.mtx.gz");
    TEST_EQUALITY(checksum(*plain.matrix), checksum(*gz.matrix));
  }
  // Two gzip members make one file, as "cat a.gz b.gz" does.
  const auto joined =
      readText(gzipped(small.substr(0, 60)) + gzipped(small.substr(60)), "a.mtx.gz");
  TEST_EQUALITY(checksum(*joined.matrix), checksum(*readText(small).matrix));
}

TEUCHOS_UNIT_TEST(Read, GzipOfManyChunks) {
  const std::string text = manyLines(150000);  // several chunks of 4 MiB
  TEST_ASSERT(text.size() > (std::size_t{3} << 22));
  const auto plain = readText(text), gz = readText(gzipped(text), "a.mtx.gz");
  TEST_EQUALITY(checksum(*plain.matrix), checksum(*gz.matrix));
}

TEUCHOS_UNIT_TEST(Read, CommentsLongerThanAChunk) {
  std::string text = banner + "real general\n";
  for (int i = 0; i < 60000; ++i) text += "% " + std::string(90, 'c') + "\n";
  text += "1 1 1\n1 1 3\n";
  TEST_ASSERT(readsAs(text, "a.mtx", {{{0, 0}, 3}}));
  TEST_ASSERT(readsAs(gzipped(text), "a.mtx.gz", {{{0, 0}, 3}}));
}

template <class T>
void append(std::string& bytes, std::initializer_list<T> numbers) {
  for (T number : numbers) bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

TEUCHOS_UNIT_TEST(Read, BinaryIsMatrixMarket) {
  // Columns (0: rows 2, 0), (1: none), (2: row 1), (3: rows 3, 3: a duplicate)
  std::string bytes;
  append<std::int64_t>(bytes, {4, 5, 0, 2, 2, 3, 5});
  append<std::int32_t>(bytes, {2, 0, 1, 3, 3});
  append<double>(bytes, {1.5, -2, 0, 1, 2});
  TEST_ASSERT(readsAs(bytes, "a.bin", {{{2, 0}, 1.5}, {{0, 0}, -2}, {{1, 2}, 0}, {{3, 3}, 3}}));
  TEST_EQUALITY(readText(bytes, "a.bin").report.duplicates, 1);
}

// A whole number is a number like others where values are real, though no double is 2^53 + 1.
TEUCHOS_UNIT_TEST(Read, WholeNumbersInRealFiles) {
  const double most = 9007199254740992;
  TEST_ASSERT(readsAs(banner + "real general\n1 2 2\n1 1 9007199254740993\n1 2 -9007199254740993\n",
                      "a.mtx", {{{0, 0}, most}, {{0, 1}, -most}}));
}

TEUCHOS_UNIT_TEST(Read, CompressedRowsAreMatrixMarket) {
  // 5 x 3, rows (0: columns 2, 0), (1: none), (2: column 1), (3: columns 0, 2, 0), (4: none)
  std::string bytes;
  append<std::int64_t>(bytes, {5, 3, 6, 0, 2, 2, 3, 6, 6});
  append<std::int32_t>(bytes, {2, 0, 1, 0, 2, 0});
  append<double>(bytes, {1.5, -2, 0, 1, 3, 2});
  TEST_ASSERT(readsAs(bytes, "a.csr",
                      {{{0, 2}, 1.5}, {{0, 0}, -2}, {{2, 1}, 0}, {{3, 0}, 3}, {{3, 2}, 3}}));
  const auto read = readText(bytes, "a.csr");
  TEST_EQUALITY(read.report.duplicates, 1);
  TEST_EQUALITY_CONST(read.matrix->getDomainMap()->getGlobalNumElements(), 3);
}

TEUCHOS_UNIT_TEST(Read, CompressedRowsOfNothing) {
  std::string none, empty;
  append<std::int64_t>(none, {0, 0, 0, 0});
  append<std::int64_t>(empty, {2, 7, 0, 0, 0, 0});
  TEST_EQUALITY_CONST(readText(none, "a.csr").report.entries, 0);
  TEST_EQUALITY_CONST(readText(empty, "a.csr").matrix->getDomainMap()->getGlobalNumElements(), 7);
}

}  // namespace
