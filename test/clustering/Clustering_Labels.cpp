// SPDX-License-Identifier: BSD-3-Clause
// Labels get numbers in the order of their positions, on any number of ranks.

#include <Teuchos_UnitTestHarness.hpp>
#include <map>

#include "TridentClustering_Labels.hpp"
#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Partition.hpp"

namespace {

using namespace TestTools;
using namespace Trident::Clustering;

Text textOf(const std::string& text) { return {text.data(), text.data() + text.size()}; }
std::string stringOf(Text text) { return std::string(text.begin, text.end); }

/// Returns a random label, one of `labels`. Two differ in length, in bytes or not at all.
std::string randomLabel(std::uint64_t seed, std::int64_t occurrence, std::int64_t labels) {
  const auto index = static_cast<std::uint64_t>(occurrence);
  const std::uint64_t which =
      Trident::Problems::hash(seed, index) % static_cast<std::uint64_t>(labels);
  std::string label = std::to_string(which) + std::string(which % 23, which % 2 ? ' ' : '\xe9');
  if (which % 5 == 0) label += '\0';
  return label;
}

TEUCHOS_UNIT_TEST(Labels, TableKeepsTheLeastPosition) {
  LabelTable table;
  TEST_EQUALITY(table.add(textOf("b"), 9), 0);
  TEST_EQUALITY(table.add(textOf("a"), 7), 1);
  TEST_EQUALITY(table.add(textOf("b"), 3), 0);
  TEST_EQUALITY(table.add(textOf(""), 4), 2);
  TEST_EQUALITY(table.positions()[0], 3);
  for (int i = 0; i < 1000; ++i) TEST_EQUALITY(table.add(textOf(std::to_string(i)), i + 10), i + 3);
  TEST_EQUALITY(table.add(textOf("a"), 1), 1);
  TEST_EQUALITY(stringOf(table.labels()[2]), "");
  TEST_EQUALITY(stringOf(table.labels()[1002]), "999");
}

/// Numbers occurrences 0 .. many-1 of `labels` labels, of which `ranks` ranks have some; against a
/// map.
bool numbersAsTheyAppear(std::uint64_t seed, std::int64_t many, std::int64_t labels, int ranks) {
  const Comm comm(*world());
  LabelTable mine;
  std::map<std::string, std::int64_t> expected;
  std::vector<std::string> order;
  for (std::int64_t i = 0; i < many; ++i) {
    const std::string label = randomLabel(seed, i, labels);
    if (expected.insert({label, static_cast<std::int64_t>(order.size())}).second)
      order.push_back(label);
    if (static_cast<int>(Trident::Problems::hash(seed + 1, static_cast<std::uint64_t>(i)) %
                         static_cast<std::uint64_t>(ranks)) == comm.rank())
      mine.add(textOf(label), 3 * i);
  }
  const NumberedLabels numbered = numberLabels(mine, comm);
  bool good = numbered.count == static_cast<std::int64_t>(order.size());
  for (std::size_t i = 0; i < mine.labels().size(); ++i)
    good = good && numbered.numbers[i] == expected[stringOf(mine.labels()[i])];
  const UniformPartition partition(numbered.count, comm.size());
  good = good && partition.count(comm.rank()) == static_cast<std::int64_t>(numbered.names.size());
  for (std::size_t i = 0; good && i < numbered.names.size(); ++i)
    good = stringOf(numbered.names[i]) ==
           order[static_cast<std::size_t>(partition.begin(comm.rank())) + i];
  return comm.sum(good ? 0 : 1) == 0;
}

TEUCHOS_UNIT_TEST(Labels, NumbersAsTheyAppear) {
  for (const int ranks : {1, world()->getSize()})
    for (const std::int64_t labels : {1, 7, 1000})
      for (const std::int64_t many : {0, 1, 5, 3000})
        TEST_ASSERT(
            numbersAsTheyAppear(static_cast<std::uint64_t>(many + labels), many, labels, ranks));
}

}  // namespace
