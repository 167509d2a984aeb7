// SPDX-License-Identifier: BSD-3-Clause
// Rows of a left factor that have the same columns, or nearly so, which a host multiplies together:
// the same bits as of each alone, wherever blocks are cut.
#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "Kernels_HostRows.hpp"
#include "kernels/Trident_NumericProduct.hpp"
#include "kernels/host/Trident_HostProduct.hpp"

namespace Trident::Impl {
namespace {

using Rows = std::vector<std::vector<std::pair<int, double>>>;
using Memory = ProductMemory<double, Host>;

/// Blocks of 1 to `most` rows, and rows that are like none. Values may be zeros of both signs,
/// infinities and NaNs.
/// @param ascending true if the columns of all rows ascend
/// @param lacking one entry in so many is left out; 0: none
Rows someBlocks(std::mt19937_64& random, int rows, int columns, int entries, int most,
                bool ascending, int lacking = 0) {
  const double odd[] = {0.0, -0.0, std::numeric_limits<double>::infinity(), std::nan("")};
  Rows all;
  while (static_cast<int>(all.size()) < rows) {
    std::vector<int> list =
        someColumns(random, columns, static_cast<int>(random() % (entries + 1)));
    if (ascending || random() % 4) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
    const int count = 1 + static_cast<int>(random() % most);
    for (int q = 0; q < count && static_cast<int>(all.size()) < rows; ++q) {
      all.emplace_back();
      for (const int c : list)
        if (lacking == 0 || random() % lacking)
          all.back().emplace_back(c, random() % 500 ? someValue(random) : odd[random() % 4]);
    }
  }
  return all;
}

/// Returns true if two numbers have the same bits, or are both NaNs: which one a sum of two has is
/// not said.
bool alike(double a, double b) { return sameBits(a, b) || (std::isnan(a) && std::isnan(b)); }

/// Counts the rows of C that are not A·B's, or not A·B's and what `before` has.
int wrong(const Matrix& A, const Matrix& B, const Matrix& C, double before = 0) {
  int count = C.numRows() != A.numRows() || C.numCols() != B.numCols();
  for (int r = 0; count == 0 && r < A.numRows(); ++r) {
    Row expected;
    for (std::size_t a = A.graph.row_map(r); a < A.graph.row_map(r + 1); ++a) {
      const int k = A.graph.entries(a);
      for (std::size_t b = B.graph.row_map(k); b < B.graph.row_map(k + 1); ++b)
        expected.emplace(B.graph.entries(b), before).first->second += A.values(a) * B.values(b);
    }
    std::size_t e = C.graph.row_map(r);
    bool same = C.graph.row_map(r + 1) - e == expected.size();
    for (auto entry = expected.begin(); same && entry != expected.end(); ++entry, ++e)
      same = C.graph.entries(e) == entry->first && alike(C.values(e), entry->second);
    count += !same;
  }
  return count;
}

TEUCHOS_UNIT_TEST(AlikeRows, Found) {
  const Matrix A = matrixOf({{{1, 1.}, {2, 1.}},
                             {{1, 2.}, {2, 0.}},
                             {{1, 1.}, {2, 1.}},
                             {{2, 1.}, {1, 1.}},
                             {{2, 1.}, {1, 1.}},
                             {},
                             {},
                             {{1, 1.}},
                             {{1, 1.}, {1, 1.}},
                             {{1, 1.}, {1, 1.}}},
                            3);
  const HostCsr<double> csr(A);
  const auto anyOrder = findAlikeRows<Host>(csr, false);
  const auto ascending = findAlikeRows<Host>(csr, true);
  const std::vector<int> ofAny{3, 2, 1, 2, 1, 2, 1, 1, 2, 1},
      ofAscending{3, 2, 1, 1, 1, 2, 1, 1, 1, 1};
  for (int r = 0; r < A.numRows(); ++r) {
    TEST_EQUALITY(static_cast<int>(anyOrder(r)), ofAny[r]);
    TEST_EQUALITY(static_cast<int>(ascending(r)), ofAscending[r]);
  }
}

TEUCHOS_UNIT_TEST(AlikeRows, NearlyAlike) {
  std::vector<std::pair<int, double>> whole;
  for (int c = 0; c < 20; ++c) whole.emplace_back(2 * c, 1.);
  const auto without = [&](std::vector<int> places) {
    auto row = whole;
    for (const int place : places) row.erase(row.begin() + place);
    return row;
  };
  auto twice = whole, odd = whole;
  std::swap(twice[3], twice[4]);
  odd[7].first = 15;
  const Matrix A = matrixOf({whole,
                             without({3}),
                             without({19}),
                             without({9, 8}),
                             odd,
                             twice,
                             twice,
                             without({2, 1, 0}),
                             whole,
                             without({12, 9, 5}),
                             {},
                             whole},
                            40);
  const HostCsr<double> csr(A);
  const std::vector<int> nearly{3, 2, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1};
  const std::vector<char> plain{1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  const auto found = findAlikeRows<Host>(csr, false);
  for (int r = 0; r < A.numRows(); ++r)
    if (found.extent(0) > 0) TEST_EQUALITY(static_cast<int>(found(r)), nearly[r]);
  TEST_ASSERT(nextIsNearlyAlike(csr, 0) && nextIsNearlyAlike(csr, 1) && nextIsNearlyAlike(csr, 5));
  TEST_ASSERT(!nextIsNearlyAlike(csr, 2));  // 20 columns together, of 18
  TEST_ASSERT(!nextIsNearlyAlike(csr, 4) && !nextIsNearlyAlike(csr, 7));
  TEST_ASSERT(!nextIsNearlyAlike(csr, 9) && !nextIsNearlyAlike(csr, 10));
  const Matrix rows = matrixOf({whole, without({3}), whole, whole}, 40);
  const auto byKind = findAlikeRows<Host>(HostCsr<double>(rows), false, plain.data());
  TEST_EQUALITY_CONST(static_cast<int>(byKind(0)), 2);
  TEST_EQUALITY_CONST(static_cast<int>(byKind(1)), 1);
  TEST_EQUALITY_CONST(static_cast<int>(byKind(2)), 2);
  const auto exactly = findAlikeRows<Host>(HostCsr<double>(rows), true);
  TEST_EQUALITY_CONST(static_cast<int>(exactly(0)), 1);
  TEST_EQUALITY_CONST(static_cast<int>(exactly(2)), 2);
}

/// Returns the entries of a block's rows once they are joined, of each column one row after the
/// other; none if they are not.
/// @param partial gets the partial columns
std::vector<std::pair<int, double>> joinedOf(const Rows& rows, const unsigned char* alike,
                                             std::string& partial) {
  const Matrix A = matrixOf(rows, 6), B = matrixOf(Rows(6), 1);
  const HostCsr<double> a(A), b(B);
  BlockPadder<double> joiner;
  const auto block = joiner.join({a, 0, b, true, static_cast<int>(rows.size()), alike});
  std::vector<std::pair<int, double>> entries;
  partial.clear();
  for (std::size_t e = 0; block.partial && e < block.length(); ++e)
    if (block.partial[e]) partial += std::to_string(block.A.columns[e]);
  for (std::size_t e = 0; block.rows > 0 && e < block.length(); ++e)
    for (int q = 0; q < block.rows; ++q) {
      const std::size_t apart = block.apart ? block.apart : block.length();
      const std::size_t first = block.A.offsets[block.row] + e;
      entries.emplace_back(block.A.columns[first], block.A.values[first + q * apart]);
    }
  return entries;
}

TEUCHOS_UNIT_TEST(BlockPadder, LackZeros) {
  using Entries = std::vector<std::pair<int, double>>;
  const unsigned char alike[] = {3, 2, 1, 2, 1, 1};  // columns meet 0, 1, 2, and 3, 4, and 5
  std::string partial;
  const Rows same{{{0, 1.}, {5, 2.}}, {{0, 3.}, {5, 4.}}};
  TEST_ASSERT((joinedOf(same, nullptr, partial) == Entries{{0, 1.}, {0, 3.}, {5, 2.}, {5, 4.}}));
  const Rows nearly{{{0, 1.}, {1, 2.}, {4, 3.}}, {{0, 4.}, {2, 5.}, {3, 6.}, {4, 7.}}};
  const Entries entries{{0, 1.}, {0, 4.}, {1, 2.}, {1, 0.}, {2, 0.},
                        {2, 5.}, {3, 0.}, {3, 6.}, {4, 3.}, {4, 7.}};
  TEST_ASSERT(joinedOf(nearly, alike, partial) == entries);
  TEST_EQUALITY(partial, "");
  TEST_ASSERT(joinedOf(nearly, nullptr, partial) == entries);
  TEST_EQUALITY(partial, "123");
  const auto partialOf = [&](const Rows& rows) {
    TEST_ASSERT(!joinedOf(rows, alike, partial).empty());
    return partial;
  };
  TEST_EQUALITY(partialOf({{{1, 1.}}, {{0, 1.}}}), "");
  TEST_EQUALITY(partialOf({{{0, 1.}}, {{0, 1.}, {5, 1.}}}), "5");
  TEST_EQUALITY(partialOf({{{0, 1.}, {3, 1.}, {5, 1.}}, {{0, 1.}, {5, 1.}}}), "3");
  TEST_EQUALITY(partialOf({{{2, 1.}}, {{3, 1.}}}), "23");  // 2 and 3 meet rows that are unlike
  TEST_EQUALITY(partialOf({{{0, 1.}, {1, 1.}}, {{4, 1.}}, {}}), "014");
}

/// Rows that have no room together are not joined.
TEUCHOS_UNIT_TEST(BlockPadder, TooUnlike) {
  Rows rows(2);
  for (int c = 0; c < 100; ++c) rows[c % 2].emplace_back(c, 1.);
  const Matrix A = matrixOf(rows, 100), B = matrixOf(Rows(100), 1);
  const HostCsr<double> a(A), b(B);
  BlockPadder<double> joiner;
  TEST_EQUALITY_CONST(joiner.join({a, 0, b, true, 2}).rows, 0);
}

/// One block in 32 is joined after four in a row that were of no use, until one is of use.
TEUCHOS_UNIT_TEST(BlockPadder, TriesSeldomWhatIsOfNoUse) {
  const Matrix A = matrixOf({{{0, 1.}, {1, 2.}}, {{0, 4.}, {2, 5.}}, {{3, 1.}}, {{3, 2.}}}, 6);
  const Matrix B = matrixOf(Rows(6), 1);
  const HostCsr<double> a(A), b(B);
  BlockPadder<double> joiner;
  const auto joins = [&](long long row) { return joiner.join({a, row, b, true, 2}).rows > 0; };
  for (int n = 0; n < 4; ++n) {
    TEST_ASSERT(joins(0));
    joiner.note(false);
  }
  int joined = 0;
  for (int n = 0; n < 320; ++n) joined += joins(0);
  TEST_EQUALITY_CONST(joined, 10);
  TEST_ASSERT(joins(2));  // equal rows need no joining
  joiner.note(true);
  TEST_ASSERT(joins(0));
}

TEUCHOS_UNIT_TEST(AlikeRows, NoneWhereTheyAreFew) {
  std::mt19937_64 random(90);
  TEST_EQUALITY_CONST(haveAlikeRows(HostCsr<double>(matrixOf({}, 1))), false);
  TEST_EQUALITY_CONST(haveAlikeRows(HostCsr<double>(matrixOf({{{0, 1.}}}, 1))), false);
  const Matrix others = matrixOf(someRows(random, 3000, 500, 9), 500);
  TEST_EQUALITY_CONST(haveAlikeRows(HostCsr<double>(others)), false);
  const Matrix empty = matrixOf(Rows(3000), 500);
  TEST_EQUALITY_CONST(haveAlikeRows(HostCsr<double>(empty)), false);
  for (const int most : {3, 8, 40}) {
    const Matrix blocks = matrixOf(someBlocks(random, 3000, 500, 9, most, true), 500);
    TEST_EQUALITY_CONST(haveAlikeRows(HostCsr<double>(blocks)), true);
  }
}

/// Runs check(A, B) for factors with blocks, in one or both; rows of some blocks lack entries.
template <class Check>
void forSomeFactors(unsigned seed, const Check& check) {
  std::mt19937_64 random(seed);
  int n = 0;
  for (const int columns : {1, 70, 30000})
    for (const int entries : {1, 6, 40, 90})
      for (const int most : {2, 3, 8, 19}) {
        const int rows = 1 + static_cast<int>(random() % 150), inner = 100;
        const Matrix A = matrixOf(
            someBlocks(random, rows, inner, entries, most, n % 3 > 0, n % 2 ? 0 : 40), inner);
        const Matrix B =
            matrixOf(n % 4 ? someBlocks(random, inner, columns, entries, 1 + most / 2, n % 5 > 0)
                           : someRows(random, inner, columns, entries),
                     columns);
        check(A, B);
        ++n;
      }
}

/// Returns a memory that says that blocks pay, as far as products meet.
Memory whereBlocksPay() {
  Memory memory;
  memory.entriesPerMultiplyAdd = 0.25;
  return memory;
}

TEUCHOS_UNIT_TEST(HostBlocks, ProductsHaveTheBitsOfSingleRows) {
  int withBlocks = 0;
  forSomeFactors(91, [&](const Matrix& A, const Matrix& B) {
    TEST_EQUALITY_CONST(wrong(A, B, hostProduct(A, B).C), 0);
    Memory memory = whereBlocksPay();
    TEST_EQUALITY_CONST(wrong(A, B, hostProduct(A, B, {}, &memory).C), 0);
    withBlocks += memory.blockSums.has_value();
  });
  TEST_COMPARE(withBlocks, >, 12);
}

/// Makes the structure of A·B; rows get columns more, other ones in each.
Matrix structureOf(std::mt19937_64& random, const Matrix& A, const Matrix& B, int more) {
  Rows rows(A.numRows());
  for (int r = 0; r < A.numRows(); ++r) {
    std::map<int, double> row;
    for (std::size_t a = A.graph.row_map(r); a < A.graph.row_map(r + 1); ++a)
      for (std::size_t b = B.graph.row_map(A.graph.entries(a));
           b < B.graph.row_map(A.graph.entries(a) + 1); ++b)
        row[B.graph.entries(b)] = 0.5;
    for (int m = 0; m < more; ++m) row[static_cast<int>(random() % B.numCols())] = 0.5;
    rows[r].assign(row.begin(), row.end());
  }
  return matrixOf(rows, B.numCols());
}

/// Checks the values of a known structure; columns that no product meets keep what they are to.
int wrongValues(const Matrix& A, const Matrix& B, const Matrix& C, bool add) {
  int count = 0;
  for (int r = 0; r < A.numRows(); ++r) {
    Row expected;
    for (std::size_t e = C.graph.row_map(r); e < C.graph.row_map(r + 1); ++e)
      expected[C.graph.entries(e)] = add ? 0.5 : 0;
    for (std::size_t a = A.graph.row_map(r); a < A.graph.row_map(r + 1); ++a)
      for (std::size_t b = B.graph.row_map(A.graph.entries(a));
           b < B.graph.row_map(A.graph.entries(a) + 1); ++b)
        expected.at(B.graph.entries(b)) += A.values(a) * B.values(b);
    bool same = true;
    for (std::size_t e = C.graph.row_map(r); e < C.graph.row_map(r + 1); ++e)
      same = same && alike(C.values(e), expected.at(C.graph.entries(e)));
    count += !same;
  }
  return count;
}

long long multiplyAdds(const Matrix& A, const Matrix& B) {
  long long count = 0;
  for (std::size_t a = 0; a < A.nnz(); ++a)
    count += static_cast<long long>(HostCsr<double>(B).length(A.graph.entries(a)));
  return count;
}

/// Counts the blocks whose rows are unlike, and are multiplied together.
int joinedBlocks(const Matrix& A, const Matrix& B) {
  const Factors<double> factors(A, B);
  AlikeRowsOfB<Host> ofB;
  const ProductBlocks<double, Host> blocks(factors, ofB);
  BlockPadder<double> joiner;
  int count = 0;
  for (long long r = 0, rows; blocks.any() && r < A.numRows(); r += rows) {
    rows = blocks.rowsFrom(r, A.numRows());
    const auto block = joiner.join(
        blocks.withAlike({factors.left, r, factors.tile, true, static_cast<int>(rows)}));
    count += block.rows > 0 && block.apart > 0;
  }
  return count;
}

/// Nodes of unknowns on both sides. Entries that a row lacks may meet infinities and NaNs.
TEUCHOS_UNIT_TEST(HostBlocks, RowsThatLackEntries) {
  std::mt19937_64 random(99);
  int joined = 0;
  for (const int unknowns : {1, 2, 3, 6, 8})
    for (const int lacking : {15, 40, 200}) {
      const int nodes = 40, inner = nodes * unknowns;
      Rows a, b;
      for (int node = 0; node < nodes; ++node) {
        std::vector<int> met;
        for (int other = 0; other < nodes; ++other)
          if (random() % 2)
            for (int u = 0; u < unknowns; ++u) met.push_back(other * unknowns + u);
        const std::vector<int> columns = someColumns(random, 300, 9);
        std::set<int> ascending(columns.begin(), columns.end());
        for (int u = 0; u < unknowns; ++u) {
          a.emplace_back();
          for (const int c : met)
            if (random() % lacking) a.back().emplace_back(c, someValue(random));
          b.emplace_back();
          for (const int c : ascending)
            if (lacking > 20 || random() % lacking)
              b.back().emplace_back(
                  c, random() % 1000 ? someValue(random) : std::numeric_limits<double>::infinity());
        }
      }
      const Matrix A = matrixOf(a, inner), B = matrixOf(b, 300);
      joined += joinedBlocks(A, B);
      Memory memory = whereBlocksPay();
      const Matrix C = hostProduct(A, B, {}, &memory).C;
      TEST_EQUALITY_CONST(wrong(A, B, C), 0);
      for (const bool add : {false, true}) {
        const Matrix known = structureOf(random, A, B, 0);
        const long long counted = numericProduct(A, B, known, add).multiplyAdds;
        TEST_EQUALITY(counted, multiplyAdds(A, B));
        TEST_EQUALITY_CONST(wrongValues(A, B, known, add), 0);
      }
    }
  TEST_COMPARE(joined, >, 100);
}

/// A row has faster ways of its own where its products hardly meet or are few.
TEUCHOS_UNIT_TEST(HostBlocks, OnlyWhereTheyPay) {
  std::mt19937_64 random(98);
  const auto formsBlocks = [](const Matrix& A, const Matrix& B) {
    Memory memory;
    hostProduct(A, B, {}, &memory);
    return memory.blockSums.has_value();
  };
  const Matrix A = matrixOf(someBlocks(random, 3000, 300, 20, 6, true), 300);
  const Matrix narrow = matrixOf(someRows(random, 300, 50, 20), 50);
  const Matrix wide = matrixOf(someRows(random, 300, 1000000, 20), 1000000);
  TEST_ASSERT(formsBlocks(A, narrow));
  TEST_ASSERT(!formsBlocks(A, wide));
  TEST_ASSERT(!formsBlocks(matrixOf(someBlocks(random, 30, 300, 3, 6, true), 300), narrow));
}

TEUCHOS_UNIT_TEST(HostBlocks, CutByChunks) {
  forSomeFactors(92, [&](const Matrix& A, const Matrix& B) {
    Memory memory = whereBlocksPay();
    const Matrix C = hostProduct(A, B, ProgressHook{1000, [] {}}, &memory).C;
    TEST_EQUALITY_CONST(wrong(A, B, C), 0);
  });
}

/// Counts and forms rows as several threads do, by however many there are, with and without chunks.
TEUCHOS_UNIT_TEST(HostBlocks, CountedBeforeTheyAreFormed) {
  forSomeFactors(93, [&](const Matrix& A, const Matrix& B) {
    Memory memory = whereBlocksPay();
    HostOperands<double, Host> operands(A, B, memory.formersFor(B));
    countMultiplyAdds(operands);
    findBlocks(operands, memory);
    for (const ProgressHook& progressHook : {ProgressHook{}, ProgressHook{1000, [] {}}})
      TEST_EQUALITY_CONST(wrong(A, B, countThenForm(operands, progressHook).matrix(B.numCols())),
                          0);
  });
}

/// Arrays that are expected too short, so that a block is formed again once they have grown.
TEUCHOS_UNIT_TEST(HostBlocks, GrowingArrays) {
  forSomeFactors(94, [&](const Matrix& A, const Matrix& B) {
    Memory memory;
    memory.entriesPerMultiplyAdd = 1e-9;
    TEST_EQUALITY_CONST(wrong(A, B, hostProduct(A, B, {}, &memory).C), 0);
  });
}

/// Products of one right factor, of whose left factors some have blocks, and larger ones than those
/// before.
TEUCHOS_UNIT_TEST(HostBlocks, KeptMemory) {
  std::mt19937_64 random(95);
  const Matrix B = matrixOf(someBlocks(random, 300, 2000, 30, 4, true), 2000);
  Memory memory = whereBlocksPay();
  for (int n = 0; n < 30; ++n) {
    const Matrix A = matrixOf(someBlocks(random, 1 + static_cast<int>(random() % 200), 300, 20,
                                         1 + static_cast<int>(random() % 9), true),
                              300);
    TEST_EQUALITY_CONST(wrong(A, B, hostProduct(A, B, {}, &memory).C), 0);
  }
}

TEUCHOS_UNIT_TEST(HostBlocks, ValuesOfAKnownStructure) {
  std::mt19937_64 random(97);
  int n = 0;
  forSomeFactors(96, [&](const Matrix& A, const Matrix& B) {
    for (const bool add : {false, true}) {
      const Matrix C = structureOf(random, A, B, n++ % 3);
      numericProduct(A, B, C, add);
      TEST_EQUALITY_CONST(wrongValues(A, B, C, add), 0);
    }
  });
}

}  // namespace
}  // namespace Trident::Impl
