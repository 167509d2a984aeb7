// SPDX-License-Identifier: BSD-3-Clause
// The generator `families`: symmetric, the same on any ranks, sizes as asked for, and its truth.

#include <Teuchos_UnitTestHarness.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "TridentDriver_TestTools.hpp"
#include "TridentProblems_Families.hpp"
#include "TridentProblems_HashPermutation.hpp"
#include "TridentProblems_Partition.hpp"

namespace {

using namespace TestTools;

TEUCHOS_UNIT_TEST(Families, PermutationsAreOneToOne) {
  for (const std::int64_t size : {1, 2, 3, 5, 16, 17, 1000, 4097}) {
    const HashPermutation permutation(7, size);
    std::vector<int> met(static_cast<std::size_t>(size), 0);
    for (std::int64_t number = 0; number < size; ++number) {
      const std::int64_t to = permutation(number);
      TEST_ASSERT(to >= 0 && to < size);
      ++met[static_cast<std::size_t>(to)];
      TEST_EQUALITY(permutation.inverse(to), number);
    }
    TEST_EQUALITY(std::count(met.begin(), met.end(), 1), size);
  }
}

TEUCHOS_UNIT_TEST(Families, SymmetricAndTheSameOnAnyRanks) {
  for (const std::string spec :
       {"families:n=3000,seed=3", "families:n=1", "families:n=2", "families:n=21,least=4,most=7",
        "families:n=500,power=1,d=3,between=4", "families:n=300,between=0,least=1,most=1",
        "families:n=9000,most=50,power=2.5"}) {
    const auto alone = readMatrix(spec, self()).matrix, together = readMatrix(spec, world()).matrix;
    TEST_EQUALITY(checksum(*alone), checksum(*together));
    const Entries entries = entriesOf(*alone);
    for (const auto& entry : entries) {
      const auto [row, column] = entry.first;
      TEST_ASSERT(row != column && entry.second > 0 && entry.second <= 1);
      const auto mirrored = entries.find({column, row});
      TEST_ASSERT(mirrored != entries.end() && mirrored->second == entry.second);
    }
  }
}

TEUCHOS_UNIT_TEST(Families, TruthHasTheSizesAskedFor) {
  const GeneratorSpec spec("families:n=30000,least=3,most=40,d=8,between=1");
  const std::vector<std::int64_t> all = plantedFamilies(spec, 0, 30000);
  // A rank's part is a part of the whole.
  const UniformPartition partition(30000, world()->getSize());
  const int rank = world()->getRank();
  const auto mine = plantedFamilies(spec, partition.begin(rank), partition.count(rank));
  TEST_ASSERT(std::equal(mine.begin(), mine.end(), all.begin() + partition.begin(rank)));

  std::vector<std::int64_t> counts(41, 0);
  for (std::size_t begin = 0, end; begin < all.size(); begin = end) {
    TEST_EQUALITY(all[begin], static_cast<std::int64_t>(begin));
    for (end = begin + 1; end < all.size() && all[end] == all[begin];) ++end;
    TEST_ASSERT(end - begin >= 3 && end - begin <= 40);
    ++counts[std::min<std::size_t>(end - begin, 40)];
  }
  // P(size = s) of the power law 2, from the integral over [s, s + 1).
  const std::int64_t families = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const double smallest = (1.0 / 3 - 1.0 / 4) / (1.0 / 3 - 1.0 / 41) * families;
  TEST_COMPARE(std::abs(static_cast<double>(counts[3]) - smallest), <, 5 * std::sqrt(smallest));
}

TEUCHOS_UNIT_TEST(Families, NeighboursInsideAndBetween) {
  const std::int64_t n = 20000;
  const GeneratorSpec spec("families:n=20000,least=100,most=300,d=12,between=2");
  const std::vector<std::int64_t> truth = plantedFamilies(spec, 0, n);
  const auto matrix = readMatrix(spec.text(), world()).matrix;
  std::int64_t inside = 0, between = 0, wrongWeights = 0;
  {
    const RowReader rows(*matrix);
    for (std::size_t row = 0; row < rows.numRows(); ++row)
      for (std::size_t k = rows.begin(row); k < rows.end(row); ++k) {
        const bool same = truth[static_cast<std::size_t>(rows.rowGid(row))] ==
                          truth[static_cast<std::size_t>(rows.column(k))];
        ++(same ? inside : between);
        wrongWeights += same == (rows.value(k) > 0.5) ? 0 : 1;
      }
  }
  const Comm comm(*world());
  TEST_EQUALITY(comm.sum(wrongWeights), 0);
  const auto perRow = [&](std::int64_t mine) { return static_cast<double>(comm.sum(mine)) / n; };
  TEST_FLOATING_EQUALITY(perRow(inside), 12.0, 0.02);
  TEST_FLOATING_EQUALITY(perRow(between), 2.0, 0.03);  // few lie in the node's own family
}

TEUCHOS_UNIT_TEST(Families, Errors) {
  TEST_ASSERT(throwsEverywhere([] { readMatrix("families:n=9,least=4,most=6", world()); },
                               "most should be at least 2*least-1"));
  TEST_ASSERT(throwsEverywhere([] { readMatrix("families", world()); }, "n=NUMBER is missing"));
}

}  // namespace
