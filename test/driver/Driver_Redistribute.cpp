// SPDX-License-Identifier: BSD-3-Clause
// The all-to-all of entries, and the partition it follows.

#include <Teuchos_UnitTestHarness.hpp>

#include "TridentDriver_TestTools.hpp"
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

}  // namespace
