// SPDX-License-Identifier: BSD-3-Clause
// Ordering a row without comparing, against std::sort.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "Trident_RowOrder.hpp"

namespace Trident {
namespace {

using Row = std::vector<std::pair<int, double>>;

/// `length` distinct columns below `columns` in random order.
Row randomRow(std::mt19937_64& random, int columns, int length) {
  std::set<int> chosen;
  while (static_cast<int>(chosen.size()) < length)
    chosen.insert(static_cast<int>(random() % columns));
  Row row;
  for (int column : chosen) row.emplace_back(column, static_cast<double>(random() % 1000) - 500);
  for (std::size_t e = row.size(); e > 1; --e) std::swap(row[e - 1], row[random() % e]);
  return row;
}

Row sorted(Row row) {
  std::sort(row.begin(), row.end());
  return row;
}

/// Drops a row and collects it; two guards show whether more than the row is written.
Row ordered(const RowOrder<double>& order, const Row& row) {
  for (const auto& entry : row) order.drop(entry.first, entry.second);
  std::vector<int> columns(row.size() + 1, -1);
  std::vector<double> values(row.size() + 1, -1);
  order.collect(columns.data(), values.data());
  Row result;
  for (std::size_t e = 0; e < row.size(); ++e) result.emplace_back(columns[e], values[e]);
  if (columns.back() != -1 || values.back() != -1) result.clear();
  return result;
}

TEUCHOS_UNIT_TEST(RowOrder, IsSortAcrossWordAndGroupBorders) {
  const unsigned seed = 51;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int columns : {1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 8192, 20000}) {
    const RowOrder<double> order(columns);
    for (int n = 0; n < 30; ++n) {  // the same room again and again: nothing may be left in it
      const Row row = randomRow(random, columns, static_cast<int>(random() % (std::min(columns, 500) + 1)));
      wrong += ordered(order, row) != sorted(row);
    }
    Row ends{{columns - 1, 1.0}};
    if (columns > 1) ends.emplace_back(0, 2.0);
    wrong += ordered(order, ends) != sorted(ends);
    wrong += !ordered(order, {}).empty();
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(RowOrder, FullRows) {
  for (int columns : {64, 4096, 5000}) {
    const RowOrder<double> order(columns);
    Row row;
    for (int c = columns; c-- > 0;) row.emplace_back(c, c % 100);
    TEST_ASSERT(ordered(order, row) == sorted(row));
  }
}

TEUCHOS_UNIT_TEST(RowOrder, EveryBorderColumn) {
  const RowOrder<double> order(3 * 4096);
  int wrong = 0;
  for (int border = 64; border < 3 * 4096; border += 64) {
    const Row row{{border, 1.0}, {border - 1, 2.0}};
    wrong += ordered(order, row) != sorted(row);
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

TEUCHOS_UNIT_TEST(RowOrder, NoColumns) {
  const RowOrder<double> order(0);
  TEST_ASSERT(ordered(order, {}).empty());
}

TEUCHOS_UNIT_TEST(RowOrder, ShortRowsByInsertion) {
  const unsigned seed = 52;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  int wrong = 0;
  for (int n = 0; n < 500; ++n) {
    const Row row = randomRow(random, 100, static_cast<int>(random() % 40));
    std::vector<int> columns;
    std::vector<double> values;
    for (const auto& entry : row) {
      columns.push_back(entry.first);
      values.push_back(entry.second);
    }
    sortShortRow(columns.data(), values.data(), static_cast<int>(row.size()));
    Row result;
    for (std::size_t e = 0; e < row.size(); ++e) result.emplace_back(columns[e], values[e]);
    wrong += result != sorted(row);
  }
  TEST_EQUALITY_CONST(wrong, 0);
}

}  // namespace
}  // namespace Trident
