// SPDX-License-Identifier: BSD-3-Clause
// The host's product: its parts alone, rows formed in the order of A's entries, and arrays that
// were expected too short.
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "Kernels_HostRows.hpp"
#include "kernels/host/Trident_HostProduct.hpp"
#include "kernels/host/Trident_RowAccumulators.hpp"

namespace Trident::Impl {
namespace {

/// Checks ColumnSums: rows come sorted and are forgotten.
template <class Sums>
void sumsByColumn(Teuchos::FancyOStream& out, bool& success) {
  std::mt19937_64 random(61);
  for (const int columns : {1, 63, 64, 65, 4096, 5000, 262144, 700000}) {
    Sums sums(columns);
    for (int n = 0; n < 20; ++n) {
      Row expected;
      for (const int c : someColumns(random, columns, n == 0 ? 0 : 1 << (n % 12))) {
        const double value = someValue(random);
        sums.add(c, value);
        expected.emplace(c, 0.0).first->second += value;
      }
      TEST_EQUALITY(sums.entries(), expected.size());
      if (n % 5 == 3) {
        sums.clear();
        TEST_EQUALITY_CONST(sums.entries(), 0u);
        continue;
      }
      std::vector<int> found(expected.size());
      std::vector<double> values(expected.size());
      const auto taken = sums.take(found.data(), values.data());
      TEST_ASSERT(isRow(expected, found.data(), values.data(), taken.entries));
      TEST_ASSERT(taken.words <= taken.entries);
    }
  }
}

TEUCHOS_UNIT_TEST(ColumnSums, RowsComeSortedAndAreForgotten) {
  sumsByColumn<ColumnSums<double>>(out, success);
}

TEUCHOS_UNIT_TEST(ColumnSums, WithoutBranchesTheyDoLikewise) {
  sumsByColumn<ColumnSums<double, PlusTimes<double>, true>>(out, success);
}

template <class Sums>
void noSumIsANegativeZero(Teuchos::FancyOStream& out, bool& success) {
  Sums sums(10);
  sums.add(3, -0.0);
  int column = -1;
  double value = -1;
  sums.take(&column, &value);
  TEST_EQUALITY_CONST(column, 3);
  TEST_ASSERT(sameBits(value, 0.0));
}

TEUCHOS_UNIT_TEST(ColumnSums, NoSumIsANegativeZero) {
  noSumIsANegativeZero<ColumnSums<double>>(out, success);
}

TEUCHOS_UNIT_TEST(ColumnSums, WithoutBranchesNoneIsANegativeZero) {
  noSumIsANegativeZero<ColumnSums<double, PlusTimes<double>, true>>(out, success);
}

/// Checks sums: the last column makes them full, and numbers that are added then stand in them.
template <class Sums>
void fullSumsNeedNoMarks(Teuchos::FancyOStream& out, bool& success) {
  for (const int columns : {1, 2, 63, 64, 65, 128, 5000}) {
    Sums sums(columns);
    for (int n = 0; n < 2; ++n) {
      Row expected;
      for (int c = columns; c-- > 0;) {
        TEST_ASSERT(!sums.haveAll(columns));
        sums.add(c, 0.1 * c);
        expected[c] = 0.1 * c;
      }
      TEST_ASSERT(sums.haveAll(columns));
      for (int c = 0; c < columns; c += 3) {
        sums.addToSum(c, -0.3);
        expected[c] += -0.3;
      }
      std::vector<int> found(columns);
      std::vector<double> values(columns);
      const auto taken = sums.take(found.data(), values.data());
      TEST_ASSERT(isRow(expected, found.data(), values.data(), taken.entries));
    }
  }
}

TEUCHOS_UNIT_TEST(ColumnSums, FullOnesNeedNoMarks) {
  fullSumsNeedNoMarks<ColumnSums<double>>(out, success);
  fullSumsNeedNoMarks<ColumnSums<double, PlusTimes<double>, true>>(out, success);
}

TEUCHOS_UNIT_TEST(TermSorter, AddsInTheOrderOfTheTerms) {
  std::mt19937_64 random(62);
  for (const int columns : {1, 2, 100, 2048, 2049, 200000, 1 << 30}) {
    TermSorter<double> sorter(columns);
    TEST_ASSERT(sorter.ready());
    for (const int count : {0, 1, 2, 50, 4096, 7}) {
      Row expected;
      auto some = someColumns(random, columns, count);
      some.resize(count);
      for (const int c : some) {
        const double value = someValue(random);
        sorter.add(c, value);
        expected.emplace(c, 0.0).first->second += value;
      }
      std::vector<int> found(count);
      std::vector<double> values(count);
      const std::size_t entries = sorter.take(found.data(), values.data());
      TEST_ASSERT(isRow(expected, found.data(), values.data(), entries));
    }
  }
}

TEUCHOS_UNIT_TEST(HostProduct, EveryWayAddsInTheOrderOfAsEntries) {
  std::mt19937_64 random(63);
  for (const int columns : {1, 70, 5000, 300000})
    for (const int most : {1, 3, 20, 200}) {
      const Matrix A = matrixOf(someRows(random, 300, 500, most), 500);
      const Matrix B = matrixOf(someRows(random, 500, columns, most), columns);
      TEST_EQUALITY_CONST(wrongRows(A, B, hostProduct(A, B).C), 0);
    }
}

// Rows that meet each column many times, all columns or all but some.
TEUCHOS_UNIT_TEST(HostProduct, RowsThatAreFullOrNearly) {
  std::mt19937_64 random(71);
  for (const int columns : {1, 63, 64, 200})
    for (const int left : {0, 1, 7}) {  // columns that B lacks
      const Matrix A = matrixOf(someRows(random, 40, 400, 399), 400);
      const Matrix B =
          matrixOf(someRows(random, 400, std::max(1, columns - left), columns), columns);
      TEST_EQUALITY_CONST(wrongRows(A, B, hostProduct(A, B).C), 0);
    }
}

/// The loops that rows of B choose: of one entry each; of a small matrix; of a large one.
TEUCHOS_UNIT_TEST(HostProduct, EveryWayToTheRowsOfB) {
  std::mt19937_64 random(70);
  for (const int columns : {1, 9, 40, 3000})
    for (const int inner : {500, 60000}) {
      std::vector<std::vector<std::pair<int, double>>> one(inner);
      for (auto& row : one) row.emplace_back(random() % columns, someValue(random));
      for (const int most : {1, 20, 300}) {
        const Matrix A = matrixOf(someRows(random, 200, inner, most), inner);
        Matrix B = matrixOf(one, columns);
        TEST_ASSERT(prefetchPolicyFor(Factors<double>(A, B)) == PrefetchPolicy::SingleEntryRows);
        TEST_EQUALITY_CONST(wrongRows(A, B, hostProduct(A, B).C), 0);
        auto other = one;  // as many entries as rows
        other[3].clear();
        other[7] = {{0, 1.0}, {columns > 1 ? 1 : 0, 1.0}};
        if (columns == 1) other[7].pop_back();
        B = matrixOf(other, columns);
        TEST_ASSERT(prefetchPolicyFor(Factors<double>(A, B)) ==
                    (inner > 500 ? PrefetchPolicy::On : PrefetchPolicy::Off));
        TEST_EQUALITY_CONST(wrongRows(A, B, hostProduct(A, B).C), 0);
      }
    }
}

/// Counts the chunks of rows that have `atOnce` multiply-adds, or are one row, the last one aside.
int chunksOf(const HostOperands<double, Host>& operands, std::size_t atOnce) {
  int chunks = 0;
  for (long long r = 0; r < operands.rows; ++chunks)
    for (std::size_t multiplyAdds = 0; r < operands.rows && multiplyAdds < atOnce; ++r)
      multiplyAdds += operands.multiplyAdds(r);
  return chunks;
}

/// Counts and forms rows as several threads do, by however many there are.
TEUCHOS_UNIT_TEST(HostProduct, CountedBeforeTheyAreFormed) {
  std::mt19937_64 random(66);
  for (const int columns : {1, 70, 5000, 300000})
    for (const int most : {1, 3, 20, 200}) {
      const Matrix A = matrixOf(someRows(random, 300, 500, most), 500);
      const Matrix B = matrixOf(someRows(random, 500, columns, most), columns);
      ProductMemory<double, Host> memory;
      const HostOperands<double, Host> operands(A, B, memory.formersFor(B));
      countMultiplyAdds(operands);
      int turns = 0;
      const ProgressHook progressHook{100, [&] { ++turns; }};
      const Matrix counted = countThenForm(operands, progressHook).matrix(columns);
      const int chunks = chunksOf(operands, progressHook.multiplyAddsAtOnce);
      TEST_EQUALITY(turns, 2 * (chunks - 1));
      TEST_EQUALITY_CONST(wrongRows(A, B, counted), 0);
      const Matrix grown = formAndGrow(operands, progressHook, memory).matrix(columns);
      TEST_EQUALITY(turns, 3 * (chunks - 1));
      TEST_EQUALITY_CONST(wrongRows(A, B, grown), 0);
    }
}

TEUCHOS_UNIT_TEST(HostProduct, TakesTurnsAndGoesOn) {
  std::mt19937_64 random(64);
  const Matrix A = matrixOf(someRows(random, 1000, 500, 9), 500);
  const Matrix B = matrixOf(someRows(random, 500, 800, 9), 800);
  int turns = 0;
  const Matrix C = hostProduct(A, B, ProgressHook{100, [&] { ++turns; }}).C;
  TEST_COMPARE(turns, >=, 9);
  TEST_EQUALITY_CONST(wrongRows(A, B, C), 0);
}

/// Products of one B that keep their memory: each is right until the next is formed, whether that
/// has more entries or fewer, and more or fewer of them for a multiply-add.
TEUCHOS_UNIT_TEST(HostProduct, KeepsMemoryFromOneToTheNext) {
  std::mt19937_64 random(69);
  const int columns = 3000;
  auto rowsOfB = someRows(random, 500, columns, 40);
  for (int k = 0; k < 250; ++k)  // products of these meet in few columns
    for (auto& entry : rowsOfB[k]) entry.first %= 50;
  for (auto& row : rowsOfB) {
    std::map<int, double> distinct(row.begin(), row.end());
    row.assign(distinct.begin(), distinct.end());
  }
  const Matrix B = matrixOf(rowsOfB, columns);
  ProductMemory<double, Host> memory;
  for (int n = 0; n < 40; ++n) {
    auto rowsOfA = someRows(random, static_cast<int>(random() % 200), 500, 30);
    for (auto& row : rowsOfA)
      for (auto& entry : row) entry.first = n % 3 ? entry.first / 2 : entry.first / 2 + 250;
    for (auto& row : rowsOfA) {
      std::map<int, double> distinct(row.begin(), row.end());
      row.assign(distinct.begin(), distinct.end());
    }
    const Matrix A = matrixOf(rowsOfA, 500);
    TEST_EQUALITY_CONST(wrongRows(A, B, hostProduct(A, B, {}, &memory).C), 0);
  }
}

/// The sample of the rows makes expect one entry for twenty multiply-adds, and most rows have
/// twenty.
TEUCHOS_UNIT_TEST(HostProduct, RowsOfTheSampleAreUnlikeTheOthers) {
  const int rows = 12800, inner = 2000, length = 20;
  std::vector<std::vector<std::pair<int, double>>> a(rows), b(inner);
  for (int k = 0; k < inner; ++k)
    for (int e = 0; e < length; ++e) b[k].emplace_back(k < 1000 ? e : k * length + e, 1 + k % 7);
  for (int r = 0; r < rows; ++r)
    for (int e = 0; e < length; ++e)
      a[r].emplace_back(r % 64 == 32 ? (r + e) % 1000 : 1000 + (r * 7 + e) % 1000, 1 + e % 5);
  const Matrix A = matrixOf(a, inner), B = matrixOf(b, inner * length);
  ProductMemory<double, Host> memory;
  const HostOperands<double, Host> operands(A, B, memory.formersFor(B));
  countMultiplyAdds(operands);
  const Matrix C = formAndGrow(operands, {}, memory).matrix(B.numCols());
  TEST_COMPARE(C.nnz(), >, 5000000u);
  TEST_EQUALITY_CONST(wrongRows(A, B, C, 97), 0);
}

/// The table of places is filled anew when the places are at their end.
TEUCHOS_UNIT_TEST(ShortRowSums, RowsComeSortedAndAreForgotten) {
  std::mt19937_64 random(67);
  for (const int places :
       {2 * ShortRowSums<double>::most + 1, 300, std::numeric_limits<int>::max()}) {
    const int columns = 90;
    ShortRowSums<double> row(columns, places);
    int wrong = 0;
    for (int n = 0; n < 200; ++n) {
      Row expected;
      for (int products = n % (row.most + 1); products > 0; --products) {
        const int c = static_cast<int>(random() % (n % 2 ? 5 : columns));
        const double value = products % 7 ? someValue(random) : -0.0;
        row.add(c, value);
        expected.emplace(c, 0.0).first->second += value;
      }
      int taken[row.most];
      double values[row.most];
      const std::size_t entries = row.take(taken, values);
      wrong += !isRow(expected, taken, values, entries);
    }
    TEST_EQUALITY_CONST(wrong, 0);
  }
}

/// Makes a square matrix of rows with `length` entries each, whose columns column(r, n) gives.
template <class Column>
Matrix matrixOfColumns(int rows, int length, const Column& column) {
  std::vector<std::vector<std::pair<int, double>>> entries(rows);
  for (int r = 0; r < rows; ++r)
    for (int n = 0; n < length; ++n) entries[r].emplace_back(column(r, n) % rows, 1.0);
  return matrixOf(entries, rows);
}

TEUCHOS_UNIT_TEST(HostCsr, RowsArePrefetchedWhereTheyAreFar) {
  std::mt19937_64 random(68);
  const auto anywhere = [&](int, int) { return static_cast<int>(random() % (1 << 30)); };
  const auto near = [](int r, int n) { return r + n; };
  const auto prefetched = [](const Matrix& A) {
    const HostCsr<double> rows(A);
    return hasPoorLocality(rows, rows);
  };
  TEST_ASSERT(prefetched(matrixOfColumns(50000, 10, anywhere)));
  TEST_ASSERT(!prefetched(matrixOfColumns(50000, 10, near)));
  TEST_ASSERT(!prefetched(matrixOfColumns(1000, 10, anywhere)));  // all of it is in a cache
  TEST_ASSERT(!prefetched(matrixOfColumns(0, 0, near)));
}

/// Rows of B in consecutive columns, and the same in columns far apart: what chooses the way to
/// sum.
TEUCHOS_UNIT_TEST(HostProduct, RowsOfRuns) {
  std::mt19937_64 random(71);
  for (const int rows : {40, 3000}) {
    const auto run = [&](int r, int n) { return r * 7 + n; };
    const auto apart = [&](int r, int n) { return r * 7 + 11 * n; };
    const Matrix A = matrixOf(someRows(random, 200, rows, 30), rows);
    for (const int length : {3, 40}) {
      const Matrix runs = matrixOfColumns(rows, length, run);
      TEST_ASSERT(haveConsecutiveColumns(HostCsr<double>(runs)));
      TEST_EQUALITY_CONST(wrongRows(A, runs, hostProduct(A, runs).C), 0);
      const Matrix others = matrixOfColumns(rows, length, apart);
      TEST_ASSERT(!haveConsecutiveColumns(HostCsr<double>(others)));
      TEST_EQUALITY_CONST(wrongRows(A, others, hostProduct(A, others).C), 0);
    }
  }
  TEST_ASSERT(
      !haveConsecutiveColumns(HostCsr<double>(matrixOfColumns(0, 0, [](int, int) { return 0; }))));
}

/// A row with more multiply-adds than there is room for, but not more entries.
TEUCHOS_UNIT_TEST(RowFormer, SaysWhereThereIsNoRoomAndGoesOn) {
  std::mt19937_64 random(65);
  const Matrix A = matrixOf(someRows(random, 50, 100, 30), 100);
  const Matrix B = matrixOf(someRows(random, 100, 120, 30), 120);
  const HostCsr<double> a(A), b(B);
  int columns[120];
  double values[120];
  int wrong = 0;
  for (const bool runs : {false, true}) {
    RowFormer<double> former(B.numCols(), runs);
    for (int r = 0; r < A.numRows(); ++r) {
      const Row expected = expectedRow(A, B, r);
      const std::size_t multiplyAdds = multiplyAddsOfRow(a, b, r);
      const auto formed = [&](std::size_t room) {
        return former.form({a, r, b}, multiplyAdds, room, columns, values);
      };
      if (!expected.empty()) wrong += formed(expected.size() - 1) != -1;
      const long long entries = formed(expected.size());
      wrong += entries < 0 || !isRow(expected, columns, values, entries);
    }
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

/// Rows that meet all columns many times: where a column is not met, and where its sum is 0.
TEUCHOS_UNIT_TEST(RowFormer, RowsThatMeetAllColumns) {
  constexpr int inner = 80, width = 40;
  std::vector<std::vector<std::pair<int, double>>> left(100), right(inner);
  for (auto& row : left)
    for (int k = 0; k < inner; ++k) row.push_back({k, 1});
  for (int k = 0; k < inner; ++k)
    for (int c = 0; c < width; ++c) {
      if (c == 7 || (c == 8 && k % 3 == 0)) continue;  // never met; by some rows
      right[k].push_back({c, c == 5 ? 1 - 2 * (k % 2) : 1 + k % 3});
    }
  const auto wrong = [&] {
    const Matrix A = matrixOf(left, inner), B = matrixOf(right, width);
    return wrongRows(A, B, hostProduct(A, B).C);
  };
  TEST_EQUALITY_CONST(wrong(), 0);
  for (auto& row : right) row.push_back({7, 2});
  TEST_EQUALITY_CONST(wrong(), 0);  // the sum of column 5 is 0
  for (int r = 0; r < 100; r += 3) left[r].pop_back();
  TEST_EQUALITY_CONST(wrong(), 0);  // that of some rows is not
  for (int r = 0; r < 100; r += 7) left[r].resize(2);
  TEST_EQUALITY_CONST(wrong(), 0);
}

/// Rows that have all columns before their last terms, all but the last column, or all at the last
/// term; also where a word of marks ends with the columns.
TEUCHOS_UNIT_TEST(RowFormer, RowsThatSoonHaveAllColumns) {
  int wrong = 0;
  for (const int width : {40, 63, 64, 65, 130}) {
    std::vector<std::vector<std::pair<int, double>>> left(3), right(30);
    for (int k = 0; k < 30; ++k) {
      left[0].push_back({k, 0.1 * k - 1});
      if (k < 29) left[1].push_back({k, 1.0 / 3 + k});
      if (k % 10 != 3) left[2].push_back({k, -0.7 * k});
      for (int c = 0; c < width; ++c)
        if (c + 1 < width ? (k + c) % 4 != 0 : k == 3 || k == 29)
          right[k].push_back({c, 1.1 * k - c});
    }
    const Matrix A = matrixOf(left, 30), B = matrixOf(right, width);
    const HostCsr<double> a(A), b(B);
    std::vector<int> columns(width);
    std::vector<double> values(width);
    for (const bool runs : {false, true}) {
      RowFormer<double> former(width, runs);
      for (const int r : {0, 2, 1, 0, 1}) {  // what a row left behind is not in the next
        const long long entries = former.form({a, r, b}, multiplyAddsOfRow(a, b, r), width,
                                              columns.data(), values.data());
        wrong += !isRow(expectedRow(A, B, r), columns.data(), values.data(), entries);
      }
    }
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

}  // namespace
}  // namespace Trident::Impl
