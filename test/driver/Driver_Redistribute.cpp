// SPDX-License-Identifier: BSD-3-Clause
// The all-to-all of entries, and the partition it follows; rows of entries.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Assemble.hpp"
#include "TridentProblems_Partition.hpp"
#include "TridentProblems_Redistribute.hpp"

namespace {

using namespace TestTools;

TEUCHOS_UNIT_TEST(Redistribute, PartitionIsTpetras) {
  const int ranks = world()->getSize(), me = world()->getRank();
  for (std::int64_t n : {0, 1, 2, 5, 12, 1001}) {
    const UniformPartition partition(n, ranks);
    const map_type map(static_cast<Tpetra::global_size_t>(n), 0, world());
    TEST_EQUALITY(partition.count(me), static_cast<std::int64_t>(numLocalElements(map)));
    if (partition.count(me) > 0)
      TEST_EQUALITY(partition.begin(me), std::int64_t{map.getMinGlobalIndex()});
    for (std::int64_t i = 0; i < n; ++i) {
      const int owner = partition.owner(i);
      TEST_ASSERT(partition.begin(owner) <= i && i < partition.begin(owner + 1));
    }
  }
}

TEUCHOS_UNIT_TEST(Redistribute, EveryItemArrivesOnce) {
  const Comm comm(*world());
  struct Item {
    std::int64_t from, number;
  };
  const auto owner = [&](const Item& item) {
    return static_cast<int>(
        hash(static_cast<std::uint64_t>(item.from), static_cast<std::uint64_t>(item.number)) %
        static_cast<std::uint64_t>(comm.size()));
  };
  std::vector<Item> items;
  for (std::int64_t i = 0; i < 1000 * comm.rank(); ++i) items.push_back({comm.rank(), i});
  items = redistributeEntries(std::move(items), owner, comm);
  std::int64_t sum = 0;
  for (const Item& item : items) {
    TEST_EQUALITY_CONST(owner(item) == comm.rank(), true);
    sum += 1000000 * item.from + item.number;
  }
  std::int64_t expected = 0;
  for (std::int64_t rank = 0; rank < comm.size(); ++rank)
    for (std::int64_t i = 0; i < 1000 * rank; ++i) expected += 1000000 * rank + i;
  TEST_EQUALITY(comm.sum(sum), expected);
}

TEUCHOS_UNIT_TEST(Redistribute, BlocksOfSeveralMessages) {
  const Comm comm(*world());
  const int to = (comm.rank() + 1) % comm.size();
  const std::int64_t many = 9000000 + comm.rank();  // 72 MB: two messages of at most 64 MiB
  std::vector<std::int64_t> items(static_cast<std::size_t>(many));
  for (std::int64_t i = 0; i < many; ++i) items[static_cast<std::size_t>(i)] = i;
  items = redistributeEntries(
      std::move(items), [to](std::int64_t) { return to; }, comm);
  const std::int64_t from = (comm.rank() - 1 + comm.size()) % comm.size();
  TEST_EQUALITY(static_cast<std::int64_t>(items.size()), 9000000 + from);
  bool inOrder = true;
  for (std::size_t i = 0; i < items.size(); ++i)
    inOrder = inOrder && items[i] == static_cast<std::int64_t>(i);
  TEST_ASSERT(inOrder);
}

/// Returns the expected entries: values of one place are added in ascending order, or, by the rule,
/// the largest alone stays.
std::map<std::pair<global_ordinal_type, global_ordinal_type>, double> joined(
    const std::vector<Entry>& entries, Duplicates rule) {
  std::map<std::pair<global_ordinal_type, global_ordinal_type>, std::multiset<double>> places;
  for (const Entry& entry : entries) places[{entry.row, entry.column}].insert(entry.value);
  std::map<std::pair<global_ordinal_type, global_ordinal_type>, double> joined;
  for (const auto& [place, values] : places) {
    double sum = *values.begin();
    for (auto value = std::next(values.begin()); value != values.end(); ++value) sum += *value;
    joined[place] = rule == Duplicates::sum ? sum : *values.rbegin();
  }
  return joined;
}

/// Returns true if this rank's rows have these entries, and no others of their rows, to the last
/// bit, by ascending local columns.
bool areRows(
    const matrix_type& matrix,
    const std::map<std::pair<global_ordinal_type, global_ordinal_type>, double>& expected) {
  const RowReader rows(matrix);
  std::map<std::pair<global_ordinal_type, global_ordinal_type>, double> mine, found;
  for (const auto& [place, value] : expected)
    if (matrix.getRowMap()->isNodeGlobalElement(place.first)) mine[place] = value;
  for (std::size_t i = 0; i < rows.numRows(); ++i)
    for (std::size_t e = rows.begin(i); e < rows.end(i); ++e) {
      if (e > rows.begin(i) && rows.localColumn(e - 1) >= rows.localColumn(e)) return false;
      found[{rows.rowGid(i), rows.column(e)}] = rows.value(e);
    }
  return found == mine;
}

/// Makes these entries of less bytes.
std::vector<ShortEntry> shortened(const std::vector<Entry>& entries) {
  std::vector<ShortEntry> shortened;
  for (const Entry& e : entries)
    shortened.push_back(
        {static_cast<std::int32_t>(e.row), static_cast<std::int32_t>(e.column), e.value});
  return shortened;
}

TEUCHOS_UNIT_TEST(Redistribute, RowsOfEntriesInAnyOrder) {
  const unsigned seed = 2311;
  out << "seed " << seed << "\n";
  std::mt19937_64 random(seed);  // the same on every rank
  const Comm comm(*world());
  int wrong = 0;
  for (int n = 0; n < 200; ++n) {
    const std::int64_t numRows = static_cast<std::int64_t>(random() % 20);
    const std::int64_t numColumns = n % 2 ? 8 : 1000;
    std::vector<Entry> entries, mine;
    for (std::size_t e = numRows > 0 ? random() % 200 : 0; e > 0; --e)
      entries.push_back({static_cast<global_ordinal_type>(random() % numRows),
                         static_cast<global_ordinal_type>(random() % numColumns),
                         0.1 * static_cast<double>(random() % 100)});
    const Duplicates rule = n % 3 ? Duplicates::sum : Duplicates::largest;
    const auto expected = joined(entries, rule);
    if (n % 4 == 0)  // as a file by columns has them
      std::stable_sort(entries.begin(), entries.end(),
                       [](const Entry& a, const Entry& b) { return a.column < b.column; });
    for (std::size_t e = 0; e < entries.size(); ++e)
      if (static_cast<int>(hash(seed, e) % static_cast<std::uint64_t>(comm.size())) == comm.rank())
        mine.push_back(entries[e]);
    std::int64_t duplicates = 0;
    const auto A =
        n % 5 ? matrixFromEntries(mine, numRows, numColumns, world(), comm, duplicates, rule)
              : matrixFromEntries(shortened(mine), numRows, numColumns, world(), comm, duplicates,
                                  rule);
    wrong += !areRows(*A, expected);
    wrong += duplicates != static_cast<std::int64_t>(entries.size() - expected.size());
  }
  TEST_EQUALITY(comm.sum(wrong), 0);
}

TEUCHOS_UNIT_TEST(Redistribute, KeepsTheOrder) {
  const Comm comm(*world());
  struct Item {
    int from, number;
  };
  std::vector<Item> items;
  for (int i = 0; i < 1000 + comm.rank(); ++i) items.push_back({comm.rank(), i});
  items = redistributeEntries(
      std::move(items), [&](const Item& item) { return item.number % comm.size(); }, comm);
  const auto isBefore = [](const Item& a, const Item& b) {
    return a.from != b.from ? a.from < b.from : a.number < b.number;
  };
  TEST_ASSERT(std::is_sorted(items.begin(), items.end(), isBefore));
}

}  // namespace
