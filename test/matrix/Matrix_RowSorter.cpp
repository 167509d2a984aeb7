// SPDX-License-Identifier: BSD-3-Clause
// Sorting one row on the host, short or long, against std::sort.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "matrix/Trident_SortRows.hpp"

namespace Trident::Impl {
namespace {

using Row = std::vector<std::pair<int, double>>;

/// Draws `length` distinct columns in [low, low + range), in random order.
Row randomRow(std::mt19937_64& random, int low, unsigned range, std::size_t length) {
  std::set<int> chosen;
  while (chosen.size() < length) chosen.insert(low + static_cast<int>(random() % range));
  Row row;
  for (int column : chosen) row.emplace_back(column, static_cast<double>(random() % 1000) - 500);
  for (std::size_t e = row.size(); e > 1; --e) std::swap(row[e - 1], row[random() % e]);
  return row;
}

/// Returns true if the sorter makes of a row what std::sort makes of it, and writes nothing beyond
/// it.
bool sortsRight(RowSorter<double>& sorter, Row row) {
  std::vector<int> columns;
  std::vector<double> values;
  for (const auto& entry : row) {
    columns.push_back(entry.first);
    values.push_back(entry.second);
  }
  columns.push_back(-5);
  values.push_back(-5);
  sorter.sort(columns.data(), values.data(), row.size());
  std::sort(row.begin(), row.end());
  bool right = columns.back() == -5 && values.back() == -5;
  for (std::size_t e = 0; e < row.size(); ++e)
    right = right && columns[e] == row[e].first && values[e] == row[e].second;
  return right;
}

TEUCHOS_UNIT_TEST(RowSorter, EveryLengthOfOneSorter) {
  const unsigned seed = 51;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  RowSorter<double> sorter(200);  // longer and shorter rows in turn
  int wrong = 0;
  for (std::size_t length = 0; length <= 200; ++length) {
    wrong += !sortsRight(sorter, randomRow(random, 0, 1000000, length));
    wrong += !sortsRight(sorter, randomRow(random, 0, 1000, 200 - length));
    wrong += !sortsRight(sorter, randomRow(random, 0, 200, length));  // dense
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(RowSorter, RangesAtPowersOfTwo) {
  const unsigned seed = 52;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  RowSorter<double> sorter(63);
  int wrong = 0;
  for (int bits = 6; bits <= 30; ++bits)
    for (unsigned range : {(1u << bits) - 1, 1u << bits, (1u << bits) + 1})
      for (std::size_t length : {25, 31, 32, 33, 63}) {
        Row row = randomRow(random, 77, range, length);
        wrong += !sortsRight(sorter, row);
        row.front().first = 77;  // both ends of the range are there
        row.back().first = static_cast<int>(76 + range);
        std::set<int> distinct;
        for (const auto& entry : row) distinct.insert(entry.first);
        if (distinct.size() == row.size()) wrong += !sortsRight(sorter, row);
      }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(RowSorter, RowsOfAscendingRuns) {
  const unsigned seed = 55;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  RowSorter<double> sorter(300);
  int wrong = 0;
  for (int round = 0; round < 600; ++round) {
    Row row = randomRow(random, -50, 1000 + 100000 * (round % 2), 33 + random() % 268);
    // Up to 12 sequences of any length, also none: few are merged, more are not.
    std::vector<std::size_t> ends(random() % 12, row.size());
    for (std::size_t& end : ends) end = random() % (row.size() + 1);
    ends.push_back(row.size());
    std::sort(ends.begin(), ends.end());
    std::size_t begin = 0;
    for (std::size_t end : ends) {
      std::sort(row.begin() + begin, row.begin() + end);
      begin = end;
    }
    wrong += !sortsRight(sorter, row);
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(RowSorter, TheWholeRangeOfAnInt) {
  std::mt19937_64 random(53);
  RowSorter<double> sorter(102);
  const int most = std::numeric_limits<int>::max();
  Row row = randomRow(random, 1, static_cast<unsigned>(most) - 1, 100);
  row.emplace_back(0, 1.0);
  row.emplace_back(most, 2.0);
  std::swap(row.front(), row.back());
  TEST_ASSERT(sortsRight(sorter, row));
}

TEUCHOS_UNIT_TEST(RowSorter, LongRowsAndSortedOnes) {
  std::mt19937_64 random(54);
  RowSorter<double> sorter(50000);
  Row row = randomRow(random, 0, 1u << 20, 50000);
  TEST_ASSERT(sortsRight(sorter, row));
  std::sort(row.begin(), row.end());
  TEST_ASSERT(sortsRight(sorter, row));
  std::reverse(row.begin(), row.end());
  TEST_ASSERT(sortsRight(sorter, row));
}

}  // namespace

}  // namespace Trident::Impl
